package changerequest

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/approval"
)

// reasonOf is what became of a slot.
func (r *room) reasonOf(slot string) string {
	r.Helper()
	if conditions := r.approval(slot).Status.Conditions; len(conditions) > 0 {
		return conditions[0].Reason
	}
	return ""
}

func TestConsent_whoDoesNotCountIsReplaced(t *testing.T) {
	forClass := func(c v1alpha1.Class) func(*v1alpha1.Approval) {
		return func(a *v1alpha1.Approval) { a.Spec.Class = c }
	}
	for _, tc := range []struct {
		name   string
		policy []func(*v1alpha1.ChangePolicySpec)
		decide func(*room)
		slot   string
		reason string
	}{
		{name: "the requester", decide: func(r *room) { r.approve("it-1-1", "alice") }, slot: "it-1-1", reason: v1alpha1.GrantedOwnRequest},
		{name: "the requester under another name", policy: []func(*v1alpha1.ChangePolicySpec){func(s *v1alpha1.ChangePolicySpec) {
			s.Aliases = []v1alpha1.Alias{{Person: "Alice", Usernames: []string{"alice", "alice-admin"}}}
		}}, decide: func(r *room) { r.approve("it-1-1", "alice-admin") }, slot: "it-1-1", reason: v1alpha1.GrantedOwnRequest},
		{name: "one person in two slots", policy: []func(*v1alpha1.ChangePolicySpec){quorum(2)}, decide: func(r *room) {
			r.approve("it-1-1", "bob")
			r.approve("it-1-2", "bob")
		}, slot: "it-1-2", reason: v1alpha1.GrantedDuplicatePerson},
		{name: "who may not approve any more", decide: func(r *room) {
			r.forbidden = []string{"bob"}
			r.approve("it-1-1", "bob")
		}, slot: "it-1-1", reason: v1alpha1.GrantedNotAllowed},
		{name: "who submits for others", policy: []func(*v1alpha1.ChangePolicySpec){func(s *v1alpha1.ChangePolicySpec) {
			s.DelegatedSubmitters = []string{"system:serviceaccount:argocd:argocd-application-controller"}
		}}, decide: func(r *room) { r.approve("it-1-1", "system:serviceaccount:argocd:argocd-application-controller") },
			slot: "it-1-1", reason: v1alpha1.GrantedNotAllowed},
		{name: "who acknowledged another plan", decide: func(r *room) {
			r.decide("it-1-1", "bob", v1alpha1.DecisionApproved, func(a *v1alpha1.Approval) {
				a.Spec.AcknowledgedDigest = "sha256:" + strings.Repeat("0", 64)
			})
		}, slot: "it-1-1", reason: v1alpha1.GrantedSuperseded},
		{name: "who agreed to another class", decide: func(r *room) {
			r.decide("it-1-1", "bob", v1alpha1.DecisionApproved, forClass(v1alpha1.ClassLow))
		}, slot: "it-1-1", reason: v1alpha1.GrantedSuperseded},
		{name: "whose agreement was used before", decide: func(r *room) {
			r.approve("it-1-1", "bob")
			apv := r.approval("it-1-1")
			apv.Status.ConsumedBy = "apply-7"
			if err := r.stored.Status().Update(r.Context(), apv); err != nil {
				r.Fatal(err)
			}
		}, slot: "it-1-1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRoom(t, scale("it"), owners("owners", tc.policy...))
			r.settle("it")
			tc.decide(r)
			c, _ := r.settle("it")
			if c.Status.Phase != v1alpha1.ChangeAwaitingApproval {
				t.Errorf("phase %s: %s", c.Status.Phase, summary(c))
			}
			if tc.reason != "" && r.reasonOf(tc.slot) != tc.reason {
				t.Errorf("the slot says %q, want %q", r.reasonOf(tc.slot), tc.reason)
			}
			r.sent()
			slots := c.Status.Approvals
			last := slots[len(slots)-1]
			if tc.reason == v1alpha1.GrantedSuperseded && tc.name == "who agreed to another class" {
				last.Name = "it-1-2"
			}
			r.approve(last.Name, "carol")
			c, _ = r.settle("it")
			r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
			r.sent("shop/web=3")
		})
	}
}

func TestConsent_twoPeopleAreTwoPeople(t *testing.T) {
	r := newRoom(t, scale("it"), owners("owners", quorum(2)))
	r.settle("it")
	r.approve("it-1-2", "bob")
	c, _ := r.settle("it")
	if c.Status.Policy.Progress != "1/2" || r.reasonOf("it-1-2") != v1alpha1.GrantedApproved || len(c.Status.ApproveWith) != 1 {
		t.Errorf("progress %s, slot %s, commands %v", c.Status.Policy.Progress, r.reasonOf("it-1-2"), c.Status.ApproveWith)
	}
	r.sent()
	r.approve("it-1-1", "carol")
	c, _ = r.settle("it")
	r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	if approved := condition(c, v1alpha1.ConditionApproved); approved.Message != "Agreed to by bob, carol" {
		t.Errorf("Approved says %q", approved.Message)
	}
}

func TestConsent_ofSlotsWithoutEnd(t *testing.T) {
	r := newRoom(t, scale("it"))
	c, after := r.settle("it")
	for i := range approval.MaxSlots {
		r.approve(fmt.Sprintf("it-1-%d", i+1), "alice")
		c, after = r.settle("it")
	}
	if c.Status.Phase != v1alpha1.ChangeAwaitingApproval || len(c.Status.Approvals) != approval.MaxSlots {
		t.Fatalf("phase %s, %d slots", c.Status.Phase, len(c.Status.Approvals))
	}
	c, _ = r.wait("it", after)
	r.ends(c, v1alpha1.ResultExpired, v1alpha1.ApprovedExpired)
	r.sent()
}

func TestConsent_policiesChangeWhilePeopleAreAsked(t *testing.T) {
	r := newRoom(t, scale("it"), owners("owners"))
	r.settle("it")
	change := func(with func(*v1alpha1.ChangePolicySpec)) {
		t.Helper()
		p := &v1alpha1.ChangePolicy{}
		if err := r.stored.Get(t.Context(), types.NamespacedName{Name: "owners"}, p); err != nil {
			t.Fatal(err)
		}
		with(&p.Spec)
		p.Generation++
		if err := r.stored.Update(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	r.approve("it-1-1", "bob")
	change(quorum(2))
	c, _ := r.settle("it")
	if c.Status.Policy.Progress != "1/2" {
		t.Fatalf("progress %s with another quorum", c.Status.Policy.Progress)
	}
	change(func(s *v1alpha1.ChangePolicySpec) {
		s.Approvers = []v1alpha1.Subject{{Kind: v1alpha1.SubjectUser, Name: "carol"}, {Kind: v1alpha1.SubjectUser, Name: "dan"}}
	})
	c, _ = r.settle("it")
	if c.Status.Policy.Progress != "0/2" || r.reasonOf("it-1-1") != v1alpha1.GrantedNotAllowed || r.reasonOf("it-1-2") != v1alpha1.GrantedSuperseded {
		t.Errorf("progress %s, slots %s and %s", c.Status.Policy.Progress, r.reasonOf("it-1-1"), r.reasonOf("it-1-2"))
	}
	r.approve("it-1-3", "carol")
	r.settle("it")
	r.approve("it-1-4", "dan")
	c, _ = r.settle("it")
	r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)

	t.Run("a policy that denies at the last moment", func(t *testing.T) {
		r := newRoom(t, scale("it"))
		r.settle("it")
		r.approve("it-1-1", "bob")
		r.create(owners("owners", func(s *v1alpha1.ChangePolicySpec) {
			s.Deny = []v1alpha1.ChangeRule{{Name: "none", Kinds: []string{"*"}}}
		}))
		c, _ := r.settle("it")
		r.ends(c, v1alpha1.ResultDenied, v1alpha1.ApprovedDenied)
		r.sent()
	})
}

func TestConsent_namespaceOfAnObjectHasItsOwnOwners(t *testing.T) {
	elsewhere := func(c *v1alpha1.ChangeRequest) { c.Spec.Kubernetes.Operations[0].Scale.Target.Namespace = "pay" }
	pay := owners("pay", quorum(2), func(s *v1alpha1.ChangePolicySpec) {
		s.NamespaceSelector = metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "pay"}}
	})
	r := newRoom(t, scale("it", elsewhere), pay)
	r.world.Set("pay", "web", 1)
	c, _ := r.settle("it")
	if c.Status.Policy.Progress != "0/2" || len(c.Status.Plan.Namespaces) != 1 || c.Status.Plan.Namespaces[0] != "pay" {
		t.Errorf("progress %s, namespaces %v", c.Status.Policy.Progress, c.Status.Plan.Namespaces)
	}
}

func TestConsent_changeCreatedAgainUnderTheSameName(t *testing.T) {
	r := newRoom(t, scale("it"))
	r.settle("it")
	r.approve("it-1-1", "bob")
	if err := r.stored.Delete(t.Context(), r.get("it")); err != nil {
		t.Fatal(err)
	}
	r.create(scale("it", func(c *v1alpha1.ChangeRequest) { c.UID = "another" }))
	c, _ := r.settle("it")
	if c.Status.Phase != v1alpha1.ChangeAwaitingApproval || c.Status.Approvals[0].Name != "it-1-2" {
		t.Errorf("phase %s, slots %+v", c.Status.Phase, c.Status.Approvals)
	}
	r.sent()
	r.approve("it-1-2", "carol")
	c, _ = r.settle("it")
	r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	if by := r.approval("it-1-1").Status.ConsumedBy; by != "" {
		t.Errorf("the agreement to the former change was used by %s", by)
	}
}

func TestConsent_readsPastTheCacheBeforeItApplies(t *testing.T) {
	r := newRoom(t, scale("it"))
	r.settle("it")
	r.approve("it-1-1", "bob")
	r.lagging = r.get("it")
	r.edit("it", func(c *v1alpha1.ChangeRequest) { c.Spec.Cancel = true })
	if result, err := r.Reconcile(t.Context(), request("it")); err != nil || result.RequeueAfter == 0 {
		t.Errorf("a pass over an old copy: %v, again in %s", err, result.RequeueAfter)
	}
	r.sent()
	if len(r.leases()) != 0 {
		t.Errorf("leases %v", r.leases())
	}
	r.lagging = nil
	c, _ := r.settle("it")
	r.ends(c, v1alpha1.ResultCancelled, v1alpha1.SucceededCancelled)
}
