package guard_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/eclusier/eclusier/config/policy"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/guard"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// kept is the lease that remembers, in the namespace that these tests give the operator.
var kept = client.ObjectKey{Namespace: "default", Name: "eclusier-identity-guard"}

// witness is one that was just started, with nothing but what is kept in the cluster to go by, and its clock.
func witness(tb testing.TB, c client.Client) (*guard.Witness, *clocktesting.FakePassiveClock) {
	tb.Helper()
	passive := clocktesting.NewFakePassiveClock(noon)
	return guard.NewWitness(newGuard(tb, policy.DefaultOperator), c, guard.Lease{Client: c, Namespace: kept.Namespace}, passive), passive
}

// seen is what a witness that was just started sees.
func seen(tb testing.TB, c client.Client) guard.Verdict {
	tb.Helper()
	w, _ := witness(tb, c)
	return checked(tb, w, c)
}

func checked(tb testing.TB, w *guard.Witness, reader client.Reader) guard.Verdict {
	tb.Helper()
	verdict, err := w.Check(tb.Context(), reader)
	if err != nil {
		tb.Fatal(err)
	}
	return verdict
}

// forget removes what is kept.
func forget(tb testing.TB) {
	tb.Helper()
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: kept.Namespace, Name: kept.Name}}
	if err := server.Delete(context.Background(), lease); client.IgnoreNotFound(err) != nil {
		tb.Fatal(err)
	}
}

func patch(tb testing.TB, object client.Object, sort types.PatchType, content string) {
	tb.Helper()
	target := &unstructured.Unstructured{}
	target.SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	target.SetName(object.GetName())
	if err := server.Patch(tb.Context(), target, client.RawPatch(sort, []byte(content))); err != nil {
		tb.Fatal(err)
	}
}

// takeAway has a guarding object guard nothing for a moment, and puts it back, which leaves the object as it was: from a
// binding, the field that is taken away again leaves no time either.
func takeAway(t *testing.T, object client.Object) {
	t.Helper()
	there := `[{"op":"add","path":"/spec/matchResources","value":{"namespaceSelector":{"matchLabels":{"a":"b"}}}}]`
	back := `[{"op":"remove","path":"/spec/matchResources"}]`
	if !strings.HasSuffix(object.GetObjectKind().GroupVersionKind().Kind, "Binding") {
		there = `[{"op":"replace","path":"/spec/failurePolicy","value":"Ignore"}]`
		back = `[{"op":"replace","path":"/spec/failurePolicy","value":"Fail"}]`
	}
	patch(t, object, types.JSONPatchType, there)
	patch(t, object, types.JSONPatchType, back)
}

// TestWitness_gapOnRealServer takes every guarding object away for a moment in which no operator runs. The API server's
// time is compared with itself: a lease that is made before the gap is older than what is believed after it.
func TestWitness_gapOnRealServer(t *testing.T) {
	install(t, policy.DefaultOperator)
	t.Cleanup(func() { forget(t) })
	first := seen(t, server)
	if !first.InPlace() || first.Settling != 0 {
		t.Fatalf("freshly installed: %q, settles in %s", first.Message(), first.Settling)
	}
	for _, object := range installed(t, policy.DefaultOperator) {
		t.Run(object.GetObjectKind().GroupVersionKind().Kind+" "+object.GetName(), func(t *testing.T) {
			before := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: kept.Namespace, GenerateName: "decided-"}}
			if err := server.Create(t.Context(), before); err != nil {
				t.Fatal(err)
			}
			last := seen(t, server).Since
			takeAway(t, object)
			verdict := seen(t, server)
			if !verdict.InPlace() || !before.CreationTimestamp.Time.Before(verdict.Since) || verdict.Settling <= 0 {
				t.Errorf("%q since %s, before the gap %s, settles in %s", verdict.Message(), verdict.Since, last, verdict.Settling)
			}
			if again := seen(t, server); !again.Since.Equal(verdict.Since) {
				t.Errorf("another operator believes what is since %s, not %s", again.Since, verdict.Since)
			}
		})
	}
	t.Run("a binding that is deleted and created", func(t *testing.T) {
		binding := installed(t, policy.DefaultOperator)[1]
		before := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: kept.Namespace, GenerateName: "decided-"}}
		err := errors.Join(server.Create(t.Context(), before), server.Delete(t.Context(), binding.DeepCopyObject().(client.Object)),
			server.Create(t.Context(), binding))
		if err != nil {
			t.Fatal(err)
		}
		if verdict := seen(t, server); !verdict.InPlace() || !before.CreationTimestamp.Time.Before(verdict.Since) {
			t.Errorf("%q since %s", verdict.Message(), verdict.Since)
		}
	})
	t.Run("without what is kept it begins anew", func(t *testing.T) {
		last := seen(t, server)
		forget(t)
		if verdict := seen(t, server); verdict.Since.Before(last.Since) || verdict.Settling <= 0 {
			t.Errorf("since %s, was %s, settles in %s", verdict.Since, last.Since, verdict.Settling)
		}
	})
	t.Run("a label is no gap", func(t *testing.T) {
		last := seen(t, server).Since
		for _, object := range installed(t, policy.DefaultOperator) {
			patch(t, object, types.MergePatchType, `{"metadata":{"labels":{"team":"sre"}}}`)
		}
		if verdict := seen(t, server); !verdict.Since.Equal(last) {
			t.Errorf("since %s, not %s", verdict.Since, last)
		}
	})
}

func TestWitness_firstInstallation(t *testing.T) {
	install(t, policy.DefaultOperator)
	t.Cleanup(func() { forget(t) })
	created := check(t, policy.DefaultOperator).Since
	for _, when := range []string{"first", "after a restart"} {
		if verdict := seen(t, server); !verdict.Since.Equal(created) || verdict.Settling != 0 {
			t.Errorf("%s: since %s and settles in %s, want %s and at once", when, verdict.Since, verdict.Settling, created)
		}
	}
}

// TestWitness_cache has a cache that lags behind show policies that are gone, or are in place again.
func TestWitness_cache(t *testing.T) {
	install(t, policy.DefaultOperator)
	t.Cleanup(func() { forget(t) })
	w, passive := witness(t, server)
	first := checked(t, w, server)
	lagging := copied(t)
	binding := installed(t, policy.DefaultOperator)[1]
	if err := server.Delete(t.Context(), binding.DeepCopyObject().(client.Object)); err != nil {
		t.Fatal(err)
	}
	if verdict := seen(t, server); verdict.InPlace() {
		t.Error("a binding is gone, and nothing is missing")
	}
	if verdict := checked(t, w, lagging); !verdict.InPlace() || !verdict.Since.Equal(first.Since) {
		t.Errorf("what the cache shows is what is known: %q since %s", verdict.Message(), verdict.Since)
	}
	// One that was just started knows nothing of what its cache shows.
	restarted, _ := witness(t, server)
	if verdict := checked(t, restarted, lagging); verdict.InPlace() {
		t.Error("what a cache shows was recorded as what is")
	}
	if err := server.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	verdict := checked(t, w, server)
	if !verdict.InPlace() || !verdict.Since.After(first.Since) {
		t.Errorf("%q since %s, first %s", verdict.Message(), verdict.Since, first.Since)
	}
	passive.SetTime(passive.Now().Add(verdict.Settling))
	if settled := checked(t, w, server); settled.Settling != 0 || !settled.Since.Equal(verdict.Since) {
		t.Errorf("settles in %s more, since %s", settled.Settling, settled.Since)
	}
	if late := checked(t, w, lagging); !late.Since.Equal(verdict.Since) {
		t.Errorf("a cache that shows policies of before took the time back to %s", late.Since)
	}
}

// copied is a cache that shows the policies as they are now, for ever.
func copied(t *testing.T) client.Reader {
	t.Helper()
	var objects []client.Object
	for _, object := range installed(t, policy.DefaultOperator) {
		if err := server.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	return fake.NewClientBuilder().WithObjects(objects...).Build()
}

func TestWitness_whatIsKeptCannotBeRead(t *testing.T) {
	install(t, policy.DefaultOperator)
	for _, tc := range []struct {
		name        string
		annotations map[string]string
	}{
		{"nothing in it", nil},
		{"a time that is none", map[string]string{"eclusier.io/guard-seen": "x", "eclusier.io/guard-since": "always"}},
		{"policies of another time", map[string]string{"eclusier.io/guard-seen": "x", "eclusier.io/guard-since": "2020-01-01T00:00:00Z"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Cleanup(func() { forget(t) })
			lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: kept.Namespace, Name: kept.Name, Annotations: tc.annotations}}
			if err := server.Create(t.Context(), lease); err != nil {
				t.Fatal(err)
			}
			created := check(t, policy.DefaultOperator).Since
			if verdict := seen(t, server); !verdict.Since.After(created) || verdict.Settling <= 0 {
				t.Errorf("since %s, created %s, settles in %s", verdict.Since, created, verdict.Settling)
			}
		})
	}
}

// TestWitness_errors says nothing where something could not be read or written.
func TestWitness_errors(t *testing.T) {
	lost := errors.New("connection lost")
	isLease := func(o client.Object) bool { _, is := o.(*coordinationv1.Lease); return is }
	for name, funcs := range map[string]interceptor.Funcs{
		"what is kept cannot be read": {Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if isLease(o) {
				return lost
			}
			return c.Get(ctx, key, o, opts...)
		}},
		"nothing can be kept": {Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return lost }},
	} {
		t.Run(name, func(t *testing.T) {
			c := fake.NewClientBuilder().WithObjects(installed(t, policy.DefaultOperator)...).WithInterceptorFuncs(funcs).Build()
			w, _ := witness(t, c)
			if verdict, err := w.Check(t.Context(), c); !errors.Is(err, lost) || !verdict.Since.IsZero() {
				t.Errorf("since %s, error %v", verdict.Since, err)
			}
		})
	}
}

// TestLease_twoOperators has two operators record at once: what one of them recorded is not overwritten unseen.
func TestLease_twoOperators(t *testing.T) {
	t.Cleanup(func() { forget(t) })
	memory := guard.Lease{Client: server, Namespace: kept.Namespace}
	one, err := memory.Keep(t.Context(), guard.Record{}, guard.Record{Seen: "one"}, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Keep(t.Context(), guard.Record{}, guard.Record{Seen: "two"}, time.Second); !fault.Is(err, fault.Conflict) {
		t.Errorf("the second got %v", err)
	}
	if record, err := memory.Recall(t.Context()); err != nil || record.Seen != one.Seen || !record.Since.Equal(one.Since) {
		t.Errorf("kept is %+v, error %v, want %+v", record, err, one)
	}
	if _, err := memory.Keep(t.Context(), one, guard.Record{Seen: "two"}, time.Second); err != nil {
		t.Errorf("whoever saw it first: %v", err)
	}
}
