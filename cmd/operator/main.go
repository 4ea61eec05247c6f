// Command operator runs the controllers of eclusier in a cluster.
package main

import (
	"os"

	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

func main() {
	options := parse(os.Args[1:])
	logger := zap.New(zap.UseFlagOptions(&options.log))
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	ctx := ctrl.SetupSignalHandler()
	config, err := ctrl.GetConfig()
	if err != nil {
		logger.Error(err, "Finding the cluster: set KUBECONFIG, or run in a pod")
		os.Exit(1)
	}
	if err := run(ctx, config, options); err != nil {
		logger.Error(err, "Running the operator")
		os.Exit(1)
	}
}
