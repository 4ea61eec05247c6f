package kubernetes

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/check"
)

// fieldManager is the name under which the API server records which fields eclusier has set.
const fieldManager = "eclusier"

// requestTimeout bounds one request.
const requestTimeout = 20 * time.Second

// Readers hands out readers that see the cluster as a service account does.
type Readers interface {
	ReaderFor(account types.NamespacedName, asked time.Time) (cluster.Reader, error)
}

// Options are what a pipeline is made of.
type Options struct {
	// Config is the operator's own way in. The pipeline impersonates service accounts by itself.
	Config *rest.Config
	// Readers are for the check noNewFaults, which diagnoses as eclusier-reader. Without them it is inconclusive.
	Readers Readers
	// Now is the clock; the system's by default.
	Now func() time.Time
	// AsSelf impersonates nobody: people who only plan try it with their own rights.
	AsSelf bool
	// AllowLoopback lets httpGet checks go to this machine, for tests.
	AllowLoopback bool
}

// Pipeline changes objects of the cluster. It is safe for concurrent use.
type Pipeline struct {
	config  *rest.Config
	own     dynamic.Interface
	kinds   *kinds
	asSelf  bool
	readers Readers
	now     func() time.Time
	getter  *check.Getter
	ready   *settling

	mu      sync.Mutex
	cluster string
	clients map[types.NamespacedName]dynamic.Interface
}

var _ pipeline.Pipeline = (*Pipeline)(nil)

// New prepares a pipeline. Nothing is sent yet.
func New(o Options) (*Pipeline, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	config := rest.CopyConfig(o.Config)
	config.QPS = -1 // Operations are bounded by themselves, and the API server's own fairness does the rest.
	config.Timeout = requestTimeout
	config.WarningHandlerWithContext = warningHandler{}
	config.UserAgent = "eclusier/" + rest.DefaultKubernetesUserAgent()
	own, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("preparing the client: %w", err)
	}
	found, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("preparing discovery: %w", err)
	}
	return &Pipeline{
		config: config, own: own, kinds: &kinds{discovery: found, now: o.Now}, asSelf: o.AsSelf, readers: o.Readers, now: o.Now,
		getter: check.NewGetter(o.AllowLoopback), ready: newSettling(), clients: map[types.NamespacedName]dynamic.Interface{},
	}, nil
}

// maxClients is how many accounts' clients are kept prepared.
const maxClients = 256

// as returns a client that is a service account to the API server, with that account's rights and no others.
func (p *Pipeline) as(namespace, account string) (dynamic.Interface, error) {
	if p.asSelf {
		return p.own, nil
	}
	key := types.NamespacedName{Namespace: namespace, Name: account}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.clients[key]; ok {
		return c, nil
	}
	config := rest.CopyConfig(p.config)
	// The API server adds the groups of service accounts by itself when no group is named.
	config.Impersonate = rest.ImpersonationConfig{UserName: username(namespace, account)}
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("preparing the client of %s: %w", key, err)
	}
	if len(p.clients) >= maxClients {
		clear(p.clients)
	}
	p.clients[key] = c
	return c, nil
}

func (p *Pipeline) planner(namespace string) (dynamic.Interface, error) {
	return p.as(namespace, v1alpha1.DefaultPlannerName)
}

func username(namespace, account string) string {
	return "system:serviceaccount:" + namespace + ":" + account
}

// clusterUID identifies the cluster by what no other has.
func (p *Pipeline) clusterUID(ctx context.Context) (string, error) {
	p.mu.Lock()
	known := p.cluster
	p.mu.Unlock()
	if known != "" {
		return known, nil
	}
	system, err := p.own.Resource(namespaces).Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if p.asSelf && apierrors.IsForbidden(err) {
		// A trial is stored nowhere and agreed to by nobody, so it need not be bound to its cluster.
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the cluster's identity, the uid of the namespace %s: %w", metav1.NamespaceSystem, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cluster = string(system.GetUID())
	return p.cluster, nil
}
