package changerequest

import (
	"cmp"
	"context"
	"regexp"
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
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/kube"
)

// Setup has the manager call the reconciler, for at most so many changes at a time, and sweep what is kept of old ones.
func (r *Reconciler) Setup(ctx context.Context, manager ctrl.Manager, concurrent int) error {
	if err := manager.GetFieldIndexer().IndexField(ctx, &v1alpha1.Approval{}, changeOf, IndexApproval); err != nil {
		return err
	}
	spec := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	built := ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.ChangeRequest{}, builder.WithPredicates(r.worthALook())).
		Watches(&v1alpha1.Approval{}, handler.EnqueueRequestsFromMapFunc(changeOfApproval), spec).
		Watches(&v1alpha1.ChangePolicy{}, handler.EnqueueRequestsFromMapFunc(r.unappliedChanges), spec).
		WatchesRawSource(source.Func(r.turns.attach)).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent}).
		WithLogConstructor(r.logger(manager.GetLogger()))
	served, err := guard.Served(manager.GetRESTMapper())
	if err != nil {
		return err
	}
	for _, kind := range served {
		built = built.Watches(kind, handler.EnqueueRequestsFromMapFunc(r.unappliedChanges))
	}
	r.Metrics.CountUnfinishedChanges(r.countUnfinished)
	if err := manager.Add(&sweeper{r}); err != nil {
		return err
	}
	return built.Complete(r)
}

// IndexApproval is the index by which the Approvals of a change are found in the cache.
func IndexApproval(object client.Object) []string {
	return []string{object.(*v1alpha1.Approval).Spec.ChangeRequestRef.UID}
}

// changeOfApproval finds the change that an Approval speaks of. Its owner is not asked: it may have been taken away.
func changeOfApproval(_ context.Context, object client.Object) []reconcile.Request {
	name := object.(*v1alpha1.Approval).Spec.ChangeRequestRef.Name
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: object.GetNamespace(), Name: name}}}
}

// worthALook drops what cannot change anything: finished changes that have been acknowledged, and the deletion of those
// that hold nothing. Whoever waits for the objects of a change that is deleted, or ends, is woken.
func (r *Reconciler) worthALook() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			requested := e.Object.(*v1alpha1.ChangeRequest)
			return !finished(requested) || requested.Status.ObservedGeneration != requested.Generation
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			requested := e.ObjectNew.(*v1alpha1.ChangeRequest)
			if finished(requested) {
				r.turns.wake(string(requested.UID))
			}
			return !finished(requested) || requested.Generation != e.ObjectOld.GetGeneration()
		},
		DeleteFunc: func(e event.DeleteEvent) bool {
			r.turns.wake(string(e.Object.GetUID()))
			gone := e.Object.(*v1alpha1.ChangeRequest)
			return !finished(gone) && len(gone.Status.Attempts) > 0
		},
	}
}

// unappliedChanges are the changes that policies and the identity guard still have a say in.
func (r *Reconciler) unappliedChanges(ctx context.Context, _ client.Object) []reconcile.Request {
	var requests []reconcile.Request
	err := r.unfinished(ctx, func(requested *v1alpha1.ChangeRequest) {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(requested)})
	})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Listing the changes that a policy may concern")
	}
	return requests
}

// unfinished visits the changes that have not ended. They are the cache's own and must not be changed.
func (r *Reconciler) unfinished(ctx context.Context, visit func(*v1alpha1.ChangeRequest)) error {
	changes := &v1alpha1.ChangeRequestList{}
	if err := r.Client.List(ctx, changes, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	for i := range changes.Items {
		if requested := &changes.Items[i]; !finished(requested) {
			visit(requested)
		}
	}
	return nil
}

// countTimeout bounds counting the unfinished changes: a cache that is not filled yet must not hold the metrics up.
const countTimeout = time.Second

// countUnfinished returns how many changes are in each phase that is not an end.
func (r *Reconciler) countUnfinished() map[string]int {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	counts := map[string]int{}
	err := r.unfinished(ctx, func(requested *v1alpha1.ChangeRequest) {
		counts[string(cmp.Or(requested.Status.Phase, v1alpha1.ChangePlanning))]++
	})
	if err != nil {
		return nil
	}
	return counts
}

// logger puts the names of a change and its correlation id into every line that is logged about it.
func (r *Reconciler) logger(base logr.Logger) func(*reconcile.Request) logr.Logger {
	return kube.Logger(base, "changerequest", "change", func(name types.NamespacedName) string {
		requested := &v1alpha1.ChangeRequest{}
		if err := r.Client.Get(context.Background(), name, requested); err != nil {
			return ""
		}
		return correlationID(requested)
	})
}

// id is what a correlation id may look like: it goes into log lines and headers.
var id = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// correlationID is the id that the change was given by its annotation, or one made from its uid.
func correlationID(requested *v1alpha1.ChangeRequest) string {
	if given := requested.Annotations[kube.CorrelationAnnotation]; id.MatchString(given) {
		return given
	}
	return kube.CorrelationID(requested.UID)
}

// Trim drops from the cache what no pass looks at: who wrote which field, and of finished changes what was asked for at
// length. It is a cache's transform function.
func Trim(object any) (any, error) {
	switch o := object.(type) {
	case *v1alpha1.ChangeRequest:
		o.ManagedFields = nil
		if finished(o) {
			o.Spec.Kubernetes, o.Spec.Checks = v1alpha1.KubernetesChange{}, nil
		}
	case *v1alpha1.Approval:
		o.ManagedFields = nil
		o.Spec.Diff = ""
	}
	return object, nil
}
