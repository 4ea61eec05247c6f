package agenttask

import (
	"cmp"
	"context"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/kube"
)

// Setup has the manager call the reconciler, for at most so many tasks at a time.
func (r *Reconciler) Setup(manager ctrl.Manager, concurrent int) error {
	built := ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.AgentTask{}, builder.WithPredicates(r.worthALook())).
		Owns(&v1alpha1.ChangeRequest{}, builder.WithPredicates(endOfChange())).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent}).
		WithLogConstructor(r.logger(manager.GetLogger()))
	served, err := guard.Served(manager.GetRESTMapper())
	if err != nil {
		return err
	}
	for _, policy := range served {
		built = built.Watches(policy, handler.EnqueueRequestsFromMapFunc(r.policyChanged))
	}
	r.Metrics.CountUnfinished(r.countUnfinished)
	return built.Complete(r)
}

// worthALook drops what cannot change anything: finished tasks with nothing left to do, and what happens to a finished
// task apart from its spec. Everything else that happens to a task wakes it, the operator's own write included: that is
// how it goes on to its next step.
func (r *Reconciler) worthALook() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			task := e.Object.(*v1alpha1.AgentTask)
			acknowledged := task.Status.ObservedGeneration == task.Generation
			return !finished(task) || task.Spec.TTLAfterFinished != nil || !acknowledged
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			task := e.ObjectNew.(*v1alpha1.AgentTask)
			return !finished(task) || task.Generation != e.ObjectOld.GetGeneration()
		},
		DeleteFunc: func(e event.DeleteEvent) bool {
			if task, ok := e.Object.(*v1alpha1.AgentTask); ok {
				r.arrived.forget(task)
			}
			return false
		},
	}
}

// endOfChange drops what happens to a change but for its end, and its going without one: how it gets there is told by the
// change itself.
func endOfChange() predicate.Predicate {
	ended := func(object client.Object) bool { return object.(*v1alpha1.ChangeRequest).Status.Result != "" }
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return ended(e.Object) },
		UpdateFunc: func(e event.UpdateEvent) bool { return ended(e.ObjectNew) && !ended(e.ObjectOld) },
		DeleteFunc: func(event.DeleteEvent) bool { return true },
	}
}

// policyChanged returns the tasks that have not been accepted yet, and tells the metrics how the policies are now.
func (r *Reconciler) policyChanged(ctx context.Context, _ client.Object) []reconcile.Request {
	if verdict, err := r.Guard.Check(ctx, r.Client); err == nil {
		r.Metrics.GuardInPlace(verdict.InPlace())
	}
	var requests []reconcile.Request
	err := r.unfinished(ctx, func(task *v1alpha1.AgentTask) {
		if task.Status.StartedAt == nil {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(task)})
		}
	})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Listing the tasks that wait for the identity guard")
	}
	return requests
}

// countTimeout bounds counting the unfinished tasks: a cache that is not filled yet must not hold the metrics up.
const countTimeout = time.Second

// countUnfinished returns how many tasks are in each phase that is not an end.
func (r *Reconciler) countUnfinished() map[string]int {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	counts := map[string]int{}
	err := r.unfinished(ctx, func(task *v1alpha1.AgentTask) {
		counts[string(cmp.Or(task.Status.Phase, v1alpha1.PhasePending))]++
	})
	if err != nil {
		return nil
	}
	return counts
}

// unfinished visits the tasks that have not ended. They are the cache's own and must not be changed.
func (r *Reconciler) unfinished(ctx context.Context, visit func(*v1alpha1.AgentTask)) error {
	tasks := &v1alpha1.AgentTaskList{}
	if err := r.Client.List(ctx, tasks, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	for i := range tasks.Items {
		if task := &tasks.Items[i]; !finished(task) {
			visit(task)
		}
	}
	return nil
}

// logger puts the names of a task and its correlation id into every line that is logged about it, those of the work queue
// included.
func (r *Reconciler) logger(base logr.Logger) func(*reconcile.Request) logr.Logger {
	return kube.Logger(base, "agenttask", "task", func(name types.NamespacedName) string {
		task := &v1alpha1.AgentTask{}
		if err := r.Client.Get(context.Background(), name, task); err != nil {
			return ""
		}
		return correlationID(task)
	})
}

// Trim drops from the cache what no pass looks at: for finished tasks, which are kept for as long as their owners like,
// everything long. It is a cache's transform function.
func Trim(object any) (any, error) {
	task, ok := object.(*v1alpha1.AgentTask)
	if !ok {
		return object, nil
	}
	task.ManagedFields = nil
	if finished(task) {
		task.Spec.Prompt, task.Spec.Targets = "", nil
		task.Annotations = nil
		task.Status.Answer, task.Status.Findings, task.Status.Missing = "", nil, nil
		task.Status.Classification, task.Status.Targets, task.Status.Usage = nil, nil, nil
		for i := range task.Status.Conditions {
			task.Status.Conditions[i].Message = ""
		}
	}
	return task, nil
}
