package classify

// nouns holds the ordinary words of both languages that can be names where they stand in the place of one: "seats in
// ticketing". "word" are those that do so in every such place, because without an article they mean nothing else;
// "thing" those that do so only right behind a kind or a verb that takes a workload, because elsewhere they are what
// people ask about: "show users in shop". A word that no other list holds stays unknown, and is never taken for a
// misspelt one.
const nouns = `
word: abonne abonnement account accueil achat achats acteur activity adherent advance affair affiche agence agenda agent alarm album alerte analyst annonce annonces annuaire
word: answer appel archive area art asset atelier atlas auction audience auteur author avis award badge bank banner banque bar barrier base basket beacon bell bet bike bill
word: billing bin bird blog board body book booker booking bookings boost booster border bot boutique box branch brand bridge bridges brief broker brouillon browser bucket
word: budget buffer builder builds bureau bus buyer cab caisse calcul calendar calendrier call caller campaign campus car card cards care career cargo carnet carrier cart carte
word: carton carts cash casino catalog catalogue center central centre channel chart charts chat checker checkout circle city civil claimer class clearing client clock cloud
word: club coach code coin colis collecte collector color commande commandes comment company compass compiler compta comptabilite compte concierge concours conges connector
word: console contact content contrat control controller cookie core corner council counter coupon courier courrier cours course courses cover crate crawler credit crew crm
word: cron crypto cube cuisine curator currency cycle daemon dashboard dealer debt deck delivery demand depot design desk device dialer diary digest director directory discount
word: dispatch dispatcher display docs document domain door doorman dossier dossiers draft drive driver drone earth echo ecole edge editeur editor education elevator email
word: emploi enchere encoder energy engine enquete entree entry envoi erp espace exchange exporter express eye facade factory facturation facture factures fair family farm
word: fastlane fax feature feed feedback feeder ferme fetcher fiche fichier field file filter finance finder fire fleet flight flow folder follow food force forge form
word: formation forme forms forum forwarder frais frame front frontend fulfilment fund fusion future gallery game games garage garden gare gate gatekeeper geo gestion gift
word: giver glass globe gold golf grabber grade graph grid grille ground group groupe guard guest guichet guide hall hand handler harbor harbour hash head heart helpdesk helper
word: highway hive hold home hook horaire horaires horizon host hotel hotels house hr hub human hunter identity image immobilier import importer inbox index influx ingest
word: ingester input insight insurance intake invoice invoicer item jet jeu jeux job journal journey jury kernel key keyboard keyring kiosk kitchen knowledge lab label land
word: landing language laverie lead leader league learning lease ledger legal lens letter lettre levels license light lighthouse lightning lights line link linker list listener
word: listing live livraison livraisons livre livres loader loan lobby locale location locator locker lodge logger logistics logo logos lookout loop lottery lounge loyer
word: machine magasin magazine magnet mailer mailing maintenance mairie maison maker mall manager map mapper march marche mark marker marketing marque mart master match matcher
word: mate material materiel matrix meal meeting member membre memo menu merchant merger mesh messenger meteo meter meters metier metro mill mind mine miner mint mirror mixer
word: mobile mobilite model module money monitor moon mosaic motor mount mover movie musee museum navette navigator navire nest news newsletter night north note notebook notes
word: notice notifier novel nurse object objet ocean offer offers office officer offre offres oracle orbit orchestra order organizer origin outbox output owner pace page pager
word: paie paiement paiements painter pair palace panel panier panneau paper papier parc parcel parcours pari parking parser partner parts party pass passenger passerelle
word: passport past patch patient pay payer payroll peage peer pen people perk person personne pet phare pharmacie phone photo picker picture piece pilot pipe pitch pixel place
word: plage plan plane planner planning plant platform play player plaza pocket point poll poller pont pool port portal porte portfolio post poste poster power premium press
word: presse price pricer pricing printer prix probe processor producer production produit produits profil profit program project projet promo promoter promotion proof property
word: prospect provider publisher puller pulse purchase pusher puzzle quai quest quick quiz quota quote race radar radio rail ranger ranking rate rating rayon reader receipt
word: receiver recherche recolte recorder recrutement referral refund region register registre registry relais relay release reminder remote renderer rent rental repas replay
word: reporter repository request research reservation reservations resolver rest retail retour retriever return reunion reward rewards ride rider ring river road robot rocket
word: role room roster route router routes routing rule runner safe sale sales salle salon sample sante satellite scanner scheduler school science scolaire scope score scorer
word: scout scraper screen script sea seat seats second section security seed seeker segment sejour seller sender sensor server service session settlement settler shadow share
word: shelf shell shield ship shipment shipper shipping shop shopping shore shot show sidecar sign signal signer signup simulator site sitemap sites sky slot smith snap social
word: solver song sorter sortie sound source space spark speaker speed spider sport spot spring stable stadium stages stamp stand star stars statement station stations
word: statistics step steward stocks stop storefront stories story strategy stream streamer street studio style submit suivi summit sun supply support surface switch switcher
word: syncer system table tag talent talk tank target tarif tarifs task tax taxi team tech template temple tenant term terminal test tester text theater theatre theme thread
word: ticketing time timer toll tour tower town toy tracer track tracker trade trader trail train trainer transfer transit transport travel treasury tree tri trial trip truck
word: trust tube tuner tunnel turbine tutor twin union unit updater upload uploader uploads user valet validator valise value van vehicle vendor vente ventes venue verifier
word: video viewer village ville vision visit visite visitor visits vitrine voice voiture vols vote voter voting voucher voyage voyages wagon walker wall wallet warden
word: warehouse washer watch watcher water wave way weather webhook webshop website wheel wholesale widget window wire wizard word work worker workflow workshop world writer
word: yard zone zoo
thing: acces access accounts action actions activities admins age agents answer assets attention avis backups base branches buckets builds caches campaigns cas case categories
thing: cause channels charge clients code columns commentaires comments components compte comptes conditions conf config configuration connections consumers contacts containers
thing: content contents contenus context contexts contracts control cookies cost cours courses credentials customers dashboards data database dates decision decisions deliveries
thing: demand demandes dependencies detail details developers devices documents domains donnee donnees droit effect effet effort entries entry env environments equipes error
thing: espace etat evidence exception exceptions failure faute features file files filters flags folders format function functions graphs groupes groups health help history
thing: hosts idea ideas image images indexes info input instances interest invoices issue issues items job key keys lag language layers levels life lignes lines links lists load
thing: lock locks log loss machines maintenance maps matches material measures members memory message messages mesures methods metrics mode models modules mots name names need
thing: news noise nombre note notes notice notices notifications number object objects objets offers operations operators options order output owner owners pace packages pages
thing: panne parameters parametres partners parts passwords patterns payments people permissions personnes place places plans points policies pools ports pressure prices problem
thing: probleme problemes procedures processes producers products profiles programs progress projects projets proof properties property quality queries questions queues quota
thing: raison rate rates ratings reason record reglages regles reponses reports repositories request requests requetes research resources responses rest result resultats results
thing: retard retour reviews risk role roles rooms routes rows rules samples sauvegardes schedules schemas scripts sections sens sense sensors servers service sessions settings
thing: shares signals sites size solution solutions source sources space state status step steps stock storage strength suite support system systems tables taches tags task
thing: tasks team teams templates temps terms test tests thing things thread threads throughput tickets time tls tokens tone tools topics total traces trades traffic training
thing: transfers trends type units updates usage use user users utilisateur utilisateurs valeur valeurs value values variables vendors version versions view views volume volumes
thing: votes warning warnings way weight windows word words work workers workflows zones
`

// adverbial are the words that "in" or "dans" makes an adverb of, and no place: "in total", "in progress".
const adverbial = " addition advance ansible bulk case cases charge common control cours crashloopbackoff danger debug demand depth detail details " +
	"direct docker doubt effect english error essence fact fait fond french full future general git gros hand haste itself json " +
	"kubernetes line maintenance memory mind mode moins moment motion need order ordre parallel part particular particulier parts place " +
	"play plus position practice principle private process progress public question reality retard reverse review secret sequence " +
	"series service short sight stock style sum sync tandem temps term terms terraform theory time total transit trouble turn use vain " +
	"version view vrai words work yaml "
