package main

import (
	"context"
	"fmt"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/telemetry"
)

// witnessing is what the watch over the identity guard is made of.
type witnessing struct {
	identity, namespace string
	uncached            client.Client
	measured            *telemetry.Metrics
}

// watchGuard looks at the identity guard at the start, and has the manager look again whenever a policy changes: since when
// it is in place must be known before anybody asks, and not from the first who does. That it is missing is no reason to
// stop, since tasks and changes wait for it.
func watchGuard(ctx context.Context, manager ctrl.Manager, w witnessing) (*guard.Witness, error) {
	expected, err := guard.New(w.identity)
	if err != nil {
		return nil, err
	}
	guarding := guard.NewWitness(expected, w.uncached, guard.Lease{Client: w.uncached, Namespace: w.namespace}, clock.RealClock{})
	logger := manager.GetLogger().WithName("guard")
	look := func(ctx context.Context) error {
		verdict, err := guarding.Check(ctx, w.uncached)
		if err != nil {
			return fmt.Errorf("checking the identity guard: %w", err)
		}
		w.measured.GuardInPlace(verdict.InPlace())
		if !verdict.InPlace() {
			logger.Info("Identity guard missing, tasks and changes wait for it", "reason", verdict.Message())
			return nil
		}
		logger.Info("Identity guard in place", "stamp", verdict.Stamp, "since", verdict.Since)
		return nil
	}
	if err := look(ctx); err != nil {
		return nil, err
	}
	served, err := guard.Served(manager.GetRESTMapper())
	if err != nil {
		return nil, err
	}
	one := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: "identity"}}}
	})
	built := ctrl.NewControllerManagedBy(manager).Named("guard")
	for _, kind := range served {
		built = built.Watches(kind, one)
	}
	return guarding, built.Complete(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{}, look(ctx)
	}))
}
