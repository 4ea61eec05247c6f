package changepolicy

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/telemetry"
)

func written(name string, change func(*v1alpha1.ChangePolicySpec)) *v1alpha1.ChangePolicy {
	p := &v1alpha1.ChangePolicy{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-of-" + name), Generation: 3}}
	change(&p.Spec)
	return p
}

func plain(*v1alpha1.ChangePolicySpec) {}

func unreadable(s *v1alpha1.ChangePolicySpec) {
	s.Windows = []v1alpha1.Window{{Name: "night", Kind: v1alpha1.WindowAllow, Schedule: "0 25 * * *", Duration: metav1.Duration{Duration: time.Hour}}}
}

// heard remembers the events told.
type heard struct{ events []string }

func (h *heard) AnnotatedEventf(_, _ runtime.Object, _ map[string]string, kind, reason, action, _ string, _ ...any) {
	h.events = append(h.events, kind+" "+reason+" "+action)
}

func newReconciler(t *testing.T, registry *prometheus.Registry, events *heard, objects ...client.Object) *Reconciler {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return &Reconciler{
		Client: fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1alpha1.ChangePolicy{}).WithObjects(objects...).Build(),
		Events: kube.NewEvents(events), Metrics: telemetry.New(registry),
		Clock: clocktesting.NewFakePassiveClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)),
	}
}

func request(name string) ctrl.Request {
	return ctrl.Request{NamespacedName: types.NamespacedName{Name: name}}
}

func TestReconcile_saysWhetherAPolicyCanBeUsed(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*v1alpha1.ChangePolicySpec)
		want   string
		says   string
		events int
	}{
		{"one that can", plain, "True Ready", "in force", 0},
		{"one with a schedule that no clock knows", unreadable, "False Invalid", "spec.windows[night]", 1},
		{"one with a selector that cannot be read", func(s *v1alpha1.ChangePolicySpec) {
			s.NamespaceSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}
		}, "False Invalid", "spec.namespaceSelector", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			events := &heard{}
			r := newReconciler(t, prometheus.NewRegistry(), events, written("it", tc.change))
			for range 2 { // the second time there is nothing new to tell
				if _, err := r.Reconcile(t.Context(), request("it")); err != nil {
					t.Fatal(err)
				}
			}
			p := &v1alpha1.ChangePolicy{}
			if err := r.Client.Get(t.Context(), request("it").NamespacedName, p); err != nil {
				t.Fatal(err)
			}
			ready := p.Status.Conditions[0]
			if got := string(ready.Status) + " " + ready.Reason; got != tc.want || !strings.Contains(ready.Message, tc.says) {
				t.Errorf("Ready is %s: %s", got, ready.Message)
			}
			if p.Status.ObservedGeneration != 3 || len(events.events) != tc.events {
				t.Errorf("generation %d, events %v", p.Status.ObservedGeneration, events.events)
			}
		})
	}
}

func TestReconcile_measuresThePosture(t *testing.T) {
	registry := prometheus.NewRegistry()
	lenient := written("lenient", func(s *v1alpha1.ChangePolicySpec) {
		s.SelfApproval, s.Autonomy = v1alpha1.SelfApprovalAllow, v1alpha1.AutonomyMatrix
	})
	r := newReconciler(t, registry, &heard{}, written("strict", plain), lenient, written("broken", unreadable))
	compare := func(autonomy, invalid, self string) {
		t.Helper()
		if _, err := r.Reconcile(t.Context(), request("strict")); err != nil {
			t.Fatal(err)
		}
		want := `
# HELP eclusier_change_policies ChangePolicies by what they allow: SelfApproval (requesters may agree to their own changes), Autonomy (some changes need nobody's consent), and Invalid (every change they fit is denied).
# TYPE eclusier_change_policies gauge
eclusier_change_policies{posture="Autonomy"} ` + autonomy + `
eclusier_change_policies{posture="Invalid"} ` + invalid + `
eclusier_change_policies{posture="SelfApproval"} ` + self + `
`
		if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "eclusier_change_policies"); err != nil {
			t.Error(err)
		}
	}
	compare("1", "1", "1")
	if err := r.Client.Delete(t.Context(), lenient); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Reconcile(t.Context(), request("lenient")); err != nil {
		t.Fatal(err)
	}
	compare("0", "1", "0")
}

func TestReconcile_leavesWhatIsBeingDeletedAlone(t *testing.T) {
	p := written("it", plain)
	p.Finalizers = []string{"example.org/keep"}
	r := newReconciler(t, prometheus.NewRegistry(), &heard{}, p)
	if err := r.Client.Delete(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	_, err := r.Reconcile(t.Context(), request("it"))
	if err := errors.Join(err, r.Client.Get(t.Context(), request("it").NamespacedName, p)); err != nil || len(p.Status.Conditions) != 0 {
		t.Errorf("%v, conditions %v", err, p.Status.Conditions)
	}
}
