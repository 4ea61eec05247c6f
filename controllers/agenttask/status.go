package agenttask

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/kube"
)

// conclude turns the facts of the pass into conditions and the phase. Nothing else writes either.
func (p *pass) conclude() {
	status := &p.task.Status
	f := facts{p.task.Spec, *status, p}
	conditions := slices.Concat(f.accepted(), f.targetResolved(), f.classified(), f.diagnosed(), f.changeProposed(), f.abnormal(), f.succeeded())
	status.Conditions = kube.Conditions(p.before, conditions, p.task.Generation, p.now)
	status.Phase = f.phase()
	status.ObservedGeneration = p.task.Generation
}

// facts are what conditions are made of: spec, the status but for its conditions, and why the task waits. Each method
// returns the conditions that are to be, none where nothing is known yet.
type facts struct {
	spec   v1alpha1.AgentTaskSpec
	status v1alpha1.AgentTaskStatus
	pass   *pass
}

// These are the reasons that stand for a condition other than Succeeded.
var (
	notAccepted = []string{v1alpha1.AcceptedPromptEmpty, v1alpha1.AcceptedPromptTooLong, v1alpha1.AcceptedPromptUnreadable,
		v1alpha1.AcceptedRequesterUnknown, v1alpha1.AcceptedServiceAccountNotFound, v1alpha1.AcceptedServiceAccountNotAllowed}
	notResolved = []string{v1alpha1.TargetResolvedTargetNotFound, v1alpha1.TargetResolvedTargetAmbiguous,
		v1alpha1.TargetResolvedHostsNotSupportedYet}
	notProposed = []string{v1alpha1.ChangeProposedNotExpressible, v1alpha1.ChangeProposedNameTaken, v1alpha1.ChangeProposedRefused}
)

func (f facts) accepted() []metav1.Condition {
	hold := f.pass.hold
	switch {
	case f.failedOf(notAccepted...):
		return f.failed(v1alpha1.ConditionAccepted)
	case hold != nil && hold.Reason == v1alpha1.AcceptedIdentityGuardMissing:
		return one(v1alpha1.ConditionAccepted, metav1.ConditionUnknown, hold.Reason, hold.Message)
	case f.status.StartedAt != nil:
		message := f.pass.say(saidAccepted, f.spec.RequestedBy.Username)
		return one(v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.AcceptedAccepted, message)
	case f.pass.unvouched() != nil: // held, cancelled or out of time, it stays what it is
		return []metav1.Condition{*f.pass.unvouched()}
	}
	return nil
}

func (f facts) targetResolved() []metav1.Condition {
	targets := f.status.Targets
	switch {
	case f.failedOf(notResolved...), f.failedOf(v1alpha1.TargetResolvedReaderForbidden) && len(targets) == 0:
		return f.failed(v1alpha1.ConditionTargetResolved)
	case len(targets) > 0 && targets[0].Source == v1alpha1.TargetFromNamespace:
		message := f.pass.say(saidNamespaceOnly, targets[0].Object.Name)
		if f.pass.narrowed() {
			message = f.pass.say(saidWholeCluster, targets[0].Object.Name)
		}
		return one(v1alpha1.ConditionTargetResolved, metav1.ConditionTrue, v1alpha1.TargetResolvedNamespaceOnly, message)
	case len(targets) > 0:
		var names []string
		for _, t := range targets {
			names = append(names, describe(*t.Object))
		}
		return one(v1alpha1.ConditionTargetResolved, metav1.ConditionTrue, v1alpha1.TargetResolvedTargetsFound, strings.Join(names, ", "))
	case f.status.Classification != nil && f.unavailable():
		return one(v1alpha1.ConditionTargetResolved, metav1.ConditionUnknown, v1alpha1.TargetResolvedClusterUnavailable, f.pass.say(saidUnavailable))
	}
	return nil
}

func (f facts) classified() []metav1.Condition {
	sorted := f.status.Classification
	switch {
	case sorted == nil:
		return nil
	case !sorted.InScope:
		return one(v1alpha1.ConditionClassified, metav1.ConditionFalse, v1alpha1.ClassifiedOutOfScope, f.pass.say(saidOutOfScope))
	case sorted.Intent == v1alpha1.ClassifiedAmbiguous:
		return one(v1alpha1.ConditionClassified, metav1.ConditionFalse, v1alpha1.ClassifiedClarificationNeeded, f.pass.say(saidUnclear))
	case sorted.Source == v1alpha1.SourceExplicit:
		return one(v1alpha1.ConditionClassified, metav1.ConditionTrue, v1alpha1.ClassifiedExplicitIntent, f.pass.say(saidExplicit, string(sorted.Intent)))
	}
	message := f.pass.say(saidByRule, string(sorted.Intent), strings.Join(sorted.Rules, ", "), string(sorted.Confidence))
	return one(v1alpha1.ConditionClassified, metav1.ConditionTrue, v1alpha1.ClassifiedRuleMatched, message)
}

func (f facts) diagnosed() []metav1.Condition {
	switch {
	case f.pass.wantsChange():
		return nil
	case f.status.Verdict != "":
		return one(v1alpha1.ConditionDiagnosed, metav1.ConditionTrue, string(f.status.Verdict), f.headline())
	case len(f.status.Targets) == 0:
		return nil
	case f.failedOf(v1alpha1.DiagnosedReaderForbidden):
		return f.failed(v1alpha1.ConditionDiagnosed)
	case f.unavailable():
		return one(v1alpha1.ConditionDiagnosed, metav1.ConditionUnknown, v1alpha1.DiagnosedClusterUnavailable, f.pass.say(saidUnavailable))
	}
	return nil
}

func (f facts) changeProposed() []metav1.Condition {
	if change := f.pass.change(); change != nil {
		return one(v1alpha1.ConditionChangeProposed, metav1.ConditionTrue, v1alpha1.ChangeProposedChangeProposed, f.pass.say(saidProposed, change.Name, f.pass.task.Namespace))
	}
	if f.failedOf(notProposed...) {
		return f.failed(v1alpha1.ConditionChangeProposed)
	}
	return nil
}

// abnormal returns the conditions that are present only while they are true.
func (f facts) abnormal() []metav1.Condition {
	var conditions []metav1.Condition
	state := f.succeeded()[0]
	add := func(condition, reason, message string) {
		conditions = append(conditions, one(condition, metav1.ConditionTrue, reason, message)...)
	}
	ended := f.status.CompletedAt != nil
	if retry := f.status.Retry; retry != nil && !ended {
		next := retry.NextAttemptAt.UTC().Format("15:04:05 MST")
		add(v1alpha1.ConditionRetrying, retry.LastReason, f.pass.say(saidRetrying, retry.Count+1, maxAttempts, next))
	}
	if len(f.status.Missing) > 0 {
		add(v1alpha1.ConditionDegraded, v1alpha1.DegradedEvidenceMissing, f.pass.say(saidDegraded, f.status.Missing[0].What))
	}
	if f.failedOf(v1alpha1.SucceededWallClockExceeded) {
		add(v1alpha1.ConditionBudgetExhausted, v1alpha1.BudgetExhaustedWallClock, f.status.Failure.Message)
	}
	switch {
	case f.status.Failure != nil:
		add(v1alpha1.ConditionStalled, state.Reason, f.details())
	case state.Reason == v1alpha1.SucceededIdentityGuardMissing:
		add(v1alpha1.ConditionStalled, state.Reason, state.Message)
	case state.Reason == v1alpha1.SucceededProgressing, state.Reason == v1alpha1.SucceededAwaitingChange:
		add(v1alpha1.ConditionReconciling, state.Reason, state.Message)
	}
	return conditions
}

// succeeded returns the root condition, always.
func (f facts) succeeded() []metav1.Condition {
	hold := f.pass.hold
	switch {
	case f.status.Failure != nil:
		return one(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, f.status.Failure.Type, brief(f.details(), maxBrief))
	case f.status.CompletedAt != nil && f.pass.change() != nil:
		return one(v1alpha1.ConditionSucceeded, metav1.ConditionTrue, outcomes[f.pass.change().Result].reason, f.headline())
	case f.status.CompletedAt != nil:
		return one(v1alpha1.ConditionSucceeded, metav1.ConditionTrue, string(f.status.Verdict), f.headline())
	case hold != nil:
		return one(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, hold.Reason, hold.Message)
	}
	return one(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.SucceededProgressing, f.pass.say(saidProgressing))
}

func (f facts) phase() v1alpha1.Phase {
	failure, hold := f.status.Failure, f.pass.hold
	switch {
	case failure != nil && failure.Type == v1alpha1.SucceededCancelled:
		return v1alpha1.PhaseCancelled
	case failure != nil:
		return v1alpha1.PhaseFailed
	case f.status.CompletedAt != nil:
		return v1alpha1.PhaseSucceeded
	case hold != nil && hold.Reason == v1alpha1.SucceededSuspended:
		return v1alpha1.PhaseSuspended
	case hold != nil, f.status.Retry != nil:
		return v1alpha1.PhaseWaiting
	case f.status.StartedAt == nil:
		return v1alpha1.PhasePending
	}
	return v1alpha1.PhaseRunning
}

// headline is the first line of the answer.
func (f facts) headline() string {
	line, _, _ := strings.Cut(f.status.Answer, "\n")
	return line
}

func (f facts) failedOf(reasons ...string) bool {
	return f.status.Failure != nil && slices.Contains(reasons, f.status.Failure.Type)
}

// unavailable tells whether the cluster did not answer when it was last asked.
func (f facts) unavailable() bool {
	return f.status.Retry != nil || f.failedOf(v1alpha1.SucceededRetriesExhausted)
}

// failed is a condition that is false for the reason that ended the task.
func (f facts) failed(condition string) []metav1.Condition {
	return one(condition, metav1.ConditionFalse, f.status.Failure.Type, f.details())
}

// details are why the task ended and what can be done about it, one after the other. Commands are set apart so that each can
// be copied.
func (f facts) details() string {
	text := f.status.Failure.Message
	for _, remedy := range f.status.Failure.Remedies {
		if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
			text += ";"
			if first, size := utf8.DecodeRuneInString(remedy); size > 0 {
				remedy = string(unicode.ToLower(first)) + remedy[size:]
			}
		}
		text += " " + remedy
	}
	return text
}

// maxBrief is how much of a line a table has left for why a task ended.
const maxBrief = 120

// brief is the beginning of a text: as many whole sentences as fit, or the first one up to a word.
func brief(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	head := string([]rune(text)[:limit])
	if end := max(strings.LastIndex(head, ". "), strings.LastIndex(head, "? ")); end > 0 {
		return head[:end+1]
	}
	if end := strings.LastIndex(string([]rune(head)[:limit-1]), " "); end > 0 {
		head = head[:end]
	} else {
		head = string([]rune(head)[:limit-1])
	}
	return head + "…"
}

func one(condition string, status metav1.ConditionStatus, reason, message string) []metav1.Condition {
	return []metav1.Condition{{Type: condition, Status: status, Reason: reason, Message: message}}
}
