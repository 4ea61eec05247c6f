// Package change decides what happens next to a ChangeRequest, and what exactly people consent to.
//
// It holds the decision table (Decide), the plan and its digest (Plan, Digest) and the risk of a plan (Assess). It is
// pure: facts go in, a decision with its reason comes out. It never reads a cluster, never looks at a condition or a
// phase, and never applies anything. The ChangeRequest controller calls it, and the plugin to show what would be decided.
package change

import "github.com/eclusier/eclusier/api/v1alpha1"

// MaxRevisions is how often a change is planned. One whose objects change under that many plans, without any of them
// being applied, ends: neither people nor policies are asked about it for ever.
const MaxRevisions = 10

// PlanFact is what is known of the plan.
type PlanFact int

// What can be known of a plan.
const (
	// PlanNone: there is none for the current revision.
	PlanNone PlanFact = iota
	// PlanStale: there is one, and the live objects have changed since.
	PlanStale
	// PlanImpossible: the change cannot be planned as it is written.
	PlanImpossible
	// PlanEmpty: there is one, and it would change nothing.
	PlanEmpty
	// PlanCurrent: there is one.
	PlanCurrent
)

// VerdictFact is what the policies say of the current plan.
type VerdictFact int

// What policies can say.
const (
	// VerdictNone: they have not been asked about this digest, or have changed since.
	VerdictNone VerdictFact = iota
	// VerdictDenied: it may not be done.
	VerdictDenied
	// VerdictApproval: people have to agree.
	VerdictApproval
	// VerdictAllowed: nobody has to agree.
	VerdictAllowed
)

// ConsentFact is what people say.
type ConsentFact int

// What people can say.
const (
	// ConsentUnasked: at least one slot that is needed does not exist.
	ConsentUnasked ConsentFact = iota
	// ConsentAwaited: every slot exists, and not enough of them are decided.
	ConsentAwaited
	// ConsentGranted: enough distinct people who may agree did agree.
	ConsentGranted
	// ConsentRejected: somebody refused.
	ConsentRejected
	// ConsentExpired: the time to agree, or to use the agreement, has passed.
	ConsentExpired
)

// AttemptFact is what is recorded of a step.
type AttemptFact int

// What can be recorded of a step.
const (
	// AttemptNone: it has not been begun.
	AttemptNone AttemptFact = iota
	// AttemptOpen: it was begun and not closed. For an effect that is an interruption until it has been inspected.
	AttemptOpen
	// AttemptSucceeded: it did all it was to do.
	AttemptSucceeded
	// AttemptFailed: it did not.
	AttemptFailed
	// AttemptUnknown: nobody can tell.
	AttemptUnknown
)

// Facts is all that a decision rests on. The zero value is a change that nobody has looked at yet.
type Facts struct {
	// Result is the recorded end, empty while the change goes on.
	Result v1alpha1.ChangeResult
	// Cancelled, Suspended and DryRun are what the spec says.
	Cancelled, Suspended, DryRun bool
	// OnFailure is the spec's rollback mode.
	OnFailure v1alpha1.RollbackMode
	// Overdue: spec.deadline has passed.
	Overdue bool
	// Revision counts the plans that have been made, 0 before the first.
	Revision int32
	// Plan, Verdict and Consent concern the current plan.
	Plan    PlanFact
	Verdict VerdictFact
	Consent ConsentFact
	// Guarded: the admission policies that vouch for identities are in place.
	Guarded bool
	// WindowOpen: policy windows and spec.notBefore let it be applied now.
	WindowOpen bool
	// Apply, Verify and Rollback are the records of the steps of the current plan.
	Apply, Verify, Rollback AttemptFact
	// Touched: at least one operation may have had its effect.
	Touched bool
	// Acceptance is the decision on a result that could not be verified, or on a failure with rollback Manual:
	// granted accepts it, rejected rolls it back unless the plan says that nothing is ever rolled back.
	Acceptance ConsentFact
}

// State is where a change stands. It is derived from the facts each time and stored nowhere.
type State string

// States of a change.
const (
	StateEnded              State = "Ended"
	StateUnplanned          State = "Unplanned"
	StateDrifted            State = "Drifted"
	StateUnjudged           State = "Unjudged"
	StateUnasked            State = "Unasked"
	StateAwaitingApproval   State = "AwaitingApproval"
	StateAwaitingWindow     State = "AwaitingWindow"
	StateUnguarded          State = "Unguarded"
	StateSuspended          State = "Suspended"
	StateCleared            State = "Cleared"
	StateInterrupted        State = "Interrupted"
	StateUnverified         State = "Unverified"
	StateVerifying          State = "Verifying"
	StateInconclusive       State = "Inconclusive"
	StateAwaitingAcceptance State = "AwaitingAcceptance"
	StateFailed             State = "Failed"
	StateRolledBack         State = "RolledBack"
	StateDecided            State = "Decided"
)

// Action is the one thing to do next.
type Action string

// Actions. Only ActionApply, ActionInspectApply, ActionRollback and ActionInspectRollback touch anything but eclusier's
// own objects.
const (
	// ActionNone: the change has ended.
	ActionNone Action = "None"
	// ActionPlan makes a plan of the next revision; slots of former revisions are superseded.
	ActionPlan Action = "Plan"
	// ActionJudge asks the policies.
	ActionJudge Action = "Judge"
	// ActionRequestApproval makes the slots.
	ActionRequestApproval Action = "RequestApproval"
	// ActionWait waits for a watch or a time.
	ActionWait Action = "Wait"
	// ActionApply checks everything once more, records the attempt, and begins.
	ActionApply Action = "Apply"
	// ActionInspectApply finds out what an open attempt did, and goes on with what it certainly did not do.
	ActionInspectApply Action = "InspectApply"
	// ActionVerify makes the checks.
	ActionVerify Action = "Verify"
	// ActionRequestAcceptance makes the slot that asks whether the result is accepted.
	ActionRequestAcceptance Action = "RequestAcceptance"
	// ActionRollback records the attempt and undoes what was done, in reverse order.
	ActionRollback Action = "Rollback"
	// ActionInspectRollback finds out what an open rollback did, and goes on.
	ActionInspectRollback Action = "InspectRollback"
	// ActionFinish records Decision.Result as the end.
	ActionFinish Action = "Finish"
)

// Decision is where a change stands and what to do about it.
type Decision struct {
	State  State
	Action Action
	// Result is set with ActionFinish.
	Result v1alpha1.ChangeResult
}

// rules is the whole of it, in the order of evaluation. The first that answers decides.
var rules = []func(Facts) *Decision{
	ended,
	rollback,
	apply,
	verify,
	stop,
	plan,
	judge,
	consent,
	gate,
}

// Decide says what happens next. It is total: every combination of facts has an answer.
func Decide(f Facts) Decision {
	for _, rule := range rules {
		if d := rule(f); d != nil {
			return *d
		}
	}
	return Decision{State: StateCleared, Action: ActionApply}
}

func do(state State, action Action) *Decision { return &Decision{State: state, Action: action} }

func finish(state State, result v1alpha1.ChangeResult) *Decision {
	return &Decision{State: state, Action: ActionFinish, Result: result}
}

func ended(f Facts) *Decision {
	if f.Result != "" {
		return do(StateEnded, ActionNone)
	}
	return nil
}

// rollback comes first: a change that has begun to be undone is undone, whatever else is true.
func rollback(f Facts) *Decision {
	switch f.Rollback {
	case AttemptOpen:
		return do(StateInterrupted, ActionInspectRollback)
	case AttemptSucceeded:
		return finish(StateRolledBack, v1alpha1.ResultRolledBack)
	case AttemptFailed, AttemptUnknown:
		return finish(StateFailed, v1alpha1.ResultRollbackFailed)
	default:
		return nil
	}
}

func apply(f Facts) *Decision {
	switch f.Apply {
	case AttemptOpen:
		return do(StateInterrupted, ActionInspectApply)
	case AttemptFailed:
		if !f.Touched {
			return finish(StateFailed, v1alpha1.ResultApplyFailed)
		}
		return failed(f, v1alpha1.ResultApplyFailed)
	case AttemptUnknown:
		return undecided(f, v1alpha1.ResultApplyFailed)
	default:
		return nil
	}
}

func verify(f Facts) *Decision {
	if f.Apply != AttemptSucceeded {
		return nil
	}
	switch f.Verify {
	case AttemptNone:
		return do(StateUnverified, ActionVerify)
	case AttemptOpen:
		return do(StateVerifying, ActionVerify)
	case AttemptSucceeded:
		return finish(StateDecided, v1alpha1.ResultSucceeded)
	case AttemptFailed:
		return failed(f, v1alpha1.ResultVerifyFailed)
	default:
		return undecided(f, v1alpha1.ResultVerifyFailed)
	}
}

// failed is what follows from a failure that left something behind.
func failed(f Facts, result v1alpha1.ChangeResult) *Decision {
	switch f.OnFailure {
	case v1alpha1.RollbackNever:
		return finish(StateFailed, result)
	case v1alpha1.RollbackManual:
		return undecided(f, result)
	default:
		return do(StateFailed, ActionRollback)
	}
}

// undecided is what follows where a person has to say whether the result stands. Where nobody says it in time, the
// change is undone if it is to be undone without asking, since the state before it is the one that was agreed to last.
// A change that is never to be rolled back is not, whoever wants it: people agreed to that as well.
func undecided(f Facts, result v1alpha1.ChangeResult) *Decision {
	switch f.Acceptance {
	case ConsentUnasked:
		return do(StateInconclusive, ActionRequestAcceptance)
	case ConsentAwaited:
		return do(StateAwaitingAcceptance, ActionWait)
	case ConsentGranted:
		return finish(StateDecided, v1alpha1.ResultSucceeded)
	case ConsentRejected, ConsentExpired:
	}
	asked := f.Acceptance == ConsentRejected && f.OnFailure == v1alpha1.RollbackManual
	if asked || f.OnFailure == v1alpha1.RollbackAutomatic || f.OnFailure == "" {
		return do(StateFailed, ActionRollback)
	}
	return finish(StateFailed, result)
}

// stop comes once nothing has been applied, so that stopping leaves nothing behind.
func stop(f Facts) *Decision {
	switch {
	case f.Cancelled:
		return finish(StateDecided, v1alpha1.ResultCancelled)
	case f.Overdue:
		return finish(StateDecided, v1alpha1.ResultExpired)
	case f.Suspended:
		return do(StateSuspended, ActionWait)
	}
	return nil
}

func plan(f Facts) *Decision {
	planned := f.Plan == PlanEmpty || f.Plan == PlanCurrent
	switch {
	case f.Plan == PlanImpossible:
		return finish(StateDecided, v1alpha1.ResultInvalid)
	case !planned && f.Revision >= MaxRevisions:
		return finish(StateDrifted, v1alpha1.ResultInvalid)
	case f.Plan == PlanNone:
		return do(StateUnplanned, ActionPlan)
	case f.Plan == PlanStale:
		return do(StateDrifted, ActionPlan)
	case f.DryRun:
		return finish(StateDecided, v1alpha1.ResultPlanned)
	case f.Plan == PlanEmpty:
		return finish(StateDecided, v1alpha1.ResultSucceeded)
	}
	return nil
}

func judge(f Facts) *Decision {
	switch f.Verdict {
	case VerdictNone:
		return do(StateUnjudged, ActionJudge)
	case VerdictDenied:
		return finish(StateDecided, v1alpha1.ResultDenied)
	default:
		return nil
	}
}

func consent(f Facts) *Decision {
	if f.Verdict != VerdictApproval {
		return nil
	}
	switch f.Consent {
	case ConsentRejected:
		return finish(StateDecided, v1alpha1.ResultRejected)
	case ConsentExpired:
		return finish(StateDecided, v1alpha1.ResultExpired)
	case ConsentUnasked:
		return do(StateUnasked, ActionRequestApproval)
	case ConsentAwaited:
		return do(StateAwaitingApproval, ActionWait)
	default:
		return nil
	}
}

// gate is the last before an effect.
func gate(f Facts) *Decision {
	switch {
	case !f.Guarded:
		return do(StateUnguarded, ActionWait)
	case !f.WindowOpen:
		return do(StateAwaitingWindow, ActionWait)
	}
	return nil
}
