package story

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
)

// gate is a tenant's namespace with its people: alice asks, bob and carol may agree to anything, dan may look.
type gate struct {
	*testing.T
	namespace              string
	alice, bob, carol, dan client.Client
}

var opened = map[string]bool{}

// openGate sets the namespace up, once.
func openGate(t *testing.T, namespace string) *gate {
	t.Helper()
	g := &gate{T: t, namespace: namespace, alice: as(t, "alice"), bob: as(t, "bob"), carol: as(t, "carol"), dan: as(t, "dan")}
	if opened[namespace] {
		return g
	}
	opened[namespace] = true
	if err := scene.Tenant(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	for who, role := range map[string]string{"alice": "eclusier-requester", "bob": "eclusier-approver-critical",
		"carol": "eclusier-approver-critical", "dan": "eclusier-viewer"} {
		g.create(&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: who},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: who}}})
	}
	return g
}

func as(t *testing.T, name string) client.Client {
	t.Helper()
	config := scene.User(t, name)
	config.QPS = -1
	c, err := client.New(config, client.Options{Scheme: scene.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (g *gate) create(objects ...client.Object) {
	g.Helper()
	for _, o := range objects {
		if err := scene.Client.Create(g.Context(), o); err != nil {
			g.Fatal(err)
		}
	}
}

// settings makes a ConfigMap whose mode is "calm".
func (g *gate) settings(name string) *corev1.ConfigMap {
	g.Helper()
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: g.namespace, Name: name}, Data: map[string]string{"mode": "calm"}}
	g.create(settings)
	return settings
}

// mode is what the ConfigMap says.
func (g *gate) mode(name string) string {
	g.Helper()
	settings := &corev1.ConfigMap{}
	if err := scene.Client.Get(g.Context(), client.ObjectKey{Namespace: g.namespace, Name: name}, settings); err != nil {
		g.Fatal(err)
	}
	return settings.Data["mode"]
}

// wish has alice ask for mode "busy" in the ConfigMaps of the names, or of the change's own name.
func (g *gate) wish(name string, changes ...func(*v1alpha1.ChangeRequest)) *v1alpha1.ChangeRequest {
	g.Helper()
	wanted := &v1alpha1.ChangeRequest{ObjectMeta: metav1.ObjectMeta{Namespace: g.namespace, Name: name},
		Spec: v1alpha1.ChangeRequestSpec{Reason: "more visitors", Kubernetes: v1alpha1.KubernetesChange{Operations: []v1alpha1.Operation{busy(name)}}}}
	for _, change := range changes {
		change(wanted)
	}
	deadline := time.Now().Add(patience)
	for {
		err := g.alice.Create(g.Context(), wanted.DeepCopy())
		if err == nil {
			break
		}
		// The API server takes a moment to learn the kinds that its policies speak of, and new roles.
		if !(apierrors.IsForbidden(err) || apierrors.IsInternalError(err)) || time.Now().After(deadline) {
			g.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return g.change(name)
}

func busy(name string) v1alpha1.Operation {
	return v1alpha1.Operation{Patch: &v1alpha1.PatchOperation{Target: v1alpha1.OperationTarget{Kind: "ConfigMap", Name: name}, Patch: `{"data":{"mode":"busy"}}`}}
}

func (g *gate) change(name string) *v1alpha1.ChangeRequest {
	g.Helper()
	c := &v1alpha1.ChangeRequest{}
	if err := scene.Client.Get(g.Context(), client.ObjectKey{Namespace: g.namespace, Name: name}, c); err != nil {
		g.Fatal(err)
	}
	return c
}

// becomes waits until a change is as wanted.
func (g *gate) becomes(name, what string, wanted func(*v1alpha1.ChangeRequest) bool) *v1alpha1.ChangeRequest {
	g.Helper()
	deadline := time.Now().Add(patience)
	for {
		c := g.change(name)
		if wanted(c) {
			return c
		}
		if time.Now().After(deadline) {
			raw, _ := json.MarshalIndent(c.Status, "", " ")
			g.Fatalf("%s did not become %s: %s", name, what, raw)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// asks waits until people are asked about a revision, and returns the name of the slot with the number.
func (g *gate) asks(name string, revision, slot int32) string {
	g.Helper()
	wanted := fmt.Sprintf("%s-%d-%d", name, revision, slot)
	g.becomes(name, "awaiting approval in "+wanted, func(c *v1alpha1.ChangeRequest) bool {
		for _, s := range c.Status.Approvals {
			if s.Name == wanted && c.Status.Phase == v1alpha1.ChangeAwaitingApproval {
				return true
			}
		}
		return false
	})
	return wanted
}

// ends waits for the end of a change and fails unless it is this one.
func (g *gate) ends(name string, result v1alpha1.ChangeResult) *v1alpha1.ChangeRequest {
	g.Helper()
	c := g.becomes(name, "ended", func(c *v1alpha1.ChangeRequest) bool { return c.Status.Result != "" })
	if c.Status.Result != result {
		raw, _ := json.MarshalIndent(c.Status, "", " ")
		g.Errorf("%s ended as %s, want %s: %s", name, c.Status.Result, result, raw)
	}
	leases := &coordinationv1.LeaseList{}
	if err := scene.Client.List(g.Context(), leases, client.InNamespace(local.Namespace), client.HasLabels{"eclusier.io/change-uid"}); err != nil || len(leases.Items) > 0 {
		g.Errorf("leases after the end: %v %v", leases.Items, err)
	}
	return c
}

func (g *gate) approval(name string) *v1alpha1.Approval {
	g.Helper()
	apv := &v1alpha1.Approval{}
	if err := scene.Client.Get(g.Context(), client.ObjectKey{Namespace: g.namespace, Name: name}, apv); err != nil {
		g.Fatal(err)
	}
	return apv
}

// agree has somebody agree, by the patch that the status prints.
func (g *gate) agree(slot string, who client.Client) {
	g.Helper()
	if err := g.tryToAgree(slot, who); err != nil {
		g.Fatal(err)
	}
}

func (g *gate) tryToAgree(slot string, who client.Client) error {
	apv := g.approval(slot)
	patch := fmt.Sprintf(`{"spec":{"decision":"Approved","acknowledgedDigest":"%s"}}`, apv.Spec.PlanDigest)
	return who.Patch(g.Context(), apv, client.RawPatch("application/merge-patch+json", []byte(patch)))
}

func (g *gate) setSuspend(name string, on bool) {
	g.Helper()
	c := g.change(name)
	patch := fmt.Sprintf(`{"spec":{"suspend":%t}}`, on)
	if err := g.alice.Patch(g.Context(), c, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		g.Fatal(err)
	}
	if on {
		g.becomes(name, "suspended", func(c *v1alpha1.ChangeRequest) bool { return c.Status.Phase == v1alpha1.ChangeSuspended })
	}
}

// granted waits until a slot says what became of it.
func (g *gate) granted(slot, reason string) {
	g.Helper()
	deadline := time.Now().Add(patience)
	for {
		apv := g.approval(slot)
		c := meta.FindStatusCondition(apv.Status.Conditions, v1alpha1.ConditionGranted)
		if c != nil && c.Reason == reason {
			return
		}
		if time.Now().After(deadline) {
			g.Fatalf("%s is %+v, want %s", slot, apv.Status, reason)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestChange_isAppliedAsItWasAgreedTo(t *testing.T) {
	g := openGate(t, "gate")
	g.settings("speed")
	g.wish("speed")
	slot := g.asks("speed", 1, 1)
	c := g.change("speed")
	if len(c.Status.ApproveWith) != 1 || !strings.Contains(c.Status.ApproveWith[0], "kubectl patch approval "+slot+" -n gate --type=merge -p '") {
		t.Errorf("approve with %v", c.Status.ApproveWith)
	}
	if err := g.tryToAgree(slot, g.alice); !apierrors.IsForbidden(err) {
		t.Errorf("alice agrees to her own change: %v", err)
	}
	if got := g.mode("speed"); got != "calm" {
		t.Fatalf("mode %s before anybody agreed", got)
	}
	// What is printed works as it is, for whoever may.
	command := strings.Replace(c.Status.ApproveWith[0], "kubectl patch", "patch", 1)
	_, body, _ := strings.Cut(command, "-p '")
	apv := g.approval(slot)
	if err := g.bob.Patch(t.Context(), apv, client.RawPatch("application/merge-patch+json", []byte(strings.TrimSuffix(body, "'")))); err != nil {
		t.Fatal(err)
	}
	g.ends("speed", v1alpha1.ResultSucceeded)
	if got := g.mode("speed"); got != "busy" {
		t.Errorf("mode %s", got)
	}
	apv = g.approval(slot)
	if apv.Status.ConsumedBy != "apply-1" || apv.Status.IdentitySource != v1alpha1.IdentityStamped || apv.Spec.DecidedBy.Username != "bob" {
		t.Errorf("the approval is %+v by %+v", apv.Status, apv.Spec.DecidedBy)
	}
	line, err := scene.Kubectl.Run(t.Context(), "get", "chg,apv", "-n", "gate")
	if err != nil || !strings.Contains(line, "Succeeded") || !strings.Contains(line, "1/1") || !strings.Contains(line, "Consumed") {
		t.Errorf("kubectl get tells: %s %v", line, err)
	}
	if _, err := scene.Kubectl.Run(t.Context(), "wait", "-n", "gate", "chg/speed", "--for=condition=Succeeded", "--timeout=1s"); err != nil {
		t.Error(err)
	}
	flip := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"decision":"Rejected"}}`))
	if err := g.carol.Patch(t.Context(), apv, flip); err == nil {
		t.Error("a decided Approval is decided again")
	}
}

func TestChange_whoAgreesTwiceIsOnePerson(t *testing.T) {
	g := openGate(t, "gate")
	g.create(&v1alpha1.ChangePolicy{ObjectMeta: metav1.ObjectMeta{Name: "two"}, Spec: v1alpha1.ChangePolicySpec{
		NamespaceSelector: metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "gate"}}, Quorum: 2}})
	t.Cleanup(func() {
		_ = scene.Client.Delete(t.Context(), &v1alpha1.ChangePolicy{ObjectMeta: metav1.ObjectMeta{Name: "two"}})
	})
	g.settings("pair")
	g.wish("pair")
	g.asks("pair", 1, 2)
	g.agree("pair-1-1", g.bob)
	g.granted("pair-1-1", v1alpha1.GrantedApproved)
	g.agree("pair-1-2", g.bob)
	g.granted("pair-1-2", v1alpha1.GrantedDuplicatePerson)
	third := g.asks("pair", 1, 3)
	if got := g.mode("pair"); got != "calm" {
		t.Fatalf("mode %s with one person's consent", got)
	}
	g.agree(third, g.carol)
	g.ends("pair", v1alpha1.ResultSucceeded)
	if err := scene.Client.Delete(t.Context(), &v1alpha1.ChangePolicy{ObjectMeta: metav1.ObjectMeta{Name: "two"}}); err != nil {
		t.Error(err)
	}
}

func TestChange_peopleAreAskedAgainWhenObjectsChange(t *testing.T) {
	g := openGate(t, "gate")
	for name, happen := range map[string]func(string){
		"changed": func(name string) {
			settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: g.namespace, Name: name}}
			if err := scene.Client.Patch(t.Context(), settings, client.RawPatch("application/merge-patch+json", []byte(`{"data":{"mode":"wild"}}`))); err != nil {
				t.Fatal(err)
			}
		},
		"recreated": func(name string) {
			if err := scene.Client.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: g.namespace, Name: name}}); err != nil {
				t.Fatal(err)
			}
			g.settings(name)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := openGate(t, "gate")
			g.settings(name)
			g.wish(name)
			slot := g.asks(name, 1, 1)
			g.setSuspend(name, true)
			g.agree(slot, g.bob)
			happen(name)
			g.setSuspend(name, false)
			second := g.asks(name, 2, 1)
			c := g.change(name)
			if drifted := meta.FindStatusCondition(c.Status.Conditions, v1alpha1.ConditionDrifted); drifted == nil || !strings.Contains(drifted.Message, name) {
				t.Errorf("Drifted is %+v", drifted)
			}
			if got := g.mode(name); got == "busy" {
				t.Fatal("applied what nobody agreed to")
			}
			g.granted(slot, v1alpha1.GrantedSuperseded)
			g.agree(second, g.bob)
			g.ends(name, v1alpha1.ResultSucceeded)
			if got := g.mode(name); got != "busy" {
				t.Errorf("mode %s", got)
			}
		})
	}
}

func TestChange_supersededSlotDecidesNothing(t *testing.T) {
	g := openGate(t, "gate")
	g.settings("old")
	g.wish("old")
	slot := g.asks("old", 1, 1)
	g.setSuspend("old", true)
	g.create(&v1alpha1.ChangePolicy{ObjectMeta: metav1.ObjectMeta{Name: "carol-alone"}, Spec: v1alpha1.ChangePolicySpec{
		NamespaceSelector: metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "gate"}},
		Approvers:         []v1alpha1.Subject{{Kind: v1alpha1.SubjectUser, Name: "carol"}}}})
	g.setSuspend("old", false)
	second := g.asks("old", 1, 2)
	g.granted(slot, v1alpha1.GrantedSuperseded)
	g.agree(slot, g.bob) // the slot was asked of everybody, so the API server takes it
	if err := g.tryToAgree(second, g.bob); !apierrors.IsForbidden(err) {
		t.Errorf("bob decides what carol is asked: %v", err)
	}
	time.Sleep(500 * time.Millisecond)
	if got := g.mode("old"); got != "calm" {
		t.Fatal("a superseded slot decided")
	}
	g.agree(second, g.carol)
	g.ends("old", v1alpha1.ResultSucceeded)
	if err := scene.Client.Delete(t.Context(), &v1alpha1.ChangePolicy{ObjectMeta: metav1.ObjectMeta{Name: "carol-alone"}}); err != nil {
		t.Error(err)
	}
}

func TestChange_expires(t *testing.T) {
	g := openGate(t, "gate")
	g.create(&v1alpha1.ChangePolicy{ObjectMeta: metav1.ObjectMeta{Name: "hurry"}, Spec: v1alpha1.ChangePolicySpec{
		NamespaceSelector: metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "gate"}},
		ApprovalTTL:       &metav1.Duration{Duration: 3 * time.Second}}})
	defer func() {
		if err := scene.Client.Delete(t.Context(), &v1alpha1.ChangePolicy{ObjectMeta: metav1.ObjectMeta{Name: "hurry"}}); err != nil {
			t.Error(err)
		}
	}()
	g.settings("late")
	g.wish("late")
	slot := g.asks("late", 1, 1)
	g.ends("late", v1alpha1.ResultExpired)
	g.granted(slot, v1alpha1.GrantedExpired)
	if err := g.tryToAgree(slot, g.bob); err != nil {
		t.Logf("and the API server refuses the late answer: %v", err)
	}
	time.Sleep(500 * time.Millisecond)
	if got := g.mode("late"); got != "calm" {
		t.Errorf("mode %s", got)
	}
}

// TestChange_createdAgainUnderTheSameName: without a garbage collector, the former one's Approval stays.
func TestChange_createdAgainUnderTheSameName(t *testing.T) {
	g := openGate(t, "gate")
	g.settings("twin")
	first := g.wish("twin")
	slot := g.asks("twin", 1, 1)
	g.setSuspend("twin", true)
	g.agree(slot, g.bob)
	if err := g.alice.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	g.wish("twin")
	second := g.asks("twin", 1, 2)
	if got := g.mode("twin"); got != "calm" {
		t.Fatal("the consent to another change was used")
	}
	g.agree(second, g.bob)
	g.ends("twin", v1alpha1.ResultSucceeded)
	if by := g.approval(slot).Status.ConsumedBy; by != "" {
		t.Errorf("the former Approval was used by %s", by)
	}
}

// TestChange_usedConsentIsUsedUp: the same is wished once more under the same name, and the Approval that was used stays.
func TestChange_usedConsentIsUsedUp(t *testing.T) {
	g := openGate(t, "gate")
	settings := g.settings("again")
	first := g.wish("again")
	slot := g.asks("again", 1, 1)
	g.agree(slot, g.bob)
	g.ends("again", v1alpha1.ResultSucceeded)

	unused := client.RawPatch("application/merge-patch+json", []byte(`{"status":{"consumedBy":null,"consumedAt":null}}`))
	for who, c := range map[string]client.Client{"the approver": g.bob, "the administrator": scene.Client} {
		if err := c.Status().Patch(t.Context(), g.approval(slot), unused); !apierrors.IsForbidden(err) {
			t.Errorf("%s makes a used Approval look unused: %v", who, err)
		}
	}
	calm := client.RawPatch("application/merge-patch+json", []byte(`{"data":{"mode":"calm"}}`))
	if err := scene.Client.Patch(t.Context(), settings, calm); err != nil {
		t.Fatal(err)
	}
	if err := g.alice.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	g.wish("again")
	g.asks("again", 1, 2)
	time.Sleep(500 * time.Millisecond)
	if got := g.mode("again"); got != "calm" {
		t.Error("consent that was used once was used again")
	}
	if by := g.approval(slot).Status.ConsumedBy; by != "apply-1" {
		t.Errorf("the used Approval is used by %q", by)
	}
}

func TestChange_failedCheckIsRolledBack(t *testing.T) {
	g := openGate(t, "gate")
	g.settings("shaky")
	g.wish("shaky", func(c *v1alpha1.ChangeRequest) {
		c.Spec.Checks = []v1alpha1.Check{{Name: "wild", Timeout: &metav1.Duration{Duration: 2 * time.Second},
			CEL: &v1alpha1.CELCheck{Target: v1alpha1.OperationTarget{Kind: "ConfigMap", Name: "shaky"}, Expression: `object.data.mode == "wild"`}}}
	})
	g.agree(g.asks("shaky", 1, 1), g.bob)
	c := g.ends("shaky", v1alpha1.ResultRolledBack)
	if got := g.mode("shaky"); got != "calm" {
		t.Errorf("mode %s after the rollback", got)
	}
	if root := meta.FindStatusCondition(c.Status.Conditions, v1alpha1.ConditionSucceeded); !strings.Contains(root.Message, "wild") {
		t.Errorf("it says %q", root.Message)
	}
}

// TestChange_withoutTheGuardNothingIsApplied takes a binding away, so it comes last: what was created before that is
// vouched for by nobody.
func TestChange_withoutTheGuardNothingIsApplied(t *testing.T) {
	g := openGate(t, "gate")
	g.settings("open")
	g.wish("open")
	slot := g.asks("open", 1, 1)
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "eclusier-check-approval"}}
	if err := scene.Client.Get(t.Context(), client.ObjectKeyFromObject(binding), binding); err != nil {
		t.Fatal(err)
	}
	if err := scene.Client.Delete(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	// Without the binding anybody with the right to patch decides; the operator does not believe it.
	deadline := time.Now().Add(patience)
	for err := g.tryToAgree(slot, g.bob); err != nil; err = g.tryToAgree(slot, g.bob) {
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	c := g.becomes("open", "held for the guard", heldForTheGuard)
	if a := meta.FindStatusCondition(c.Status.Conditions, v1alpha1.ConditionApproved); !strings.Contains(a.Message, "eclusier-check-approval") {
		t.Errorf("it says %q", a.Message)
	}
	if got := g.mode("open"); got != "calm" {
		t.Fatal("applied without the guard")
	}
	restored := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: binding.Name}, Spec: binding.Spec}
	g.create(restored)
	second := g.asks("open", 1, 2)
	g.granted(slot, v1alpha1.GrantedSuperseded)
	g.agree(second, g.bob)
	g.ends("open", v1alpha1.ResultSucceeded)
	vouched(t)
}

func heldForTheGuard(c *v1alpha1.ChangeRequest) bool {
	a := meta.FindStatusCondition(c.Status.Conditions, v1alpha1.ConditionApproved)
	return a != nil && a.Reason == v1alpha1.ApprovedIdentityGuardMissing
}
