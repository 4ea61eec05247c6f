package config_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
	"github.com/eclusier/eclusier/test/controlplane"
)

// patience is how long a policy may take to be in force on a machine that is busy with other things.
const patience = 2 * time.Minute

// cluster is a real API server with everything of config/default installed, shared by the tests of this package.
var cluster *installed

type installed struct {
	config     *rest.Config
	kubeconfig []byte
	scheme     *runtime.Scheme
	// programs is the folder with kubectl and the parts of the control plane.
	programs string
}

func TestMain(m *testing.M) {
	os.Exit(controlplane.Run(m, func(*controlplane.Frozen) {}, controlplane.Install(func(ctx context.Context, f *controlplane.Frozen) (err error) {
		cluster, err = install(ctx, f.Config, f.Kubeconfig, "default")
		return err
	})))
}

// install applies a kustomization of this folder as a user would, and waits until the policies are in force.
func install(ctx context.Context, config *rest.Config, kubeconfig []byte, kustomization string) (*installed, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	programs, err := findPrograms(ctx)
	if err != nil {
		return nil, err
	}
	server := &installed{config: config, kubeconfig: kubeconfig, scheme: scheme, programs: programs}
	if err := server.kubectl(ctx, "apply", "--server-side", "-k", kustomization); err != nil {
		return nil, err
	}
	return server, server.waitForPolicies(ctx)
}

// kubectl runs kubectl in this folder, as an administrator.
func (s *installed) kubectl(ctx context.Context, args ...string) error {
	folder, err := os.MkdirTemp("", "eclusier-config-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "kubeconfig")
	if err := os.WriteFile(path, s.kubeconfig, 0o600); err != nil {
		return err
	}
	_, err = local.Kubectl{Path: filepath.Join(s.programs, "kubectl"), Kubeconfig: path}.Run(ctx, args...)
	return err
}

func findPrograms(ctx context.Context) (string, error) {
	if own := os.Getenv("KUBEBUILDER_ASSETS"); own != "" {
		return own, nil
	}
	root, err := local.Root()
	if err != nil {
		return "", err
	}
	return local.Assets(ctx, root)
}

// client acts as the user of that name and groups.
func (s *installed) client(user string, groups ...string) (client.Client, error) {
	config := rest.CopyConfig(s.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	return client.New(config, client.Options{Scheme: s.scheme})
}
