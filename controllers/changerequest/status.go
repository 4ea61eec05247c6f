package changerequest

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/kube"
)

// maxCommands is how many commands the status lists.
const maxCommands = 5

// conclude turns the facts of the pass into conditions, phase, and what else people look at. Nothing else writes these.
func (p *pass) conclude() {
	status := &p.change.Status
	status.Approvals = p.slotsSeen()
	if status.Policy != nil {
		status.Policy.Progress = p.progress()
	}
	status.ApproveWith = p.approveWith()
	conditions := slices.Concat(p.planned(), p.approved(), p.applied(), p.verified(), p.rolledBack(), p.drifted(), p.retrying(), p.standing(), p.succeeded())
	status.Conditions = kube.Conditions(p.before, conditions, p.change.Generation, p.now)
	status.Phase = p.phase()
	status.ObservedGeneration = p.change.Generation
}

// progress is how many of those who are needed agree to what is asked now, empty where nobody is asked.
func (p *pass) progress() string {
	required := p.change.Status.Policy.RequiredApprovals
	switch {
	case p.decision.State == change.StateAwaitingAcceptance:
		return fmt.Sprintf("%d/1", min(p.acceptance.Granted, 1))
	case required == 0:
		return ""
	}
	return fmt.Sprintf("%d/%d", min(p.consent.Granted, required), required)
}

// awaits adds to why a result is open how to decide about it, while somebody is asked to.
func (p *pass) awaits(why string) string {
	if p.decision.State != change.StateAwaitingAcceptance {
		return why
	}
	for i := range p.approvals {
		if apv := &p.approvals[i]; apv.Spec.Purpose == v1alpha1.PurposeAcceptResult && p.verdictOn(i).Reason == v1alpha1.GrantedPending {
			return saidAwaitingAcceptance(why, p.facts.OnFailure, p.command(apv), p.refusal(apv))
		}
	}
	return why
}

// approveWith are the commands that answer what people are asked.
func (p *pass) approveWith() []string {
	var purpose v1alpha1.ApprovalPurpose
	switch p.decision.State {
	case change.StateAwaitingApproval:
		purpose = v1alpha1.PurposeApply
	case change.StateAwaitingAcceptance:
		purpose = v1alpha1.PurposeAcceptResult
	default:
		return nil
	}
	var commands []string
	for i := range p.approvals {
		if p.approvals[i].Spec.Purpose == purpose && p.verdictOn(i).Reason == v1alpha1.GrantedPending && len(commands) < maxCommands {
			commands = append(commands, p.command(&p.approvals[i]))
		}
	}
	slices.Sort(commands)
	return commands
}

func (p *pass) planned() []metav1.Condition {
	status := p.change.Status
	say := func(status metav1.ConditionStatus, reason, message string) []metav1.Condition {
		return one(v1alpha1.ConditionPlanned, status, reason, message)
	}
	if status.Plan == nil || p.stale() {
		return p.unplanned(say)
	}
	if empty(status.Plan.Counts) {
		return say(metav1.ConditionTrue, v1alpha1.PlannedNothingToDo, saidNothingToDo)
	}
	return say(metav1.ConditionTrue, v1alpha1.PlannedPlanned, status.Plan.Summary)
}

// unplanned says why there is no plan of the live objects.
func (p *pass) unplanned(say func(metav1.ConditionStatus, string, string) []metav1.Condition) []metav1.Condition {
	status := p.change.Status
	tried := status.Retry != nil && p.decision.Action == change.ActionPlan
	switch failure := status.Failure; {
	case tried && status.Retry.LastReason == fault.Unexpected:
		return say(metav1.ConditionUnknown, v1alpha1.PlannedInternalError, saidInternalError)
	case tried, failure != nil && failure.Type == v1alpha1.SucceededRetriesExhausted:
		return say(metav1.ConditionUnknown, v1alpha1.PlannedClusterUnavailable, saidUnavailable)
	case failure != nil && failure.Type == v1alpha1.AcceptedRequesterUnknown:
		return nil
	case failure != nil:
		return say(metav1.ConditionFalse, failure.Type, details(failure))
	case p.stale():
		return say(metav1.ConditionUnknown, status.Drift.Reason, status.Drift.Message)
	}
	return nil
}

func (p *pass) approved() []metav1.Condition {
	status := p.change.Status
	say := func(status metav1.ConditionStatus, reason, message string) []metav1.Condition {
		return one(v1alpha1.ConditionApproved, status, reason, message)
	}
	switch {
	case p.holdsFor(v1alpha1.ApprovedIdentityGuardMissing):
		return say(metav1.ConditionUnknown, v1alpha1.ApprovedIdentityGuardMissing, p.hold.Message)
	case p.decision.State == change.StateUnguarded:
		return say(metav1.ConditionUnknown, v1alpha1.ApprovedIdentityGuardMissing, p.guard.Message())
	case status.Result == v1alpha1.ResultDenied, status.Result == v1alpha1.ResultRejected, status.Result == v1alpha1.ResultExpired:
		return say(metav1.ConditionFalse, status.Failure.Type, status.Failure.Message)
	case status.Plan == nil, p.stale(), status.Policy == nil, p.facts.Plan != change.PlanCurrent:
		return nil
	case p.attempt(v1alpha1.StepApply) != nil, p.facts.Verdict == change.VerdictAllowed,
		p.facts.Verdict == change.VerdictApproval && p.facts.Consent == change.ConsentGranted:
		if p.decision.State == change.StateAwaitingWindow {
			return say(metav1.ConditionUnknown, v1alpha1.ApprovedAwaitingWindow, saidAwaitingWindow(p.opening))
		}
		if status.Policy.Verdict == v1alpha1.PolicyAllowed {
			return say(metav1.ConditionTrue, v1alpha1.ApprovedAllowed, saidAllowed(status.Policy.DecidedBy))
		}
		return say(metav1.ConditionTrue, v1alpha1.ApprovedGranted, saidGranted(p.grantedBy()))
	case p.facts.Verdict == change.VerdictApproval:
		return say(metav1.ConditionUnknown, v1alpha1.ApprovedAwaitingApproval, saidAwaitingApproval(p.consent.Granted, *status.Policy, status.ApproveWith))
	}
	return nil
}

// grantedBy are those who agreed to the current plan.
func (p *pass) grantedBy() []string {
	var names []string
	for i := range p.approvals {
		if apv := &p.approvals[i]; apv.Spec.Purpose == v1alpha1.PurposeApply && p.verdictOn(i).Counts {
			names = append(names, apv.Spec.DecidedBy.Username)
		}
	}
	slices.Sort(names)
	return names
}

func (p *pass) applied() []metav1.Condition {
	say := func(status metav1.ConditionStatus, reason, message string) []metav1.Condition {
		return one(v1alpha1.ConditionApplied, status, reason, message)
	}
	if p.holdsFor(v1alpha1.AppliedAwaitingTurn) {
		return say(metav1.ConditionUnknown, v1alpha1.AppliedAwaitingTurn, p.hold.Message)
	}
	a := p.attempt(v1alpha1.StepApply)
	if a == nil || p.stale() {
		return nil
	}
	switch a.Outcome {
	case v1alpha1.OutcomeSucceeded:
		return say(metav1.ConditionTrue, v1alpha1.AppliedApplied, a.Message)
	case v1alpha1.OutcomeFailed:
		if failure := p.change.Status.Failure; failure != nil && failure.Type == v1alpha1.AppliedApplierForbidden {
			return say(metav1.ConditionFalse, v1alpha1.AppliedApplierForbidden, details(failure))
		}
		return say(metav1.ConditionFalse, v1alpha1.AppliedFailed, p.awaits(a.Message))
	case v1alpha1.OutcomeUnknown:
		return say(metav1.ConditionUnknown, v1alpha1.AppliedInterrupted, p.awaits(a.Message))
	case v1alpha1.OutcomeOpen:
	}
	if p.change.Status.Retry != nil || p.hold != nil {
		return say(metav1.ConditionUnknown, v1alpha1.AppliedInterrupted, saidInterrupted)
	}
	return say(metav1.ConditionUnknown, v1alpha1.AppliedApplying, saidApplying)
}

func (p *pass) verified() []metav1.Condition {
	say := func(status metav1.ConditionStatus, reason, message string) []metav1.Condition {
		return one(v1alpha1.ConditionVerified, status, reason, message)
	}
	accepted := p.change.Status.Result == v1alpha1.ResultSucceeded
	a, apply := p.attempt(v1alpha1.StepVerify), p.attempt(v1alpha1.StepApply)
	switch {
	case apply == nil || apply.Outcome == v1alpha1.OutcomeOpen || p.stale():
		return nil
	case accepted && (a == nil || a.Outcome != v1alpha1.OutcomeSucceeded):
		return say(metav1.ConditionTrue, v1alpha1.VerifiedAccepted, saidAccepted)
	case a == nil && apply.Outcome == v1alpha1.OutcomeSucceeded:
		return say(metav1.ConditionUnknown, v1alpha1.VerifiedVerifying, saidVerifying)
	case a == nil:
		return nil
	case a.Outcome == v1alpha1.OutcomeSucceeded:
		return say(metav1.ConditionTrue, v1alpha1.VerifiedVerified, a.Message)
	case a.Outcome == v1alpha1.OutcomeFailed:
		return say(metav1.ConditionFalse, v1alpha1.VerifiedFailed, p.awaits(a.Message))
	}
	return say(metav1.ConditionUnknown, v1alpha1.VerifiedInconclusive, p.awaits(a.Message))
}

func (p *pass) rolledBack() []metav1.Condition {
	a := p.attempt(v1alpha1.StepRollback)
	switch {
	case a == nil:
		return nil
	case a.Outcome == v1alpha1.OutcomeOpen:
		return one(v1alpha1.ConditionRolledBack, metav1.ConditionUnknown, v1alpha1.RolledBackRollingBack, saidRollingBack)
	case a.Outcome == v1alpha1.OutcomeSucceeded:
		return one(v1alpha1.ConditionRolledBack, metav1.ConditionTrue, v1alpha1.RolledBackRolledBack, a.Message)
	}
	return one(v1alpha1.ConditionRolledBack, metav1.ConditionFalse, v1alpha1.RolledBackFailed, saidRollbackFailed(a.Message))
}

func (p *pass) drifted() []metav1.Condition {
	drift := p.change.Status.Drift
	decided := p.facts.Verdict == change.VerdictAllowed || p.facts.Consent == change.ConsentGranted
	if drift == nil || finished(p.change) || !p.stale() && decided {
		return nil
	}
	return one(v1alpha1.ConditionDrifted, metav1.ConditionTrue, drift.Reason, drift.Message)
}

func (p *pass) retrying() []metav1.Condition {
	retry := p.change.Status.Retry
	if retry == nil || retry.NextAttemptAt == nil || finished(p.change) {
		return nil
	}
	next := retry.NextAttemptAt.UTC().Format("15:04:05 MST")
	return one(v1alpha1.ConditionRetrying, metav1.ConditionTrue, retry.LastReason, saidRetrying(retry.Count+1, next))
}

// standing is what kstatus reads: whether the change goes on by itself or by somebody's answer, or is stuck.
func (p *pass) standing() []metav1.Condition {
	root := p.succeeded()[0]
	switch {
	case root.Status == metav1.ConditionFalse, root.Reason == v1alpha1.ApprovedIdentityGuardMissing:
		return one(v1alpha1.ConditionStalled, metav1.ConditionTrue, root.Reason, root.Message)
	case root.Status == metav1.ConditionUnknown && root.Reason != v1alpha1.SucceededSuspended:
		return one(v1alpha1.ConditionReconciling, metav1.ConditionTrue, root.Reason, root.Message)
	}
	return nil
}

// succeeded is the root condition, always.
func (p *pass) succeeded() []metav1.Condition {
	status := p.change.Status
	say := func(status metav1.ConditionStatus, reason, message string) []metav1.Condition {
		return one(v1alpha1.ConditionSucceeded, status, reason, message)
	}
	switch {
	case status.Result == v1alpha1.ResultPlanned:
		return say(metav1.ConditionTrue, v1alpha1.SucceededDryRun, saidDryRun(status.Plan.Summary))
	case status.Result == v1alpha1.ResultSucceeded && p.attempt(v1alpha1.StepApply) == nil:
		return say(metav1.ConditionTrue, v1alpha1.PlannedNothingToDo, saidNothingToDo)
	case status.Result == v1alpha1.ResultSucceeded && p.verified()[0].Reason == v1alpha1.VerifiedAccepted:
		return say(metav1.ConditionTrue, v1alpha1.VerifiedAccepted, saidAccepted)
	case status.Result == v1alpha1.ResultSucceeded:
		return say(metav1.ConditionTrue, v1alpha1.SucceededApplied, saidSucceeded(*status.Plan, *status.Policy))
	case status.Result != "":
		return say(metav1.ConditionFalse, status.Failure.Type, details(status.Failure))
	case p.hold != nil:
		return say(metav1.ConditionUnknown, p.hold.Reason, p.hold.Message)
	}
	reason, message := p.underway()
	if p.change.Spec.Cancel && p.begun() && p.attempt(v1alpha1.StepRollback) == nil {
		message += ". " + saidCancelTooLate
	}
	return say(metav1.ConditionUnknown, reason, message)
}

// underway says where a change that has not ended stands.
func (p *pass) underway() (reason, message string) {
	first := func(conditions []metav1.Condition) (string, string) {
		return conditions[0].Reason, conditions[0].Message
	}
	switch {
	case p.stale():
		return v1alpha1.SucceededDrifted, p.change.Status.Drift.Message
	case p.decision.State == change.StateSuspended:
		return v1alpha1.SucceededSuspended, saidSuspended
	case len(p.rolledBack()) > 0:
		return first(p.rolledBack())
	case len(p.verified()) > 0:
		return first(p.verified())
	case len(p.applied()) > 0:
		return first(p.applied())
	case len(p.approved()) > 0 && p.approved()[0].Status == metav1.ConditionUnknown:
		return first(p.approved())
	}
	return v1alpha1.SucceededProgressing, saidProgressing
}

// holdsFor says whether the change waits for a reason that is no fact of its decision.
func (p *pass) holdsFor(reason string) bool { return p.hold != nil && p.hold.Reason == reason }

// ends are the phases of the ends.
var ends = map[v1alpha1.ChangeResult]v1alpha1.ChangePhase{
	v1alpha1.ResultSucceeded: v1alpha1.ChangeSucceeded, v1alpha1.ResultPlanned: v1alpha1.ChangeSucceeded,
	v1alpha1.ResultDenied: v1alpha1.ChangeDenied, v1alpha1.ResultRejected: v1alpha1.ChangeRejected,
	v1alpha1.ResultExpired: v1alpha1.ChangeExpired, v1alpha1.ResultCancelled: v1alpha1.ChangeCancelled,
	v1alpha1.ResultInvalid: v1alpha1.ChangeFailed, v1alpha1.ResultApplyFailed: v1alpha1.ChangeFailed,
	v1alpha1.ResultVerifyFailed: v1alpha1.ChangeFailed, v1alpha1.ResultRolledBack: v1alpha1.ChangeRolledBack,
	v1alpha1.ResultRollbackFailed: v1alpha1.ChangeFailed,
}

func (p *pass) phase() v1alpha1.ChangePhase {
	status := p.change.Status
	if status.Result != "" {
		return ends[status.Result]
	}
	apply := p.attempt(v1alpha1.StepApply)
	switch {
	case p.decision.State == change.StateSuspended:
		return v1alpha1.ChangeSuspended
	case p.attempt(v1alpha1.StepRollback) != nil:
		return v1alpha1.ChangeRollingBack
	case p.stale():
		return v1alpha1.ChangePlanning
	case p.decision.State == change.StateAwaitingAcceptance:
		return v1alpha1.ChangeAwaitingAcceptance
	case apply != nil && apply.Outcome != v1alpha1.OutcomeOpen:
		return v1alpha1.ChangeVerifying
	case apply != nil, p.holdsFor(v1alpha1.AppliedAwaitingTurn):
		return v1alpha1.ChangeApplying
	case p.decision.State == change.StateAwaitingWindow:
		return v1alpha1.ChangeAwaitingWindow
	case len(p.approved()) > 0:
		return v1alpha1.ChangeAwaitingApproval
	}
	return v1alpha1.ChangePlanning
}

func one(condition string, status metav1.ConditionStatus, reason, message string) []metav1.Condition {
	return []metav1.Condition{{Type: condition, Status: status, Reason: reason, Message: message}}
}
