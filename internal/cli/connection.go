package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cluster"
)

// connection finds the cluster by kubectl's own rules: flags, KUBECONFIG, ~/.kube/config, the pod's account.
type connection struct {
	rules     *clientcmd.ClientConfigLoadingRules
	overrides clientcmd.ConfigOverrides
}

func newConnection() *connection {
	return &connection{rules: clientcmd.NewDefaultClientConfigLoadingRules()}
}

// bind adds kubectl's flags.
func (c *connection) bind(flags *pflag.FlagSet) {
	flags.StringVar(&c.rules.ExplicitPath, clientcmd.RecommendedConfigPathFlag, "", "path to the kubeconfig file")
	clientcmd.BindOverrideFlags(&c.overrides, flags, clientcmd.RecommendedConfigOverrideFlags(""))
	flags.VisitAll(func(f *pflag.Flag) {
		// The others work as in kubectl, and would only hide ours in the help.
		f.Hidden = !shown[f.Name]
	})
}

// shown are the flags of all commands that the help lists.
var shown = map[string]bool{"kubeconfig": true, "context": true, "namespace": true, "as": true, "ascii": true}

// config returns the connection and the namespace to work in.
func (c *connection) config() (*rest.Config, string, error) {
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(c.rules, &c.overrides)
	if name := c.overrides.CurrentContext; name != "" {
		if raw, err := loader.RawConfig(); err == nil && raw.Contexts[name] == nil {
			return nil, "", &contextError{name: name, known: slices.Sorted(maps.Keys(raw.Contexts))}
		}
	}
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, "", err
	}
	namespace, _, err := loader.Namespace()
	return config, namespace, err
}

// contextError is a context that the kubeconfig does not have.
type contextError struct {
	name  string
	known []string
}

// Error names the contexts there are.
func (e *contextError) Error() string {
	if len(e.known) == 0 {
		return fmt.Sprintf("there is no context %q, and no other", e.name)
	}
	return fmt.Sprintf("there is no context %q; there are: %s", e.name, strings.Join(e.known, ", "))
}

// namespaceFlag returns what -n says, empty if it was not given.
func (c *connection) namespaceFlag() string { return c.overrides.Context.Namespace }

// tasks returns a client for AgentTasks and the namespace to work in.
func (cmd *command) tasks() (client.WithWatch, string, error) {
	config, namespace, err := cmd.connection.config()
	if err != nil {
		return nil, "", err
	}
	c, err := cmd.Client(config)
	return c, namespace, err
}

// NewClient returns a client that knows Kubernetes' kinds and eclusier's.
func NewClient(config *rest.Config) (client.WithWatch, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	return client.NewWithWatch(config, client.Options{Scheme: scheme})
}

// hints says what to do about an error.
func hints(err error) []string {
	var bad *usageError
	if errors.As(err, &bad) {
		return []string{fmt.Sprintf("%s --help shows how it is used", bad.command)}
	}
	var kind *meta.NoKindMatchError
	var groups *discovery.ErrGroupDiscoveryFailed
	switch {
	case clientcmd.IsEmptyConfig(err):
		return []string{"no cluster is configured: set KUBECONFIG or --kubeconfig, as for kubectl",
			"without a cluster: kubectl eclusier diagnose -f FILES, kubectl eclusier classify TEXT"}
	case errors.As(err, &kind), errors.As(err, &groups):
		return []string{"eclusier is not installed in this cluster: kubectl apply --server-side -k config/default",
			"without it: kubectl eclusier diagnose looks with your own rights"}
	case errors.Is(err, context.Canceled):
		return nil
	}
	if hint := statusHint(err); hint != "" {
		return []string{hint}
	}
	var dial *net.OpError
	var request *url.Error
	if errors.As(err, &dial) || errors.As(err, &request) {
		return []string{"the API server does not answer: check --context and the network; kubectl version tells the same"}
	}
	return nil
}

// statusHint says what to do about a refusal by the API server.
func statusHint(err error) string {
	var unseen *cluster.UnseenError
	switch {
	case errors.As(err, &unseen):
		return "name the namespace with -n, or ask for the right to look there"
	case apierrors.IsUnauthorized(err):
		return "the API server does not know you: log in again, or check the user of --context"
	case apierrors.IsForbidden(err):
		return "you may not do this there: kubectl auth can-i --list -n NAMESPACE shows what you may"
	case apierrors.IsNotFound(err):
		return "kubectl eclusier get -A lists the AgentTasks there are; -n names the namespace"
	case apierrors.IsAlreadyExists(err):
		return "choose another --name, or leave it out to have one made up"
	case apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), apierrors.IsTooManyRequests(err), apierrors.IsServiceUnavailable(err):
		return "the API server is overloaded or not ready: try again in a moment"
	}
	return ""
}
