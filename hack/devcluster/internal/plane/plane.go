// Package plane runs a Kubernetes control plane in this process: etcd and the API server, and unless it is frozen the
// controller manager, the scheduler, and KWOK for the nodes. It decides how the parts are configured and in which
// order they start and stop; it never decides what happens to a pod, which is package kubelet's part. The up and load
// commands call it.
package plane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/eclusier/eclusier/hack/devcluster/internal/authority"
	"github.com/eclusier/eclusier/hack/devcluster/internal/endpoint"
)

// The API server trusts request headers from this user alone, and only aggregated API servers meet it.
const proxyUser = "front-proxy-client"

// Options are the wishes of the person who starts a control plane.
type Options struct {
	// Dir keeps state, certificates and kubeconfigs; empty means a temporary folder that Stop removes.
	Dir string
	// Logs is the folder for the logs of the parts; empty means the folder logs within Dir.
	Logs string
	// Kubeconfig is where the administrator's kubeconfig is written; empty means within Dir.
	Kubeconfig string
	// Users get a kubeconfig of their own, NAME.kubeconfig beside the administrator's.
	Users []authority.User
	// Stages is a folder with further KWOK stages; empty means none.
	Stages string
	// Parts run beside the control plane, from when it is ready until Stop.
	Parts []Part
	// LogSource gives the logs of containers.
	LogSource endpoint.Source
	// Frozen leaves out controllers, scheduler and nodes: objects and their status stay as they are written.
	Frozen bool
	// Nodes is the number of nodes that exist at the start; a frozen control plane gets none.
	Nodes int
}

// Part is something that runs in this process with the administrator's rights until its context ends.
type Part func(ctx context.Context, config *rest.Config) error

// Plane is a running control plane.
type Plane struct {
	// Config is the administrator's way in.
	Config *rest.Config
	// Kubeconfig is the path of the same as a file.
	Kubeconfig string
	// Dir is the folder that holds everything.
	Dir string

	layout    layout
	authority *authority.Authority
	etcd      *embed.Etcd
	endpoint  *endpoint.Endpoint
	// The API server goes last: the others say goodbye through it.
	stopServer, stopOthers context.CancelFunc
	server, others         sync.WaitGroup
	failed                 chan error
}

// layout says where the files are.
type layout struct {
	state, logs string
	// sockets is apart and short, because the path of a unix socket has at most 107 characters.
	sockets   string
	temporary []string
	// lock is held as long as the control plane lives.
	lock *os.File
}

// Start returns once the API server is ready and, unless frozen, the nodes are there. On error nothing is left behind.
func Start(ctx context.Context, o Options) (*Plane, error) {
	l, err := lay(o)
	p := &Plane{Dir: l.state, layout: l, failed: make(chan error, 4)}
	if err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	if err := p.start(ctx, o); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

func lay(o Options) (layout, error) {
	sockets, err := os.MkdirTemp("", "devcluster-")
	if err != nil {
		return layout{}, err
	}
	l := layout{state: o.Dir, logs: o.Logs, sockets: sockets, temporary: []string{sockets}}
	if l.state == "" {
		l.state = filepath.Join(sockets, "state")
	}
	if l.state, err = filepath.Abs(l.state); err != nil {
		return l, err
	}
	if l.logs == "" {
		l.logs = filepath.Join(l.state, "logs")
	}
	for _, dir := range []string{l.state, l.logs} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return l, err
		}
	}
	l.lock, err = lock(l.state)
	return l, err
}

// lock refuses a folder that another process works in, for which etcd would wait forever. The lock ends with the file.
func lock(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is in use by another control plane: %w", dir, err), file.Close())
	}
	return file, nil
}

func (p *Plane) start(ctx context.Context, o Options) (err error) {
	if err := redirectLogs(p.layout.logs); err != nil {
		return err
	}
	if p.authority, err = authority.Open(filepath.Join(p.layout.state, "pki")); err != nil {
		return err
	}
	if err := p.startServer(ctx, o); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(p.Config)
	if err != nil {
		return err
	}
	// Nothing waits for it: it ends with Close.
	go p.endpoint.Serve(client)
	if err := p.awaitReady(ctx, client); err != nil {
		return err
	}
	var parts context.Context
	parts, p.stopOthers = context.WithCancel(context.WithoutCancel(ctx))
	for _, part := range o.Parts {
		p.run(parts, &p.others, func(ctx context.Context) error { return part(ctx, rest.CopyConfig(p.Config)) })
	}
	if o.Frozen {
		return nil
	}
	p.startControllers(parts, o.Stages)
	return furnish(ctx, client, o.Nodes)
}

// startServer starts etcd and the API server and writes the kubeconfigs.
func (p *Plane) startServer(ctx context.Context, o Options) error {
	s := apiServer{ca: p.authority.CA()}
	var err error
	if s.serving, err = p.authority.Server("kube-apiserver", "127.0.0.1", "10.96.0.1", "localhost",
		"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"); err != nil {
		return err
	}
	if s.proxy, err = p.authority.Client(proxyUser); err != nil {
		return err
	}
	if s.tokens, err = p.authority.SigningKey("service-account"); err != nil {
		return err
	}
	if p.endpoint, err = endpoint.New(s.serving.Cert, s.serving.Key, o.LogSource); err != nil {
		return err
	}
	s.dialNode = p.endpoint.Dial
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	if err := p.writeKubeconfigs("https://"+s.listener.Addr().String(), o); err != nil {
		return err
	}
	if p.etcd, s.etcd, err = startEtcd(ctx, p.layout); err != nil {
		return err
	}
	var serverContext context.Context
	serverContext, p.stopServer = context.WithCancel(context.WithoutCancel(ctx))
	p.run(serverContext, &p.server, func(ctx context.Context) error { return runAPIServer(ctx, s) })
	return nil
}

// startControllers starts what makes a cluster of an API server.
func (p *Plane) startControllers(ctx context.Context, stages string) {
	ca, tokens := p.authority.CA(), authority.Pair{Key: filepath.Join(p.layout.state, "pki", "service-account.key")}
	for _, part := range []func(context.Context) error{
		func(ctx context.Context) error { return runControllerManager(ctx, p.Kubeconfig, ca, tokens) },
		func(ctx context.Context) error { return runScheduler(ctx, p.Kubeconfig) },
		func(ctx context.Context) error { return runNodes(ctx, p.Kubeconfig, p.layout.logs, stages) },
	} {
		p.run(ctx, &p.others, part)
	}
}

// run starts a part; one that ends in an error before it is asked to stop ends the whole.
func (p *Plane) run(ctx context.Context, group *sync.WaitGroup, part func(context.Context) error) {
	group.Go(func() {
		if err := part(ctx); err != nil && ctx.Err() == nil {
			p.failed <- err
		}
	})
}

// Failed delivers the error of a part that ended by itself.
func (p *Plane) Failed() <-chan error { return p.failed }

// Stop ends every part in order and removes what is temporary.
func (p *Plane) Stop() error {
	if p.stopOthers != nil {
		p.stopOthers()
		p.others.Wait()
	}
	if p.endpoint != nil {
		p.endpoint.Close()
	}
	if p.stopServer != nil {
		p.stopServer()
		p.server.Wait()
	}
	if p.etcd != nil {
		// A second call to Close panics, and Stop may be called after a failed start.
		p.etcd.Close()
		p.etcd = nil
	}
	var err error
	if p.layout.lock != nil {
		err = p.layout.lock.Close()
		p.layout.lock = nil
	}
	for _, dir := range p.layout.temporary {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

func (p *Plane) writeKubeconfigs(server string, o Options) error {
	admin := authority.User{Name: "admin", Groups: []string{"system:masters"}}
	// One is always with the state, where the kubeconfig command looks for the address of the API server.
	p.Kubeconfig = filepath.Join(p.layout.state, "kubeconfig")
	files := map[string]authority.User{p.Kubeconfig: admin}
	if o.Kubeconfig != "" {
		p.Kubeconfig = o.Kubeconfig
		files[o.Kubeconfig] = admin
	}
	for _, user := range o.Users {
		files[filepath.Join(filepath.Dir(p.Kubeconfig), user.Name+".kubeconfig")] = user
	}
	for path, user := range files {
		data, err := p.authority.Kubeconfig(server, user)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
	}
	var err error
	if p.Config, err = clientcmd.BuildConfigFromFlags("", p.Kubeconfig); err != nil {
		return err
	}
	p.Config.QPS, p.Config.Burst = 500, 1000
	return nil
}

func (p *Plane) awaitReady(ctx context.Context, client kubernetes.Interface) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if _, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err == nil {
				return nil
			}
		case err := <-p.failed:
			return err
		case <-ctx.Done():
			return fmt.Errorf("waiting for the API server: %w", ctx.Err())
		}
	}
}
