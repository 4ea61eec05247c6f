package changerequest

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/transcript"
)

// tamper replaces the stored plan of a change.
func (r *room) tamper(name string, with func(*change.Bundle)) {
	r.Helper()
	c := r.get(name)
	key := transcript.Key{Kind: transcript.KindPlan, Namespace: c.Namespace, Name: c.Name, UID: string(c.UID), Revision: c.Status.Plan.Revision}
	content, err := r.plans.Get(context.Background(), key)
	if err != nil {
		r.Fatal(err)
	}
	bundle, err := change.DecodeBundle(content)
	if err != nil {
		r.Fatal(err)
	}
	with(&bundle)
	if content, err = bundle.Encode(); err != nil {
		r.Fatal(err)
	}
	if _, err := r.plans.Put(context.Background(), key, nil, content); err != nil {
		r.Fatal(err)
	}
}

func TestDrift_peopleAreAskedAgain(t *testing.T) {
	for _, tc := range []struct {
		name   string
		happen func(*room)
		reason string
	}{
		{"the live object was changed after the approval", func(r *room) { r.world.Set("shop", "web", 7) }, v1alpha1.DriftedPlanChanged},
		{"it was deleted and made again under the same name", func(r *room) { r.world.Recreate("shop", "web") }, v1alpha1.DriftedPlanChanged},
		{"it was changed between the check and the effect", func(r *room) {
			r.world.Refuse["Apply"] = []error{fault.New(fault.Terminal, pipeline.ObjectChanged, "web was changed by somebody else", nil)}
		}, v1alpha1.DriftedPlanChanged},
		{"the stored plan was tampered with", func(r *room) {
			r.tamper("it", func(b *change.Bundle) { b.Plan.Effects[0].Request.Body = []byte("0") })
		}, v1alpha1.DriftedStoredPlanUnusable},
		{"the stored plan is gone", func(r *room) {
			c := r.get("it")
			if err := r.plans.Drop(context.Background(), transcript.Key{Kind: transcript.KindPlan, Namespace: "shop", Name: "it", UID: string(c.UID), Revision: 1}); err != nil {
				r.Fatal(err)
			}
		}, v1alpha1.DriftedStoredPlanUnusable},
		{"the status was made to speak of another plan", func(r *room) {
			r.forge("it", func(s *v1alpha1.ChangeRequestStatus) { s.Plan.ExpiresAt = metav1.NewTime(noon.Add(1000 * 3600e9)) })
		}, v1alpha1.DriftedStoredPlanUnusable},
		{"the service account was swapped", func(r *room) {
			r.edit("it", func(c *v1alpha1.ChangeRequest) { c.Spec.ServiceAccountName = "admin" })
		}, v1alpha1.DriftedStoredPlanUnusable},
		{"the wanted number was swapped", func(r *room) {
			r.edit("it", func(c *v1alpha1.ChangeRequest) { c.Spec.Kubernetes.Operations[0] = to("web", 100) })
		}, v1alpha1.DriftedPlanChanged},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRoom(t, scale("it"), owners("owners", func(s *v1alpha1.ChangePolicySpec) { s.ServiceAccounts = []string{"eclusier-applier", "admin"} }))
			r.settle("it")
			first := r.get("it").Status.Plan.Digest
			r.approve("it-1-1", "bob")
			tc.happen(r)
			c, _ := r.settle("it")
			drifted := condition(c, v1alpha1.ConditionDrifted)
			if c.Status.Phase != v1alpha1.ChangeAwaitingApproval || drifted.Reason != tc.reason || c.Status.Plan.Revision != 2 || c.Status.Plan.Digest == first {
				t.Fatalf("phase %s, drifted %+v, revision %d", c.Status.Phase, drifted, c.Status.Plan.Revision)
			}
			r.sent()
			if len(r.leases()) != 0 {
				t.Errorf("while people are asked: %v", r.leases())
			}
			if c.Status.Approvals[0].Name != "it-2-1" || c.Status.Approvals[0].Decision != v1alpha1.DecisionPending {
				t.Errorf("slots %+v", c.Status.Approvals)
			}
			if former := r.reasonOf("it-1-1"); former != v1alpha1.GrantedSuperseded && former != v1alpha1.GrantedConsumed {
				t.Errorf("the former slot is %s", former)
			}
			r.approve("it-2-1", "bob")
			c, _ = r.settle("it")
			r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
			if len(r.world.Sent()) != 1 || condition(c, v1alpha1.ConditionDrifted).Type != "" {
				t.Errorf("effects %v: %s", r.world.Sent(), summary(c))
			}
		})
	}
}

func TestDrift_theTargetIsGone(t *testing.T) {
	r := newRoom(t, scale("it"))
	r.settle("it")
	r.approve("it-1-1", "bob")
	r.world.Remove("shop", "web")
	c, _ := r.settle("it")
	r.ends(c, v1alpha1.ResultInvalid, v1alpha1.PlannedTargetNotFound)
	r.sent()
}

func TestDrift_forEverEnds(t *testing.T) {
	r := newRoom(t, scale("it"))
	c, _ := r.settle("it")
	for i := 0; !finished(c); i++ {
		if i > 2*change.MaxRevisions {
			t.Fatal("it never ends")
		}
		r.approve(c.Status.Approvals[0].Name, "bob")
		r.world.Set("shop", "web", 10+i)
		c, _ = r.settle("it")
	}
	r.ends(c, v1alpha1.ResultInvalid, v1alpha1.SucceededDrifted)
	if root := condition(c, v1alpha1.ConditionSucceeded); !strings.Contains(root.Message, "shop/web") {
		t.Errorf("it says %q", root.Message)
	}
	r.sent()
}

// TestStatusProvesNothing forges what the status says of consent, as somebody could who got past the admission policies.
func TestStatusProvesNothing(t *testing.T) {
	for _, tc := range []struct {
		name  string
		forge func(*v1alpha1.ChangeRequestStatus)
	}{
		{"that an attempt is under way", func(s *v1alpha1.ChangeRequestStatus) {
			s.Attempts = []v1alpha1.Attempt{{ID: "apply-1", Step: v1alpha1.StepApply, Digest: s.Plan.Digest, StartedAt: metav1.NewTime(noon), Outcome: v1alpha1.OutcomeOpen}}
		}},
		{"that the first of two operations was made", func(s *v1alpha1.ChangeRequestStatus) {
			s.Attempts = []v1alpha1.Attempt{{ID: "apply-1", Step: v1alpha1.StepApply, Digest: s.Plan.Digest, StartedAt: metav1.NewTime(noon), Outcome: v1alpha1.OutcomeOpen,
				OperationsDone: []v1alpha1.OperationDone{{Index: 0, Object: v1alpha1.ObjectReference{Kind: "Deployment", Name: "web"}}}}}
		}},
		{"that the policies allow it", func(s *v1alpha1.ChangeRequestStatus) {
			s.Policy.Verdict, s.Policy.RequiredApprovals = v1alpha1.PolicyAllowed, 0
		}},
		{"that nobody need agree", func(s *v1alpha1.ChangeRequestStatus) { s.Policy.RequiredApprovals = 0 }},
		{"that it is harmless", func(s *v1alpha1.ChangeRequestStatus) { s.Plan.Risk.Class = v1alpha1.ClassLow }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRoom(t, scale("it", func(c *v1alpha1.ChangeRequest) {
				c.Spec.Kubernetes.Operations = append(c.Spec.Kubernetes.Operations, to("api", 4))
			}))
			r.settle("it")
			r.forge("it", tc.forge)
			r.settle("it")
			for _, effect := range r.world.Sent() {
				if !strings.HasPrefix(effect, "undo") {
					t.Errorf("applied without consent: %v", r.world.Sent())
				}
			}
		})
	}
}
