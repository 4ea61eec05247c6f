package local

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubectl runs kubectl against one cluster.
type Kubectl struct {
	// Path is the program.
	Path string
	// Kubeconfig names the cluster and who speaks to it.
	Kubeconfig string
}

// Run runs kubectl with the arguments and returns what it printed.
func (k Kubectl) Run(ctx context.Context, args ...string) (string, error) {
	return k.Feed(ctx, "", args...)
}

// Feed is Run with a standard input.
func (k Kubectl) Feed(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, k.Path, append([]string{"--kubeconfig", k.Kubeconfig}, args...)...) //nolint:gosec // a developer's own kubectl
	cmd.Stdin = strings.NewReader(stdin)
	return output(cmd, filepath.Base(k.Path)+" "+strings.Join(args, " "))
}

// Shell runs a line that was printed for a shell, in which kubectl speaks to this cluster as this user.
func (k Kubectl) Shell(ctx context.Context, line string) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", line) //nolint:gosec // the line is what a developer is told to run
	path := filepath.Dir(k.Path) + string(filepath.ListSeparator) + os.Getenv("PATH")
	cmd.Env = append(os.Environ(), "KUBECONFIG="+k.Kubeconfig, "PATH="+path)
	return output(cmd, line)
}

// output runs the command and returns what it printed, and on failure what it complained of.
func output(cmd *exec.Cmd, line string) (string, error) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", line, err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// As returns the same kubectl for another user, whom its own user impersonates. The file is where its kubeconfig goes.
func (k Kubectl) As(user, file string) (Kubectl, error) {
	config, err := clientcmd.LoadFromFile(k.Kubeconfig)
	if err != nil {
		return Kubectl{}, err
	}
	if err := clientcmdapi.FlattenConfig(config); err != nil {
		return Kubectl{}, err
	}
	for _, info := range config.AuthInfos {
		info.Impersonate = user
	}
	return Kubectl{Path: k.Path, Kubeconfig: file}, clientcmd.WriteToFile(*config, file)
}

// Apply applies manifests given as text, by server-side apply.
func (k Kubectl) Apply(ctx context.Context, manifests string) error {
	_, err := k.Feed(ctx, manifests, "apply", "--server-side", "-f", "-")
	return err
}
