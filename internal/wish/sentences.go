package wish

import "strings"

// sentences is everything that is understood, by what it means. Words stand for themselves, "a|b" for either, "[x]" for x
// or nothing, and "a_b" for two words. The rest is read by its own rules:
//
//	<targets>   one object or several: "web", "the deployments web and api in shop", "deploy/web", "shop/web", "it"
//	<target>    one object
//	<to> <by>   a number of replicas to end with, or to go up or down by
//	<from>      a number of replicas that there is
//	<image>     an image with tag or digest
//	<container> the name of a container
//	<revision>  the number of a revision
var sentences = map[Verb]string{
	Restart: `
restart|reboot|bounce|recycle|relaunch|kick|cycle <targets>
rollout restart [of] <targets>
rolling restart [of] <targets>
do|perform|trigger|run|make|start|initiate [a|the] [rolling|rollout] restart of|on|for <targets>
get|have <targets> restarted
redemarre|redemarrer|redemarrez|relance|relancer|relancez|reboote|rebooter|restarte|restarter <targets>
fais|faire|faites redemarrer <targets>
redemarrage de|du <targets>
fais|faire|faites|lance|lancer|lancez|effectue|effectuer|effectuez [un|le] [rollout|rolling] restart|redemarrage de|du|sur|pour <targets>`,

	Scale: `
scale [up|down|out|in|back|horizontally] <targets> [up|down|out|in|back] to <to> [<replicas>]
scale [up|down|out|in|back] <targets> [up|down|out|in|back] from <from> [<replicas>] to <to> [<replicas>]
scale [up|down|out|in] <targets> at <to> <replicas>
set|change|bring|put|adjust|raise|increase|bump|reduce|lower|decrease|drop <targets> [up|down|back] to <to> <replicas>
set|change|bring|put|adjust|raise|increase|bump|reduce|lower|decrease|drop|scale [the] [number] [of] <replicas> [count] of|for|on|in <targets> [from] [<from>] to <to>
set|change|bring|put|adjust|raise|increase|bump|reduce|lower|decrease|drop <targets> <replicas> [count] [from] [<from>] to <to>
set|change|bring|put|adjust|raise|increase|reduce|lower|decrease|scale [the] number of <targets> <replicas> to <to>
upscale|downscale|resize <targets> to <to> [<replicas>]
bring|take|set|put|drop|turn|bump|crank <targets> [back] up|down to <to> [<replicas>]
set|change|scale|bring [the] [number] [of] <replicas> [count] to <to> for|of|on|in <targets>
bring|take|drop|turn|bump|crank [back] up|down <targets> to <to> [<replicas>]
run|start|give <targets> [with|at] <to> <replicas>
run <to> <replicas> of <targets>
scale up|out <targets> by <up> [<replicas>]
scale <targets> up|out by <up> [<replicas>]
scale down|in|back <targets> by <down> [<replicas>]
scale <targets> down|in|back by <down> [<replicas>]
increase|raise|bump|grow <targets> by <up> <replicas>
increase|raise|bump|grow [the] [number] [of] <replicas> [count] of|for|on|in <targets> by <up>
decrease|reduce|lower|shrink|drop <targets> by <down> <replicas>
decrease|reduce|lower|shrink|drop [the] [number] [of] <replicas> [count] of|for|on|in <targets> by <down>
add <up> [more|extra|additional] <replicas> to|for <targets>
remove <down> <replicas> from <targets>
double <twice> [the] [number] [of] <replicas> [count] of|for|on|in <targets>
double <twice> <targets> [<replicas>]
halve <half> [the] [number] [of] <replicas> [count] of|for|on|in <targets>
halve <half> <targets> [<replicas>]
scale|scaler|scalez|monte|monter|montez|remonte|remonter|remontez|descends|redescends|descendre|descendez <targets> a|jusque_a|vers <to> [<replicas>]
scale|scaler|passe|passer|passez|monte|monter|remonte|remonter|descends <targets> de <from> [<replicas>] a|vers <to> <replicas>
passe|passer|passez|mets|met|mettre|mettez|remets|porte|porter|portez|ramene|ramener|ramenez|augmente|augmenter|reduis|reduire|baisse|baisser|diminue|diminuer|redescends|remonte|remonter|remontez <targets> a|jusque_a|vers <to> <replicas>
scale|scaler|scalez a <to> [<replicas>] <targets>
mets|met|mettre|mettez a le echelle <targets> a <to> [<replicas>]
passe|passer|passez|mets|met|mettre|mettez|fixe|fixer|regle|augmente|augmenter|reduis|reduire|baisse|baisser|diminue|diminuer [le] [nombre_de] [les] <replicas> de|du|pour <targets> [de] [<from>] a|vers <to>
augmente|augmenter|augmentez|monte|monter <targets> de <up> <replicas>
augmente|augmenter|augmentez [le] [nombre_de] [les] <replicas> de|du|pour <targets> de <up>
reduis|reduire|baisse|baisser|diminue|diminuer|descends <targets> de <down> <replicas>
reduis|reduire|baisse|baisser|diminue|diminuer [le] [nombre_de] [les] <replicas> de|du|pour <targets> de <down>
ajoute|ajouter|ajoutez|rajoute|rajouter|rajoutez <up> <replicas> a|au|de_plus_a <targets>
retire|retirer|enleve|enlever <down> <replicas> a|au|de|du <targets>
double|doubler|doublez <twice> [le] [nombre_de] [les] <replicas> de|du|pour <targets>`,

	Undo: `
roll_back|rollback|revert <targets>
roll <targets> back
undo|revert|roll_back|rollback [the] [last|latest|most_recent|previous|current] rollout|deployment|deploy|release|update|upgrade of|on|for|to <targets>
rollout undo [of] <targets>
roll_back|rollback|roll|revert|return|restore|take|bring|put|set|reset|switch <targets> [back] to [the|its] previous|prior|earlier|former|preceding <version>
roll_back|rollback|roll|revert|return|restore|take|bring|put|set|reset|switch <targets> [back] to [the] revision [number|no] <revision>
rollout undo <targets> to [the] revision [number] <revision>
go|switch|return|get back to [the] previous|prior|former <version> of|for|on <targets>
go|switch|return|get back to [the] revision [number] <revision> of|for|on <targets>
restore [the] previous|prior|former <version> of|for|on <targets>
bring_back|restore [the] revision [number] <revision> of|for|on <targets>
do|perform|trigger|run|make [a|the] rollback of|on|for <targets>
do|perform|trigger|run|make [a|the] rollback of|on|for <targets> to [the] revision [number] <revision>
rollback|rollbacke|rollbacker|rollbackez [de|du] <targets>
rollback|rollbacke|rollbacker|rollbackez [de|du] <targets> a|vers|sur|en [la] revision [numero] <revision>
rollback|rollbacke|rollbacker|rollbackez [de|du] <targets> a|vers|sur|en [la] <version> <before>
fais|faire|faites|lance|lancer|effectue|effectuer [un|le] rollback|retour_arriere|retour_en_arriere de|du|sur|pour <targets>
fais|faire|faites|lance|lancer|effectue|effectuer [un|le] rollback|retour_arriere|retour_en_arriere de|du|sur|pour <targets> a|vers|sur [la] revision [numero] <revision>
fais|faire|faites|lance|lancer|effectue|effectuer [un|le] rollback|retour_arriere|retour_en_arriere de|du|sur|pour <targets> a|vers|sur [la] <version> <before>
reviens|revenir|revenez a|sur|vers la <version> <before> de|du|pour|sur <targets>
reviens|revenir|revenez a|sur|vers la revision [numero] <revision> de|du|pour|sur <targets>
reviens|revenir|revenez au deploiement|rollout precedent|anterieur de|du|pour|sur <targets>
reviens|revenir|revenez en arriere sur|pour|de <targets>
remets|remettre|remettez|ramene|ramener|ramenez|passe|passer|repasse|repasser|mets <targets> a|sur|vers|en la <version> <before>
remets|remettre|remettez|ramene|ramener|ramenez|passe|passer|repasse|repasser|mets <targets> a|sur|vers|en la revision [numero] <revision>
restaure|restaurer|restaurez|remets|remettre la <version> <before> de|du|pour|sur <targets>
restaure|restaurer|restaurez|remets|remettre la revision [numero] <revision> de|du|pour|sur <targets>
annule|annuler|annulez le [dernier] deploiement|rollout|deploy de|du|sur|pour <targets>
annule|annuler|annulez la [derniere] mise_a_jour|livraison|version de|du|sur|pour <targets>`,

	SetImage: `
set|change|update|switch|move|bump|upgrade|downgrade|replace [the] image of|for|on|in|used_by <target> to|with|by <image>
set|change|update|switch|move|bump|upgrade|downgrade|replace [the] image of|for|on|in [the] container <container> of|in|on <target> to|with|by <image>
set|change|update|switch|move|bump|upgrade|downgrade|replace [the] image of|for|on|in [the] <container> container of|in|on <target> to|with|by <image>
set|change|update|switch|move|bump|upgrade|downgrade|replace [the] image of|for|on|in <target> container <container> to|with|by <image>
set|change|update|switch|move|bump|upgrade|downgrade|replace [the] container <container> of|in|on <target> to [the] [image] <image>
set|change|update|switch|move|bump|upgrade|downgrade|replace [the] <container> container of|in|on <target> to [the] [image] <image>
set|change|update|switch|move|bump|upgrade|downgrade <target> container <container> to [the] [image] <image>
set|change|update|switch|move|bump|upgrade|downgrade|replace <target> [the] [container] image [to|with|by] <image>
set|change|update|switch|move|bump|upgrade|downgrade|roll|deploy <target> to|with [the] image <image>
set|update|upgrade|switch <target> to <image>
use|deploy|roll_out|run|put [the] image <image> for|on|in|to <target>
use|deploy|roll_out|run|put [the] image <image> for|on|in|to [the] container <container> of|in|on <target>
run <target> with [the] image <image>
mets|met|mettre|mettez|change|changer|changez|passe|passer|passez|remplace|remplacer|remplacez|bascule|basculer le image de|du|pour|sur <target> a|en|vers|par|pour|sur|avec <image>
mets|met|mettre|mettez|change|changer|changez|passe|passer|passez|remplace|remplacer|remplacez|bascule|basculer le image de|du [le] conteneur|container <container> de|du|dans <target> a|en|vers|par|pour|sur|avec <image>
mets|met|mettre|mettez|change|changer|changez|passe|passer|passez|remplace|remplacer|remplacez|bascule|basculer le image de|du|pour|sur <target> conteneur|container <container> a|en|vers|par|pour|sur|avec <image>
mets|met|mettre|mettez|change|changer|changez|passe|passer|passez|remplace|remplacer|remplacez|bascule|basculer le conteneur|container <container> de|du|dans|sur <target> a|en|vers|par|pour|sur|avec [le] [image] <image>
mets|met|mettre|mettez a jour le image de|du|pour <target> a|en|vers|par|pour|sur|avec <image>
mets|met|mettre|mettez a jour le image de|du [le] conteneur|container <container> de|du|dans <target> a|en|vers|par|pour|sur|avec <image>
mets|met|mettre|mettez a jour <target> vers|avec|en|sur [le] [image] <image>
mets|met|mettre|mettez|passe|passer|passez|bascule|basculer <target> a|sur|en|vers [le] [image] <image>
mets|met|mettre|mettez|utilise|utiliser|utilisez|deploie|deployer|deployez le image <image> pour|dans|sur|a <target>`,

	Delete: `
delete|remove|destroy|kill|zap|nuke <targets>
get rid of <targets>
supprime|supprimer|supprimez|efface|effacer|effacez|detruis|detruire|detruisez|tue|tuer|tuez|vire|virer|virez|degage|degager|degagez <targets>`,

	Cordon: `
cordon [off] <targets>
mark|make|set|put|flag <target> [as] unschedulable|not_schedulable|non-schedulable|non_schedulable
mark|make|set|flag unschedulable <target>
put [a|the] cordon on|around <targets>
cordonne|cordonner|cordonnez <targets>
mets|met|mettre|mettez|pose|poser [un|le] cordon sur|autour_de <targets>
rends|rendre|rendez|mets|met|mettre|mettez|passe|passer|passez|marque|marquer|marquez <target> [en|comme] unschedulable|non_schedulable|non-schedulable|non_planifiable|non_ordonnancable`,

	Uncordon: `
uncordon <targets>
mark|make|set|put|flag <target> [back] [as|to] schedulable
mark|make|set|flag schedulable <target>
lift|remove|take [the] cordon [off] of|on|off|from|around <targets>
decordonne|decordonner|decordonnez <targets>
enleve|enlever|enlevez|retire|retirer|retirez|leve|lever|levez le cordon de|du|sur|autour_de <targets>
rends|rendre|rendez|mets|met|mettre|mettez|remets|remettre|remettez|passe|passer|passez|repasse|marque|marquer|marquez <target> [en|comme] schedulable|planifiable|ordonnancable`,

	Suspend: `
suspend|pause|disable <targets>
set|put <targets> to|as|on suspended|paused|pause|hold
set|mark <targets> [as] suspended|paused
put [a] hold|pause on <targets>
set [the] suspend [flag] [to] true on|for|of|in <targets>
suspends|suspendre|suspendez|pauser|desactive|desactiver|desactivez <targets>
mets|met|mettre|mettez en pause|suspens|suspension <targets>
mets|met|mettre|mettez <targets> en pause|suspens|suspension`,

	Resume: `
resume|unsuspend|unpause|reactivate|reenable|enable <targets>
take <targets> off hold|pause
set [the] suspend [flag] [to] false on|for|of|in <targets>
lift|remove|clear [the] suspension|pause|hold of|on|from <targets>
reprends|reprendre|reprenez|reactive|reactiver|reactivez|active|activer|activez <targets>
remets|remettre|remettez en route|marche|service|activite <targets>
remets|remettre|remettez <targets> en route|marche|service|activite
enleve|enlever|enlevez|leve|lever|levez|retire|retirer|retirez la suspension|pause de|du|sur <targets>
sors|sortir|sortez <targets> de [la] pause|suspension`,
}

// openers are the courtesies that a wish may begin with. Behind one of those that ask, a question mark is courtesy too.
const (
	openers = `
please|pls|plz|kindly|just|now|first|firstly|second|then|next|finally|also|so|ok|okay|yes|yeah|hi|hello|hey|quickly|immediately|urgent|urgently
good morning|afternoon|evening
need you to
hi|hello|hey team|all|everyone|folks|there
bonjour|salut a tous
i|we want|need|would_like [you] to
we|you|i have|must [to]
let us
go ahead and
thanks|thank_you
si il te|vous plait
svp|stp|bonjour|salut|bonsoir|oui|bon|alors|maintenant|vite|urgent|immediatement|ensuite|puis|enfin|donc
de_abord
tout de suite
vas y
merci de
veuillez
je veux|voudrais|souhaite
il faut|faudrait
on doit
faut|faudrait
merci de bien vouloir
nous devons|voulons`
	asking = `
can|could|would|will you [please|kindly]
can|could someone|somebody|anyone [please]
[est_ce_que] tu|vous peux|pourrais|pouvez|pourriez [me|nous] [stp|svp]
peux|pourrais tu [me|nous] [stp|svp]
pouvez|pourriez vous [me|nous] [stp|svp]
tu veux bien [me|nous]
veux|voudrais tu [bien] [me|nous]
quelque_un peut|pourrait [me|nous]`
)

// closers are the courtesies that a wish may end with.
const closers = `
no need to drain [it|them|the_node|the_nodes]
pas besoin de [le|la|les] drainer|vider|drain
please|pls|plz|now|immediately|asap|quickly|thanks|thx|cheers|too|urgently
as soon as possible
right now|away
straight away
at once
for me|us
again
a|de nouveau
thank you [very_much]
thanks a lot
thanks in advance
lol|mdr|ptdr|lmao|rofl|haha|hahaha|hihi|hehe|xd|ouf|ffs|sigh|hein|ty|tysm|tks|tia|thankyou|mci|bisous|biz|bises
merci [de_avance]
svp|stp|maintenant|immediatement|vite|aussi
tout de suite
des que possible
si il te|vous plait`

// joints lead from one wish to the next.
const joints = `
and [then|also]
and_after_that
then
after that
et [puis|ensuite|aussi]
puis
ensuite
apres ca`

// ellipses are wishes that leave out the verb which the wish before them has: "scale web to 3 and api to 5".
var ellipses = map[Verb]string{
	Scale: `
<targets> to|a|at <to> [<replicas>]`,
	SetImage: `
<target> to|a|en|sur|vers|par <image>`,
	Undo: `
<targets> to|a [the|la] revision [number|numero] <revision>`,
}

// running leads to a command line.
const running = `
run|execute|lance|lancer|lancez|executer|executez`

// causes lead from a wish to why it is wished.
const causes = `
because|since
due to
because of
car|puisque
parce que
vu que
a cause de`

// aims lead from a wish to what it is to bring about.
const aims = `
so that|it|they
pour que
afin que`

// scarcities say that one replica is too few.
const scarcities = `
un|une|one|a [seul|seule|single|lone] <replicas> [ca] [ne] tient|suffit|tiendra|suffira pas|plus [la] [charge]
[just|only] one|a [single|lone] <replicas> is not enough|sufficient
[just|only] one|a [single|lone] <replicas> is too few`

// places lead from an object to its namespace.
const places = `
[both] in|inside|within|from|of [the] [namespace|ns]
namespace|ns
[tous_les_deux|toutes_les_deux|les_deux] dans|ds|de|du [le] [namespace|ns]
dans|ds|de le espace de noms|nom`

// numerals are the numbers that people write as words.
var numerals = map[string]int32{
	"zero": 0, "none": 0, "one": 1, "un": 1, "une": 1, "two": 2, "deux": 2, "three": 3, "trois": 3, "four": 4, "quatre": 4,
	"five": 5, "cinq": 5, "six": 6, "seven": 7, "sept": 7, "eight": 8, "huit": 8, "nine": 9, "neuf": 9, "ten": 10, "dix": 10,
	"eleven": 11, "onze": 11, "twelve": 12, "douze": 12,
}

// These are the words that the sentences call by one name.
var synonyms = strings.NewReplacer(
	" revision ", " revision|rev ",
	"<replicas>", "replicas|replica|replique|repliques|pods|pod|instances|instance|copies|exemplaires",
	"<version>", "version|revision|release|deployment|rollout|one|image",
	"<before>", "precedente|anterieure|de_avant",
)
