package changerequest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// TestCrash_atEveryWrite kills the operator at every write of a change, instead of it and right after it, and starts another
// one: every effect is had once, the record is true, and the end is reached.
func TestCrash_atEveryWrite(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*v1alpha1.ChangeRequest)
		arrive func(*room)
		people bool
		result v1alpha1.ChangeResult
		sent   []string
	}{
		{name: "one operation with consent", change: func(*v1alpha1.ChangeRequest) {}, people: true,
			result: v1alpha1.ResultSucceeded, sent: []string{"shop/web=3"}},
		{name: "three operations", change: three,
			result: v1alpha1.ResultSucceeded, sent: []string{"shop/web=3", "shop/api=4", "shop/db=5"}},
		{name: "three operations that are rolled back", change: three, arrive: func(r *room) {
			for range 5 {
				r.world.Verdicts = append(r.world.Verdicts, verdict(v1alpha1.OutcomeFailed, "503")...)
			}
		}, result: v1alpha1.ResultRolledBack,
			sent: []string{"shop/web=3", "shop/api=4", "shop/db=5", "undo shop/db", "undo shop/api", "undo shop/web"}},
		{name: "a deletion", change: func(c *v1alpha1.ChangeRequest) {
			c.Spec.Kubernetes.Operations = []v1alpha1.Operation{{Delete: &v1alpha1.DeleteOperation{Target: v1alpha1.OperationTarget{Kind: "Deployment", Name: "db"}}}}
		}, people: true, result: v1alpha1.ResultSucceeded, sent: []string{"shop/db deleted"}},
	} {
		for _, after := range []bool{false, true} {
			for at := 1; ; at++ {
				r := newRoom(t, scale("it", tc.change))
				if !tc.people {
					r.create(owners("owners", autonomous))
				}
				if tc.arrive != nil {
					tc.arrive(r)
				}
				r.killAt, r.killAfter = at, after
				died := r.live(tc.people)
				killed := r.kinds[min(at, len(r.kinds))-1]
				c := r.get("it")
				if !finished(c) || c.Status.Result != tc.result || !slices.Equal(r.world.Sent(), tc.sent) || len(r.leases()) != 0 {
					t.Errorf("%s, killed at write %d (%s, after it: %t): result %q, effects %v, leases %v",
						tc.name, at, killed, after, c.Status.Result, r.world.Sent(), r.leases())
				}
				r.recordIsTrue(c, fmt.Sprintf("%s, killed at write %d", tc.name, at))
				if !died {
					t.Logf("%s: %d points", tc.name, at-1)
					break
				}
			}
		}
	}
}

// live takes the change to its end, with people who agree to what they are asked, and starts the operator anew where it is
// killed. It says whether it was.
func (r *room) live(people bool) (died bool) {
	r.Helper()
	for range 100 {
		c, after := r.settle("it")
		switch {
		case r.dead:
			died = true
			r.restart()
			continue
		case finished(c):
			return died
		case people && c.Status.Phase == v1alpha1.ChangeAwaitingApproval:
			slots := c.Status.Approvals
			if last := slots[len(slots)-1]; last.Decision == v1alpha1.DecisionPending {
				r.approve(last.Name, "bob")
				continue
			}
		}
		r.wait("it", after)
	}
	r.Fatal("the change does not end")
	return died
}

// recordIsTrue compares what the status says was done with what was done, and what Approvals say they were used by with
// the attempts that there are.
func (r *room) recordIsTrue(c *v1alpha1.ChangeRequest, when string) {
	r.Helper()
	var recorded []string
	for _, a := range c.Status.Attempts {
		for _, done := range a.OperationsDone {
			recorded = append(recorded, string(a.Step)+" "+done.Object.Name)
		}
	}
	if len(recorded) != len(r.world.Sent()) {
		r.Errorf("%s: recorded %v, had %v", when, recorded, r.world.Sent())
	}
	list := &v1alpha1.ApprovalList{}
	if err := r.stored.List(r.Context(), list); err != nil {
		r.Fatal(err)
	}
	for _, apv := range list.Items {
		approved := apv.Spec.Decision == v1alpha1.DecisionApproved
		current := apv.Spec.PlanDigest == c.Status.Plan.Digest
		if approved && current && apv.Status.ConsumedBy != c.Status.Attempts[0].ID {
			r.Errorf("%s: the approval %s was used by %q", when, apv.Name, apv.Status.ConsumedBy)
		}
	}
}
