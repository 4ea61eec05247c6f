package local

import (
	"context"
	"path/filepath"
	"strings"
)

// Installation returns the folder of manifests to install on this cluster: CRDs, roles and admission policies, with
// the stamp of the requester only where the server is new enough to serve it.
func Installation(ctx context.Context, kubectl Kubectl, root string) (string, error) {
	served, err := kubectl.Run(ctx, "get", "--raw", "/apis/admissionregistration.k8s.io/v1")
	if err != nil {
		return "", err
	}
	folder := "install-pre-1.36"
	if strings.Contains(served, `"mutatingadmissionpolicies"`) {
		folder = "install"
	}
	return filepath.Join(root, "hack", "local", folder), nil
}

// Install applies the manifests of the folder and returns once AgentTasks are served.
func Install(ctx context.Context, kubectl Kubectl, folder string) error {
	if _, err := kubectl.Run(ctx, "apply", "--server-side", "-k", folder); err != nil {
		return err
	}
	_, err := kubectl.Run(ctx, "wait", "--for=condition=Established", "--timeout=60s", "crd/agenttasks.eclusier.io")
	return err
}
