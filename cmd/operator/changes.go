package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/controllers/changepolicy"
	"github.com/eclusier/eclusier/controllers/changerequest"
	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/cluster/live"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes"
	"github.com/eclusier/eclusier/internal/telemetry"
	"github.com/eclusier/eclusier/internal/transcript/secrets"
)

// changing is what the controllers of changes are made of.
type changing struct {
	config *rest.Config
	// uncached keeps nothing: the manager's own client would hold every Secret of the namespace in memory.
	uncached client.Client
	readers  *live.Connection
	guarding *guard.Witness
	measured *telemetry.Metrics
	log      audit.Log
}

// setUp has the manager run the controllers of ChangeRequests and ChangePolicies.
func (c changing) setUp(ctx context.Context, manager ctrl.Manager, options options) error {
	pipeline, err := kubernetes.New(kubernetes.Options{Config: c.config, Readers: c.readers})
	if err != nil {
		return err
	}
	events := kube.NewEvents(manager.GetEventRecorder("eclusier"))
	changes := &changerequest.Reconciler{
		Client:    manager.GetClient(),
		Uncached:  manager.GetAPIReader(),
		Pipeline:  pipeline,
		Plans:     secrets.New(c.uncached, options.namespace, time.Now),
		Audit:     c.log,
		Guard:     c.guarding,
		Events:    events,
		Metrics:   c.measured,
		Clock:     clock.RealClock{},
		Namespace: options.namespace,
	}
	if err := changes.Setup(ctx, manager, options.changes); err != nil {
		return fmt.Errorf("setting up the ChangeRequest controller: %w", err)
	}
	policies := &changepolicy.Reconciler{Client: manager.GetClient(), Events: events, Metrics: c.measured, Clock: clock.RealClock{}}
	if err := policies.Setup(manager); err != nil {
		return fmt.Errorf("setting up the ChangePolicy controller: %w", err)
	}
	return nil
}
