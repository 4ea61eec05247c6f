package controlplane

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// readyTime is what a control plane may take to start on a machine that is busy with other things.
	readyTime = 2 * time.Minute
	stopTime  = 15 * time.Second
)

// Child is a control plane in a process of its own.
type Child struct {
	// Config is the administrator's way in.
	Config *rest.Config
	// Kubeconfig is the path of the same as a file.
	Kubeconfig string
	// Now is the moment that a replayed cluster was written down at, as far as its objects and logs tell.
	Now time.Time

	program, dir string
	command      *exec.Cmd
	ended        chan error
	stopOnce     sync.Once
	output       output
}

// Live starts a whole cluster for the time of a test: scheduler, controllers, nodes, and kubelets that play what the
// pods' annotations say (see hack/devcluster). The arguments are those of devcluster up.
func Live(tb testing.TB, args ...string) *Child {
	tb.Helper()
	return forTest(tb, append([]string{"up"}, args...))
}

// Load replays the scenario in the folder onto a frozen API server for the time of a test.
func Load(tb testing.TB, scenario string) *Child {
	tb.Helper()
	return forTest(tb, []string{"load", scenario})
}

func forTest(tb testing.TB, args []string) *Child {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), readyTime)
	defer cancel()
	child, err := StartChild(ctx, args...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := child.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return child
}

// StartChild runs devcluster with the arguments of up or load, in a folder and a process group of its own, and returns
// once it is ready. It is for TestMain; a test is better served by Live and Load.
func StartChild(ctx context.Context, args ...string) (*Child, error) {
	folder, err := assets(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "controlplane-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the control plane: %w", err)
	}
	c := &Child{program: filepath.Join(folder, "devcluster"), dir: dir, ended: make(chan error, 1)}
	ready := filepath.Join(dir, "ready")
	args = append(args[:1:1], append([]string{"--dir", filepath.Join(dir, "state"), "--ready-file", ready}, args[1:]...)...)
	c.command = exec.Command(c.program, args...) //nolint:gosec,noctx // our own program; Stop ends it, not a context
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.command.Stdout, c.command.Stderr = &c.output, &c.output
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("starting the control plane: %w", err)
	}
	go func() { c.ended <- c.command.Wait() }()
	if err := c.await(ctx, ready); err != nil {
		_ = c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *Child) await(ctx context.Context, ready string) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-c.ended:
			c.ended <- err
			return fmt.Errorf("the control plane ended by itself: %w\n%s", err, c.output.text())
		case <-ctx.Done():
			return fmt.Errorf("the control plane did not become ready: %w\n%s", ctx.Err(), c.output.text())
		case <-tick.C:
		}
		kubeconfig, err := os.ReadFile(ready)
		if err != nil {
			continue
		}
		c.Kubeconfig = strings.TrimSpace(string(kubeconfig))
		return c.connect()
	}
}

// told finds the moment in the line that devcluster load prints.
var told = regexp.MustCompile(`ECLUSIER_NOW=(\S+)`)

func (c *Child) connect() error {
	if moment := told.FindStringSubmatch(c.output.text()); moment != nil {
		now, err := time.Parse(time.RFC3339Nano, moment[1])
		if err != nil {
			return fmt.Errorf("reading the moment of the scenario: %w", err)
		}
		c.Now = now
	}
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		return fmt.Errorf("reading the kubeconfig of the control plane: %w", err)
	}
	c.Config = config
	return nil
}

// Stop ends the control plane and removes its folder.
func (c *Child) Stop() error {
	var err error
	c.stopOnce.Do(func() { err = c.stop() })
	return err
}

func (c *Child) stop() error {
	group := -c.command.Process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM)
	var err error
	select {
	case err = <-c.ended:
	case <-time.After(stopTime):
		_ = syscall.Kill(group, syscall.SIGKILL)
		err = <-c.ended
	}
	if err != nil {
		return fmt.Errorf("the control plane did not stop cleanly: %w\n%s", err, c.output.text())
	}
	return os.RemoveAll(c.dir)
}

// User returns the way in of an ordinary user, authenticated by a client certificate.
func (c *Child) User(tb testing.TB, name string, groups ...string) *rest.Config {
	tb.Helper()
	user := name
	if len(groups) > 0 {
		user += ":" + strings.Join(groups, ",")
	}
	var errors bytes.Buffer
	command := exec.CommandContext(tb.Context(), c.program, //nolint:gosec // our own program
		"kubeconfig", "--dir", filepath.Join(c.dir, "state"), "--user", user)
	command.Stderr = &errors
	kubeconfig, err := command.Output()
	if err != nil {
		tb.Fatalf("making the user %s: %v: %s", name, err, &errors)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		tb.Fatalf("making the user %s: %v", name, err)
	}
	return config
}

// output collects what the program prints while others read it.
type output struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.Write(p)
}

func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.String()
}
