package changerequest

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/types"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/policy"
	"github.com/eclusier/eclusier/internal/redact"
)

// What the conditions say. A sentence says what to do next where a person has to act, and stays the same from pass to pass.
const (
	saidAccepted           = "A person accepted the result, which could not be verified"
	saidApplying           = "The operations are being made, one after the other"
	saidCancelled          = "Cancelled by spec.cancel before anything was applied"
	saidCancelledInTime    = "Cancelled by spec.cancel before the interrupted attempt had any effect"
	saidCancelTooLate      = "spec.cancel came after the first operation had its effect, so the change goes on to its end. To take it back afterwards: kubectl eclusier snapshots restore"
	saidChangeEnded        = "The change has ended. Nothing is left to decide here"
	saidDeadlinePassed     = "spec.deadline passed before the change could be applied. Create it again with a later one"
	saidExpired            = "Nobody agreed, or the agreement could not be used, in time. Create the ChangeRequest again to ask once more"
	saidGuardSettles       = "The admission policies were put right a moment ago: people are asked as soon as every API server knows them"
	saidInternalError      = "eclusier itself failed at this: its log says why, under the correlation id of the change"
	saidInterrupted        = "The attempt to apply was cut off: its objects are looked at before anything else is done"
	saidLapsedInterrupted  = "The attempt was interrupted before it had any effect, and consent has lapsed since. Create the ChangeRequest again"
	saidNothingToDo        = "The objects are already as the change wants them"
	saidOutcomeUnknown     = "It is not known whether the change did what it was to do"
	saidProgressing        = "The change is being worked on"
	saidRequesterUnknown   = "Nobody vouches for who asked: create the ChangeRequest again, it is older than the admission policies now in force"
	saidRollingBack        = "What was done is being undone, the last first"
	saidStoredPlanUnusable = "The stored plan is gone, damaged, or not the one that was shown, so it is never applied"
	saidSuspended          = "Held by spec.suspend; unset it to go on"
	saidTooManyPlaces      = "The change touches more than 20 namespaces besides its own: split it into several"
	saidUnavailable        = "The API server did not answer"
	saidVerifying          = "The changed objects are being watched and the checks made"
)

func saidAwaitingApproval(granted int32, status v1alpha1.PolicyStatus, commands []string) string {
	text := fmt.Sprintf("%d of %d people agreed", granted, status.RequiredApprovals)
	if len(commands) > 0 {
		text += ". To agree: " + commands[0]
	}
	return text
}

func saidAwaitingWindow(o policy.Opening) string {
	if o.At.IsZero() {
		return "Waiting for " + o.Why + ", which never opens as it is written"
	}
	return fmt.Sprintf("Waiting for %s, until %s", o.Why, o.At.UTC().Format(time.RFC3339))
}

func saidAwaitingTurn(object, holder string) string {
	return fmt.Sprintf("ChangeRequest %s is at work on %s: this one goes on once that has ended", holder, object)
}

func saidAcceptance(summary, why string, mode v1alpha1.RollbackMode) string {
	return fmt.Sprintf("The result of %q is open: %s. Approve to accept it as it is, reject to %s", summary, strings.TrimSuffix(why, "."), refusing(mode))
}

// refusing is what becomes of a result that somebody refuses.
func refusing(mode v1alpha1.RollbackMode) string {
	if mode == v1alpha1.RollbackNever {
		return "have the change end as failed, with nothing rolled back"
	}
	return "have it rolled back"
}

func saidAllDone(n int) string { return fmt.Sprintf("%d of %d operations had their effect", n, n) }

func saidAllUndone(n int) string {
	return fmt.Sprintf("%d of %d operations were undone: everything is as it was", n, n)
}

func saidAllowed(rules []string) string {
	return "Nobody's consent is needed: " + strings.Join(rules, "; ")
}

func saidConsentGone(granted, required int32) string {
	return fmt.Sprintf("Consent no longer stands: %d of %d people agree under the policies as they are now", granted, required)
}

func saidConsumed(who, attempt string) string {
	return fmt.Sprintf("%s agreed, and the agreement was used by %s", who, attempt)
}

func saidDenied(rules []string) string { return "A policy forbids it: " + strings.Join(rules, "; ") }

func saidDriftsForEver(drift *v1alpha1.DriftStatus) string {
	if drift == nil {
		return "No plan held until it could be applied"
	}
	return fmt.Sprintf("The objects changed under each of %d plans before it could be applied, so nobody is asked again. Last: %s", drift.Count, drift.Message)
}

func saidDryRun(summary string) string { return "Planned and shown, as spec.dryRun wants: " + summary }

func saidUnforeseen(object string, fields []string) string {
	return fmt.Sprintf("%s was stored otherwise than the dry run had shown, in %s: look for an admission plug-in that tells dry runs or users apart",
		object, strings.Join(fields, ", "))
}

func saidForeign(object, message string) string {
	return fmt.Sprintf("%s is neither as it was before the operation nor as that makes it: %s", object, message)
}

func saidGaveUp(object, reason string) string {
	return fmt.Sprintf("%s could not be changed in %d attempts (%s)", object, maxAttempts, reason)
}

func saidGranted(names []string) string { return "Agreed to by " + strings.Join(names, ", ") }

// saidAwaitingAcceptance says why a person decides about a result, and how.
func saidAwaitingAcceptance(why string, mode v1alpha1.RollbackMode, accept, refuse string) string {
	return fmt.Sprintf("%s. A person decides whether the result stands. To accept it: %s. To %s: %s", strings.TrimSuffix(why, "."), accept, refusing(mode), refuse)
}

func saidNotAsked(f *fault.Fault) string {
	return told("The checks could not be made (" + f.Reason + "): " + f.Message)
}

func saidNotInspected(f *fault.Fault) string {
	return told("What the interrupted attempt did could not be found out (" + f.Reason + "): " + f.Message)
}

func saidNotUndone(f *fault.Fault) string {
	return told("It could not be undone (" + f.Reason + "): " + f.Message)
}

func saidNowDenied(rules []string) string {
	return "A policy forbids it since the attempt began: " + strings.Join(rules, "; ")
}

// saidPlanChanged names the objects on which a plan made anew differs.
func saidPlanChanged(agreed, fresh change.Plan) string {
	var names []string
	for i, e := range fresh.Effects {
		if i < len(agreed.Effects) && same(agreed.Effects[i], e) {
			continue
		}
		if name := describe(e.Object); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "The change would now do something other than what was shown, so it is asked about anew"
	}
	return "Since the plan was made, something changed about " + strings.Join(names, ", ") + ", so it is asked about anew"
}

// same compares two effects by what the digest covers of them.
func same(a, b change.Effect) bool {
	one, err := change.Plan{Effects: []change.Effect{a}}.Digest()
	other, otherErr := change.Plan{Effects: []change.Effect{b}}.Digest()
	return err == nil && otherErr == nil && one == other
}

func saidRejected(who, why string) string {
	if why == "" {
		return who + " refused the change"
	}
	return fmt.Sprintf("%s refused the change: %s", who, why)
}

func saidRetrying(attempt int32, next string) string {
	return fmt.Sprintf("Attempt %d, at %s", attempt, next)
}

func saidRolledBack(why string) string { return "Everything was undone: " + why }

func saidRollbackFailed(why string) string {
	return "Not everything could be undone, so a person has to look: " + why
}

func saidStuckAt(object, why string) string { return "Undoing stopped at " + object + ": " + why }

func saidSucceeded(plan v1alpha1.PlanStatus, verdict v1alpha1.PolicyStatus) string {
	if verdict.ReviewAfterwards {
		return plan.Summary + ". Nobody was asked beforehand, and the policy wants somebody to look at it now"
	}
	return plan.Summary
}

func saidTargetChanged(why string) string {
	return "The change can no longer be made on the objects as they are now: " + why
}

// command is what answers an Approval with yes.
func (p *pass) command(apv *v1alpha1.Approval) string {
	return p.answer(apv, fmt.Sprintf(`"decision":"Approved","acknowledgedDigest":"%s"`, apv.Spec.PlanDigest))
}

// refusal is what answers an Approval with no.
func (p *pass) refusal(apv *v1alpha1.Approval) string { return p.answer(apv, `"decision":"Rejected"`) }

// answer is what writes a decision. Where the API server does not write who decides, the client names itself.
func (p *pass) answer(apv *v1alpha1.Approval, decision string) string {
	by := ""
	if p.guard.Stamp == guard.StampByClient {
		by = `,"decidedBy":{"username":"'"$(kubectl auth whoami -o jsonpath={.status.userInfo.username})"'","groups":'"$(kubectl auth whoami -o jsonpath={.status.userInfo.groups})"'}`
	}
	return fmt.Sprintf(`kubectl patch approval %s -n %s --type=merge -p '{"spec":{%s%s}}'`, apv.Name, apv.Namespace, decision, by)
}

// failureOf is a fault as the status tells it.
func failureOf(f *fault.Fault) *v1alpha1.Failure {
	failure := &v1alpha1.Failure{Type: f.Reason, Message: told(f.Message), Permanent: f.Fate == fault.Terminal}
	for _, remedy := range f.Remedies[:min(len(f.Remedies), v1alpha1.MaxRemedies)] {
		failure.Remedies = append(failure.Remedies, told(remedy))
	}
	return failure
}

// details are a failure and what can be done about it.
func details(f *v1alpha1.Failure) string {
	text := f.Message
	for _, remedy := range f.Remedies {
		text += "; " + remedy
	}
	return text
}

// told makes a text of others fit for the status: redacted, and no longer than a text there may be.
func told(text string) string {
	return shorten(redact.String(text).String(), v1alpha1.MaxStatusText)
}

// shorten cuts text to at most limit characters, as the API server counts them, and marks the cut.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// describe names an object in a sentence.
func describe(o change.Object) string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// accountName is a service account, written namespace/name, as the API server knows it.
func accountName(account string) string {
	namespace, name, _ := cut(account)
	return "system:serviceaccount:" + namespace + ":" + name
}

// cut splits namespace/name.
func cut(key string) (namespace, name string, ok bool) {
	return strings.Cut(key, string(types.Separator))
}
