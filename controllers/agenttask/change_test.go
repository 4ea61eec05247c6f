package agenttask

import (
	"errors"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/kube"
)

var changes = schema.GroupResource{Group: "eclusier.io", Resource: "changerequests"}

// change returns the only ChangeRequest of the room, nil if there is none.
func (r *room) change() *v1alpha1.ChangeRequest {
	r.Helper()
	all := &v1alpha1.ChangeRequestList{}
	if err := r.client.List(r.Context(), all); err != nil {
		r.Fatal(err)
	}
	switch len(all.Items) {
	case 0:
		return nil
	case 1:
		return &all.Items[0]
	}
	r.Fatalf("%d ChangeRequests, want one", len(all.Items))
	return nil
}

// end has the change end, as its own controller would write it.
func (r *room) end(result v1alpha1.ChangeResult, changed func(*v1alpha1.ChangeRequest)) {
	r.Helper()
	change := r.change()
	change.Status.Result = result
	if changed != nil {
		changed(change)
	}
	if err := r.client.Status().Update(r.Context(), change); err != nil {
		r.Fatal(err)
	}
}

func TestReconciler_propose(t *testing.T) {
	t.Run("the ChangeRequest carries the wish and who asked for it, and belongs to the task", func(t *testing.T) {
		r := newRoom(t, ask("do", "scale web in shop to 3,\nplease", func(task *v1alpha1.AgentTask) {
			task.Spec.CorrelationID = "req-1"
			task.Spec.RequestedBy.UID = "u-1"
		}))
		task, _ := r.settle("do")
		change := r.change()
		if !metav1.IsControlledBy(change, task) || change.Spec.TaskRef.Name != "do" || change.Annotations[kube.CorrelationAnnotation] != "req-1" {
			t.Errorf("not the task's: %+v", change.ObjectMeta)
		}
		if change.Spec.RequestedBy.Username != "alice" || change.Spec.RequestedBy.UID != "u-1" || change.Spec.Reason != "scale web in shop to 3, please" {
			t.Errorf("asked by %+v because %q", change.Spec.RequestedBy, change.Spec.Reason)
		}
		scale := change.Spec.Kubernetes.Operations[0].Scale
		if len(change.Spec.Kubernetes.Operations) != 1 || scale.Replicas != 3 || scale.Target != (v1alpha1.OperationTarget{Kind: "Deployment", Namespace: "shop", Name: "web"}) {
			t.Errorf("operations: %s", asJSON(t, change.Spec.Kubernetes))
		}
		if got := task.Status.ChangeRequests; len(got) != 1 || got[0].Name != change.Name || got[0].UID != string(change.UID) || got[0].Result != "" {
			t.Errorf("the task lists %+v", got)
		}
		if change.Spec.Cancel || change.Spec.Suspend || change.Spec.ServiceAccountName != "" {
			t.Errorf("what the wish does not say is left to the defaults: %+v", change.Spec)
		}
	})
	t.Run("two wishes are two operations in order", func(t *testing.T) {
		r := newRoom(t, ask("do", "restart web in shop, then scale it to 2"))
		r.settle("do")
		operations := r.change().Spec.Kubernetes.Operations
		if len(operations) != 2 || operations[0].Restart == nil || operations[1].Scale == nil || operations[1].Scale.Target.Name != "web" {
			t.Errorf("operations: %s", asJSON(t, operations))
		}
	})
	t.Run("a number that depends on the current one is read as the task's account", func(t *testing.T) {
		r := newRoom(t, ask("do", "double the replicas of web in shop"))
		replicas := int32(3)
		r.world.fill = func(s *cluster.Snapshot) {
			s.Deployments = []*appsv1.Deployment{{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}, Spec: appsv1.DeploymentSpec{Replicas: &replicas}}}
		}
		r.settle("do")
		if got := r.change().Spec.Kubernetes.Operations[0].Scale.Replicas; got != 6 {
			t.Errorf("scaled to %d, want 6", got)
		}
	})
	t.Run("a number that depends on one that may not be read is not guessed", func(t *testing.T) {
		r := newRoom(t, ask("do", "scale web in shop up by 2"))
		r.world.fill = func(*cluster.Snapshot) {}
		r.world.readErrs = []error{forbidden}
		task, _ := r.settle("do")
		if r.change() != nil || task.Status.Failure.Type != v1alpha1.SucceededNotExpressible || !strings.Contains(task.Status.Failure.Message, "write the number") {
			t.Errorf("%+v", task.Status.Failure)
		}
	})
	t.Run("spec.targets say what a text only points at", func(t *testing.T) {
		r := newRoom(t, ask("do", "restart it", func(task *v1alpha1.AgentTask) {
			task.Spec.Intent, task.Spec.Targets = v1alpha1.IntentChange, []v1alpha1.Target{{Kind: "Deployment", Name: "web"}}
		}))
		r.settle("do")
		if change := r.change(); change == nil || change.Spec.Kubernetes.Operations[0].Restart.Target.Name != "web" {
			t.Errorf("got %s", summary(r.get("do")))
		}
	})
	t.Run("secrets in the text stay out of the reason", func(t *testing.T) {
		r := newRoom(t, ask("do", "restart web in shop because it logs password=hunter2-hunter2"))
		r.settle("do")
		if reason := r.change().Spec.Reason; strings.Contains(reason, "hunter2") {
			t.Errorf("the reason is %q", reason)
		}
	})
	t.Run("a question never becomes a change, however its diagnosis ends", func(t *testing.T) {
		r := newRoom(t, ask("do", "restart web in shop", func(task *v1alpha1.AgentTask) { task.Spec.Intent = v1alpha1.IntentDiagnostic }))
		r.settle("do")
		if r.change() != nil {
			t.Error("a ChangeRequest was created")
		}
	})
	t.Run("a ChangeRequest that is not the task's is left alone", func(t *testing.T) {
		task := ask("do", "restart web in shop")
		theirs := &v1alpha1.ChangeRequest{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: (&pass{task: task}).changeName(), UID: "theirs"},
			Spec: v1alpha1.ChangeRequestSpec{Reason: "theirs", TaskRef: &v1alpha1.LocalReference{Name: "do"}}}
		r := newRoom(t, task, theirs)
		got, _ := r.settle("do")
		if got.Status.Failure == nil || got.Status.Failure.Type != v1alpha1.SucceededChangeNameTaken || got.Status.ChangeRequests != nil {
			t.Errorf("got %s", summary(got))
		}
		if r.change().Spec.Reason != "theirs" || r.change().OwnerReferences != nil {
			t.Error("another's ChangeRequest was adopted")
		}
	})
	t.Run("a refusal of the API server ends the task and says so", func(t *testing.T) {
		r := newRoom(t, ask("do", "restart web in shop"))
		r.failing = func(n int) (before, after error) {
			if n == 1 {
				return apierrors.NewForbidden(changes, "do", errors.New("policy eclusier-check-change says no")), nil
			}
			return nil, nil
		}
		task, _ := r.settle("do")
		if task.Status.Failure == nil || task.Status.Failure.Type != v1alpha1.SucceededChangeRefused || !strings.Contains(task.Status.Failure.Message, "eclusier-check-change") {
			t.Errorf("%+v", task.Status.Failure)
		}
	})
}

func TestPass_changeName(t *testing.T) {
	named := func(name string, uid types.UID) string {
		task := ask(name, "x")
		task.UID = uid
		return (&pass{task: task}).changeName()
	}
	first, again := named("do", "a"), named("do", "a")
	if first != again || first == named("do", "b") {
		t.Error("the name must be the same in every pass, and another one for another task of the same name")
	}
	for _, name := range []string{"do", strings.Repeat("a", 253), strings.Repeat("a", 51) + "-b", "v1.2.fix", strings.Repeat("a.", 100) + "a"} {
		if got := named(name, "a"); len(got) > 63 || strings.Contains(got, ".") || strings.Contains(got, "--") {
			t.Errorf("%q for task %q", got, name)
		}
	}
}

func TestReconciler_follow(t *testing.T) {
	tests := []struct {
		result v1alpha1.ChangeResult
		want   string
		phase  v1alpha1.Phase
	}{
		{v1alpha1.ResultSucceeded, "+Succeeded/ChangeSucceeded", v1alpha1.PhaseSucceeded},
		{v1alpha1.ResultPlanned, "+Succeeded/DryRunPlanned", v1alpha1.PhaseSucceeded},
		{v1alpha1.ResultDenied, ended("ChangeDenied"), v1alpha1.PhaseFailed},
		{v1alpha1.ResultRejected, ended("ChangeRejected"), v1alpha1.PhaseFailed},
		{v1alpha1.ResultExpired, ended("ChangeExpired"), v1alpha1.PhaseFailed},
		{v1alpha1.ResultCancelled, ended("Cancelled"), v1alpha1.PhaseCancelled},
		{v1alpha1.ResultInvalid, ended("ChangeInvalid"), v1alpha1.PhaseFailed},
		{v1alpha1.ResultApplyFailed, ended("ChangeApplyFailed"), v1alpha1.PhaseFailed},
		{v1alpha1.ResultVerifyFailed, ended("ChangeVerifyFailed"), v1alpha1.PhaseFailed},
		{v1alpha1.ResultRolledBack, ended("ChangeRolledBack"), v1alpha1.PhaseFailed},
		{v1alpha1.ResultRollbackFailed, ended("ChangeRollbackFailed"), v1alpha1.PhaseFailed},
	}
	if len(tests) != len(outcomes) {
		t.Errorf("%d results are tried, %d are known", len(tests), len(outcomes))
	}
	for _, tt := range tests {
		t.Run(string(tt.result), func(t *testing.T) {
			r := newRoom(t, ask("do", "restart web in shop"))
			r.settle("do")
			r.clock.SetTime(noon.Add(24 * time.Hour)) // people have slept over it
			r.end(tt.result, func(c *v1alpha1.ChangeRequest) {
				c.Status.Plan = &v1alpha1.PlanStatus{Summary: "restart Deployment shop/web"}
				c.Status.Failure = &v1alpha1.Failure{Type: "X", Message: "Bob said no.", Remedies: []string{"Ask Bob"}}
			})
			task, _ := r.settle("do")
			if got, want := summary(task), targeted+"+Classified/RuleMatched +ChangeProposed/ChangeProposed "+tt.want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if task.Status.Phase != tt.phase || task.Status.ChangeRequests[0].Result != tt.result {
				t.Errorf("phase %s, %+v", task.Status.Phase, task.Status.ChangeRequests)
			}
			told := task.Status.Answer
			if failure := task.Status.Failure; failure != nil {
				told = failure.Message + strings.Join(failure.Remedies, " ")
			}
			said := "Bob said no." + "What happened: kubectl describe changerequest "
			if outcomes[tt.result].good {
				said = "restart Deployment shop/web"
			}
			if !strings.Contains(told, said) {
				t.Errorf("it says %q", told)
			}
			if r.writes != 3 || len(r.events.events) != 1 {
				t.Errorf("%d writes and events %v, want 3 and one: never more than 4", r.writes, r.events.events)
			}
		})
	}
}

func TestReconciler_follow_waits(t *testing.T) {
	t.Run("for as long as people take, by the watch alone", func(t *testing.T) {
		r := newRoom(t, ask("do", "restart web in shop", func(task *v1alpha1.AgentTask) {
			task.Spec.Limits = &v1alpha1.TaskLimits{WallClock: &metav1.Duration{Duration: time.Minute}}
		}))
		_, result := r.settle("do")
		before := r.writes
		r.clock.SetTime(noon.Add(72 * time.Hour))
		task, again, err := r.pass("do")
		if err != nil || finished(task) || r.writes != before || result.RequeueAfter != 0 || again.RequeueAfter != 0 {
			t.Errorf("%v, %s, %d writes more, wakes after %s and %s", err, summary(task), r.writes-before, result.RequeueAfter, again.RequeueAfter)
		}
	})
	t.Run("while the task is held, and ends after it is let go", func(t *testing.T) {
		r := newRoom(t, ask("do", "restart web in shop"))
		r.settle("do")
		r.edit("do", func(s *v1alpha1.AgentTaskSpec) { s.Suspend = true })
		r.end(v1alpha1.ResultSucceeded, nil)
		task, _ := r.settle("do")
		if task.Status.Phase != v1alpha1.PhaseSuspended || !strings.Contains(asJSON(t, task.Status.Conditions), "goes on") {
			t.Errorf("%s: %s", task.Status.Phase, asJSON(t, task.Status.Conditions))
		}
		r.edit("do", func(s *v1alpha1.AgentTaskSpec) { s.Suspend = false })
		if task, _ = r.settle("do"); task.Status.Phase != v1alpha1.PhaseSucceeded {
			t.Errorf("got %s", summary(task))
		}
	})
	t.Run("through an outage, without an end of its own", func(t *testing.T) {
		r := newRoom(t, ask("do", "restart web in shop"))
		r.settle("do")
		r.edit("do", func(s *v1alpha1.AgentTaskSpec) { s.Cancel = true })
		r.failing = func(int) (before, after error) {
			if r.change() != nil && r.patching {
				return timeout, nil
			}
			return nil, nil
		}
		for i := range 6 {
			r.clock.SetTime(noon.Add(time.Duration(i+1) * time.Minute))
			if task, _, err := r.pass("do"); err != nil || finished(task) {
				t.Fatalf("%v, %s", err, summary(task))
			}
		}
		r.failing = nil
		r.clock.SetTime(noon.Add(time.Hour))
		r.settle("do")
		if !r.change().Spec.Cancel {
			t.Error("the change is not cancelled once the API server is back")
		}
	})
}

func TestReconciler_follow_cancel(t *testing.T) {
	started := func(t *testing.T) *room {
		r := newRoom(t, ask("do", "restart web in shop"))
		r.settle("do")
		r.edit("do", func(s *v1alpha1.AgentTaskSpec) { s.Cancel = true })
		return r
	}
	t.Run("cancels the change once, and ends with it", func(t *testing.T) {
		r := started(t)
		before := r.writes
		task, _ := r.settle("do")
		if finished(task) || !r.change().Spec.Cancel || r.writes != before+2 {
			t.Errorf("%s, cancel %t, %d writes", summary(task), r.change().Spec.Cancel, r.writes-before)
		}
		r.end(v1alpha1.ResultCancelled, nil)
		if task, _ = r.settle("do"); task.Status.Phase != v1alpha1.PhaseCancelled {
			t.Errorf("got %s", summary(task))
		}
	})
	t.Run("comes too late for a change that succeeds", func(t *testing.T) {
		r := started(t)
		r.settle("do")
		r.end(v1alpha1.ResultSucceeded, nil)
		if task, _ := r.settle("do"); task.Status.Phase != v1alpha1.PhaseSucceeded {
			t.Errorf("what was done is told as it is: %s", summary(task))
		}
	})
	t.Run("says how to do it by hand where the operator may not", func(t *testing.T) {
		r := started(t)
		r.failing = func(int) (before, after error) {
			if r.patching {
				return apierrors.NewForbidden(changes, "do", errors.New("no")), nil
			}
			return nil, nil
		}
		task, _ := r.settle("do")
		if finished(task) || !strings.Contains(asJSON(t, task.Status.Conditions), "so do it yourself: kubectl patch changerequest") {
			t.Errorf("got %s", asJSON(t, task.Status.Conditions))
		}
	})
	t.Run("a change that somebody deleted ends the task", func(t *testing.T) {
		r := newRoom(t, ask("do", "restart web in shop"))
		r.settle("do")
		if err := r.client.Delete(t.Context(), r.change()); err != nil {
			t.Fatal(err)
		}
		again := &v1alpha1.ChangeRequest{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: r.get("do").Status.ChangeRequests[0].Name, UID: "another"},
			Status: v1alpha1.ChangeRequestStatus{Result: v1alpha1.ResultSucceeded}}
		if err := r.client.Create(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		if task, _ := r.settle("do"); task.Status.Failure == nil || task.Status.Failure.Type != v1alpha1.SucceededChangeGone {
			t.Errorf("got %s", summary(task))
		}
	})
}

// TestReconciler_proposeCrash kills the operator around every write of a change, before and after it is stored: exactly
// one ChangeRequest is made, and the task ends as if nothing had happened.
func TestReconciler_proposeCrash(t *testing.T) {
	live := func(r *room) (*v1alpha1.AgentTask, error) {
		for range 20 {
			task, _, err := r.pass("do")
			if err != nil || finished(task) {
				return task, err
			}
			if change := r.change(); change != nil && change.Status.Result == "" && task.Status.ChangeRequests != nil {
				r.end(v1alpha1.ResultSucceeded, nil)
			}
		}
		return nil, errors.New("the task does not end")
	}
	smooth := newRoom(t, ask("do", "restart web in shop"))
	want, err := live(smooth)
	if err != nil || smooth.writes != 3 {
		t.Fatal(err, smooth.writes)
	}
	broken := apierrors.NewInternalError(errors.New("connection lost"))
	for write := 1; write <= smooth.writes; write++ {
		for _, stored := range []bool{false, true} {
			r := newRoom(t, ask("do", "restart web in shop"))
			r.failing = func(n int) (before, after error) {
				switch {
				case n < write:
					return nil, nil
				case n == write && stored:
					return nil, broken
				}
				return broken, nil // a process that is dead writes nothing more
			}
			if _, err := live(r); err == nil {
				t.Fatalf("write %d: nothing failed", write)
			}
			r.failing = nil
			r.restart()
			got, err := live(r)
			if err != nil {
				t.Fatalf("write %d, stored %t: %v", write, stored, err)
			}
			got.ResourceVersion = want.ResourceVersion
			if gotText, wantText := asJSON(t, got), asJSON(t, want); gotText != wantText {
				t.Errorf("write %d, stored %t: ends as\n%s\nwant\n%s", write, stored, gotText, wantText)
			}
			if r.change() == nil {
				t.Errorf("write %d, stored %t: no ChangeRequest", write, stored)
			}
		}
	}
}

// TestReconciler_proposeCutOff: a change whose making is not recorded is not forgotten, whatever happens to its task.
func TestReconciler_proposeCutOff(t *testing.T) {
	cutOff := func(t *testing.T) *room {
		r := newRoom(t, ask("do", "restart web in shop"))
		r.failing = func(n int) (before, after error) {
			if n == 2 {
				return apierrors.NewInternalError(errors.New("connection lost")), nil
			}
			return nil, nil
		}
		if _, _, err := r.pass("do"); err == nil || r.change() == nil || r.get("do").Status.ChangeRequests != nil {
			t.Fatal("the change is made and not recorded", err)
		}
		r.failing = nil
		r.restart()
		return r
	}
	t.Run("its task is cancelled", func(t *testing.T) {
		r := cutOff(t)
		r.edit("do", func(s *v1alpha1.AgentTaskSpec) { s.Cancel = true })
		task, _ := r.settle("do")
		if finished(task) || !r.change().Spec.Cancel {
			t.Errorf("%s, cancel %t", summary(task), r.change().Spec.Cancel)
		}
	})
	t.Run("its target has gone", func(t *testing.T) {
		r := cutOff(t)
		r.world.objects = nil
		task, _ := r.settle("do")
		if finished(task) || task.Status.ChangeRequests == nil {
			t.Errorf("got %s", summary(task))
		}
		r.end(v1alpha1.ResultInvalid, nil)
		if task, _ = r.settle("do"); task.Status.Failure == nil || task.Status.Failure.Type != v1alpha1.SucceededChangeInvalid {
			t.Errorf("got %s", summary(task))
		}
	})
	t.Run("its task wants the same, and has what it wants", func(t *testing.T) {
		r := cutOff(t)
		task, _ := r.settle("do")
		if finished(task) || task.Status.ChangeRequests[0].UID != string(r.change().UID) {
			t.Errorf("got %s", summary(task))
		}
	})
}

func TestEndOfChange(t *testing.T) {
	open, done := &v1alpha1.ChangeRequest{}, &v1alpha1.ChangeRequest{Status: v1alpha1.ChangeRequestStatus{Result: v1alpha1.ResultDenied}}
	wakes := endOfChange()
	update := func(before, after client.Object) bool {
		return wakes.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after})
	}
	if update(open, open) || !update(open, done) || update(done, done) {
		t.Error("only the end of a change is news to its task")
	}
	if wakes.Create(event.CreateEvent{Object: open}) || !wakes.Create(event.CreateEvent{Object: done}) || !wakes.Delete(event.DeleteEvent{Object: open}) {
		t.Error("a change that has ended while nobody looked, or has gone, is news")
	}
}
