package diagnose

import (
	"encoding/json"

	"github.com/eclusier/eclusier/internal/cluster"
)

// Operation is one operation of a ChangeRequest, proposed and never applied from here. Exactly one field is set.
type Operation struct {
	Patch    *Patch         `json:"patch,omitempty"`
	Scale    *Scale         `json:"scale,omitempty"`
	Restart  *TargetOnly    `json:"restart,omitempty"`
	SetImage *SetImage      `json:"setImage,omitempty"`
	Undo     *Undo          `json:"undo,omitempty"`
	Delete   *TargetOnly    `json:"delete,omitempty"`
	Uncordon *NodeOperation `json:"uncordon,omitempty"`
	Resume   *TargetOnly    `json:"resume,omitempty"`
}

// Target names the object that an operation changes.
type Target struct {
	APIVersion string `json:"apiVersion"`
	cluster.Ref
}

// TargetOnly is an operation that needs nothing but its target.
type TargetOnly struct {
	Target Target `json:"target"`
}

// Patch changes fields of an object.
type Patch struct {
	Target Target `json:"target"`
	// Type is strategic, merge or json, as kubectl patch names them.
	Type  string          `json:"type"`
	Patch json.RawMessage `json:"patch"`
}

// Scale sets the number of replicas.
type Scale struct {
	Target   Target `json:"target"`
	Replicas int32  `json:"replicas"`
}

// SetImage changes the image of one container.
type SetImage struct {
	Target    Target `json:"target"`
	Container string `json:"container"`
	Image     string `json:"image"`
}

// Undo goes back to a former revision; 0 means the one before.
type Undo struct {
	Target     Target `json:"target"`
	ToRevision int64  `json:"toRevision,omitempty"`
}

// NodeOperation is an operation on a node.
type NodeOperation struct {
	Node string `json:"node"`
}

// apiVersions are the versions of the kinds that operations are proposed for.
var apiVersions = map[string]string{
	"ConfigMap": "v1", "Secret": "v1", "Service": "v1", "ServiceAccount": "v1", "PersistentVolumeClaim": "v1",
	"ResourceQuota": "v1", "LimitRange": "v1", "Namespace": "v1", "Node": "v1", "Pod": "v1", "ReplicationController": "v1",
	"Deployment": "apps/v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1",
	"Job": "batch/v1", "CronJob": "batch/v1",
	"HorizontalPodAutoscaler": "autoscaling/v2", "PodDisruptionBudget": "policy/v1",
	"Ingress": "networking.k8s.io/v1", "NetworkPolicy": "networking.k8s.io/v1",
	"StorageClass":                   "storage.k8s.io/v1",
	"ValidatingWebhookConfiguration": "admissionregistration.k8s.io/v1",
	"MutatingWebhookConfiguration":   "admissionregistration.k8s.io/v1",
	"RoleBinding":                    "rbac.authorization.k8s.io/v1", "Role": "rbac.authorization.k8s.io/v1",
}

func target(r cluster.Ref) Target { return Target{APIVersion: apiVersions[r.Kind], Ref: r} }

func patchOperation(r cluster.Ref, patchType string, body any) *Operation {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil
	}
	return &Operation{Patch: &Patch{Target: target(r), Type: patchType, Patch: raw}}
}

// containerPatch is a strategic patch of one container of a workload's pod template; nil for kinds without a template
// that may be changed in place.
func containerPatch(r cluster.Ref, container string, fields map[string]any) *Operation {
	return podPatch(r, map[string]any{"containers": []any{withName(container, fields)}})
}

// initContainerPatch is containerPatch for an init container.
func initContainerPatch(r cluster.Ref, container string, fields map[string]any) *Operation {
	return podPatch(r, map[string]any{"initContainers": []any{withName(container, fields)}})
}

// podPatch is a strategic patch of the pod specification in a workload's template.
func podPatch(r cluster.Ref, spec map[string]any) *Operation {
	switch r.Kind {
	case "Deployment", "StatefulSet", "DaemonSet":
		return patchOperation(r, "strategic", map[string]any{"spec": map[string]any{"template": map[string]any{"spec": spec}}})
	}
	return nil
}

func withName(name string, fields map[string]any) map[string]any {
	out := map[string]any{"name": name}
	for k, v := range fields {
		out[k] = v
	}
	return out
}

func scaleOperation(r cluster.Ref, replicas int32) *Operation {
	return &Operation{Scale: &Scale{Target: target(r), Replicas: replicas}}
}

func resumeOperation(r cluster.Ref) *Operation {
	return &Operation{Resume: &TargetOnly{Target: target(r)}}
}

func undoOperation(r cluster.Ref, revision int64) *Operation {
	switch r.Kind {
	case "Deployment", "StatefulSet", "DaemonSet":
		return &Operation{Undo: &Undo{Target: target(r), ToRevision: revision}}
	}
	return nil
}
