package plane

import (
	"context"
	"fmt"

	"k8s.io/client-go/tools/cache"
	managerapp "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	manageroptions "k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	schedulerapp "k8s.io/kubernetes/cmd/kube-scheduler/app"
	scheduleroptions "k8s.io/kubernetes/cmd/kube-scheduler/app/options"

	"github.com/eclusier/eclusier/hack/devcluster/internal/authority"
)

// runControllerManager runs the real controllers until the context ends.
func runControllerManager(ctx context.Context, kubeconfig string, ca, tokens authority.Pair) error {
	opts, err := manageroptions.NewKubeControllerManagerOptions()
	if err != nil {
		return err
	}
	known, off, alias := managerapp.KnownControllers(), managerapp.ControllersDisabledByDefault(), managerapp.ControllerAliases()
	sets := opts.Flags(known, off, alias)
	opts.ParsedFlags = &sets
	err = parse(sets, []string{
		"--kubeconfig=" + kubeconfig,
		// The default of 20 requests per second makes the start take five seconds.
		"--kube-api-qps=500", "--kube-api-burst=1000",
		"--secure-port=0",
		"--leader-elect=false",
		"--use-service-account-credentials",
		"--service-account-private-key-file=" + tokens.Key,
		"--root-ca-file=" + ca.Cert,
		"--cluster-signing-cert-file=" + ca.Cert, "--cluster-signing-key-file=" + ca.Key,
		"--service-cluster-ip-range=" + serviceRange,
	})
	if err != nil {
		return err
	}
	config, err := opts.Config(ctx, known, off, alias)
	if err != nil {
		return fmt.Errorf("configuring the controller manager: %w", err)
	}
	if err := managerapp.Run(ctx, config.Complete()); err != nil {
		return fmt.Errorf("running the controller manager: %w", err)
	}
	return nil
}

// runScheduler runs the real scheduler until the context ends.
func runScheduler(ctx context.Context, kubeconfig string) error {
	opts := scheduleroptions.NewOptions()
	err := parse(*opts.Flags, []string{
		"--kubeconfig=" + kubeconfig,
		"--kube-api-qps=500", "--kube-api-burst=1000",
		"--secure-port=0",
		"--leader-elect=false",
	})
	if err != nil {
		return err
	}
	if opts.InformerName, err = cache.NewInformerName("kube-scheduler"); err != nil {
		return err
	}
	config, scheduler, err := schedulerapp.Setup(ctx, opts)
	if err != nil {
		return fmt.Errorf("configuring the scheduler: %w", err)
	}
	// At the end of its context the scheduler says that it finished without completing, which is what was asked for.
	if err := schedulerapp.Run(ctx, config, scheduler); err != nil && ctx.Err() == nil {
		return fmt.Errorf("running the scheduler: %w", err)
	}
	return nil
}
