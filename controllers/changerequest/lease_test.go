package changerequest

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

func TestLease_oneChangeAtATime(t *testing.T) {
	r := newRoom(t, scale("first"), scale("second", func(c *v1alpha1.ChangeRequest) { c.Spec.Kubernetes.Operations[0] = to("web", 5) }),
		owners("owners", autonomous))
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer queue.ShutDown()
	if err := r.turns.attach(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.pass("second"); err != nil { // planned before the first is applied
		t.Fatal(err)
	}
	r.world.Verdicts = open(2)
	_, after := r.settle("first")
	second, _ := r.settle("second")
	if applied := condition(second, v1alpha1.ConditionApplied); applied.Reason != v1alpha1.AppliedAwaitingTurn || !strings.Contains(applied.Message, "shop/first is at work on Deployment shop/web") {
		t.Fatalf("the second: %s (%s)", summary(second), applied.Message)
	}
	r.sent("shop/web=3")
	r.wait("first", after)
	first, _ := r.wait("first", after)
	if first.Status.Result != v1alpha1.ResultSucceeded {
		t.Fatalf("the first ended as %q", first.Status.Result)
	}
	if queue.Len() != 1 {
		t.Fatalf("%d changes are woken, want the second", queue.Len())
	}
	if next, _ := queue.Get(); next.NamespacedName != (types.NamespacedName{Namespace: "shop", Name: "second"}) {
		t.Errorf("%s is woken", next)
	}
	second, _ = r.settle("second")
	if second.Status.Plan.Revision != 2 || second.Status.Result != v1alpha1.ResultSucceeded {
		t.Errorf("the second has revision %d and result %q: the first changed what it was planned for", second.Status.Plan.Revision, second.Status.Result)
	}
	r.ends(second, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	r.sent("shop/web=3", "shop/web=5")
}

func TestLease_ofAChangeThatIsNoMore(t *testing.T) {
	for name, end := range map[string]func(*room){
		"it was deleted": func(r *room) {
			if err := r.stored.Delete(r.Context(), r.get("first")); err != nil {
				r.Fatal(err)
			}
		},
		"it was created again": func(r *room) {
			if err := r.stored.Delete(r.Context(), r.get("first")); err != nil {
				r.Fatal(err)
			}
			r.create(scale("first", func(c *v1alpha1.ChangeRequest) { c.UID = "another" }))
		},
		"it ended without letting go": func(r *room) {
			r.forge("first", func(s *v1alpha1.ChangeRequestStatus) { s.Result = v1alpha1.ResultSucceeded })
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, scale("first"), scale("second"), owners("owners", autonomous))
			r.world.Verdicts = open(1)
			r.settle("first")
			if len(r.leases()) != 1 {
				t.Fatalf("leases %v", r.leases())
			}
			end(r)
			if name == "it was deleted" {
				if _, _, err := r.pass("first"); err != nil || len(r.leases()) != 0 {
					t.Errorf("it is gone, and %v: %v", r.leases(), err)
				}
			}
			r.world.Set("shop", "web", 2)
			second, _ := r.settle("second")
			r.ends(second, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
			r.sent("shop/web=3", "shop/web=3")
		})
	}
}

// TestLease_isReclaimed leaves leases behind in every way that there is, beside one of a change that goes on.
func TestLease_isReclaimed(t *testing.T) {
	r := newRoom(t, scale("first"), scale("second", func(c *v1alpha1.ChangeRequest) { c.Spec.Kubernetes.Operations[0] = to("api", 5) }),
		owners("owners", autonomous))
	r.world.Verdicts = open(20)
	r.settle("first")
	r.settle("second")
	if len(r.leases()) != 2 {
		t.Fatalf("leases %v", r.leases())
	}
	r.forge("first", func(s *v1alpha1.ChangeRequestStatus) { s.Result = v1alpha1.ResultSucceeded })
	ctx, cancel := contextUntil(t, func() bool { return len(r.leases()) < 2 })
	defer cancel()
	if err := (&sweeper{r.Reconciler}).Start(ctx); err != nil {
		t.Error(err)
	}
	if held := r.leases(); len(held) != 1 || held[0] != "shop/second holds Deployment shop/api" {
		t.Errorf("leases %v", held)
	}
}
