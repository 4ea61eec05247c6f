package local

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Namespace is where the operator lives; Account is who it acts as.
const (
	Namespace = "eclusier-system"
	Account   = "eclusier-operator"
)

// kubeconfigFile is where an operator finds its way in.
const kubeconfigFile = "operator.kubeconfig"

// Operator is the operator as a local process.
type Operator struct {
	*Process
	// Probes is the address of its health probes.
	Probes string
	// Metrics is the address of its metrics.
	Metrics string
}

// AccountKubeconfig writes a kubeconfig that acts as the operator's service account, with a token that the API
// server issues for it: what the operator may do is then exactly what its roles grant, as in an installation.
func AccountKubeconfig(ctx context.Context, kubectl Kubectl, file string) error {
	token, err := kubectl.Run(ctx, "create", "token", Account, "--namespace", Namespace, "--duration", "24h")
	if err != nil {
		return err
	}
	flat, err := kubectl.Run(ctx, "config", "view", "--minify", "--flatten", "--raw")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(flat), 0o600); err != nil {
		return err
	}
	own := Kubectl{Path: kubectl.Path, Kubeconfig: file}
	if _, err := own.Run(ctx, "config", "set-credentials", Account, "--token", token); err != nil {
		return err
	}
	if _, err := own.Run(ctx, "config", "set-context", "--current", "--user", Account, "--namespace", Namespace); err != nil {
		return err
	}
	return own.dropOtherUsers(ctx)
}

// dropOtherUsers removes every user but the operator's account, so that nothing of the administrator is at hand.
func (k Kubectl) dropOtherUsers(ctx context.Context) error {
	users, err := k.Run(ctx, "config", "get-users")
	if err != nil {
		return err
	}
	for _, user := range strings.Fields(users)[1:] {
		if user == Account {
			continue
		}
		if _, err := k.Run(ctx, "config", "delete-user", user); err != nil {
			return err
		}
	}
	return nil
}

// OperatorCommand prepares the program to run as the operator's service account, with a kubeconfig written to dir.
func OperatorCommand(ctx context.Context, kubectl Kubectl, program, dir string) (*exec.Cmd, *Operator, error) {
	kubeconfig := filepath.Join(dir, kubeconfigFile)
	if err := AccountKubeconfig(ctx, kubectl, kubeconfig); err != nil {
		return nil, nil, err
	}
	probes, err := freeAddress(ctx)
	if err != nil {
		return nil, nil, err
	}
	metrics, err := freeAddress(ctx)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(program, //nolint:gosec,noctx // our own program, stopped by its caller
		"--health-probe-bind-address", probes, "--metrics-bind-address", metrics, "--namespace", Namespace)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	return cmd, &Operator{Probes: probes, Metrics: metrics}, nil
}

// StartOperator runs the program as the operator's service account and returns when it is ready.
func StartOperator(ctx context.Context, kubectl Kubectl, program, dir string) (*Operator, error) {
	cmd, operator, err := OperatorCommand(ctx, kubectl, program, dir)
	if err != nil {
		return nil, err
	}
	return operator, operator.run(ctx, cmd, dir)
}

// StartOperatorBehind runs it as StartOperator does, but has it reach the API server through a proxy at the URL, whoever
// signed its certificate.
func StartOperatorBehind(ctx context.Context, kubectl Kubectl, program, dir, proxy string) (*Operator, error) {
	cmd, operator, err := OperatorCommand(ctx, kubectl, program, dir)
	if err != nil {
		return nil, err
	}
	own := Kubectl{Path: kubectl.Path, Kubeconfig: filepath.Join(dir, kubeconfigFile)}
	name, err := own.Run(ctx, "config", "view", "-o", "jsonpath={.clusters[0].name}")
	if err != nil {
		return nil, err
	}
	if _, err := own.Run(ctx, "config", "set-cluster", name, "--server", proxy, "--insecure-skip-tls-verify"); err != nil {
		return nil, err
	}
	return operator, operator.run(ctx, cmd, dir)
}

// run starts the command and returns when the operator is ready.
func (o *Operator) run(ctx context.Context, cmd *exec.Cmd, dir string) error {
	var err error
	if o.Process, err = start(cmd, filepath.Join(dir, "operator.log")); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readyIn)
	defer cancel()
	if err := o.await(ctx, func() bool { return healthy(ctx, "http://"+o.Probes+"/readyz") }); err != nil {
		o.Stop()
		return err
	}
	return nil
}

func healthy(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
}

// freeAddress finds a loopback port that nobody listens on.
func freeAddress(ctx context.Context) (string, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	address := listener.Addr().String()
	return address, listener.Close()
}
