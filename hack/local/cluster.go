package local

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// readyIn is how long a control plane, or what is installed on it, may take to come up; it takes a few seconds, more on a
// machine under load.
const readyIn = 2 * time.Minute

// Cluster is a control plane that runs as a child process.
type Cluster struct {
	*Process
	// Kubeconfig belongs to its administrator.
	Kubeconfig string
}

// Up starts the control plane of the assets folder and returns when it answers. Its state lives in dir.
func Up(ctx context.Context, assets, dir string, args ...string) (*Cluster, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	ready := filepath.Join(dir, "ready")
	args = append([]string{"up", "--dir", filepath.Join(dir, "state"), "--kubeconfig", kubeconfig, "--ready-file", ready}, args...)
	cmd := exec.Command(filepath.Join(assets, "devcluster"), args...) //nolint:gosec,noctx // our own program, stopped by Stop
	process, err := start(cmd, filepath.Join(dir, "devcluster.log"))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, readyIn)
	defer cancel()
	err = process.await(ctx, func() bool {
		_, err := os.Stat(ready)
		return err == nil
	})
	if err != nil {
		process.Stop()
		return nil, err
	}
	return &Cluster{Process: process, Kubeconfig: kubeconfig}, nil
}

// Assets returns the folder with the control plane's programs: KUBEBUILDER_ASSETS if it holds devcluster, else what
// hack/devcluster/build.sh built. It builds nothing, which takes too long to come unasked.
func Assets(ctx context.Context, root string) (string, error) {
	if own := os.Getenv("KUBEBUILDER_ASSETS"); own != "" {
		if _, err := os.Stat(filepath.Join(own, "devcluster")); err == nil {
			return own, nil
		}
	}
	return buildScript(ctx, root, "--print")
}

// BuildAssets is Assets, and builds what is missing.
func BuildAssets(ctx context.Context, root string) (string, error) {
	if folder, err := Assets(ctx, root); err == nil {
		return folder, nil
	}
	return buildScript(ctx, root)
}

// buildScript runs hack/devcluster/build.sh, which prints the folder last.
func buildScript(ctx context.Context, root string, args ...string) (string, error) {
	var errs bytes.Buffer
	script := exec.CommandContext(ctx, filepath.Join(root, "hack", "devcluster", "build.sh"), args...) //nolint:gosec // our own script
	script.Stderr = &errs
	if len(args) == 0 {
		script.Stderr = os.Stderr
	}
	out, err := script.Output()
	if err != nil {
		return "", fmt.Errorf("no control plane: %w %s", err, strings.TrimSpace(errs.String()))
	}
	lines := strings.Fields(string(out))
	return lines[len(lines)-1], nil
}

// Root returns the checkout that the current directory is in.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "hack", "devcluster", "build.sh")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", &os.PathError{Op: "find the checkout above", Path: dir, Err: os.ErrNotExist}
		}
	}
}
