package local

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
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
	_, err := kubectl.Run(ctx, "wait", "--for=condition=Established", "--timeout="+readyIn.String(), "crd/agenttasks.eclusier.io")
	return err
}

// probe is an AgentTask that is only ever created as a dry run.
const probe = `{"apiVersion": "eclusier.io/v1alpha1", "kind": "AgentTask",
"metadata": {"name": "probe", "namespace": "default"}, "spec": {"prompt": "Is this stamped?"}}`

// AwaitGuard returns once the API server enforces who asks. It learns the schema of a new kind for its mutating
// policies within five seconds and refuses to create objects of the kind until then; policies take a moment as well.
func AwaitGuard(ctx context.Context, kubectl Kubectl) error {
	ctx, cancel := context.WithTimeout(ctx, readyIn)
	defer cancel()
	for {
		who, err := kubectl.Feed(ctx, probe, "create", "--dry-run=server", "-f", "-", "-o", "jsonpath={.spec.requestedBy.username}")
		// A server that cannot stamp refuses a task that does not say who asks.
		if (err == nil && who != "") || (err != nil && strings.Contains(err.Error(), "spec.requestedBy is missing")) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the admission policies do not take effect: requestedBy is %q, %w", who, err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
