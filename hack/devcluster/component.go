package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
)

// components are the programs that this one can stand for.
var components = map[string]func(args []string) error{
	"etcd": func(args []string) error {
		etcdmain.Main(args)
		return nil
	},
	"kube-apiserver":          func([]string) error { return execute(apiserver.NewAPIServerCommand()) },
	"kube-controller-manager": func([]string) error { return execute(manager.NewControllerManagerCommand()) },
	"kube-scheduler":          func([]string) error { return execute(scheduler.NewSchedulerCommand()) },
	"kubectl":                 func([]string) error { return execute(kubectl.NewDefaultKubectlCommand()) },
	"kwok":                    runKwok,
}

func execute(command *cobra.Command) error {
	// A component prints its own error.
	os.Exit(cli.Run(command))
	return nil
}

func runKwok([]string) error {
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	ctx, logger := kwoklog.InitFlags(context.Background(), flags)
	ctx, err := kwokconfig.InitFlags(ctx, flags)
	if err != nil {
		return err
	}
	command := kwok.NewCommand(kwoklog.NewContext(ctx, logger))
	// The flag --version is taken by the Kubernetes parts.
	command.Version = ""
	command.PersistentFlags().AddFlagSet(flags)
	return command.ExecuteContext(kwoklog.NewContext(ctx, logger))
}
