package story

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// vouched asks until what is asked counts as asked by who it says: policies that were put right are given a moment.
func vouched(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		task := asked(t, fmt.Sprint("vouched-", time.Now().UnixNano()), "why is deployment web in shop down?")
		task, _ = until(t, task, "finished", finished)
		if condition(task, v1alpha1.ConditionAccepted).Reason != v1alpha1.AcceptedRequesterUnknown {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody vouches for who asks, although the policies are in place")
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// narrow has the bindings that guard decisions guard other namespaces alone.
func narrow(t *testing.T, patch client.Patch) {
	t.Helper()
	name := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
	for _, binding := range []client.Object{
		&admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: name("eclusier-check-approval")},
		&admissionregistrationv1.MutatingAdmissionPolicyBinding{ObjectMeta: name("eclusier-stamp-decision")},
	} {
		if err := scene.Client.Patch(t.Context(), binding, patch); err != nil {
			t.Fatal(err)
		}
	}
}

// forge has carol agree in the name of bob, as soon as nothing keeps her from it.
func (g *gate) forge(slot string) {
	g.Helper()
	apv := g.approval(slot)
	content, err := json.Marshal(map[string]any{"spec": map[string]any{"decision": "Approved", "acknowledgedDigest": apv.Spec.PlanDigest,
		"decidedBy": map[string]any{"username": "bob", "groups": []string{"system:authenticated"}}}})
	if err != nil {
		g.Fatal(err)
	}
	patch, deadline := client.RawPatch("application/merge-patch+json", content), time.Now().Add(patience)
	for {
		tried := apv.DeepCopy()
		err := g.carol.Patch(g.Context(), tried, patch, client.DryRunAll)
		if err == nil && tried.Spec.DecidedBy.Username == "bob" {
			break
		}
		if time.Now().After(deadline) {
			g.Fatalf("the policies hold although they are away: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := g.carol.Patch(g.Context(), apv, patch); err != nil || apv.Spec.DecidedBy.Username != "bob" {
		g.Fatalf("decided by %+v: %v", apv.Spec.DecidedBy, err)
	}
}

// TestChange_decisionOfAnUnguardedMomentNeverCounts narrows two bindings by a field and takes the field away again, after
// which they say what they said before, at the same times. In the meantime somebody decides as somebody else.
func TestChange_decisionOfAnUnguardedMomentNeverCounts(t *testing.T) {
	there := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"matchResources":{"namespaceSelector":{"matchLabels":{"a":"b"}}}}}`))
	back := client.RawPatch("application/json-patch+json", []byte(`[{"op":"remove","path":"/spec/matchResources"}]`))
	for _, tc := range []struct{ name, reason string }{
		{"watched", "the operator sees the policies go, and the decision come"},
		{"restarted", "another operator finds them away"},
		{"absent", "no operator runs before they are back"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := openGate(t, "unguarded")
			vouched(t)
			g.settings(tc.name)
			g.wish(tc.name)
			slot := g.asks(tc.name, 1, 1)
			if tc.name != "watched" {
				operator.Kill()
			}
			start := func() {
				var err error
				if operator, err = scene.Operator(context.Background(), tc.name); err != nil {
					t.Fatal(err)
				}
			}
			narrow(t, there)
			g.forge(slot)
			switch tc.name {
			case "restarted":
				start()
				fallthrough
			case "watched":
				g.becomes(tc.name, "held for the guard", heldForTheGuard)
			}
			narrow(t, back)
			if tc.name == "absent" {
				start()
			}
			second := g.asks(tc.name, 1, 2)
			g.granted(slot, v1alpha1.GrantedSuperseded)
			if got := g.mode(tc.name); got != "calm" {
				t.Fatalf("%s, and what nobody agreed to is applied", tc.reason)
			}
			if source := g.approval(slot).Status.IdentitySource; source != "" {
				t.Errorf("who decided the first is said to be %s", source)
			}
			g.agree(second, g.bob)
			g.ends(tc.name, v1alpha1.ResultSucceeded)
		})
	}
	vouched(t)
}
