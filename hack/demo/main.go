// Command demo shows eclusier at work, from nothing to answers on screen.
//
//	bin/demo demo      a control plane, a shop with four faults, questions about them, their answers, and changes
//	bin/demo cluster   a control plane with CRDs, roles and policies in the foreground
//	bin/demo run       the operator as a local process against $KUBECONFIG
//
// `make demo`, `make cluster` and `make run` call it. With KUBECONFIG set, the demo uses that cluster and takes away
// again what it brought; otherwise it starts one of its own. The people who ask and agree are users that its own user
// impersonates. It ends with 1 if an answer is wrong or a change goes another way than it has to.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

func main() {
	log.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case err == nil:
	case interrupted:
		// What failed, failed because it was stopped.
		os.Exit(130)
	default:
		fmt.Fprintf(os.Stderr, "\n%v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: demo demo|cluster|run, got %q", args)
	}
	screen := newScreen(os.Stdout)
	switch args[0] {
	case "demo":
		return demo(ctx, screen)
	case "cluster":
		return cluster(ctx, screen)
	case "run":
		return operate(ctx)
	}
	return fmt.Errorf("unknown: %q; usage: demo demo|cluster|run", args[0])
}
