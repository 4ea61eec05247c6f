package local

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
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
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// Apply applies manifests given as text, by server-side apply.
func (k Kubectl) Apply(ctx context.Context, manifests string) error {
	_, err := k.Feed(ctx, manifests, "apply", "--server-side", "-f", "-")
	return err
}
