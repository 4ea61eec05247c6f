package live

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/cluster"
)

// Options bound a reader. The zero value is the default of each.
type Options struct {
	// RequestTimeout bounds one request, a page of a list or a log; 10 s by default.
	RequestTimeout time.Duration
	// PageSize is how many objects one request asks for; 500 by default.
	PageSize int64
	// MaxObjects is how many objects of one resource are kept for one want; 10,000 by default.
	MaxObjects int
	// Parallel is how many requests one reader makes at a time; 8 by default.
	Parallel int
	// Now is the clock that ages are counted from; the system's by default.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.RequestTimeout <= 0 {
		o.RequestTimeout = 10 * time.Second
	}
	if o.PageSize <= 0 {
		o.PageSize = 500
	}
	if o.MaxObjects <= 0 {
		o.MaxObjects = 10_000
	}
	if o.Parallel <= 0 {
		o.Parallel = 8
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Connection is one API server, with what is the same for everybody who reads it: which kinds it serves.
type Connection struct {
	config  *rest.Config
	options Options
	kinds   *kinds
	memory  *memory
	scheme  *runtime.Scheme

	mu sync.Mutex
	// readers are kept by account: to prepare one takes longer than to read with it.
	readers map[types.NamespacedName]*Reader
}

// maxReaders is how many accounts' readers are kept prepared.
const maxReaders = 256

// Connect prepares reading the API server that config names. Nothing is sent yet.
func Connect(config *rest.Config, options Options) (*Connection, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1 // Parallel bounds the load, and the server's own fairness does the rest.
	config.WarningHandlerWithContext = rest.NoWarnings{}
	config.UserAgent = rest.DefaultKubernetesUserAgent()
	options = options.withDefaults()
	asking := rest.CopyConfig(config)
	asking.Timeout = options.RequestTimeout
	found, err := discovery.NewDiscoveryClientForConfig(asking)
	if err != nil {
		return nil, fmt.Errorf("preparing discovery: %w", err)
	}
	return &Connection{config: config, options: options, kinds: newKinds(found, options.Now), memory: &memory{}, scheme: clientgoscheme.Scheme,
		readers: map[types.NamespacedName]*Reader{}}, nil
}

// Reader returns a reader with the connection's own identity, which reads everything anew.
func (c *Connection) Reader() (*Reader, error) { return c.reader(c.config) }

// As returns a reader that is a service account to the API server, with that account's rights and no others. It serves a
// question asked at that moment: what was read for the same account since then is not read again.
func (c *Connection) As(account types.NamespacedName, asked time.Time) (*Reader, error) {
	prepared, err := c.prepare(account)
	if err != nil {
		return nil, err
	}
	r := *prepared
	r.asked = asked
	return &r, nil
}

func (c *Connection) prepare(account types.NamespacedName) (*Reader, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.readers[account]; ok {
		return r, nil
	}
	config := rest.CopyConfig(c.config)
	// The API server adds the groups of service accounts by itself when no group is named.
	config.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:" + account.Namespace + ":" + account.Name,
	}
	r, err := c.reader(config)
	if err != nil {
		return nil, err
	}
	r.memory, r.account = c.memory, config.Impersonate.UserName
	if len(c.readers) >= maxReaders {
		clear(c.readers)
	}
	c.readers[account] = r
	return r, nil
}

// ReaderFor is As in the shape of the task controller's port.
func (c *Connection) ReaderFor(account types.NamespacedName, asked time.Time) (cluster.Reader, error) {
	return c.As(account, asked)
}

func (c *Connection) reader(config *rest.Config) (*Reader, error) {
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("preparing the connection: %w", err)
	}
	objects, err := client.New(config, client.Options{HTTPClient: httpClient, Scheme: c.scheme, Mapper: c.kinds.mapper})
	if err != nil {
		return nil, fmt.Errorf("preparing the client: %w", err)
	}
	core, err := corev1client.NewForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, fmt.Errorf("preparing the log client: %w", err)
	}
	return &Reader{objects: objects, logs: core, kinds: c.kinds, options: c.options}, nil
}
