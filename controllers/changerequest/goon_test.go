package changerequest

import (
	"context"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// halfWay is a change of three operations that bob agreed to, cut off after the given number of them.
func halfWay(t *testing.T, done int) (*room, time.Duration) {
	t.Helper()
	r := newRoom(t, scale("it", three), owners("owners"))
	r.settle("it")
	r.approve("it-1-1", "bob")
	for range done {
		r.world.Refuse["Apply"] = append(r.world.Refuse["Apply"], nil)
	}
	r.world.Refuse["Apply"] = append(r.world.Refuse["Apply"], errTimeout)
	c, after := r.settle("it")
	if len(c.Status.Attempts) != 1 || len(c.Status.Attempts[0].OperationsDone) != done {
		t.Fatalf("half-way: %+v", c.Status.Attempts)
	}
	return r, after
}

func (r *room) changePolicy(with func(*v1alpha1.ChangePolicySpec)) {
	r.Helper()
	p := &v1alpha1.ChangePolicy{}
	if err := r.stored.Get(r.Context(), types.NamespacedName{Name: "owners"}, p); err != nil {
		r.Fatal(err)
	}
	with(&p.Spec)
	p.Generation++
	if err := r.stored.Update(r.Context(), p); err != nil {
		r.Fatal(err)
	}
}

func denyAll(s *v1alpha1.ChangePolicySpec) {
	s.Deny = []v1alpha1.ChangeRule{{Name: "none", Kinds: []string{"*"}}}
}

func TestInspect_goesOnOnlyWhileConsentStands(t *testing.T) {
	for _, tc := range []struct {
		name   string
		done   int
		happen func(*room)
		result v1alpha1.ChangeResult
		sent   []string
	}{
		{"a policy denies before anything was done", 0, func(r *room) { r.changePolicy(denyAll) }, v1alpha1.ResultApplyFailed, nil},
		{"a policy denies half-way", 1, func(r *room) { r.changePolicy(denyAll) }, v1alpha1.ResultRolledBack, []string{"shop/web=3", "undo shop/web"}},
		{"a policy wants more people half-way", 1, func(r *room) { r.changePolicy(quorum(2)) }, v1alpha1.ResultRolledBack, []string{"shop/web=3", "undo shop/web"}},
		{"the Approval is gone half-way", 1, func(r *room) {
			if err := r.stored.Delete(context.Background(), r.approval("it-1-1")); err != nil {
				r.Fatal(err)
			}
		}, v1alpha1.ResultRolledBack, []string{"shop/web=3", "undo shop/web"}},
		{"whoever agreed may not any more, before anything was done", 0, func(r *room) { r.forbidden = []string{"bob"} }, v1alpha1.ResultApplyFailed, nil},
		{"whoever agreed may not any more, half-way", 1, func(r *room) { r.forbidden = []string{"bob"} }, v1alpha1.ResultSucceeded,
			[]string{"shop/web=3", "shop/api=4", "shop/db=5"}},
		{"it is cancelled before anything was done", 0, func(r *room) {
			r.edit("it", func(c *v1alpha1.ChangeRequest) { c.Spec.Cancel = true })
		}, v1alpha1.ResultApplyFailed, nil},
		{"it is cancelled half-way, and finished all the same", 1, func(r *room) {
			r.edit("it", func(c *v1alpha1.ChangeRequest) { c.Spec.Cancel = true })
		}, v1alpha1.ResultSucceeded, []string{"shop/web=3", "shop/api=4", "shop/db=5"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, after := halfWay(t, tc.done)
			tc.happen(r)
			c, _ := r.wait("it", after)
			if c.Status.Result != tc.result {
				t.Errorf("result %q, want %q: %s", c.Status.Result, tc.result, summary(c))
			}
			r.sent(tc.sent...)
		})
	}
}

func TestInspect_waitsForTheGuard(t *testing.T) {
	r, after := halfWay(t, 1)
	r.guard.problems = []guard.Problem{{Kind: "ValidatingAdmissionPolicy", Name: "eclusier-check-approval"}}
	c, _ := r.wait("it", after)
	if condition(c, v1alpha1.ConditionApproved).Reason != v1alpha1.ApprovedIdentityGuardMissing || c.Status.Attempts[0].Outcome != v1alpha1.OutcomeOpen {
		t.Errorf("without the guard: %s", summary(c))
	}
	r.sent("shop/web=3")
	r.guard.problems = nil
	c, _ = r.settle("it")
	r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
}

// TestInspect_overAnOldCopy has a new leader see an attempt as open that an earlier one closed and undid.
func TestInspect_overAnOldCopy(t *testing.T) {
	r, after := halfWay(t, 1)
	old := r.get("it")
	r.world.Verdicts = verdict(v1alpha1.OutcomeFailed, "503")
	c, _ := r.wait("it", after)
	r.ends(c, v1alpha1.ResultRolledBack, v1alpha1.RolledBackRolledBack)
	before := len(r.world.Sent())
	r.restart()
	r.lagging = old
	if result, err := r.Reconcile(t.Context(), request("it")); err != nil || result.RequeueAfter == 0 {
		t.Errorf("%v, again in %s", err, result.RequeueAfter)
	}
	if now := r.world.Sent(); len(now) != before || len(r.leases()) != 0 {
		t.Errorf("over an old copy: %v, leases %v", now[before:], r.leases())
	}
}

func TestInspect_storedPlanIsGone(t *testing.T) {
	r, after := halfWay(t, 1)
	r.tamper("it", func(b *change.Bundle) { b.Plan.Effects[1].Request.Body = []byte("0") })
	c, _ := r.wait("it", after)
	if c.Status.Attempts[0].Outcome != v1alpha1.OutcomeUnknown || c.Status.Approvals[len(c.Status.Approvals)-1].Purpose != v1alpha1.PurposeAcceptResult {
		t.Fatalf("%s, %+v", summary(c), c.Status.Approvals)
	}
	r.decide("it-1-result-1", "bob", v1alpha1.DecisionRejected)
	c, _ = r.settle("it")
	r.ends(c, v1alpha1.ResultRollbackFailed, v1alpha1.RolledBackFailed)
	r.sent("shop/web=3")
}

func TestVerify_storedPlanIsGone(t *testing.T) {
	r := newRoom(t, scale("it"), owners("owners", autonomous))
	r.world.Verdicts = open(1)
	_, after := r.settle("it")
	r.tamper("it", func(b *change.Bundle) { b.Plan.Checks = []v1alpha1.Check{{Name: "none"}} })
	c, _ := r.wait("it", after)
	if condition(c, v1alpha1.ConditionVerified).Reason != v1alpha1.VerifiedInconclusive {
		t.Errorf("%s", summary(c))
	}
}

func TestRollback_goesOnAfterADependency(t *testing.T) {
	r := newRoom(t, scale("it", three), owners("owners", autonomous))
	r.world.Verdicts = verdict(v1alpha1.OutcomeFailed, "503")
	r.world.Refuse["Rollback"] = []error{nil, fault.New(fault.Wait, pipeline.AwaitingDependency, "it is still being deleted", nil)}
	c, after := r.settle("it")
	for !finished(c) {
		c, after = r.wait("it", after)
	}
	r.ends(c, v1alpha1.ResultRolledBack, v1alpha1.RolledBackRolledBack)
	r.sent("shop/web=3", "shop/api=4", "shop/db=5", "undo shop/db", "undo shop/api", "undo shop/web")
}

func TestConsume_isRefusedWhenTheApprovalChanges(t *testing.T) {
	r := newRoom(t, scale("it"))
	r.settle("it")
	r.approve("it-1-1", "bob")
	r.failing["status of Approval"] = []error{apierrors.NewConflict(schema.GroupResource{Resource: "approvals"}, "it-1-1", nil)}
	if _, result, err := r.pass("it"); err != nil || result.RequeueAfter == 0 {
		t.Fatalf("%v, again in %s", err, result.RequeueAfter)
	}
	r.sent()
	c, _ := r.settle("it")
	r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	if by := r.approval("it-1-1").Status.ConsumedBy; by != "apply-1" {
		t.Errorf("used by %q", by)
	}
	r.sent("shop/web=3")
}

// TestApply_overAnOldCopy has a pass see no attempt where one is under way: it must not let go of what that one holds.
func TestApply_overAnOldCopy(t *testing.T) {
	r := newRoom(t, scale("it"), owners("owners", autonomous))
	if _, _, err := r.pass("it"); err != nil {
		t.Fatal(err)
	}
	old := r.get("it")
	r.world.Verdicts = open(1)
	r.settle("it")
	r.lagging = old
	if _, err := r.Reconcile(t.Context(), request("it")); err != nil {
		t.Fatal(err)
	}
	if len(r.leases()) != 1 {
		t.Errorf("leases %v", r.leases())
	}
	r.sent("shop/web=3")
}

// TestRollback_overAnOldCopy has a pass see a failure that has been undone since.
func TestRollback_overAnOldCopy(t *testing.T) {
	r := newRoom(t, scale("it"), owners("owners", autonomous))
	r.world.Verdicts = verdict(v1alpha1.OutcomeFailed, "503")
	var old *v1alpha1.ChangeRequest
	for old == nil || old.Status.Attempts == nil || len(old.Status.Attempts) < 2 {
		c, _, err := r.pass("it")
		if err != nil {
			t.Fatal(err)
		}
		old = c
	}
	c, _ := r.settle("it")
	r.ends(c, v1alpha1.ResultRolledBack, v1alpha1.RolledBackRolledBack)
	r.lagging = old
	if _, err := r.Reconcile(t.Context(), request("it")); err != nil {
		t.Fatal(err)
	}
	r.sent("shop/web=3", "undo shop/web")
	if len(r.leases()) != 0 {
		t.Errorf("leases %v", r.leases())
	}
}
