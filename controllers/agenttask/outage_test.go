package agenttask

import (
	"slices"
	"testing"
	"time"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cluster"
)

// gap is a list of a namespace that did not come.
func gap(namespace, resource string, reason cluster.GapReason) cluster.Gap {
	return cluster.Gap{Want: cluster.Want{What: cluster.WantNamespace, Namespace: namespace}, Resource: resource, Reason: reason}
}

// TestReconciler_outage follows questions during which the API server goes away after it has answered something.
func TestReconciler_outage(t *testing.T) {
	ofCluster := cluster.Gap{Want: cluster.Want{What: cluster.WantCluster}, Resource: "nodes", Reason: cluster.GapUnavailable}
	tests := []struct {
		name  string
		gaps  []cluster.Gap
		times int
		want  string
	}{
		{"pods that did not come once are read again", []cluster.Gap{gap("shop", "pods", cluster.GapUnavailable)}, 1, "RootCauseFound"},
		{"pods that never come make no answer", []cluster.Gap{gap("shop", "pods", cluster.GapUnavailable)}, 9, "RetriesExhausted"},
		{"quotas that did not come once are read again", []cluster.Gap{gap("shop", "resourcequotas", cluster.GapUnavailable)}, 2, "RootCauseFound"},
		{"quotas that never come are missing in the answer", []cluster.Gap{gap("shop", "resourcequotas", cluster.GapUnavailable)}, 9, "RootCauseFound"},
		{"a right that lacks is no outage", []cluster.Gap{gap("shop", "jobs", cluster.GapForbidden)}, 9, "RootCauseFound"},
		{"what has nothing to do with the question holds nothing up", []cluster.Gap{ofCluster, gap("other", "pods", cluster.GapUnavailable)}, 9, "RootCauseFound"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRoom(t, ask("why", "why is deployment web in shop down?"))
			r.world.gaps = slices.Repeat([][]cluster.Gap{tt.gaps}, tt.times)
			for i := range 4 {
				r.clock.SetTime(noon.Add(time.Duration(i) * 10 * time.Second))
				r.settle("why")
			}
			task := r.get("why")
			got := string(task.Status.Verdict)
			if task.Status.Failure != nil {
				got = task.Status.Failure.Type
			}
			if got != tt.want {
				t.Errorf("ends as %s, want %s: %s", got, tt.want, summary(task))
			}
		})
	}
}

func TestReconciler_outageIsRetried(t *testing.T) {
	r := newRoom(t, ask("why", "why is deployment web in shop down?"))
	r.world.gaps = [][]cluster.Gap{{gap("shop", "services", cluster.GapUnavailable)}}
	task, _ := r.settle("why")
	if task.Status.Verdict != "" || task.Status.Retry == nil || task.Status.Phase != v1alpha1.PhaseWaiting {
		t.Errorf("half a reading was taken for an answer: %s", summary(task))
	}
}
