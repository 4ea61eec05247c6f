package plane

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/server/egressselector"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/eclusier/eclusier/hack/devcluster/internal/authority"
)

// serviceRange is the range that most installations use, so that a replayed Service keeps the address its logs name.
const serviceRange = "10.96.0.0/16"

// apiServer is what one API server is started with.
type apiServer struct {
	etcd     string
	ca       authority.Pair
	serving  authority.Pair
	proxy    authority.Pair
	tokens   authority.Pair
	listener net.Listener
	// dialNode reaches the one endpoint that stands for every node, whatever address the Node object claims.
	dialNode utilnet.DialFunc
}

// complete turns the settings into the options of a kube-apiserver.
func (s apiServer) complete(ctx context.Context) (options.CompletedOptions, error) {
	opts := options.NewServerRunOptions()
	if err := parse(opts.Flags(), s.flags()); err != nil {
		return options.CompletedOptions{}, err
	}
	opts.SecureServing.Listener = s.listener
	opts.SecureServing.BindPort = s.listener.Addr().(*net.TCPAddr).Port
	opts.KubeletConfig.Lookup = func(egressselector.NetworkContext) (utilnet.DialFunc, error) { return s.dialNode, nil }
	if err := opts.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return options.CompletedOptions{}, err
	}
	completed, err := opts.Complete(ctx)
	if err != nil {
		return options.CompletedOptions{}, err
	}
	return completed, utilerrors.NewAggregate(completed.Validate())
}

func (s apiServer) flags() []string {
	return []string{
		"--etcd-servers=" + s.etcd,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--tls-cert-file=" + s.serving.Cert,
		"--tls-private-key-file=" + s.serving.Key,
		"--client-ca-file=" + s.ca.Cert,
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + s.tokens.Cert,
		"--service-account-signing-key-file=" + s.tokens.Key,
		"--service-cluster-ip-range=" + serviceRange,
		"--endpoint-reconciler-type=none",
		"--requestheader-client-ca-file=" + s.ca.Cert,
		// The request-header authority is the client authority: without this, any user could pose as any other.
		"--requestheader-allowed-names=" + proxyUser,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + s.proxy.Cert,
		"--proxy-client-key-file=" + s.proxy.Key,
		"--kubelet-preferred-address-types=InternalIP,Hostname",
		"--allow-privileged=true",
		// Without it, a client that watches keeps the API server from stopping for a minute.
		"--shutdown-watch-termination-grace-period=1s",
		"--profiling=false",
	}
}

// runAPIServer serves until the context ends.
func runAPIServer(ctx context.Context, s apiServer) error {
	completed, err := s.complete(ctx)
	if err != nil {
		return fmt.Errorf("configuring the API server: %w", err)
	}
	if err := app.Run(ctx, completed); err != nil {
		return fmt.Errorf("running the API server: %w", err)
	}
	return nil
}

// parse sets the flags of a component that is started as a library.
func parse(sets cliflag.NamedFlagSets, args []string) error {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, set := range sets.FlagSets {
		flags.AddFlagSet(set)
	}
	return flags.Parse(args)
}
