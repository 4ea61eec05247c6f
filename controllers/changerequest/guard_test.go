package changerequest

import (
	"strings"
	"testing"
	"time"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/guard"
)

func TestConsent_identityGuard(t *testing.T) {
	missing := []guard.Problem{{Kind: "ValidatingAdmissionPolicy", Name: "eclusier-check-approval"}}
	t.Run("without it nothing is taken on, and nobody vouches afterwards", func(t *testing.T) {
		r := newRoom(t, scale("it"))
		r.guard.problems = missing
		c, _ := r.settle("it")
		if got, want := summary(c), "?Approved/IdentityGuardMissing +Stalled/IdentityGuardMissing ?Succeeded/IdentityGuardMissing"; got != want || c.Status.Plan != nil {
			t.Errorf("got %s, want %s", got, want)
		}
		r.guard.problems = nil
		c, _ = r.settle("it")
		r.ends(c, v1alpha1.ResultInvalid, v1alpha1.AcceptedRequesterUnknown)
	})
	t.Run("without it nothing is applied, and what was decided meanwhile is asked anew", func(t *testing.T) {
		r := newRoom(t, scale("it"))
		r.settle("it")
		r.guard.problems = missing
		r.approve("it-1-1", "bob")
		c, _ := r.settle("it")
		if condition(c, v1alpha1.ConditionApproved).Reason != v1alpha1.ApprovedIdentityGuardMissing || r.reasonOf("it-1-1") != v1alpha1.GrantedSuperseded {
			t.Errorf("got %s, the slot says %s", summary(c), r.reasonOf("it-1-1"))
		}
		r.clock.SetTime(noon.Add(time.Minute))
		r.guard.problems, r.guard.since = nil, noon.Add(time.Minute)
		c, _ = r.settle("it")
		if c.Status.Phase != v1alpha1.ChangeAwaitingApproval || r.reasonOf("it-1-1") != v1alpha1.GrantedSuperseded {
			t.Errorf("phase %s, slot %s", c.Status.Phase, r.reasonOf("it-1-1"))
		}
		r.sent()
		r.approve("it-1-2", "bob")
		c, _ = r.settle("it")
		r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	})
	t.Run("a decision that was seen while it was in place outlives a repair", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners", quorum(2)))
		r.settle("it")
		r.approve("it-1-1", "bob")
		r.settle("it")
		r.clock.SetTime(noon.Add(time.Minute))
		r.guard.since = noon.Add(time.Minute)
		c, _ := r.settle("it")
		if c.Status.Policy.Progress != "1/2" || r.reasonOf("it-1-2") != v1alpha1.GrantedSuperseded {
			t.Errorf("progress %s, the undecided slot is %s", c.Status.Policy.Progress, r.reasonOf("it-1-2"))
		}
	})
	t.Run("a refusal needs no guard", func(t *testing.T) {
		r := newRoom(t, scale("it"))
		r.settle("it")
		r.guard.problems = missing
		r.decide("it-1-1", "bob", v1alpha1.DecisionRejected)
		c, _ := r.settle("it")
		r.ends(c, v1alpha1.ResultRejected, v1alpha1.ApprovedRejected)
	})
	t.Run("a decision that a cache shows sooner than that nobody vouches for it", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners", quorum(2)))
		r.settle("it")
		r.guard.lagging, r.guard.problems = true, missing
		r.approve("it-1-1", "bob")
		r.settle("it")
		if source := r.approval("it-1-1").Status.IdentitySource; source != "" {
			t.Errorf("who decided is said to be %s", source)
		}
		r.clock.SetTime(noon.Add(time.Minute))
		r.guard.lagging, r.guard.problems, r.guard.since = false, nil, noon.Add(time.Minute)
		c, _ := r.settle("it")
		if c.Status.Policy.Progress != "0/2" || r.reasonOf("it-1-1") != v1alpha1.GrantedSuperseded {
			t.Errorf("progress %s, slot %s", c.Status.Policy.Progress, r.reasonOf("it-1-1"))
		}
	})
	t.Run("a change that a cache shows sooner than that nobody vouches for it", func(t *testing.T) {
		r := newRoom(t, scale("it"))
		r.guard.lagging, r.guard.problems = true, missing
		if c, _ := r.settle("it"); c.Status.StartedAt != nil {
			t.Errorf("taken on: %s", summary(c))
		}
	})
	t.Run("people are asked once the policies are in effect again", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners"))
		r.guard.settling = 2 * time.Second
		c, after := r.settle("it")
		if got := condition(c, v1alpha1.ConditionApproved); got.Message != saidGuardSettles || after != 2*time.Second || len(c.Status.Approvals) != 0 {
			t.Errorf("%q, again in %s, slots %+v", got.Message, after, c.Status.Approvals)
		}
		r.guard.settling = 0
		r.wait("it", after)
		r.approve("it-1-1", "bob")
		c, _ = r.settle("it")
		r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	})
	t.Run("where the API server does not write who decides, the command names the caller", func(t *testing.T) {
		r := newRoom(t, scale("it"))
		r.guard.stamp = guard.StampByClient
		c, _ := r.settle("it")
		if !strings.Contains(c.Status.ApproveWith[0], `"decidedBy":{"username":"'"$(kubectl auth whoami`) {
			t.Errorf("approve with %s", c.Status.ApproveWith[0])
		}
		r.approve("it-1-1", "bob")
		r.settle("it")
		if source := r.approval("it-1-1").Status.IdentitySource; source != v1alpha1.IdentityChecked {
			t.Errorf("identity source %s", source)
		}
	})
}
