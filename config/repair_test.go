package config_test

import (
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/config/policy"
	"github.com/eclusier/eclusier/internal/guard"
)

// TestRepair types what the guard says to type, after policies were weakened in the ways that applying does not mend, and
// one is gone.
func TestRepair(t *testing.T) {
	server := admin(t)
	check := func() guard.Verdict {
		t.Helper()
		g, err := guard.New(policy.DefaultOperator)
		if err != nil {
			t.Fatal(err)
		}
		verdict, err := g.Check(t.Context(), server)
		if err != nil {
			t.Fatal(err)
		}
		return verdict
	}
	policyOf := &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "eclusier-check-requester"}}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "eclusier-check-requester"}}
	gone := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "eclusier-protect-status"}}
	for _, object := range []client.Object{policyOf, binding} {
		if err := server.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Fatal(err)
		}
	}
	policyOf.Spec.MatchConditions = []admissionregistrationv1.MatchCondition{{Name: "nobody", Expression: "false"}}
	binding.Spec.ValidationActions = []admissionregistrationv1.ValidationAction{admissionregistrationv1.Audit}
	binding.Spec.MatchResources = &admissionregistrationv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}}
	for _, object := range []client.Object{policyOf, binding} {
		if err := server.Update(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Delete(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	_, commands, _ := strings.Cut(check().Message(), "Restore them with: ")
	t.Log(commands)
	for command := range strings.SplitSeq(commands, "; ") {
		args := strings.Fields(strings.ReplaceAll(command, "config/", ""))
		err := cluster.kubectl(t.Context(), args[1:]...)
		if err != nil && args[1] != "replace" { // replacing tells of what is gone
			t.Error(err)
		}
	}
	if verdict := check(); !verdict.InPlace() {
		t.Errorf("after the repair: %s", verdict.Message())
	}
	probe := &v1alpha1.AgentTask{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "probe"}}
	if err := client.IgnoreNotFound(server.Delete(t.Context(), probe)); err != nil {
		t.Fatal(err)
	}
	if err := cluster.waitForPolicies(t.Context()); err != nil {
		t.Fatal(err)
	}
}
