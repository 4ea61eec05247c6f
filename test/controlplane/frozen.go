package controlplane

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/eclusier/eclusier/hack/local"
)

// installTime bounds what the Options may take.
const installTime = 2 * time.Minute

// Frozen is an API server with etcd and nothing else: objects and their status stay as a test writes them.
type Frozen struct {
	// Config is the administrator's way in.
	Config *rest.Config
	// Kubeconfig is the same as the content of a file.
	Kubeconfig []byte

	environment *envtest.Environment
}

// Option changes how an API server starts, or installs something on it.
type Option struct {
	before func(*envtest.Environment)
	after  func(context.Context, *Frozen) error
}

// CRDs installs the custom resource definitions of files or folders and waits until they are served.
func CRDs(paths ...string) Option {
	return Option{before: func(e *envtest.Environment) {
		e.CRDInstallOptions.Paths = append(e.CRDInstallOptions.Paths, paths...)
		e.CRDInstallOptions.ErrorIfPathMissing = true
	}}
}

// Install calls the function once the API server is ready.
func Install(install func(context.Context, *Frozen) error) Option { return Option{after: install} }

// Run is for TestMain: it starts an API server for the tests of a package, hands it over, runs the tests, stops it,
// and returns the exit code.
func Run(m *testing.M, handOver func(*Frozen), options ...Option) int {
	frozen, err := Start(options...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	handOver(frozen)
	code := m.Run()
	if err := frozen.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// Start starts an API server that belongs to the caller.
func Start(options ...Option) (*Frozen, error) {
	ctx, cancel := context.WithTimeout(context.Background(), readyTime+installTime)
	defer cancel()
	environment := &envtest.Environment{ControlPlaneStartTimeout: readyTime, ControlPlaneStopTimeout: readyTime}
	environment.CRDInstallOptions.MaxTime = installTime
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		folder, err := assets(ctx)
		if err != nil {
			return nil, err
		}
		environment.BinaryAssetsDirectory = folder
	}
	for _, option := range options {
		if option.before != nil {
			option.before(environment)
		}
	}
	config, err := environment.Start()
	if err != nil {
		return nil, fmt.Errorf("no API server to test on, run the tests with make test: %w", err)
	}
	frozen := &Frozen{Config: config, Kubeconfig: environment.KubeConfig, environment: environment}
	for _, option := range options {
		if option.after == nil {
			continue
		}
		if err := option.after(ctx, frozen); err != nil {
			return nil, stopAfter(frozen, fmt.Errorf("installing on the API server: %w", err))
		}
	}
	return frozen, nil
}

func stopAfter(frozen *Frozen, err error) error {
	if stopErr := frozen.Stop(); stopErr != nil {
		return fmt.Errorf("%w (and then: %w)", err, stopErr)
	}
	return err
}

// Stop ends the API server.
func (f *Frozen) Stop() error {
	if err := f.environment.Stop(); err != nil {
		return fmt.Errorf("stopping the API server: %w", err)
	}
	return nil
}

// User returns the way in of an ordinary user, authenticated by a client certificate.
func (f *Frozen) User(tb testing.TB, name string, groups ...string) *rest.Config {
	tb.Helper()
	user, err := f.environment.AddUser(envtest.User{Name: name, Groups: groups}, nil)
	if err != nil {
		tb.Fatalf("making the user %s: %v", name, err)
	}
	return user.Config()
}

// assets finds the programs; it never builds them, which takes too long to come unasked.
func assets(ctx context.Context) (string, error) {
	root, err := local.Root()
	if err != nil {
		return "", err
	}
	folder, err := local.Assets(ctx, root)
	if err != nil {
		return "", fmt.Errorf("run the tests with make test, which builds the local control plane first: %w", err)
	}
	return folder, nil
}
