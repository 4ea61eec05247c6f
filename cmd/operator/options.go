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
	changes        int
	auditLog       string
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
	flags.StringVar(&o.namespace, "namespace", "eclusier-system", "Namespace of the operator, which holds its leases and the plans of changes.")
	flags.IntVar(&o.concurrent, "max-concurrent-reconciles", 4, "How many tasks are worked on at a time. Each may hold a whole namespace in memory.")
	flags.IntVar(&o.changes, "max-concurrent-changes", 8, "How many ChangeRequests are worked on at a time. Those that wait for people take up nothing.")
	flags.StringVar(&o.auditLog, "audit-log", "-", "File that every effect is written to before and after it is had, one JSON object a line; - is standard output. Nothing is applied while it cannot be written.")
	o.log.BindFlags(flags)
	_ = flags.Parse(arguments) // flag.CommandLine ends the program itself
	return o
}
