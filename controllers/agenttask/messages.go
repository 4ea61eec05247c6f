package agenttask

import (
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// said is the id of something that a task's conditions say, to the one who asked and in that one's language.
type said string

const (
	saidAccepted          said = "accepted"
	saidAccountNotAllowed said = "account not allowed"
	saidAllNeeded         said = "all needed"
	saidAmbiguous         said = "ambiguous"
	saidAskAgain          said = "ask again"
	saidAskUser           said = "ask user"
	saidAskWhatToChange   said = "ask what to change"
	saidByRule            said = "by rule"
	saidCancelled         said = "cancelled"
	saidCheckCluster      said = "check the cluster"
	saidDegraded          said = "degraded"
	saidDidYouMean        said = "did you mean"
	saidElsewhere         said = "elsewhere"
	saidExample           said = "example"
	saidExceeded          said = "exceeded"
	saidExceededHeld      said = "exceeded while held"
	saidExplicit          said = "explicit"
	saidForbidden         said = "forbidden"
	saidForbiddenAll      said = "forbidden all"
	saidForbiddenCluster  said = "forbidden cluster"
	saidListKinds         said = "list kinds"
	saidMayNotRead        said = "may not read"
	saidNamespaceOnly     said = "namespace only"
	saidNoAccount         said = "no account"
	saidNoChanges         said = "no changes"
	saidNoHosts           said = "no hosts"
	saidNotFound          said = "not found"
	saidNotFoundAtAll     said = "not found at all"
	saidNotFoundIn        said = "not found in"
	saidNotFoundSeen      said = "not found in what was seen"
	saidOtherNamespaces   said = "other namespaces"
	saidOutOfScope        said = "out of scope"
	saidProgressing       said = "progressing"
	saidPromptEmpty       said = "prompt empty"
	saidPromptTooLong     said = "prompt too long"
	saidPromptUnreadable  said = "prompt unreadable"
	saidRequesterUnknown  said = "requester unknown"
	saidRetriesExhausted  said = "retries exhausted"
	saidRetrying          said = "retrying"
	saidSecret            said = "secret"
	saidSuspended         said = "suspended"
	saidUnavailable       said = "unavailable"
	saidUnclear           said = "unclear"
	saidUnknownKind       said = "unknown kind"
	saidWholeCluster      said = "whole cluster"
	saidWriteIntent       said = "write intent"
	saidWriteName         said = "write name"
	saidWriteQuestion     said = "write question"
	saidWriteWhich        said = "write which"
)

var english = map[said]string{
	saidAccepted:          "Asked by %[1]s.",
	saidAccountNotAllowed: "The operator may not read as service account %[1]s: use %[2]s, or have a cluster administrator grant it the verbs get and impersonate on that account.",
	saidAllNeeded:         "Nothing was diagnosed, since everything that is named has to be found; %[1]s was.",
	saidAmbiguous:         "%[1]s could be several objects: %[2]s.",
	saidAskAgain:          "Then create the AgentTask again under another name.",
	saidAskUser:           "A Secret or entry that is missing is found without reading it, from the workload that needs it.",
	saidAskWhatToChange:   "To be told what is wrong and what to do about it, create another AgentTask with spec.intent: Diagnostic",
	saidByRule:            "%[1]s, by rule %[2]s (confidence %[3]s).",
	saidCancelled:         "Cancelled by spec.cancel.",
	saidCheckCluster:      "Check that the API server answers: kubectl get --raw /readyz",
	saidDegraded:          "The answer could not rest on everything: %[1]s; status.missing says what else and how to get it.",
	saidDidYouMean:        "Did you mean %[1]s?",
	saidElsewhere:         "%[1]s in other namespaces",
	saidExample:           "What is wrong with %[1]s?",
	saidExceeded:          "No answer within %[1]s: create another AgentTask with a larger spec.limits.wallClock.",
	saidExceededHeld:      "The time limit of %[1]s ran out while the task waited. %[2]s",
	saidExplicit:          "%[1]s, as spec.intent says.",
	saidForbidden:         "%[2]s/%[1]s may not look up %[3]s in namespace %[4]s: bind ClusterRole eclusier-reader to it there.",
	saidForbiddenAll:      "%[2]s/%[1]s may read no workload in namespace %[3]s: bind ClusterRole eclusier-reader to it there.",
	saidForbiddenCluster:  "%[2]s/%[1]s may not look up %[3]s: bind ClusterRole eclusier-reader-cluster to it in the whole cluster.",
	saidListKinds:         "Name a kind that is served: kubectl api-resources",
	saidMayNotRead:        "service account %[1]s may not list them; granted by: %[2]s",
	saidNamespaceOnly:     "Nothing is named, so the whole namespace %[1]s is looked at.",
	saidNoAccount:         "Service account %[2]s/%[1]s, which everything is read as, does not exist: create and bind it.",
	saidNoChanges:         "Changes are not supported yet, so nothing was done: ask what is wrong instead, in another AgentTask.",
	saidNoHosts:           "%[1]s is a host, and hosts are not supported yet: ask about an object of the cluster, such as a node.",
	saidNotFound:          "%[1]s was not found, neither in namespace %[2]s nor elsewhere.",
	saidNotFoundAtAll:     "%[1]s does not exist in this cluster.",
	saidNotFoundIn:        "%[1]s was not found in namespace %[2]s.",
	saidNotFoundSeen:      "%[1]s was not found in namespace %[2]s. It may exist where %[3]s may not look: %[4]s.",
	saidOtherNamespaces:   "other namespaces",
	saidOutOfScope:        "This is no question about operating a cluster: ask about workloads, nodes, storage or network in another AgentTask.",
	saidProgressing:       "The task is being worked on.",
	saidPromptEmpty:       "The prompt is empty: create another AgentTask whose spec.prompt says what you want to know.",
	saidPromptTooLong:     "The prompt has %[1]d bytes, more than %[2]d: create another AgentTask with the question alone. Logs and manifests are read from the cluster.",
	saidPromptUnreadable:  "The prompt holds control characters or bytes that are not text: create another AgentTask with plain text in UTF-8.",
	saidRequesterUnknown:  "Nobody vouches for who asked: create the task again, it is older than the admission policies now in force.",
	saidRetriesExhausted:  "The cluster could not be read in %[1]d attempts (%[2]s): check it, then ask again.",
	saidRetrying:          "Attempt %[1]d of %[2]d, next at %[3]s.",
	saidSecret:            "Secrets are never read, so nothing can be said about %[1]s: ask about what uses it.",
	saidSuspended:         "Held by spec.suspend; unset it to go on.",
	saidUnavailable:       "The API server did not answer.",
	saidUnclear:           "It is not clear whether this asks a question or for a change: write which in another AgentTask.",
	saidUnknownKind:       "This cluster serves no kind %[1]s.",
	saidWholeCluster:      "The whole cluster is asked about, but only namespace %[1]s was looked at: a task sees its own namespace, and others only where it names them.",
	saidWriteIntent:       "Or create one with spec.intent: Diagnostic",
	saidWriteName:         "Create another AgentTask with the exact name, or with spec.targets.",
	saidWriteQuestion:     "Create another AgentTask that asks, for example: %[1]s",
	saidWriteWhich:        "Create another AgentTask that names kind and namespace, for example: %[1]s",
}

var french = map[said]string{
	saidAccepted:          "Demandé par %[1]s.",
	saidAccountNotAllowed: "L’opérateur ne peut pas lire avec le compte de service %[1]s : utilisez %[2]s, ou faites-lui accorder par un administrateur du cluster les verbes get et impersonate sur ce compte.",
	saidAllNeeded:         "Rien n’a été diagnostiqué, car tout ce qui est nommé doit être trouvé ; %[1]s l’a été.",
	saidAmbiguous:         "%[1]s peut désigner plusieurs objets : %[2]s.",
	saidAskAgain:          "Créez ensuite de nouveau l’AgentTask, sous un autre nom.",
	saidAskUser:           "Un Secret ou une entrée qui manque se trouve sans le lire, à partir de la charge de travail qui en a besoin.",
	saidAskWhatToChange:   "Pour savoir ce qui ne va pas et que faire, créez un autre AgentTask avec spec.intent: Diagnostic",
	saidByRule:            "%[1]s, selon la règle %[2]s (confiance %[3]s).",
	saidCancelled:         "Annulé par spec.cancel.",
	saidCheckCluster:      "Vérifiez que le serveur d’API répond : kubectl get --raw /readyz",
	saidDegraded:          "La réponse n’a pas pu s’appuyer sur tout : %[1]s ; status.missing dit quoi d’autre et comment l’obtenir.",
	saidDidYouMean:        "Vouliez-vous dire %[1]s ?",
	saidElsewhere:         "%[1]s dans d’autres espaces de noms",
	saidExample:           "Qu’est-ce qui ne va pas avec %[1]s ?",
	saidExceeded:          "Pas de réponse en %[1]s : créez un autre AgentTask avec un spec.limits.wallClock plus grand.",
	saidExceededHeld:      "Le délai de %[1]s s’est écoulé pendant que la tâche attendait. %[2]s",
	saidExplicit:          "%[1]s, comme le dit spec.intent.",
	saidForbidden:         "%[2]s/%[1]s ne peut pas chercher %[3]s dans l’espace de noms %[4]s : liez-y le ClusterRole eclusier-reader.",
	saidForbiddenAll:      "%[2]s/%[1]s ne peut lire aucune charge dans l’espace de noms %[3]s : liez-y le ClusterRole eclusier-reader.",
	saidForbiddenCluster:  "%[2]s/%[1]s ne peut pas chercher %[3]s : liez-le au ClusterRole eclusier-reader-cluster dans tout le cluster.",
	saidListKinds:         "Nommez un type d’objet servi : kubectl api-resources",
	saidMayNotRead:        "le compte de service %[1]s ne peut pas les lister ; s’accorde par : %[2]s",
	saidNamespaceOnly:     "Rien n’est nommé : tout l’espace de noms %[1]s est examiné.",
	saidNoAccount:         "Le compte de service %[2]s/%[1]s, avec lequel tout est lu, n’existe pas : créez-le et liez-le.",
	saidNoChanges:         "Les changements ne sont pas encore pris en charge, rien n’a été fait : demandez plutôt ce qui ne va pas.",
	saidNoHosts:           "%[1]s est une machine, et les machines ne sont pas encore prises en charge : posez la question sur un objet du cluster, par exemple un nœud.",
	saidNotFound:          "%[1]s est introuvable, dans l’espace de noms %[2]s comme ailleurs.",
	saidNotFoundAtAll:     "%[1]s n’existe pas dans ce cluster.",
	saidNotFoundIn:        "%[1]s est introuvable dans l’espace de noms %[2]s.",
	saidNotFoundSeen:      "%[1]s est introuvable dans l’espace de noms %[2]s. Il se peut qu’il existe là où %[3]s ne peut pas regarder : %[4]s.",
	saidOtherNamespaces:   "d’autres espaces de noms",
	saidOutOfScope:        "Ceci ne concerne pas l’exploitation d’un cluster : créez un autre AgentTask sur des charges, des nœuds ou le réseau.",
	saidProgressing:       "La tâche est en cours.",
	saidPromptEmpty:       "La demande est vide : créez un autre AgentTask dont spec.prompt dit ce que vous voulez savoir.",
	saidPromptTooLong:     "La demande fait %[1]d octets, plus que %[2]d : créez un autre AgentTask avec la seule question. Les journaux et manifestes sont lus dans le cluster.",
	saidPromptUnreadable:  "La demande contient des caractères de contrôle ou des octets qui ne sont pas du texte : créez un autre AgentTask avec du texte simple en UTF-8.",
	saidRequesterUnknown:  "Nul ne garantit qui demande : créez de nouveau la tâche, plus ancienne que les règles d’admission en vigueur.",
	saidRetriesExhausted:  "Le cluster n’a pas pu être lu en %[1]d tentatives (%[2]s) : vérifiez-le, puis reposez la question.",
	saidRetrying:          "Tentative %[1]d sur %[2]d, la prochaine à %[3]s.",
	saidSecret:            "Les Secrets ne sont jamais lus, rien ne peut être dit sur %[1]s : interrogez ce qui l’utilise.",
	saidSuspended:         "Retenu par spec.suspend ; retirez-le pour continuer.",
	saidUnavailable:       "Le serveur d’API n’a pas répondu.",
	saidUnclear:           "Il n’est pas clair si c’est une question ou une demande de changement : précisez-le dans un autre AgentTask.",
	saidUnknownKind:       "Ce cluster ne connaît aucun objet de type %[1]s.",
	saidWholeCluster:      "La question porte sur tout le cluster, mais seul l’espace de noms %[1]s a été examiné : une tâche voit son propre espace de noms, et les autres seulement si elle les nomme.",
	saidWriteIntent:       "Ou créez-en un avec spec.intent: Diagnostic",
	saidWriteName:         "Créez un autre AgentTask avec le nom exact, ou avec spec.targets.",
	saidWriteQuestion:     "Créez un autre AgentTask qui demande, par exemple : %[1]s",
	saidWriteWhich:        "Créez un autre AgentTask qui nomme le type et l’espace de noms, par exemple : %[1]s",
}

var (
	languages = []language.Tag{language.English, language.French}
	matcher   = language.NewMatcher(languages)
	messages  = newCatalogue()
)

func newCatalogue() *catalog.Builder {
	builder := catalog.NewBuilder(catalog.Fallback(language.English))
	for tag, texts := range map[language.Tag]map[said]string{language.English: english, language.French: french} {
		for id, text := range texts {
			if err := builder.SetString(tag, string(id), text); err != nil {
				panic(err) // a text that cannot be parsed is a programming error, which any test finds
			}
		}
	}
	return builder
}

// say makes a sentence in the language of the task.
func (p *pass) say(id said, args ...any) string {
	_, index, _ := matcher.Match(p.language())
	return message.NewPrinter(languages[index], message.Catalog(messages)).Sprintf(message.Key(string(id), string(id)), args...)
}
