package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/controllers/agenttask"
	"github.com/eclusier/eclusier/controllers/changerequest"
	"github.com/eclusier/eclusier/internal/audit/jsonl"
	"github.com/eclusier/eclusier/internal/cluster/live"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/telemetry"
)

// run wires the operator together and runs it until ctx ends.
func run(ctx context.Context, config *rest.Config, options options) error {
	config.QPS = -1 // the number of workers bounds the load, and the API server's own fairness does the rest
	manager, err := newManager(config, options)
	if err != nil {
		return err
	}
	identity, err := whoami(ctx, manager)
	if err != nil {
		return err
	}
	uncached, err := client.New(config, client.Options{Scheme: manager.GetScheme(), Mapper: manager.GetRESTMapper(), HTTPClient: manager.GetHTTPClient()})
	if err != nil {
		return fmt.Errorf("preparing the client without a cache: %w", err)
	}
	measured := telemetry.New(metrics.Registry)
	guarding, err := watchGuard(ctx, manager, witnessing{identity: identity, namespace: options.namespace, uncached: uncached, measured: measured})
	if err != nil {
		return err
	}
	cluster, err := live.Connect(config, live.Options{})
	if err != nil {
		return err
	}
	tasks := &agenttask.Reconciler{
		Client:   manager.GetClient(),
		Uncached: manager.GetAPIReader(),
		Readers:  cluster,
		Guard:    guarding,
		Events:   kube.NewEvents(manager.GetEventRecorder("eclusier")),
		Metrics:  measured,
		Clock:    clock.RealClock{},
	}
	if err := tasks.Setup(manager, options.concurrent); err != nil {
		return fmt.Errorf("setting up the AgentTask controller: %w", err)
	}
	log, err := jsonl.Open(options.auditLog, time.Now)
	if err != nil {
		return fmt.Errorf("opening the audit log: %w", err)
	}
	if err := log.Start(ctx, identity); err != nil {
		return errors.Join(err, log.Close())
	}
	changes := changing{config: config, uncached: uncached, readers: cluster, guarding: guarding, measured: measured, log: log}
	if err := changes.setUp(ctx, manager, options); err != nil {
		return errors.Join(err, log.Close())
	}
	return errors.Join(manager.Start(ctx), log.Close())
}

func newManager(config *rest.Config, options options) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("registering kinds: %w", err)
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Metrics:                       server.Options{BindAddress: options.metricsAddress},
		HealthProbeBindAddress:        options.probeAddress,
		LeaderElection:                options.leaderElection,
		LeaderElectionID:              "eclusier-operator",
		LeaderElectionNamespace:       options.namespace,
		LeaderElectionReleaseOnCancel: true,
		Cache: cache.Options{
			DefaultTransform: cache.TransformStripManagedFields(),
			ByObject: map[client.Object]cache.ByObject{
				&v1alpha1.AgentTask{}:     {Transform: agenttask.Trim},
				&v1alpha1.ChangeRequest{}: {Transform: changerequest.Trim},
				&v1alpha1.Approval{}:      {Transform: changerequest.Trim},
			},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the manager: %w", err)
	}
	synced := func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !manager.GetCache().WaitForCacheSync(ctx) {
			return errors.New("the cache is not filled yet")
		}
		return nil
	}
	return manager, errors.Join(manager.AddHealthzCheck("ping", healthz.Ping), manager.AddReadyzCheck("cache", synced))
}

// whoami asks the API server under which name it knows the operator: the admission policies must name the same.
func whoami(ctx context.Context, manager ctrl.Manager) (string, error) {
	review := &authenticationv1.SelfSubjectReview{}
	if err := manager.GetClient().Create(ctx, review); err != nil {
		return "", fmt.Errorf("asking the API server for the operator's own name: %w", err)
	}
	return review.Status.UserInfo.Username, nil
}
