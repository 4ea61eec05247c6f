// Package stage puts the operator, as the program that people install, onto a frozen API server for the tests of one
// package: with the CRDs, roles and admission policies of config/, and acting as its own service account.
package stage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
	"github.com/eclusier/eclusier/test/controlplane"
)

// Stage is an API server on which eclusier is installed, without a running operator yet.
type Stage struct {
	*controlplane.Frozen
	// Client is an administrator's.
	Client client.WithWatch
	// Kubectl is the same on the command line.
	Kubectl local.Kubectl

	root, dir, program string
}

// Raise starts the API server, installs, and builds the operator.
func Raise(ctx context.Context) (*Stage, error) {
	frozen, err := controlplane.Start()
	if err != nil {
		return nil, err
	}
	s := &Stage{Frozen: frozen}
	if err := s.set(ctx); err != nil {
		return nil, errors.Join(err, s.Strike())
	}
	return s, nil
}

// Strike stops the API server and removes all files.
func (s *Stage) Strike() error { return errors.Join(s.Stop(), os.RemoveAll(s.dir)) }

func (s *Stage) set(ctx context.Context) error {
	var err error
	if s.dir, err = os.MkdirTemp("", "eclusier-stage-"); err != nil {
		return err
	}
	if s.root, err = local.Root(); err != nil {
		return err
	}
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets == "" {
		if assets, err = local.Assets(ctx, s.root); err != nil {
			return err
		}
	}
	s.Kubectl = local.Kubectl{Path: filepath.Join(assets, "kubectl"), Kubeconfig: filepath.Join(s.dir, "admin.kubeconfig")}
	if err := os.WriteFile(s.Kubectl.Kubeconfig, s.Kubeconfig, 0o600); err != nil {
		return err
	}
	if err := s.install(ctx); err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return err
	}
	s.Config.QPS = -1
	s.Client, err = client.NewWithWatch(s.Config, client.Options{Scheme: scheme})
	return err
}

func (s *Stage) install(ctx context.Context) error {
	s.program = filepath.Join(s.dir, "eclusier-operator")
	build := exec.CommandContext(ctx, "go", "build", "-o", s.program, "./cmd/operator") //nolint:gosec // our own program
	build.Dir = s.root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the operator: %w\n%s", err, out)
	}
	folder, err := local.Installation(ctx, s.Kubectl, s.root)
	if err != nil {
		return err
	}
	if err := local.Install(ctx, s.Kubectl, folder); err != nil {
		return err
	}
	return local.AwaitGuard(ctx, s.Kubectl)
}

// Operator starts the operator, with files of its own under a name, and returns once it is ready.
func (s *Stage) Operator(ctx context.Context, name string) (*local.Operator, error) {
	dir := filepath.Join(s.dir, name)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	return local.StartOperator(ctx, s.Kubectl, s.program, dir)
}

// OperatorBehind starts the operator as Operator does, but has it reach the API server through a proxy at the URL.
func (s *Stage) OperatorBehind(ctx context.Context, name, proxy string) (*local.Operator, error) {
	dir := filepath.Join(s.dir, name)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	return local.StartOperatorBehind(ctx, s.Kubectl, s.program, dir, proxy)
}

// Watch follows tasks from a resource version on, and goes on by itself where the API server ends the watch.
func (s *Stage) Watch(ctx context.Context, resourceVersion string, options ...client.ListOption) (watch.Interface, error) {
	return watchtools.NewRetryWatcherWithContext(ctx, resourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, raw metav1.ListOptions) (watch.Interface, error) {
			return s.Client.Watch(ctx, &v1alpha1.AgentTaskList{}, append(slices.Clone(options), &client.ListOptions{Raw: &raw})...)
		},
	})
}

// Standby starts an operator that works only while it leads, for the time of a test. The function it returns asks it to
// end, and waits.
func (s *Stage) Standby(tb testing.TB, name string) func() {
	tb.Helper()
	dir := filepath.Join(s.dir, name)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		tb.Fatal(err)
	}
	command, _, err := local.OperatorCommand(tb.Context(), s.Kubectl, s.program, dir)
	if err != nil {
		tb.Fatal(err)
	}
	command.Args = append(command.Args, "--leader-elect")
	if err := command.Start(); err != nil {
		tb.Fatal(err)
	}
	stop := sync.OnceFunc(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	})
	tb.Cleanup(stop)
	return stop
}

// Tenant makes a namespace in which people can ask, as config/tenant does.
func (s *Stage) Tenant(ctx context.Context, namespace string) error {
	manifests, err := s.Kubectl.Run(ctx, "kustomize", filepath.Join(s.root, "config", "tenant"))
	if err != nil {
		return err
	}
	if _, err := s.Kubectl.Run(ctx, "create", "namespace", namespace); err != nil {
		return err
	}
	manifests = strings.NewReplacer("namespace: shop", "namespace: "+namespace, "-shop", "-"+namespace).Replace(manifests)
	return s.Kubectl.Apply(ctx, manifests)
}
