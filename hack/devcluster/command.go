package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/eclusier/eclusier/hack/devcluster/internal/authority"
	"github.com/eclusier/eclusier/hack/devcluster/internal/kubelet"
	"github.com/eclusier/eclusier/hack/devcluster/internal/plane"
)

const usage = `devcluster up [--dir DIR] [--frozen] [--nodes N] [--kubeconfig PATH] [--user NAME[:GROUP,...]]... [--logs DIR] [--stages DIR] [--ready-file F]
devcluster load SCENARIO [--dir DIR] [--kubeconfig PATH] [--user NAME[:GROUP,...]]... [--logs DIR] [--ready-file F]
devcluster kubeconfig --dir DIR --user NAME[:GROUP,...]
devcluster etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kubectl|kwok ARGS`

// commands are what this program does under its own name.
var commands = map[string]func(args []string) error{
	"up":         up,
	"load":       load,
	"kubeconfig": kubeconfig,
}

// upFlags are the flags that up and load share.
type upFlags struct {
	*flag.FlagSet
	options   plane.Options
	readyFile string
}

func newUpFlags(name string) *upFlags {
	f := &upFlags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError)}
	f.StringVar(&f.options.Dir, "dir", "", "folder that keeps the cluster; without it everything is removed at the end")
	f.StringVar(&f.options.Logs, "logs", "", "folder for the logs of the control plane (default: logs in the folder of the cluster)")
	f.StringVar(&f.options.Kubeconfig, "kubeconfig", "", "where to write the administrator's kubeconfig (default: in the folder of the cluster)")
	f.StringVar(&f.readyFile, "ready-file", "", "file to write the path of the kubeconfig to once the cluster is ready")
	f.Func("user", "user to make a kubeconfig for, NAME or NAME:GROUP,...; may be repeated", func(text string) error {
		user, err := authority.ParseUser(text)
		f.options.Users = append(f.options.Users, user)
		return err
	})
	return f
}

func up(args []string) error {
	f := newUpFlags("up")
	f.BoolVar(&f.options.Frozen, "frozen", false, "etcd and API server only: nothing changes but what you change")
	f.IntVar(&f.options.Nodes, "nodes", 3, "number of nodes")
	f.StringVar(&f.options.Stages, "stages", "", "folder with KWOK stages to play beside the built-in ones")
	if err := f.Parse(args); err != nil {
		return err
	}
	f.options.LogSource = kubelet.AnnotatedLog
	if !f.options.Frozen {
		f.options.Parts = []plane.Part{kubelet.Run}
	}
	return serve(f, func(context.Context, *plane.Plane) (string, error) { return "", nil })
}

// serve runs a control plane until a signal asks it to stop. fill puts objects into it before it is called ready and
// returns what else to export.
func serve(f *upFlags, fill func(context.Context, *plane.Plane) (string, error)) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	start := time.Now()
	p, err := plane.Start(ctx, f.options)
	if err != nil {
		return err
	}
	export, err := fill(ctx, p)
	if err == nil {
		fmt.Printf("export KUBECONFIG=%s%s  # ready after %.1f s\n", p.Kubeconfig, export, time.Since(start).Seconds())
		err = writeReadyFile(f.readyFile, p.Kubeconfig)
	}
	if err == nil {
		select {
		case <-ctx.Done():
		case err = <-p.Failed():
		}
	}
	// A second signal ends the process at once.
	stop()
	return firstError(err, p.Stop())
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func writeReadyFile(path, content string) error {
	if path == "" {
		return nil
	}
	// Whoever waits for the file must never see half of it.
	if err := os.WriteFile(path+".new", []byte(content+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// kubeconfig prints a kubeconfig for a user of the cluster that runs in a kept folder.
func kubeconfig(args []string) error {
	f := flag.NewFlagSet("kubeconfig", flag.ContinueOnError)
	dir := f.String("dir", "", "folder of the cluster")
	name := f.String("user", "", "user, NAME or NAME:GROUP,...")
	if err := f.Parse(args); err != nil {
		return err
	}
	user, err := authority.ParseUser(*name)
	if err != nil {
		return err
	}
	admin, err := clientcmd.BuildConfigFromFlags("", filepath.Join(*dir, "kubeconfig"))
	if err != nil {
		return fmt.Errorf("finding the cluster of %s: %w", *dir, err)
	}
	ca, err := authority.Load(filepath.Join(*dir, "pki"))
	if err != nil {
		return err
	}
	data, err := ca.Kubeconfig(admin.Host, user)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(data)
	return err
}
