package change

import (
	"testing"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

var modes = []v1alpha1.RollbackMode{v1alpha1.RollbackAutomatic, v1alpha1.RollbackManual, v1alpha1.RollbackNever}

// everyFacts calls f with every combination of facts: of the revisions, with one after which the change may be planned
// again, and with the last.
func everyFacts(f func(Facts)) {
	for flags := range 1 << 7 {
		on := func(bit int) bool { return flags&(1<<bit) != 0 }
		for _, mode := range modes {
			for _, revision := range []int32{MaxRevisions - 1, MaxRevisions} {
				everyPlan(func(plan PlanFact, verdict VerdictFact, consent ConsentFact) {
					everyAttempt(func(apply, verify, rollback AttemptFact, acceptance ConsentFact) {
						f(Facts{
							Cancelled: on(0), Suspended: on(1), DryRun: on(2), Overdue: on(3), Guarded: on(4),
							WindowOpen: on(5), Touched: on(6), OnFailure: mode, Revision: revision, Plan: plan,
							Verdict: verdict, Consent: consent, Apply: apply, Verify: verify, Rollback: rollback,
							Acceptance: acceptance,
						})
					})
				})
			}
		}
	}
}

// everyPlan calls f with every combination of what is known of a plan.
func everyPlan(f func(plan PlanFact, verdict VerdictFact, consent ConsentFact)) {
	for plan := PlanNone; plan <= PlanCurrent; plan++ {
		for verdict := VerdictNone; verdict <= VerdictAllowed; verdict++ {
			for consent := ConsentUnasked; consent <= ConsentExpired; consent++ {
				f(plan, verdict, consent)
			}
		}
	}
}

// everyAttempt calls f with every combination of records.
func everyAttempt(f func(apply, verify, rollback AttemptFact, acceptance ConsentFact)) {
	for apply := AttemptNone; apply <= AttemptUnknown; apply++ {
		for verify := AttemptNone; verify <= AttemptUnknown; verify++ {
			for rollback := AttemptNone; rollback <= AttemptUnknown; rollback++ {
				for acceptance := ConsentUnasked; acceptance <= ConsentExpired; acceptance++ {
					f(apply, verify, rollback, acceptance)
				}
			}
		}
	}
}

// cleared is written out here a second time, from DESIGN's words rather than from the code.
func cleared(f Facts) bool {
	agreed := f.Verdict == VerdictAllowed || (f.Verdict == VerdictApproval && f.Consent == ConsentGranted)
	stopped := f.Result != "" || f.Cancelled || f.Suspended || f.DryRun || f.Overdue
	return agreed && !stopped && f.Plan == PlanCurrent && f.Guarded && f.WindowOpen &&
		f.Apply == AttemptNone && f.Rollback == AttemptNone
}

// TestDecide_everyCombinationOfFacts proves that Decide is total, applies nothing without clearance and nothing over a
// recorded attempt, and that every decision brings every change nearer to its end.
func TestDecide_everyCombinationOfFacts(t *testing.T) {
	everyFacts(func(f Facts) {
		d := Decide(f)
		if problem := violated(f, d); problem != "" {
			t.Fatalf("%s\nfacts %+v\ndecision %+v", problem, f, d)
		}
		if d.Action == ActionFinish {
			return
		}
		before, led := distance(f), false
		outcomes(f, d, func(n Facts) {
			led = true
			if after := distance(n); after >= before {
				t.Fatalf("%s leads no nearer to the end\nfrom %+v\nto   %+v", d.Action, f, n)
			}
		})
		if !led {
			t.Fatalf("%s leads nowhere from %+v", d.Action, f)
		}
	})
}

func TestDecide_automaticRollbackIsTheDefault(t *testing.T) {
	everyAttempt(func(apply, verify, rollback AttemptFact, acceptance ConsentFact) {
		f := Facts{Touched: true, Plan: PlanCurrent, Apply: apply, Verify: verify, Rollback: rollback, Acceptance: acceptance}
		unset := Decide(f)
		f.OnFailure = v1alpha1.RollbackAutomatic
		if automatic := Decide(f); unset != automatic {
			t.Errorf("without a mode %+v, with Automatic %+v, for %+v", unset, automatic, f)
		}
	})
}

func TestDecide_nothingHappensToWhatHasEnded(t *testing.T) {
	everyAttempt(func(apply, verify, rollback AttemptFact, acceptance ConsentFact) {
		everyPlan(func(plan PlanFact, verdict VerdictFact, consent ConsentFact) {
			f := Facts{
				Result: v1alpha1.ResultRejected, Guarded: true, WindowOpen: true, Touched: true, Plan: plan, Verdict: verdict,
				Consent: consent, Apply: apply, Verify: verify, Rollback: rollback, Acceptance: acceptance,
			}
			if d := Decide(f); d != (Decision{State: StateEnded, Action: ActionNone}) {
				t.Fatalf("Decide() = %+v for %+v", d, f)
			}
		})
	})
}

// violated names the first invariant that a decision about a change that goes on breaks.
func violated(f Facts, d Decision) string {
	undone, undoes := f.Rollback != AttemptNone, d.Action == ActionRollback || d.Action == ActionInspectRollback
	leftSomething := f.Touched || f.Apply == AttemptSucceeded || f.Apply == AttemptUnknown
	switch {
	case d.State == "" || d.Action == "":
		return "every combination has a state and an action"
	case (d.Action == ActionFinish) != (d.Result != ""):
		return "a result comes with Finish and only with it"
	case d.Action == ActionNone || d.State == StateEnded:
		return "a change that has not ended is never left alone"
	case (d.State == StateCleared) != (d.Action == ActionApply):
		return "what is cleared is applied, and nothing else"
	case d.Action == ActionApply && !cleared(f):
		return "nothing is applied without clearance"
	case f.Apply == AttemptOpen && !undone && d.Action != ActionInspectApply:
		return "an open attempt is inspected before anything else"
	case d.Action == ActionInspectApply && f.Apply != AttemptOpen:
		return "only an open attempt is inspected"
	case f.Rollback == AttemptOpen && d.Action != ActionInspectRollback:
		return "an open rollback is inspected before anything else"
	case d.Action == ActionInspectRollback && f.Rollback != AttemptOpen:
		return "only an open rollback is inspected"
	case d.Action == ActionRollback && (!leftSomething || undone):
		return "only what was touched, and not yet undone, is undone"
	case undoes && !undone && f.OnFailure == v1alpha1.RollbackNever:
		return "nothing is undone where people agreed that nothing is"
	case d.Action == ActionVerify && f.Apply != AttemptSucceeded:
		return "only what was applied is verified"
	}
	return misreported(f, d.Result)
}

// misreported names the first way in which a result is not what happened.
func misreported(f Facts, result v1alpha1.ChangeResult) string {
	applied, undone := f.Apply != AttemptNone, f.Rollback != AttemptNone
	accepted := applied && f.Acceptance == ConsentGranted
	switch result {
	case v1alpha1.ResultSucceeded:
		if !undone && ((f.Apply == AttemptSucceeded && f.Verify == AttemptSucceeded) || accepted || (f.Plan == PlanEmpty && !applied && !f.DryRun)) {
			return ""
		}
		return "success is claimed only where it was verified, accepted, or nothing was to be done"
	case v1alpha1.ResultRolledBack:
		if f.Rollback == AttemptSucceeded {
			return ""
		}
		return "a rollback is claimed only where it was made"
	case v1alpha1.ResultRollbackFailed:
		if f.Rollback == AttemptFailed || f.Rollback == AttemptUnknown {
			return ""
		}
		return "a failed rollback is claimed only where one failed"
	case v1alpha1.ResultApplyFailed:
		if f.Apply == AttemptFailed || f.Apply == AttemptUnknown {
			return ""
		}
		return "a failure to apply is claimed only where applying failed"
	case v1alpha1.ResultVerifyFailed:
		if f.Apply == AttemptSucceeded && (f.Verify == AttemptFailed || f.Verify == AttemptUnknown) {
			return ""
		}
		return "a failed check is claimed only where a check failed"
	case "":
		return ""
	default:
		if applied || undone {
			return "what was applied is not forgotten by any other end"
		}
		return ""
	}
}

// distance is how far a change is from its end. It weighs what is still to be decided, the weightiest first: whatever a
// step settles weighs more than all that it opens.
func distance(f Facts) int {
	if f.Result != "" {
		return 0
	}
	planned := 0
	if f.Plan > PlanStale {
		planned = 1
	}
	sum := toCome(f.Apply)
	sum = sum*(2*MaxRevisions+2) + 2*int(MaxRevisions-f.Revision) + planned
	sum = sum*3 + settled(f.Cancelled) + settled(f.Overdue)
	sum = sum*2 + settled(!f.Suspended)
	sum = sum*2 + settled(f.Verdict != VerdictNone)
	sum = sum*3 + toDecide(f.Consent)
	sum = sum*3 + settled(f.Guarded) + settled(f.WindowOpen)
	sum = sum*3 + toCome(f.Verify)
	sum = sum*3 + toDecide(f.Acceptance)
	sum = sum*3 + toCome(f.Rollback)
	return sum + 1
}

func settled(yes bool) int {
	if yes {
		return 0
	}
	return 1
}

func toCome(a AttemptFact) int { return max(2-int(a), 0) }

func toDecide(c ConsentFact) int { return max(2-int(c), 0) }

// outcomes calls yield with the facts that an action can lead to, as the controller records them.
func outcomes(f Facts, d Decision, yield func(Facts)) {
	switch d.Action {
	case ActionPlan:
		for _, p := range []PlanFact{PlanImpossible, PlanEmpty, PlanCurrent} {
			n := f
			n.Revision, n.Plan, n.Verdict, n.Consent = f.Revision+1, p, VerdictNone, ConsentUnasked
			yield(n)
		}
	case ActionJudge:
		for v := VerdictDenied; v <= VerdictAllowed; v++ {
			n := f
			n.Verdict = v
			yield(n)
		}
	case ActionRequestApproval:
		f.Consent = ConsentAwaited
		yield(f)
	case ActionRequestAcceptance:
		f.Acceptance = ConsentAwaited
		yield(f)
	case ActionWait:
		waited(f, yield)
	case ActionApply:
		drifted := f
		drifted.Plan = PlanStale
		yield(drifted)
		applied(f, yield)
	case ActionInspectApply:
		applied(f, yield)
	case ActionVerify:
		for _, verify := range closed {
			n := f
			n.Verify = verify
			yield(n)
		}
	case ActionRollback, ActionInspectRollback:
		for _, rollback := range closed {
			n := f
			n.Rollback = rollback
			yield(n)
		}
	case ActionFinish:
		f.Result = d.Result
		yield(f)
	case ActionNone:
	}
}

// closed are the ends of an attempt.
var closed = []AttemptFact{AttemptSucceeded, AttemptFailed, AttemptUnknown}

// applied are the ends of an attempt to apply; the last is the one that failed before it touched anything.
func applied(f Facts, yield func(Facts)) {
	for _, apply := range closed {
		n := f
		n.Apply, n.Touched = apply, true
		yield(n)
	}
	f.Apply = AttemptFailed
	yield(f)
}

// waited are the facts that end a wait: somebody or some time decides, or somebody changes the live objects meanwhile.
func waited(f Facts, yield func(Facts)) {
	for c := ConsentGranted; c <= ConsentExpired; c++ {
		if n := f; f.Consent == ConsentAwaited {
			n.Consent = c
			yield(n)
		}
		if n := f; f.Acceptance == ConsentAwaited {
			n.Acceptance = c
			yield(n)
		}
	}
	waitedFor := []struct {
		fact bool
		end  func(*Facts)
	}{
		{f.Suspended, func(n *Facts) { n.Suspended = false }},
		{!f.Guarded, func(n *Facts) { n.Guarded = true }},
		{!f.WindowOpen, func(n *Facts) { n.WindowOpen = true }},
		{!f.Cancelled, func(n *Facts) { n.Cancelled = true }},
		{!f.Overdue, func(n *Facts) { n.Overdue = true }},
		{f.Plan == PlanCurrent, func(n *Facts) { n.Plan = PlanStale }},
	}
	for _, w := range waitedFor {
		if n := f; w.fact {
			w.end(&n)
			yield(n)
		}
	}
}

// TestDecide_endsSoon follows every sequence of decisions and outcomes from a change that has just been created, of
// whatever spec, and proves how long the longest is.
func TestDecide_endsSoon(t *testing.T) {
	longest := map[Facts]int{}
	var walk func(f Facts) int
	walk = func(f Facts) int {
		if steps, seen := longest[f]; seen {
			return steps
		}
		steps := 0
		outcomes(f, Decide(f), func(n Facts) { steps = max(steps, walk(n)+1) })
		longest[f] = steps
		return steps
	}
	for flags := range 1 << 6 {
		on := func(bit int) bool { return flags&(1<<bit) != 0 }
		for _, mode := range modes {
			fresh := Facts{
				Cancelled: on(0), Suspended: on(1), DryRun: on(2), Overdue: on(3), Guarded: on(4), WindowOpen: on(5), OnFailure: mode,
			}
			// Plan, judge, ask, wait for consent and find it drifted, as often as it is planned; then apply, verify, ask
			// and wait about the result, roll back and finish; and five waits for what comes once.
			if steps := walk(fresh); steps > 5*MaxRevisions+6+5 {
				t.Errorf("a change can take %d steps from %+v", steps, fresh)
			}
		}
	}
}

func TestDecide_whatComesFirst(t *testing.T) {
	ready := Facts{
		OnFailure: v1alpha1.RollbackAutomatic, Plan: PlanCurrent, Verdict: VerdictApproval, Consent: ConsentGranted,
		Guarded: true, WindowOpen: true,
	}
	with := func(change func(*Facts)) Facts {
		f := ready
		change(&f)
		return f
	}
	for _, tc := range []struct {
		name   string
		facts  Facts
		want   Decision
		reason string
	}{
		{"a new change is planned", Facts{}, Decision{State: StateUnplanned, Action: ActionPlan}, "nothing is known yet"},
		{"a granted change is applied", ready, Decision{State: StateCleared, Action: ActionApply}, "all agree"},
		{"a rejected change ends even while the guard is missing", with(func(f *Facts) { f.Consent, f.Guarded = ConsentRejected, false }),
			Decision{State: StateDecided, Action: ActionFinish, Result: v1alpha1.ResultRejected}, "a no needs no guard"},
		{"a granted change waits for the guard", with(func(f *Facts) { f.Guarded = false }),
			Decision{State: StateUnguarded, Action: ActionWait}, "a yes cannot be believed without it"},
		{"a cancelled change that was applied is verified all the same", with(func(f *Facts) { f.Cancelled, f.Apply = true, AttemptSucceeded }),
			Decision{State: StateUnverified, Action: ActionVerify}, "what was done has to be known to be good"},
		{"a suspended change that failed is rolled back", with(func(f *Facts) { f.Suspended, f.Touched, f.Apply = true, true, AttemptFailed }),
			Decision{State: StateFailed, Action: ActionRollback}, "holding a broken state helps nobody"},
		{"a failure that left nothing behind just ends", with(func(f *Facts) { f.Apply = AttemptFailed }),
			Decision{State: StateFailed, Action: ActionFinish, Result: v1alpha1.ResultApplyFailed}, "there is nothing to undo"},
		{"an interrupted change is inspected", with(func(f *Facts) { f.Apply = AttemptOpen }),
			Decision{State: StateInterrupted, Action: ActionInspectApply}, "never repeated blindly"},
		{"an unverifiable result is asked about", with(func(f *Facts) { f.Apply, f.Verify, f.Touched = AttemptSucceeded, AttemptUnknown, true }),
			Decision{State: StateInconclusive, Action: ActionRequestAcceptance}, "neither good nor bad is claimed"},
		{"an unanswered question about the result rolls back", with(func(f *Facts) {
			f.Apply, f.Verify, f.Touched, f.Acceptance = AttemptSucceeded, AttemptUnknown, true, ConsentExpired
		}), Decision{State: StateFailed, Action: ActionRollback}, "the state agreed to last is the one before"},
		{"a failed change that is never rolled back ends so", with(func(f *Facts) {
			f.Apply, f.Verify, f.Touched, f.OnFailure = AttemptSucceeded, AttemptFailed, true, v1alpha1.RollbackNever
		}), Decision{State: StateFailed, Action: ActionFinish, Result: v1alpha1.ResultVerifyFailed}, "the plan says so"},
		{"a refused result that is never rolled back stays", with(func(f *Facts) {
			f.Apply, f.Verify, f.Touched, f.OnFailure, f.Acceptance = AttemptSucceeded, AttemptUnknown, true, v1alpha1.RollbackNever, ConsentRejected
		}), Decision{State: StateFailed, Action: ActionFinish, Result: v1alpha1.ResultVerifyFailed}, "people agreed that nothing is undone"},
		{"a refused result that is rolled back by hand is rolled back", with(func(f *Facts) {
			f.Apply, f.Verify, f.Touched, f.OnFailure, f.Acceptance = AttemptSucceeded, AttemptFailed, true, v1alpha1.RollbackManual, ConsentRejected
		}), Decision{State: StateFailed, Action: ActionRollback}, "that is the hand"},
		{"an unanswered failure that is rolled back by hand stays", with(func(f *Facts) {
			f.Apply, f.Verify, f.Touched, f.OnFailure, f.Acceptance = AttemptSucceeded, AttemptFailed, true, v1alpha1.RollbackManual, ConsentExpired
		}), Decision{State: StateFailed, Action: ActionFinish, Result: v1alpha1.ResultVerifyFailed}, "no hand was raised"},
		{"a dry run that would change nothing is a dry run all the same", with(func(f *Facts) { f.DryRun, f.Plan = true, PlanEmpty }),
			Decision{State: StateDecided, Action: ActionFinish, Result: v1alpha1.ResultPlanned}, "nothing was done, so nothing succeeded"},
		{"a plan that never holds is given up", with(func(f *Facts) { f.Plan, f.Revision = PlanStale, MaxRevisions }),
			Decision{State: StateDrifted, Action: ActionFinish, Result: v1alpha1.ResultInvalid}, "something else keeps changing the objects"},
		{"the last plan that may be made is applied", with(func(f *Facts) { f.Revision = MaxRevisions }),
			Decision{State: StateCleared, Action: ActionApply}, "it has not drifted"},
		{"a drifted plan is made again", with(func(f *Facts) { f.Plan = PlanStale }),
			Decision{State: StateDrifted, Action: ActionPlan}, "consent was for something else"},
		{"a closed window is waited for", with(func(f *Facts) { f.WindowOpen = false }),
			Decision{State: StateAwaitingWindow, Action: ActionWait}, "the owners said when"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Decide(tc.facts); got != tc.want {
				t.Errorf("Decide() = %+v, want %+v: %s", got, tc.want, tc.reason)
			}
		})
	}
}
