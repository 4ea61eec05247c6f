package change

import (
	"fmt"
	"testing"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// everyFacts calls f with every combination of facts.
func everyFacts(f func(Facts)) {
	results := []v1alpha1.ChangeResult{"", v1alpha1.ResultSucceeded}
	modes := []v1alpha1.RollbackMode{v1alpha1.RollbackAutomatic, v1alpha1.RollbackManual, v1alpha1.RollbackNever}
	for _, result := range results {
		for flags := range 1 << 7 {
			on := func(bit int) bool { return flags&(1<<bit) != 0 }
			for _, mode := range modes {
				for plan := PlanNone; plan <= PlanCurrent; plan++ {
					for verdict := VerdictNone; verdict <= VerdictAllowed; verdict++ {
						for consent := ConsentUnasked; consent <= ConsentExpired; consent++ {
							everyAttempt(func(apply, verify, rollback AttemptFact, acceptance ConsentFact) {
								f(Facts{
									Result: result, Cancelled: on(0), Suspended: on(1), DryRun: on(2), Overdue: on(3),
									Guarded: on(4), WindowOpen: on(5), Touched: on(6), OnFailure: mode, Plan: plan,
									Verdict: verdict, Consent: consent, Apply: apply, Verify: verify, Rollback: rollback,
									Acceptance: acceptance,
								})
							})
						}
					}
				}
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

func TestDecide_everyCombinationOfFacts(t *testing.T) {
	count := 0
	everyFacts(func(f Facts) {
		count++
		d := Decide(f)
		if problem := violated(f, d); problem != "" {
			t.Fatalf("%s\nfacts %+v\ndecision %+v", problem, f, d)
		}
	})
	t.Logf("%d combinations", count)
}

// violated names the first invariant that a decision breaks.
func violated(f Facts, d Decision) string {
	undone := f.Rollback != AttemptNone
	switch {
	case d.State == "" || d.Action == "":
		return "every combination has a state and an action"
	case (d.Action == ActionFinish) != (d.Result != ""):
		return "a result comes with Finish and only with it"
	case f.Result != "" && d.Action != ActionNone:
		return "nothing happens to a change that has ended"
	case f.Result == "" && d.Action == ActionNone:
		return "a change that has not ended is never left alone"
	case d.Action == ActionApply && !cleared(f):
		return "nothing is applied without clearance"
	case d.Action == ActionApply && (f.Apply != AttemptNone || undone):
		return "nothing is applied over a recorded attempt"
	case d.Action == ActionInspectApply && f.Apply != AttemptOpen:
		return "only an open attempt is inspected"
	case d.Action == ActionRollback && (f.Apply == AttemptNone || f.Apply == AttemptOpen || undone):
		return "only what was applied, and not yet undone, is undone"
	case d.Action == ActionVerify && f.Apply != AttemptSucceeded:
		return "only what was applied is verified"
	case d.Result == v1alpha1.ResultSucceeded && !mayHaveSucceeded(f):
		return "success is claimed only where it was verified, accepted, or nothing was to be done"
	case f.Apply != AttemptNone && (d.Result == v1alpha1.ResultCancelled || d.Result == v1alpha1.ResultExpired):
		return "what was applied is not forgotten by cancelling or expiring"
	}
	return ""
}

func mayHaveSucceeded(f Facts) bool {
	return (f.Apply == AttemptSucceeded && f.Verify == AttemptSucceeded) || f.Acceptance == ConsentGranted ||
		(f.Plan == PlanEmpty && f.Apply == AttemptNone)
}

// outcomes are the facts that an action can lead to, as the controller records them.
func outcomes(f Facts, d Decision) []Facts {
	var next []Facts
	with := func(change func(*Facts)) {
		n := f
		change(&n)
		next = append(next, n)
	}
	switch d.Action {
	case ActionPlan:
		for _, p := range []PlanFact{PlanImpossible, PlanEmpty, PlanCurrent} {
			with(func(n *Facts) { n.Plan, n.Verdict, n.Consent = p, VerdictNone, ConsentUnasked })
		}
	case ActionJudge:
		for _, v := range []VerdictFact{VerdictDenied, VerdictApproval, VerdictAllowed} {
			with(func(n *Facts) { n.Verdict = v })
		}
	case ActionRequestApproval:
		with(func(n *Facts) { n.Consent = ConsentAwaited })
	case ActionRequestAcceptance:
		with(func(n *Facts) { n.Acceptance = ConsentAwaited })
	case ActionWait:
		next = append(next, waited(f)...)
	case ActionApply, ActionInspectApply:
		for _, a := range []AttemptFact{AttemptSucceeded, AttemptFailed, AttemptUnknown} {
			with(func(n *Facts) { n.Apply, n.Touched = a, true })
		}
		with(func(n *Facts) { n.Apply = AttemptFailed })
	case ActionVerify:
		for _, a := range []AttemptFact{AttemptSucceeded, AttemptFailed, AttemptUnknown} {
			with(func(n *Facts) { n.Verify = a })
		}
	case ActionRollback, ActionInspectRollback:
		for _, a := range []AttemptFact{AttemptSucceeded, AttemptFailed, AttemptUnknown} {
			with(func(n *Facts) { n.Rollback = a })
		}
	case ActionFinish:
		with(func(n *Facts) { n.Result = d.Result })
	case ActionNone:
	}
	return next
}

// waited are the facts that end a wait: somebody or some time decides.
func waited(f Facts) []Facts {
	var next []Facts
	with := func(change func(*Facts)) {
		n := f
		change(&n)
		next = append(next, n)
	}
	for _, c := range []ConsentFact{ConsentGranted, ConsentRejected, ConsentExpired} {
		if f.Consent == ConsentAwaited {
			with(func(n *Facts) { n.Consent = c })
		}
		if f.Acceptance == ConsentAwaited {
			with(func(n *Facts) { n.Acceptance = c })
		}
	}
	if f.Suspended {
		with(func(n *Facts) { n.Suspended = false })
	}
	if !f.Guarded {
		with(func(n *Facts) { n.Guarded = true })
	}
	if !f.WindowOpen {
		with(func(n *Facts) { n.WindowOpen = true })
	}
	return next
}

// everyBeginning calls f with every change that has just been created, of whatever spec, and with every one that a
// restarted operator finds half applied or half undone. All others follow from these.
func everyBeginning(f func(Facts)) {
	for flags := range 1 << 6 {
		on := func(bit int) bool { return flags&(1<<bit) != 0 }
		for _, mode := range []v1alpha1.RollbackMode{v1alpha1.RollbackAutomatic, v1alpha1.RollbackManual, v1alpha1.RollbackNever} {
			fresh := Facts{
				Cancelled: on(0), Suspended: on(1), DryRun: on(2), Overdue: on(3), Guarded: on(4), WindowOpen: on(5), OnFailure: mode,
			}
			f(fresh)
			for _, plan := range []PlanFact{PlanStale, PlanCurrent} {
				applying := fresh
				applying.Plan, applying.Verdict, applying.Consent, applying.Apply = plan, VerdictApproval, ConsentGranted, AttemptOpen
				f(applying)
				undoing := applying
				undoing.Apply, undoing.Touched, undoing.Rollback = AttemptFailed, true, AttemptOpen
				f(undoing)
			}
		}
	}
}

// TestDecide_endsFromEverywhere proves that no sequence of decisions and outcomes goes round in a circle, so that every
// change ends once those it waits for have spoken.
func TestDecide_endsFromEverywhere(t *testing.T) {
	longest := map[Facts]int{}
	const onPath = -1
	var walk func(f Facts) (int, error)
	walk = func(f Facts) (int, error) {
		if steps, seen := longest[f]; seen {
			if steps == onPath {
				return 0, fmt.Errorf("a circle through %+v", f)
			}
			return steps, nil
		}
		longest[f] = onPath
		d, steps := Decide(f), 0
		next := outcomes(f, d)
		if len(next) == 0 && d.Action != ActionNone {
			return 0, fmt.Errorf("%s leads nowhere from %+v", d.Action, f)
		}
		for _, n := range next {
			s, err := walk(n)
			if err != nil {
				return 0, err
			}
			steps = max(steps, s+1)
		}
		longest[f] = steps
		return steps, nil
	}
	worst := 0
	everyBeginning(func(f Facts) {
		if t.Failed() {
			return
		}
		steps, err := walk(f)
		if err != nil {
			t.Error(err)
		}
		worst = max(worst, steps)
	})
	if worst > 20 {
		t.Errorf("the longest life of a change is %d steps, want at most 20", worst)
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
