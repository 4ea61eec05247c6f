package agenttask

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/guard"
)

const (
	held    = "?Accepted/IdentityGuardMissing +Stalled/IdentityGuardMissing ?Succeeded/IdentityGuardMissing"
	unknown = "-Accepted/RequesterUnknown +Stalled/RequesterUnknown -Succeeded/RequesterUnknown"
)

// unguarded is a room whose policies are gone, with a task that was created in it.
func unguarded(t *testing.T, changes ...func(*v1alpha1.AgentTask)) *room {
	r := newRoom(t, ask("why", "why is deployment web in shop down?", changes...))
	r.guard.problems = []guard.Problem{{Kind: "ValidatingAdmissionPolicy", Name: "eclusier-check-requester"}}
	return r
}

func TestReconciler_guardMissing(t *testing.T) {
	r := unguarded(t)
	task, result := r.settle("why")
	if got := summary(task); got != held {
		t.Errorf("got  %s\nwant %s", got, held)
	}
	if result.RequeueAfter != v1alpha1.DefaultWallClock {
		t.Errorf("looks again after %s instead of watching the policies until the time limit", result.RequeueAfter)
	}
	if task.Status.Phase != v1alpha1.PhaseWaiting || r.world.finds+r.world.reads > 0 {
		t.Errorf("phase %s, %d looks at the cluster", task.Status.Phase, r.world.finds+r.world.reads)
	}
	if got := r.policyChanged(t.Context(), nil); len(got) != 1 || got[0] != request("why") {
		t.Errorf("a change of the policies wakes %v", got)
	}
	r.guard.problems = nil
	r.restart()
	if task, _ = r.settle("why"); summary(task) != unknown || r.world.finds+r.world.reads > 0 {
		t.Errorf("nobody vouches for its requester, but once the guard is back it is %s", summary(task))
	}
	if got := r.policyChanged(t.Context(), nil); len(got) != 0 {
		t.Errorf("a finished task is woken: %v", got)
	}
}

// TestReconciler_guardMissing_suspended follows a task that is held, then suspended, then let go on: it must not lose on
// the way that nobody vouched for it.
func TestReconciler_guardMissing_suspended(t *testing.T) {
	r := unguarded(t)
	r.settle("why")
	r.guard.problems = nil
	for _, suspend := range []bool{true, false} {
		task := r.get("why")
		task.Spec.Suspend, task.Generation = suspend, task.Generation+1
		if err := r.client.Update(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		r.settle("why")
	}
	if got := summary(r.get("why")); got != unknown {
		t.Errorf("got  %s\nwant %s", got, unknown)
	}
}

func TestReconciler_guardMissing_wallClock(t *testing.T) {
	r := unguarded(t, func(task *v1alpha1.AgentTask) {
		task.Spec.Limits = &v1alpha1.TaskLimits{WallClock: &metav1.Duration{Duration: time.Minute}}
	})
	if _, result := r.settle("why"); result.RequeueAfter != time.Minute {
		t.Errorf("wakes after %s, want the time limit", result.RequeueAfter)
	}
	r.clock.SetTime(noon.Add(time.Minute))
	task, _ := r.settle("why")
	if got, want := summary(task), "?Accepted/IdentityGuardMissing +BudgetExhausted/WallClock "+ended("WallClockExceeded"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestReconciler_createdBeforeGuard tells by time alone who was vouched for, as after an operator that was away while the
// policies were.
func TestReconciler_createdBeforeGuard(t *testing.T) {
	created := noon.Add(-time.Second)
	for _, tc := range []struct {
		name  string
		since time.Time
		want  bool
	}{
		{"policies that were in force before", created.Add(-time.Hour), true},
		{"policies of the same second, as when both are applied at once", created, true},
		{"policies that came a second later", created.Add(time.Second), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRoom(t, ask("why", "why is deployment web in shop down?"))
			r.guard.since = tc.since
			task, _ := r.settle("why")
			if answered := task.Status.Verdict != ""; answered != tc.want || !answered && summary(task) != unknown {
				t.Errorf("answered is %t, want %t: %s", answered, tc.want, summary(task))
			}
		})
	}
}

func TestReconciler_guardSeenLate(t *testing.T) {
	r := newRoom(t, ask("why", "why is deployment web in shop down?"))
	r.guard.lagging = true
	if task, _ := r.settle("why"); task.Status.Verdict == "" {
		t.Errorf("a cache that lags behind must hold no task: %s", summary(task))
	}
	gone := unguarded(t)
	gone.guard.lagging = true
	if task, _ := gone.settle("why"); task.Status.StartedAt != nil || !strings.Contains(summary(task), "IdentityGuardMissing") {
		t.Errorf("a cache that lags behind must let no task in: %s", summary(task))
	}
}
