// Command devcluster is a whole Kubernetes control plane in one program: etcd, kube-apiserver,
// kube-controller-manager, kube-scheduler, kubectl and kwok by those names (as the name of the program, so that
// symbolic links to it can stand for the real ones, or as its first argument), and all of them in one process as up
// and load. It is a tool for development and tests and keeps nothing safe.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "devcluster:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if component, ok := components[filepath.Base(args[0])]; ok {
		return component(args)
	}
	if len(args) < 2 {
		return fmt.Errorf("what to do is missing\n%s", usage)
	}
	if component, ok := components[args[1]]; ok {
		// A component reads its flags from the arguments of the process.
		os.Args = append([]string{args[1]}, args[2:]...)
		return component(os.Args)
	}
	if command, ok := commands[args[1]]; ok {
		return command(args[2:])
	}
	return fmt.Errorf("%q is unknown\n%s", args[1], usage)
}
