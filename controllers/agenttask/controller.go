// Package agenttask answers AgentTasks.
//
// It takes a task from Accepted over TargetResolved, Classified and Diagnosed to Succeeded: steps record facts in the
// task's status (steps.go says which, in order), and status.go alone turns facts into conditions. The facts are the record
// of what is done: whoever restarts the operator at any point loses nothing but the step in hand, and no finished step is
// made again. Nothing outside the API server is kept, so tasks have no finalizer (docs/decisions/0005-no-finalizer.md).
//
// It decides from no condition but one (see unvouched), never changes anything but the task's status (and deletes the task when its time to
// live is over), and never reads the tenant's objects as itself: always as the task's service account.
package agenttask

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/telemetry"
)

// Readers hands out readers that see the cluster as a service account does, as it is at the moment of the question or
// later.
type Readers interface {
	ReaderFor(account types.NamespacedName, asked time.Time) (cluster.Reader, error)
}

// Guard says whether the API server vouches for who asks.
type Guard interface {
	Check(ctx context.Context, reader client.Reader) (guard.Verdict, error)
}

// Reconciler answers AgentTasks. All exported fields are needed.
type Reconciler struct {
	// Client reads tasks and admission policies from the cache, and writes.
	Client client.Client
	// Uncached reads service accounts, since to hold all of a cluster's would be waste, and admission policies where the
	// cache may lag behind.
	Uncached client.Reader
	Readers  Readers
	Guard    Guard
	Events   kube.Events
	Metrics  *telemetry.Metrics
	Clock    clock.PassiveClock

	arrived arrivals
}

// Reconcile makes one pass over one task: it takes the next steps and writes the status once.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	task := &v1alpha1.AgentTask{}
	if err := r.Client.Get(ctx, request.NamespacedName, task); err != nil {
		return kube.Result(0, err)
	}
	if !task.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if finished(task) {
		return kube.Result(r.keep(ctx, task))
	}

	r.arrived.note(task, r.Clock.Now())
	session := kube.Open(r.Client, task)
	p := r.begin(task)
	p.run(ctx)
	if err := ctx.Err(); err != nil {
		return kube.Result(0, err)
	}
	p.conclude()
	written, err := session.Close(ctx)
	if err != nil {
		return kube.Result(0, err)
	}
	if written {
		p.announce(ctx)
	}
	return kube.Result(p.wake(), nil)
}

// keep does what is left to do for a finished task: delete it when its time is over, and acknowledge a change of the spec,
// which changes nothing any more. It returns when to look again.
func (r *Reconciler) keep(ctx context.Context, task *v1alpha1.AgentTask) (time.Duration, error) {
	if ttl := task.Spec.TTLAfterFinished; ttl != nil {
		if left := task.Status.CompletedAt.Add(ttl.Duration).Sub(r.Clock.Now()); left > 0 {
			return left, r.acknowledge(ctx, task)
		}
		seen := client.Preconditions{UID: &task.UID, ResourceVersion: &task.ResourceVersion}
		return 0, r.Client.Delete(ctx, task, seen)
	}
	return 0, r.acknowledge(ctx, task)
}

// acknowledge writes the generation of the spec into a finished task, so that kstatus does not wait for it. It touches
// nothing else: the cache holds finished tasks without their texts (see Trim).
func (r *Reconciler) acknowledge(ctx context.Context, task *v1alpha1.AgentTask) error {
	session := kube.Open(r.Client, task)
	task.Status.ObservedGeneration = task.Generation
	_, err := session.Close(ctx)
	return err
}

// finished tells from the facts whether a task has ended.
func finished(task *v1alpha1.AgentTask) bool { return task.Status.CompletedAt != nil }
