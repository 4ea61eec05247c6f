package guard_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/eclusier/eclusier/config/policy"
	"github.com/eclusier/eclusier/internal/guard"
)

// failing is a cluster without any policy, whose answer to a get is the error that fail returns, if any.
func failing(fail func(client.Object) error) client.Reader {
	return interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
			if err := fail(object); err != nil {
				return err
			}
			return c.Get(ctx, key, object, opts...)
		},
	})
}

func newGuard(tb testing.TB, operator string) *guard.Guard {
	tb.Helper()
	g, err := guard.New(operator)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func isMutating(object client.Object) bool {
	switch object.(type) {
	case *admissionregistrationv1.MutatingAdmissionPolicy, *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		return true
	}
	return false
}

func TestCheck_whereNothingCanBeWrittenByPolicy(t *testing.T) {
	reader := failing(func(object client.Object) error {
		if isMutating(object) {
			return &meta.NoKindMatchError{GroupKind: schema.GroupKind{Kind: "MutatingAdmissionPolicy"}}
		}
		return nil
	})
	verdict, err := newGuard(t, policy.DefaultOperator).Check(t.Context(), reader)
	if err != nil {
		t.Fatal(err)
	}
	if verdict.Stamp != guard.StampByClient {
		t.Errorf("stamp = %s, want %s", verdict.Stamp, guard.StampByClient)
	}
	var missing []string
	for _, name := range []string{"check-requester", "protect-status", "check-change", "check-approval", "hold-planner"} {
		for _, kind := range []string{"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"} {
			missing = append(missing, kind+" eclusier-"+name+" is missing")
		}
	}
	want := "The API server does not vouch for who asks and who decides: " + strings.Join(missing, "; ") + ". Restore them with: " +
		"kubectl replace -k config/pre-1.36; kubectl apply --server-side --force-conflicts -k config/pre-1.36"
	if got := verdict.Message(); got != want {
		t.Errorf("message = %q, want %q", got, want)
	}
}

func TestCheck_errorSaysNothingAboutPolicies(t *testing.T) {
	lost := errors.New("connection lost")
	for _, kind := range []string{"Mutating", "Validating"} {
		t.Run(kind, func(t *testing.T) {
			reader := failing(func(object client.Object) error {
				if isMutating(object) == (kind == "Mutating") {
					return lost
				}
				return nil
			})
			verdict, err := newGuard(t, policy.DefaultOperator).Check(t.Context(), reader)
			if !errors.Is(err, lost) {
				t.Errorf("error = %v, want %v", err, lost)
			}
			if len(verdict.Problems) != 0 {
				t.Errorf("problems = %v, want none where nothing is known", verdict.Problems)
			}
		})
	}
}

func TestNew_operatorNameIsNoExpression(t *testing.T) {
	for _, name := range []string{"", "it's me", "x' || true || '", "a\nb"} {
		if _, err := guard.New(name); err == nil {
			t.Errorf("%q was taken into an expression", name)
		}
	}
}

func TestVerdict_message(t *testing.T) {
	cases := []struct {
		name    string
		verdict guard.Verdict
		want    string
	}{
		{"stamped by the server", guard.Verdict{Stamp: guard.StampByServer}, "The admission policies are in place"},
		{"stamped by the client", guard.Verdict{Stamp: guard.StampByClient}, "this API server checks who asks and who decides but cannot write it"},
		{"weakened", guard.Verdict{Problems: []guard.Problem{{Kind: "K", Name: "n", Fields: []string{"spec.a", "spec.b"}}}}, "K n is not as installed (spec.a, spec.b)"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.verdict.Message(); !strings.Contains(got, tc.want) {
				t.Errorf("message = %q, want %q in it", got, tc.want)
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	g, objects := newGuard(b, policy.DefaultOperator), installed(b, policy.DefaultOperator)
	reader := fake.NewClientBuilder().WithObjects(objects...).Build()
	for b.Loop() {
		verdict, err := g.Check(b.Context(), reader)
		if err != nil || !verdict.InPlace() {
			b.Fatal(verdict.Message(), err)
		}
	}
}
