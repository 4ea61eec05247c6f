package agenttask

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/diagnose"
)

func asJSON(t *testing.T, object any) string {
	t.Helper()
	raw, err := json.MarshalIndent(object, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestCorrelationID(t *testing.T) {
	given := ask("a", "x", func(task *v1alpha1.AgentTask) { task.Spec.CorrelationID = "req-42" })
	if got := correlationID(given); got != "req-42" {
		t.Errorf("the given id becomes %q", got)
	}
	made := correlationID(ask("a", "x"))
	if !regexp.MustCompile(`^corr-[0-9a-f]{8}$`).MatchString(made) {
		t.Errorf("the form is corr- and 8 hexadecimal digits, got %q", made)
	}
	if made != correlationID(ask("a", "other")) || made == correlationID(ask("b", "x")) {
		t.Error("the id belongs to the task: the same in each pass, another for another task")
	}
}

func TestMessages(t *testing.T) {
	verbs := regexp.MustCompile(`%\[\d\][a-z]`)
	for id, text := range english {
		translated, ok := french[id]
		if !ok {
			t.Errorf("%q is not said in French", id)
		}
		count := func(s string) map[string]int {
			all := map[string]int{}
			for _, verb := range verbs.FindAllString(s, -1) {
				all[verb]++
			}
			return all
		}
		if !maps.Equal(count(text), count(translated)) {
			t.Errorf("%q takes other arguments in French: %q and %q", id, text, translated)
		}
	}
	if len(french) != len(english) {
		t.Errorf("%d texts in English, %d in French", len(english), len(french))
	}
}

func TestFindings_bounded(t *testing.T) {
	object := cluster.Ref{Kind: "Pod", Namespace: "shop", Name: "web"}
	long := strings.Repeat("é", 4000)
	report := &diagnose.Report{}
	for i := range 40 {
		f := diagnose.Finding{ID: fmt.Sprint(i), Cause: "OOMKilled", Object: object, Message: long, Severity: diagnose.High, Fix: long, CausedBy: make([]string, 40)}
		for range 20 {
			f.Evidence = append(f.Evidence, diagnose.Evidence{Kind: diagnose.LogEvidence, Source: long, Text: long})
		}
		report.RootCauses = append(report.RootCauses, f)
		report.Missing = append(report.Missing, diagnose.Missing{What: long, Why: long, Command: long})
	}
	report.Chain = []diagnose.Finding{
		{ID: "0", Cause: "OOMKilled", Object: object, Message: "listed above"},
		{ID: "link", Object: object, Message: "between", CausedBy: []string{"0"}},
		{ID: "end", Object: object, Message: "seen", CausedBy: []string{"link"}},
	}
	for i := range 40 {
		report.Independent = append(report.Independent, diagnose.Finding{ID: fmt.Sprint("other", i), Object: object, Message: "apart"})
	}
	got := findings(report)
	if len(got) != v1alpha1.MaxFindings {
		t.Errorf("%d findings, want %d", len(got), v1alpha1.MaxFindings)
	}
	first := got[0]
	if n := len([]rune(first.Message)); n != v1alpha1.MaxStatusText || len(first.Evidence) != v1alpha1.MaxEvidence || len(first.CausedBy) != v1alpha1.MaxCausedBy || len([]rune(first.Evidence[0].Text)) != v1alpha1.MaxEvidenceText {
		t.Errorf("a finding is not cut to the bounds of the API: %d, %d, %d", n, len(first.Evidence), len(first.CausedBy))
	}
	roles := map[string]v1alpha1.FindingRole{}
	for _, f := range got {
		if _, twice := roles[f.ID]; twice {
			t.Errorf("finding %s is listed twice", f.ID)
		}
		roles[f.ID] = f.Role
	}
	for id, want := range map[string]v1alpha1.FindingRole{"0": v1alpha1.RoleRootCause, "link": v1alpha1.RoleContributing, "end": v1alpha1.RoleSymptom, "other0": v1alpha1.RoleIndependent} {
		if roles[id] != want {
			t.Errorf("finding %s plays the part %s, want %s", id, roles[id], want)
		}
	}
	if lacks := missing(report.Missing); len(lacks) != v1alpha1.MaxMissing || len([]rune(lacks[0].What)) != v1alpha1.MaxStatusText {
		t.Errorf("what is missing is not cut to the bounds of the API: %d", len(lacks))
	}
}

func TestWorthALook(t *testing.T) {
	r := &Reconciler{}
	p := r.worthALook()
	running := ask("a", "x")
	done := ask("a", "x", func(task *v1alpha1.AgentTask) {
		task.Status.CompletedAt, task.Status.ObservedGeneration = new(metav1.NewTime(noon)), 1
	})
	expiring := done.DeepCopy()
	expiring.Spec.TTLAfterFinished = &metav1.Duration{}
	changed := done.DeepCopy()
	changed.Generation = 2
	if !p.Create(event.CreateEvent{Object: running}) || p.Create(event.CreateEvent{Object: done}) ||
		!p.Create(event.CreateEvent{Object: expiring}) || !p.Create(event.CreateEvent{Object: changed}) {
		t.Error("at the start, only finished tasks with nothing left to do are passed over")
	}
	if !p.Update(event.UpdateEvent{ObjectOld: running, ObjectNew: running}) || p.Update(event.UpdateEvent{ObjectOld: done, ObjectNew: done}) ||
		!p.Update(event.UpdateEvent{ObjectOld: done, ObjectNew: changed}) {
		t.Error("a finished task is looked at again only if its spec changed")
	}
	r.arrived.note(running, noon)
	if p.Delete(event.DeleteEvent{Object: running}) || len(r.arrived.at) != 0 {
		t.Error("nothing is left of a deleted task")
	}
}

func TestTrim(t *testing.T) {
	r := newRoom(t, ask("why", "why is deployment web in shop down?"))
	task, _ := r.settle("why")
	task.ManagedFields = []metav1.ManagedFieldsEntry{{}}
	trimmed, err := Trim(task.DeepCopy())
	if err != nil {
		t.Fatal(err)
	}
	got := trimmed.(*v1alpha1.AgentTask)
	if got.ManagedFields != nil || got.Spec.Prompt != "" || got.Status.Answer != "" || got.Status.Findings != nil {
		t.Error("a finished task keeps its long texts in the cache")
	}
	if !finished(got) || got.Generation != task.Generation || got.Status.CompletedAt == nil {
		t.Error("what decides whether there is anything to do must stay")
	}
	open := ask("a", "prompt")
	if kept, _ := Trim(open); kept.(*v1alpha1.AgentTask).Spec.Prompt != "prompt" {
		t.Error("an unfinished task needs its prompt")
	}
}

func TestArrivals(t *testing.T) {
	created := ask("a", "x")
	began := created.CreationTimestamp.Time
	for _, tc := range []struct {
		name string
		seen time.Duration
		want time.Duration
	}{
		{"a task seen in the second of its creation is timed from then", 300 * time.Millisecond, 1200 * time.Millisecond},
		{"a task that had to wait is timed from its creation", time.Second, 1500 * time.Millisecond},
		{"a clock that is behind shortens nothing", -time.Minute, 1500 * time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var a arrivals
			a.note(created, began.Add(tc.seen))
			a.note(created, began.Add(tc.seen+time.Hour))
			if took := a.leave(created, began.Add(1500*time.Millisecond)); took != tc.want || len(a.at) != 0 {
				t.Errorf("took %s, want %s; %d tasks are still under way", took, tc.want, len(a.at))
			}
		})
	}
}

// TestLogs: whoever runs the operator reads one line for a task that went well or ended badly, without empty fields.
func TestLogs(t *testing.T) {
	for name, prompt := range map[string]string{"answered": "why is deployment web in shop down?", "refused": "restart deployment web in shop tonight"} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, ask("why", prompt))
			var lines []string
			logger := funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{})
			for !finished(r.get("why")) {
				if _, err := r.Reconcile(log.IntoContext(t.Context(), logger), request("why")); err != nil {
					t.Fatal(err)
				}
			}
			if len(lines) != 1 || !strings.Contains(lines[0], "Task ended") || strings.Contains(lines[0], `""`) {
				t.Errorf("lines: %q", lines)
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	r := newRoom(t, ask("why", "why is deployment web in shop down?"), ask("do", "restart deployment web in shop tonight"))
	r.world.findErrs = []error{timeout}
	r.settle("why")
	r.clock.SetTime(noon.Add(10 * time.Second))
	r.settle("why")
	r.settle("do")
	r.Metrics.CountUnfinished(r.countUnfinished)
	if err := r.client.Create(t.Context(), ask("new", "why is web down?")); err != nil {
		t.Fatal(err)
	}
	names := []string{"eclusier_tasks_total", "eclusier_task_duration_seconds", "eclusier_step_duration_seconds",
		"eclusier_classifications_total", "eclusier_step_faults_total", "eclusier_tasks_unfinished", "eclusier_identity_guard_in_place"}
	for _, name := range names {
		if n, err := testutil.GatherAndCount(r.registry, name); err != nil || n == 0 {
			t.Errorf("%s is never set: %d, %v", name, n, err)
		}
	}
	if got := r.countUnfinished(); len(got) != 1 || got["Pending"] != 1 {
		t.Errorf("unfinished: %v", got)
	}
	if n, _ := testutil.GatherAndCount(r.registry, "eclusier_tasks_total"); n != 2 {
		t.Errorf("%d outcomes are counted, want RootCauseFound and NotExpressible", n)
	}
}
