package agenttask

import (
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// said is the id of something that a task's conditions say, to the one who asked and in that one's language.
type said string

const (
	saidAccepted             said = "accepted"
	saidAccountNotAllowed    said = "account not allowed"
	saidAllNeeded            said = "all needed"
	saidAmbiguous            said = "ambiguous"
	saidAskAgain             said = "ask again"
	saidAskUser              said = "ask user"
	saidAskWhatToChange      said = "ask what to change"
	saidAsked                said = "asked"
	saidAwaiting             said = "awaiting change"
	saidByRule               said = "by rule"
	saidCancelByHand         said = "cancel by hand"
	saidCancelled            said = "cancelled"
	saidCancelling           said = "cancelling"
	saidChangeApplyFailed    said = "change apply failed"
	saidChangeCancelled      said = "change cancelled"
	saidChangeDenied         said = "change denied"
	saidChangeExpired        said = "change expired"
	saidChangeGone           said = "change gone"
	saidChangeInvalid        said = "change invalid"
	saidChangePlanned        said = "change planned"
	saidChangeRefused        said = "change refused"
	saidChangeRejected       said = "change rejected"
	saidChangeRollbackFailed said = "change rollback failed"
	saidChangeRolledBack     said = "change rolled back"
	saidChangeSucceeded      said = "change succeeded"
	saidChangeVerifyFailed   said = "change verify failed"
	saidCheckCluster         said = "check the cluster"
	saidCheckInstall         said = "check the installation"
	saidConditional          said = "conditional"
	saidDegraded             said = "degraded"
	saidDidYouMean           said = "did you mean"
	saidElsewhere            said = "elsewhere"
	saidExample              said = "example"
	saidExceeded             said = "exceeded"
	saidExceededHeld         said = "exceeded while held"
	saidExplicit             said = "explicit"
	saidForbidden            said = "forbidden"
	saidForbiddenAll         said = "forbidden all"
	saidForbiddenCluster     said = "forbidden cluster"
	saidIncomplete           said = "incomplete"
	saidKindNeeded           said = "kind needed"
	saidListKinds            said = "list kinds"
	saidMayNotRead           said = "may not read"
	saidNameTaken            said = "name taken"
	saidNamespaceOnly        said = "namespace only"
	saidNegated              said = "negated"
	saidNoAccount            said = "no account"
	saidNoHosts              said = "no hosts"
	saidNoOperation          said = "no operation"
	saidNoTarget             said = "no target"
	saidNotExpressible       said = "not expressible"
	saidNotFound             said = "not found"
	saidNotFoundAtAll        said = "not found at all"
	saidNotFoundIn           said = "not found in"
	saidNotFoundSeen         said = "not found in what was seen"
	saidNotUnderstood        said = "not understood"
	saidOtherNamespace       said = "other namespace"
	saidOtherNamespaces      said = "other namespaces"
	saidOtherTarget          said = "other target"
	saidOutOfScope           said = "out of scope"
	saidProgressing          said = "progressing"
	saidPromptEmpty          said = "prompt empty"
	saidPromptTooLong        said = "prompt too long"
	saidPromptUnreadable     said = "prompt unreadable"
	saidProposed             said = "proposed"
	saidQuoted               said = "quoted"
	saidReplicasUnknown      said = "replicas unknown"
	saidRequesterUnknown     said = "requester unknown"
	saidRetriesExhausted     said = "retries exhausted"
	saidRetrying             said = "retrying"
	saidSameTwice            said = "same twice"
	saidSecret               said = "secret"
	saidSecretsUnread        said = "secrets unread"
	saidSeeChange            said = "see change"
	saidSuspended            said = "suspended"
	saidSuspendedChange      said = "suspended change"
	saidTagNeeded            said = "tag needed"
	saidTooLong              said = "too long"
	saidTooMany              said = "too many"
	saidTooWide              said = "too wide"
	saidTwoReadings          said = "two readings"
	saidUnavailable          said = "unavailable"
	saidUnclear              said = "unclear"
	saidUnknownKind          said = "unknown kind"
	saidWholeCluster         said = "whole cluster"
	saidWhy                  said = "why"
	saidWishExample          said = "wish example"
	saidWriteChange          said = "write change"
	saidWriteIntent          said = "write intent"
	saidWriteName            said = "write name"
	saidWriteQuestion        said = "write question"
	saidWriteWhich           said = "write which"
	saidWriteWish            said = "write wish"
	saidWrongKind            said = "wrong kind"
)

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
