package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// KubernetesChange is a sequence of operations on objects of this cluster.
type KubernetesChange struct {
	// operations are made in this order and stop at the first failure, 1 to 20.
	//
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	Operations []Operation `json:"operations,omitempty"`
}

// Operation is one thing to do: exactly one of its fields is set.
//
// +kubebuilder:validation:ExactlyOneOf=apply;patch;scale;restart;setImage;undo;delete;cordon;uncordon;suspend;resume
type Operation struct {
	// apply creates the object or changes it by server-side apply.
	//
	// +optional
	Apply *ApplyOperation `json:"apply,omitempty"`

	// patch changes the object by a patch.
	//
	// +optional
	Patch *PatchOperation `json:"patch,omitempty"`

	// scale sets the number of replicas through the scale subresource.
	//
	// +optional
	Scale *ScaleOperation `json:"scale,omitempty"`

	// restart replaces the pods of a Deployment, StatefulSet or DaemonSet one after the other.
	//
	// +optional
	Restart *TargetOperation `json:"restart,omitempty"`

	// setImage gives one container of a workload another image.
	//
	// +optional
	SetImage *SetImageOperation `json:"setImage,omitempty"`

	// undo brings back the pod template of a former revision of a Deployment, StatefulSet or DaemonSet.
	//
	// +optional
	Undo *UndoOperation `json:"undo,omitempty"`

	// delete deletes the object.
	//
	// +optional
	Delete *DeleteOperation `json:"delete,omitempty"`

	// cordon makes a node refuse new pods.
	//
	// +optional
	Cordon *NodeOperation `json:"cordon,omitempty"`

	// uncordon lets a node take new pods again.
	//
	// +optional
	Uncordon *NodeOperation `json:"uncordon,omitempty"`

	// suspend holds a CronJob or Job.
	//
	// +optional
	Suspend *TargetOperation `json:"suspend,omitempty"`

	// resume lets a held CronJob or Job go on.
	//
	// +optional
	Resume *TargetOperation `json:"resume,omitempty"`
}

// OperationTarget names the object that an operation is about.
type OperationTarget struct {
	// apiVersion is the group and version, such as "apps/v1"; needed only where several groups serve the kind.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?v[a-z0-9]+$`
	APIVersion string `json:"apiVersion,omitempty"`

	// kind of the object: a kind, a resource or a short name, such as "Deployment", "deployments" or "deploy".
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9]*$`
	Kind string `json:"kind,omitempty"`

	// namespace of the object; unset, it is that of the ChangeRequest. It is ignored for cluster-scoped kinds.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Namespace string `json:"namespace,omitempty"`

	// name of the object.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9._:]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
}

// TargetOperation is an operation that needs nothing but its target.
type TargetOperation struct {
	// target is the object.
	//
	// +required
	Target OperationTarget `json:"target,omitzero"`
}

// ApplyOperation is a server-side apply.
//
// +kubebuilder:validation:XValidation:rule="self.manifest.kind != 'Secret' || self.manifest.apiVersion != 'v1'",message="Secrets are not changed by eclusier: whoever may read this change could read what is in it",reason=FieldValueForbidden
type ApplyOperation struct {
	// manifest is the object as it is to be applied: only the fields that are to be owned. Its namespace is that of the
	// ChangeRequest unless it says otherwise.
	//
	// +required
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:EmbeddedResource
	Manifest runtime.RawExtension `json:"manifest"`
}

// PatchType is the form of a patch.
//
// +kubebuilder:validation:Enum=Merge;JSON;Strategic
type PatchType string

const (
	// PatchMerge is an RFC 7396 merge patch.
	PatchMerge PatchType = "Merge"
	// PatchJSON is an RFC 6902 JSON patch.
	PatchJSON PatchType = "JSON"
	// PatchStrategic is Kubernetes' strategic merge patch, for built-in kinds only.
	PatchStrategic PatchType = "Strategic"
)

// PatchOperation changes an object by a patch.
//
// +kubebuilder:validation:XValidation:rule="!(self.target.kind.lowerAscii() in ['secret', 'secrets']) || (has(self.target.apiVersion) && self.target.apiVersion != 'v1')",message="Secrets are not changed by eclusier: whoever may read this change could read what is in it",reason=FieldValueForbidden
type PatchOperation struct {
	// target is the object.
	//
	// +required
	Target OperationTarget `json:"target,omitzero"`

	// type is the form of the patch: Merge (the default), JSON or Strategic.
	//
	// +optional
	// +kubebuilder:default=Merge
	Type PatchType `json:"type,omitempty"`

	// patch is the patch itself, as JSON or YAML, at most 64 KiB.
	//
	// +required
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=65536
	Patch string `json:"patch,omitempty"`
}

// ScaleOperation sets the number of replicas.
type ScaleOperation struct {
	// target is the object; its kind must have a scale subresource.
	//
	// +required
	Target OperationTarget `json:"target,omitzero"`

	// replicas is the number of pods wanted.
	//
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	Replicas int32 `json:"replicas"`
}

// SetImageOperation gives a container another image.
type SetImageOperation struct {
	// target is the workload.
	//
	// +required
	Target OperationTarget `json:"target,omitzero"`

	// container or init container of the pod template; may be left out where there is only one container.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Container string `json:"container,omitempty"`

	// image is the image reference.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9._:/@-]*$`
	Image string `json:"image,omitempty"`
}

// UndoOperation brings back a former pod template.
type UndoOperation struct {
	// target is the workload.
	//
	// +required
	Target OperationTarget `json:"target,omitzero"`

	// toRevision is the revision to bring back; unset, it is the one before the current one.
	//
	// +optional
	// +kubebuilder:validation:Minimum=1
	ToRevision *int64 `json:"toRevision,omitempty"`
}

// DeleteOperation deletes an object.
type DeleteOperation struct {
	// target is the object.
	//
	// +required
	Target OperationTarget `json:"target,omitzero"`

	// propagation says what becomes of the objects it owns: Background (the default), Foreground or Orphan.
	//
	// +optional
	// +kubebuilder:validation:Enum=Background;Foreground;Orphan
	// +kubebuilder:default=Background
	Propagation metav1.DeletionPropagation `json:"propagation,omitempty"`
}

// NodeOperation is an operation on a node.
type NodeOperation struct {
	// node is the name of the node.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Node string `json:"node,omitempty"`
}

// Check is one thing that must hold after a change.
//
// +kubebuilder:validation:ExactlyOneOf=objectReady;cel;httpGet;noNewWarnings;noNewFaults
type Check struct {
	// name of the check, shown where it fails.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`

	// timeout is how long the check may take to hold, 1s to 1h, 2m by default. A check that does not hold by then fails.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s') && duration(self) <= duration('1h')",message="a check's timeout must be between 1s and 1h"
	Timeout *metav1.Duration `json:"timeout,omitempty"`

	// objectReady wants an object to be ready, as kstatus computes it.
	//
	// +optional
	ObjectReady *TargetOperation `json:"objectReady,omitempty"`

	// cel wants an expression over an object to be true.
	//
	// +optional
	CEL *CELCheck `json:"cel,omitempty"`

	// httpGet wants a URL to answer.
	//
	// +optional
	HTTPGet *HTTPGetCheck `json:"httpGet,omitempty"`

	// noNewWarnings wants no warning event about the changed objects, or what they own, that is newer than the change.
	//
	// +optional
	NoNewWarnings *NothingNewCheck `json:"noNewWarnings,omitempty"`

	// noNewFaults wants the diagnosis of the changed objects to find no fault that was not there before.
	//
	// +optional
	NoNewFaults *NothingNewCheck `json:"noNewFaults,omitempty"`
}

// CELCheck is an expression over an object.
type CELCheck struct {
	// target is the object, bound to the variable "object".
	//
	// +required
	Target OperationTarget `json:"target,omitzero"`

	// expression is a CEL expression of type bool, such as "object.status.readyReplicas >= 3".
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	Expression string `json:"expression,omitempty"`
}

// HTTPGetCheck is an HTTP GET made by the operator. Loopback, link-local and metadata addresses are refused, whatever
// name leads to them, and redirects are not followed.
type HTTPGetCheck struct {
	// url to get.
	//
	// +required
	// +kubebuilder:validation:MinLength=8
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^https?://`
	URL string `json:"url,omitempty"`

	// expectedStatus is the status code wanted, 200 by default.
	//
	// +optional
	// +kubebuilder:default=200
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=599
	ExpectedStatus int32 `json:"expectedStatus,omitempty"`
}

// NothingNewCheck looks for something that was not there before the change.
type NothingNewCheck struct {
	// soak is how long to look after the changed objects are ready, 0s to 1h, 10s by default.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="duration(self) <= duration('1h')",message="soak must be at most 1h"
	Soak *metav1.Duration `json:"soak,omitempty"`
}
