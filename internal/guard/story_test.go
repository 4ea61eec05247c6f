package guard_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/config/policy"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/test/controlplane"
)

// server is a real API server, shared by the tests of this package.
var server client.Client

func TestMain(m *testing.M) {
	os.Exit(controlplane.Run(m, func(*controlplane.Frozen) {}, controlplane.Install(func(_ context.Context, f *controlplane.Frozen) (err error) {
		server, err = client.New(f.Config, client.Options{})
		return err
	})))
}

// installed are the policies and bindings as they are installed for that operator.
func installed(tb testing.TB, operator string) []client.Object {
	tb.Helper()
	all := policy.Stamps(operator) + policy.Separator + policy.Checks(operator)
	var objects []client.Object
	for document := range strings.SplitSeq(all, policy.Separator) {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), object); err != nil {
			tb.Fatal(err)
		}
		objects = append(objects, object)
	}
	return objects
}

// install puts the policies into the API server for the time of one test.
func install(t *testing.T, operator string) {
	t.Helper()
	for _, object := range installed(t, operator) {
		if err := server.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := server.Delete(context.Background(), object); client.IgnoreNotFound(err) != nil {
				t.Error(err)
			}
		})
	}
}

func TestCheck_onRealServer(t *testing.T) {
	t.Run("nothing installed", func(t *testing.T) {
		verdict := check(t, policy.DefaultOperator)
		if got := len(verdict.Problems); got != 16 {
			t.Errorf("%d problems, want one for each of 8 policies and 8 bindings: %s", got, verdict.Message())
		}
	})
	t.Run("freshly installed", func(t *testing.T) {
		install(t, policy.DefaultOperator)
		verdict := check(t, policy.DefaultOperator)
		if !verdict.InPlace() || verdict.Stamp != guard.StampByServer {
			t.Errorf("verdict = %s, %q", verdict.Stamp, verdict.Message())
		}
	})
	t.Run("installed for another operator", func(t *testing.T) {
		install(t, policy.DefaultOperator)
		verdict := check(t, "system:serviceaccount:ops:eclusier-operator")
		var names []string
		for _, problem := range verdict.Problems {
			names = append(names, problem.String())
		}
		want := []string{
			"MutatingAdmissionPolicy eclusier-stamp-change is not as installed (spec.variables)",
			"ValidatingAdmissionPolicy eclusier-protect-status is not as installed (spec.variables)",
			"ValidatingAdmissionPolicy eclusier-check-change is not as installed (spec.variables)",
			"ValidatingAdmissionPolicy eclusier-check-approval is not as installed (spec.variables)",
		}
		if !slices.Equal(names, want) {
			t.Errorf("problems = %q, want %q", names, want)
		}
	})
	t.Run("installed for this operator in another namespace", func(t *testing.T) {
		install(t, "system:serviceaccount:ops:eclusier-operator")
		if verdict := check(t, "system:serviceaccount:ops:eclusier-operator"); !verdict.InPlace() {
			t.Error(verdict.Message())
		}
	})
}

func TestCheck_missingOnRealServer(t *testing.T) {
	names := map[string][]string{
		"Mutating":   {"eclusier-stamp-requester", "eclusier-stamp-change", "eclusier-stamp-decision"},
		"Validating": {"eclusier-check-requester", "eclusier-protect-status", "eclusier-check-change", "eclusier-check-approval", "eclusier-hold-planner"},
	}
	install(t, policy.DefaultOperator)
	for sort, names := range names {
		for _, name := range names {
			for _, kind := range []string{sort + "AdmissionPolicy", sort + "AdmissionPolicyBinding"} {
				t.Run(kind+" "+name, func(t *testing.T) {
					object := &unstructured.Unstructured{}
					object.SetGroupVersionKind(admissionregistrationv1.SchemeGroupVersion.WithKind(kind))
					object.SetName(name)
					if err := server.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
						t.Fatal(err)
					}
					if err := server.Delete(t.Context(), object); err != nil {
						t.Fatal(err)
					}
					expectProblem(t, check(t, policy.DefaultOperator), kind+" "+name+" is missing")
					object.SetResourceVersion("")
					if err := server.Create(t.Context(), object); err != nil {
						t.Fatal(err)
					}
				})
			}
		}
	}
}

// TestCheck_narrowedOnRealServer narrows every policy and every binding that there is, in every way that applies to all.
func TestCheck_narrowedOnRealServer(t *testing.T) {
	selector := map[string]any{"matchLabels": map[string]any{"guarded": "yes"}}
	policies := []struct {
		name  string
		path  []string
		value any
	}{
		{"an exception", []string{"spec", "matchConditions"}, []any{map[string]any{"name": "nobody", "expression": "false"}}},
		{"failures ignored", []string{"spec", "failurePolicy"}, "Ignore"},
		{"some namespaces alone", []string{"spec", "matchConstraints", "namespaceSelector"}, selector},
	}
	install(t, policy.DefaultOperator)
	for _, expected := range installed(t, policy.DefaultOperator) {
		kind := expected.GetObjectKind().GroupVersionKind().Kind
		if strings.HasSuffix(kind, "Binding") {
			t.Run(expected.GetName()+" bound to some namespaces", func(t *testing.T) {
				tamper(t, expected, []string{"spec", "matchResources"}, map[string]any{"namespaceSelector": selector}, "spec.matchResources")
			})
			if kind == "ValidatingAdmissionPolicyBinding" {
				t.Run(expected.GetName()+" bound to audit", func(t *testing.T) {
					tamper(t, expected, []string{"spec", "validationActions"}, []any{"Audit"}, "spec.validationActions")
				})
			}
			continue
		}
		for _, tc := range policies {
			t.Run(expected.GetName()+" with "+tc.name, func(t *testing.T) {
				tamper(t, expected, tc.path, tc.value, "spec."+tc.path[1])
			})
		}
	}
}

// tamper sets one field of a policy or binding, expects the guard to name it, and puts the object back.
func tamper(t *testing.T, expected client.Object, path []string, value any, field string) {
	t.Helper()
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(expected.GetObjectKind().GroupVersionKind())
	if err := server.Get(t.Context(), client.ObjectKeyFromObject(expected), live); err != nil {
		t.Fatal(err)
	}
	before := live.DeepCopy()
	if err := unstructured.SetNestedField(live.Object, value, path...); err != nil {
		t.Fatal(err)
	}
	if err := server.Update(t.Context(), live); err != nil {
		t.Fatal(err)
	}
	expectProblem(t, check(t, policy.DefaultOperator), live.GetKind()+" "+live.GetName()+" is not as installed ("+field+")")
	before.SetResourceVersion(live.GetResourceVersion())
	if err := server.Update(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if verdict := check(t, policy.DefaultOperator); !verdict.InPlace() {
		t.Errorf("put back, and still: %s", verdict.Message())
	}
}

func TestCheck_weakenedOnRealServer(t *testing.T) {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"guarded": "yes"}}
	cases := []struct {
		name   string
		weaken func(*weakened)
		want   string
	}{
		{"an expression that is always true", func(w *weakened) { w.check.Spec.Validations[1].Expression = "true" }, "(spec.validations)"},
		{"one validation less", func(w *weakened) { w.check.Spec.Validations = w.check.Spec.Validations[:1] }, "(spec.validations)"},
		{"a variable that says something else", func(w *weakened) { w.check.Spec.Variables[0].Expression = "false" }, "(spec.variables)"},
		{"failures ignored", func(w *weakened) { w.check.Spec.FailurePolicy = new(admissionregistrationv1.Ignore) }, "(spec.failurePolicy)"},
		{"creations let through", func(w *weakened) {
			w.check.Spec.MatchConstraints.ResourceRules[0].Operations = []admissionregistrationv1.OperationType{"UPDATE"}
		}, "(spec.matchConstraints)"},
		{"some namespaces alone", func(w *weakened) { w.check.Spec.MatchConstraints.NamespaceSelector = selector }, "(spec.matchConstraints)"},
		{"some objects alone", func(w *weakened) { w.check.Spec.MatchConstraints.ObjectSelector = selector }, "(spec.matchConstraints)"},
		{"an exception", func(w *weakened) {
			w.check.Spec.MatchConditions = []admissionregistrationv1.MatchCondition{{Name: "not-me", Expression: "request.userInfo.username != 'mallory'"}}
		}, "(spec.matchConditions)"},
		{"a binding that only audits", func(w *weakened) {
			w.checkBinding.Spec.ValidationActions = []admissionregistrationv1.ValidationAction{"Audit"}
		}, "(spec.validationActions)"},
		{"a binding to some namespaces", func(w *weakened) {
			w.checkBinding.Spec.MatchResources = &admissionregistrationv1.MatchResources{NamespaceSelector: selector}
		}, "(spec.matchResources)"},
		{"a binding to another policy", func(w *weakened) { w.checkBinding.Spec.PolicyName = "other" }, "(spec.policyName)"},
		{"a stamp of another name", func(w *weakened) { w.stamp.Spec.Variables[0].Expression = "{'username': 'mallory'}" }, "(spec.variables)"},
		{"no stamp on creation", func(w *weakened) { w.stamp.Spec.Mutations = w.stamp.Spec.Mutations[1:] }, "(spec.mutations)"},
		{"a stamp in some namespaces", func(w *weakened) {
			w.stampBinding.Spec.MatchResources = &admissionregistrationv1.MatchResources{NamespaceSelector: selector}
		}, "(spec.matchResources)"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			install(t, policy.DefaultOperator)
			weaken(t, tc.weaken)
			expectProblem(t, check(t, policy.DefaultOperator), tc.want)
		})
	}
}

// weakened are the objects that the cases tamper with.
type weakened struct {
	check        admissionregistrationv1.ValidatingAdmissionPolicy
	checkBinding admissionregistrationv1.ValidatingAdmissionPolicyBinding
	stamp        admissionregistrationv1.MutatingAdmissionPolicy
	stampBinding admissionregistrationv1.MutatingAdmissionPolicyBinding
}

// weaken reads the objects, changes them and writes them back.
func weaken(t *testing.T, change func(*weakened)) {
	t.Helper()
	w := &weakened{}
	w.check.Name, w.checkBinding.Name = "eclusier-check-requester", "eclusier-check-requester"
	w.stamp.Name, w.stampBinding.Name = "eclusier-stamp-requester", "eclusier-stamp-requester"
	objects := []client.Object{&w.check, &w.checkBinding, &w.stamp, &w.stampBinding}
	for _, object := range objects {
		if err := server.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Fatal(err)
		}
	}
	change(w)
	for _, object := range objects {
		if err := server.Update(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
}

func check(t *testing.T, operator string) guard.Verdict {
	t.Helper()
	verdict, err := newGuard(t, operator).Check(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}

func expectProblem(t *testing.T, verdict guard.Verdict, want string) {
	t.Helper()
	if len(verdict.Problems) != 1 || !strings.Contains(verdict.Message(), want) {
		t.Errorf("%q, want one problem with %q", verdict.Message(), want)
	}
	if !strings.Contains(verdict.Message(), "kubectl replace -k config/default; kubectl apply --server-side --force-conflicts -k config/default") {
		t.Errorf("%q does not say what to do", verdict.Message())
	}
}
