// Command kubectl-eclusier is the kubectl plugin. It only wires: see package cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/term"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/internal/cli"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/cluster/dump"
	"github.com/eclusier/eclusier/internal/cluster/live"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
	"github.com/eclusier/eclusier/internal/transcript/secrets"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// What is worth saying is in the errors; the libraries' own logs would only stand between the lines.
	klog.SetLogger(logr.Discard())
	ctrllog.SetLogger(logr.Discard())
	return cli.Run(ctx, cli.Env{
		In:          os.Stdin,
		Out:         os.Stdout,
		Err:         os.Stderr,
		Color:       cli.UseColor(term.IsTerminal(int(os.Stdout.Fd())), os.Getenv),
		Now:         time.Now,
		Interactive: term.IsTerminal(int(os.Stdin.Fd())),
		Client:      cli.NewClient,
		Kinds:       cli.NewKinds,
		Planner:     planner,
		Normal:      manifest.Normal,
		Diff:        manifest.Diff,
		Kept:        kept,
		Live: func(config *rest.Config) (cluster.Reader, error) {
			connection, err := live.Connect(config, live.Options{})
			if err != nil {
				return nil, err
			}
			return connection.Reader()
		},
		Dump: func(path string) (cluster.Reader, error) { return dump.Open(path) },
	}, os.Args[1:])
}

// planner plans as the caller, and impersonates nobody.
func planner(config *rest.Config) (cli.Planner, error) {
	return kubernetes.New(kubernetes.Options{Config: config, AsSelf: true})
}

// kept reads the operator's namespace as the caller.
func kept(config *rest.Config, namespace string) (cli.Snapshots, error) {
	c, err := cli.NewClient(config)
	if err != nil {
		return nil, err
	}
	return secrets.New(c, namespace, time.Now), nil
}
