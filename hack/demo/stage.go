package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/eclusier/eclusier/hack/local"
)

const (
	shop      = "shop"
	neighbors = "shop-blog"
)

// stage is where the play takes place: a checkout, a folder for files of the moment, a cluster, and what was started.
type stage struct {
	*screen
	root    string
	dir     string
	kubectl local.Kubectl
	// guest is true on a cluster of the user's, which is left as it was found.
	guest bool
	// undo is done in reverse order at the end.
	undo []func()
}

func newStage(s *screen) (*stage, error) {
	root, err := local.Root()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "eclusier-")
	if err != nil {
		return nil, err
	}
	st := &stage{screen: s, root: root, dir: dir}
	st.atEnd(func() { _ = os.RemoveAll(dir) })
	return st, nil
}

func (s *stage) atEnd(do func()) { s.undo = append(s.undo, do) }

// close stops and removes what was started and made, the last first.
func (s *stage) close() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
}

// openCluster takes the user's cluster if KUBECONFIG names one, and starts one otherwise.
func (s *stage) openCluster(ctx context.Context) error {
	assets, err := local.BuildAssets(ctx, s.root)
	if err != nil {
		return err
	}
	s.kubectl.Path = filepath.Join(assets, "kubectl")
	if os.Getenv("KUBECONFIG") != "" {
		return s.visit(ctx)
	}
	return s.step(ctx, "control plane", "etcd, API server, controllers, scheduler, nodes", func() error {
		plane, err := local.Up(ctx, assets, s.dir)
		if err != nil {
			return err
		}
		s.atEnd(plane.Stop)
		s.kubectl.Kubeconfig = plane.Kubeconfig
		return nil
	})
}

// visit uses the cluster of KUBECONFIG. On a terminal it leaves a moment to think better of it.
func (s *stage) visit(ctx context.Context) error {
	s.guest = true
	view := exec.CommandContext(ctx, s.kubectl.Path, "config", "view", "--minify", "--flatten", "--raw") //nolint:gosec // our own kubectl
	flat, err := view.Output()
	if err != nil {
		return fmt.Errorf("KUBECONFIG=%s does not name a cluster: %w", os.Getenv("KUBECONFIG"), err)
	}
	s.kubectl.Kubeconfig = filepath.Join(s.dir, "kubeconfig")
	if err := os.WriteFile(s.kubectl.Kubeconfig, flat, 0o600); err != nil {
		return err
	}
	server, err := s.kubectl.Run(ctx, "config", "view", "--minify", "-o", "jsonpath={.contexts[0].name} at {.clusters[0].cluster.server}")
	if err != nil {
		return err
	}
	s.line("  Using %s", s.paint(bold, server))
	if !s.color {
		return nil
	}
	s.line("  %s", s.paint(dim, "KUBECONFIG is set; in 5 seconds eclusier is installed there. Ctrl-C stops this."))
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(5 * time.Second):
		return nil
	}
}

// install brings CRDs, roles and policies. On a guest's cluster that did not have them they go again at the end.
func (s *stage) install(ctx context.Context) error {
	return s.step(ctx, "eclusier", "CRDs, roles, admission policies", func() error {
		folder, err := local.Installation(ctx, s.kubectl, s.root)
		if err != nil {
			return err
		}
		present, err := s.kubectl.Run(ctx, "get", "crd", "agenttasks.eclusier.io", "--ignore-not-found", "-o", "name")
		if err != nil {
			return err
		}
		if s.guest && present == "" {
			s.atEnd(func() { s.remove("-k", folder) })
		}
		return local.Install(ctx, s.kubectl, folder)
	})
}

// remove deletes from the cluster at the end, when the context of the play may have been cancelled.
func (s *stage) remove(args ...string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	args = append([]string{"delete", "--ignore-not-found", "--wait=false"}, args...)
	if _, err := s.kubectl.Run(ctx, args...); err != nil {
		s.line("%s", s.paint(red, err.Error()))
	}
}

// buildShop applies the shop and its neighbors.
func (s *stage) buildShop(ctx context.Context) error {
	return s.step(ctx, "shop", "a small shop with four faults, and healthy neighbors", func() error {
		if err := s.ownsNamespaces(ctx); err != nil {
			return err
		}
		for _, part := range []string{"shop", "neighbors"} {
			folder := filepath.Join(s.root, "hack", "demo", part)
			if s.guest {
				s.atEnd(func() { s.remove("-k", folder) })
			}
			if _, err := s.kubectl.Run(ctx, "apply", "--server-side", "-k", folder); err != nil {
				return err
			}
		}
		return nil
	})
}

// ownsNamespaces refuses to touch namespaces of these names that are somebody's.
func (s *stage) ownsNamespaces(ctx context.Context) error {
	for _, name := range []string{shop, neighbors} {
		mine, err := s.kubectl.Run(ctx, "get", "namespace", name, "--ignore-not-found", "-o", `jsonpath={.metadata.name}={.metadata.labels.eclusier\.io/demo}`)
		if err != nil {
			return err
		}
		if mine != "" && mine != name+"=true" {
			return errors.New("namespace " + name + " exists already and is not the demo's: use another cluster")
		}
	}
	return nil
}

// startOperator runs the operator as its own service account.
func (s *stage) startOperator(ctx context.Context) error {
	return s.step(ctx, "operator", "as system:serviceaccount:"+local.Namespace+":"+local.Account, func() error {
		operator, err := local.StartOperator(ctx, s.kubectl, filepath.Join(s.root, "bin", "eclusier-operator"), s.dir)
		if err != nil {
			return err
		}
		s.atEnd(operator.Stop)
		return nil
	})
}
