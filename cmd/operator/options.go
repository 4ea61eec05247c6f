package main

import (
	"flag"

	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// options are what the command line says.
type options struct {
	metricsAddress string
	probeAddress   string
	leaderElection bool
	namespace      string
	concurrent     int
	log            zap.Options
}

// parse reads the command line, and ends the program if it is not understood. The flags of controller-runtime
// (--kubeconfig) are there as well.
func parse(arguments []string) options {
	var o options
	flags := flag.CommandLine
	flags.StringVar(&o.metricsAddress, "metrics-bind-address", ":8080", "Address that serves metrics; 0 serves none.")
	flags.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081", "Address that serves /healthz and /readyz; 0 serves none.")
	flags.BoolVar(&o.leaderElection, "leader-elect", false, "Work only while being the leader, so that several replicas can stand by.")
	flags.StringVar(&o.namespace, "namespace", "eclusier-system", "Namespace of the operator, which holds its lease.")
	flags.IntVar(&o.concurrent, "max-concurrent-reconciles", 4, "How many tasks are worked on at a time. Each may hold a whole namespace in memory.")
	o.log.BindFlags(flags)
	_ = flags.Parse(arguments) // flag.CommandLine ends the program itself
	return o
}
