package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DefaultApplierName is the service account that effects are made as unless spec.serviceAccountName names another one.
const DefaultApplierName = "eclusier-applier"

// DefaultPlannerName is the service account that dry runs are made as. An admission policy refuses every request of it
// that is not a dry run.
const DefaultPlannerName = "eclusier-planner"

// Pipeline is the means by which a change is planned and applied.
//
// +kubebuilder:validation:Enum=Auto;Kubernetes;Terraform;Ansible;Bash
type Pipeline string

const (
	// PipelineAuto takes the one pipeline whose section is set.
	PipelineAuto Pipeline = "Auto"
	// PipelineKubernetes changes objects of the cluster that eclusier runs in.
	PipelineKubernetes Pipeline = "Kubernetes"
)

// RollbackMode says what happens when applying or checking a change fails.
//
// +kubebuilder:validation:Enum=Automatic;Manual;Never
type RollbackMode string

const (
	// RollbackAutomatic undoes what was done, at once.
	RollbackAutomatic RollbackMode = "Automatic"
	// RollbackManual asks a person, through an Approval with purpose AcceptResult, whether to accept or to roll back.
	RollbackManual RollbackMode = "Manual"
	// RollbackNever leaves what was done in place.
	RollbackNever RollbackMode = "Never"
)

// Delivery says where a change is written.
//
// +kubebuilder:validation:Enum=Auto;Direct;GitCommit
type Delivery string

const (
	// DeliveryAuto writes to the cluster, and refuses objects that Argo CD or Flux would revert.
	DeliveryAuto Delivery = "Auto"
	// DeliveryDirect writes to the cluster even where Argo CD or Flux manage the object; the plan says so.
	DeliveryDirect Delivery = "Direct"
)

// ChangeRequestSpec is what is to be changed, how it is checked and what happens if it fails. It cannot be changed once
// created, except suspend and cancel (which cannot be taken back): whoever wants something else asks for something else.
//
// +kubebuilder:validation:XValidation:rule="has(self.taskRef) == has(oldSelf.taskRef) && (!has(self.taskRef) || self.taskRef == oldSelf.taskRef)",message="spec.taskRef cannot be changed: create another ChangeRequest",reason=FieldValueForbidden,fieldPath=.taskRef
// +kubebuilder:validation:XValidation:rule="self.reason == oldSelf.reason",message="spec.reason cannot be changed: create another ChangeRequest",reason=FieldValueForbidden,fieldPath=.reason
// +kubebuilder:validation:XValidation:rule="has(self.requestedBy) == has(oldSelf.requestedBy) && (!has(self.requestedBy) || self.requestedBy == oldSelf.requestedBy)",message="spec.requestedBy cannot be changed: it names who created the ChangeRequest",reason=FieldValueForbidden,fieldPath=.requestedBy
// +kubebuilder:validation:XValidation:rule="(has(self.pipeline) ? self.pipeline : 'Auto') == (has(oldSelf.pipeline) ? oldSelf.pipeline : 'Auto')",message="spec.pipeline cannot be changed: create another ChangeRequest",reason=FieldValueForbidden,fieldPath=.pipeline
// +kubebuilder:validation:XValidation:rule="self.kubernetes == oldSelf.kubernetes",message="spec.kubernetes cannot be changed: create another ChangeRequest",reason=FieldValueForbidden,fieldPath=.kubernetes
// +kubebuilder:validation:XValidation:rule="(has(self.serviceAccountName) ? self.serviceAccountName : 'eclusier-applier') == (has(oldSelf.serviceAccountName) ? oldSelf.serviceAccountName : 'eclusier-applier')",message="spec.serviceAccountName cannot be changed: create another ChangeRequest",reason=FieldValueForbidden,fieldPath=.serviceAccountName
// +kubebuilder:validation:XValidation:rule="has(self.checks) == has(oldSelf.checks) && (!has(self.checks) || self.checks == oldSelf.checks)",message="spec.checks cannot be changed: create another ChangeRequest",reason=FieldValueForbidden,fieldPath=.checks
// +kubebuilder:validation:XValidation:rule="(has(self.rollback) ? self.rollback : 'Automatic') == (has(oldSelf.rollback) ? oldSelf.rollback : 'Automatic')",message="spec.rollback cannot be changed: create another ChangeRequest",reason=FieldValueForbidden,fieldPath=.rollback
// +kubebuilder:validation:XValidation:rule="(has(self.delivery) ? self.delivery : 'Auto') == (has(oldSelf.delivery) ? oldSelf.delivery : 'Auto')",message="spec.delivery cannot be changed: create another ChangeRequest",reason=FieldValueForbidden,fieldPath=.delivery
// +kubebuilder:validation:XValidation:rule="(has(self.dryRun) && self.dryRun) == (has(oldSelf.dryRun) && oldSelf.dryRun)",message="spec.dryRun cannot be changed: create another ChangeRequest",reason=FieldValueForbidden,fieldPath=.dryRun
// +kubebuilder:validation:XValidation:rule="has(self.notBefore) == has(oldSelf.notBefore) && (!has(self.notBefore) || self.notBefore == oldSelf.notBefore)",message="spec.notBefore cannot be changed: create another ChangeRequest",reason=FieldValueForbidden,fieldPath=.notBefore
// +kubebuilder:validation:XValidation:rule="has(self.deadline) == has(oldSelf.deadline) && (!has(self.deadline) || self.deadline == oldSelf.deadline)",message="spec.deadline cannot be changed: create another ChangeRequest",reason=FieldValueForbidden,fieldPath=.deadline
// +kubebuilder:validation:XValidation:rule="!(has(oldSelf.cancel) && oldSelf.cancel) || (has(self.cancel) && self.cancel)",message="spec.cancel cannot be taken back: create another ChangeRequest",reason=FieldValueForbidden,fieldPath=.cancel
// +kubebuilder:validation:XValidation:rule="!has(self.pipeline) || self.pipeline in ['Auto', 'Kubernetes']",message="not supported yet: only the Kubernetes pipeline is served; leave spec.pipeline out",reason=FieldValueForbidden,fieldPath=.pipeline
// +kubebuilder:validation:XValidation:rule="!has(self.delivery) || self.delivery != 'GitCommit'",message="not supported yet: changes are not committed to Git; change the object in its repository, or set spec.delivery to Direct",reason=FieldValueForbidden,fieldPath=.delivery
// +kubebuilder:validation:XValidation:rule="!has(self.notBefore) || !has(self.deadline) || self.notBefore < self.deadline",message="spec.notBefore must be before spec.deadline",fieldPath=.notBefore
type ChangeRequestSpec struct {
	// taskRef names the AgentTask of the same namespace that the change comes from.
	//
	// +optional
	TaskRef *LocalReference `json:"taskRef,omitempty"`

	// reason says why the change is wanted, for those who have to agree.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason,omitempty"`

	// requestedBy is who asked for the change. The API server writes it from the authenticated request and overwrites
	// what the client sent; before Kubernetes 1.36 it cannot, so the client sends its own name and any other is refused.
	// A change that comes from a task carries the task's requester.
	//
	// +optional
	RequestedBy *Requester `json:"requestedBy,omitempty"`

	// pipeline is the means by which the change is made; Auto (the default) takes the one whose section is set.
	//
	// +optional
	// +kubebuilder:default=Auto
	Pipeline Pipeline `json:"pipeline,omitempty"`

	// kubernetes lists what is to be done to objects of this cluster.
	//
	// +required
	Kubernetes KubernetesChange `json:"kubernetes,omitzero"`

	// serviceAccountName is the service account of this namespace that effects are made as, eclusier-applier by default.
	// Its RBAC bounds the change. A ChangePolicy may restrict the choice.
	//
	// +optional
	// +kubebuilder:default=eclusier-applier
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// checks are what must hold after the change, at most 10, besides that every changed object becomes ready.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	Checks []Check `json:"checks,omitempty"`

	// rollback says what happens when applying or checking fails: Automatic (the default) undoes what was done, Manual
	// asks a person, Never leaves it.
	//
	// +optional
	// +kubebuilder:default=Automatic
	Rollback RollbackMode `json:"rollback,omitempty"`

	// delivery says where the change is written. Auto (the default) refuses objects that Argo CD or Flux manage, since
	// they would revert it; Direct changes them all the same and says so.
	//
	// +optional
	// +kubebuilder:default=Auto
	Delivery Delivery `json:"delivery,omitempty"`

	// dryRun plans and shows the change and ends there.
	//
	// +optional
	DryRun bool `json:"dryRun,omitempty"`

	// notBefore is the earliest time to apply.
	//
	// +optional
	NotBefore *metav1.Time `json:"notBefore,omitempty"`

	// deadline is the latest time to start applying; afterwards the change ends as Expired.
	//
	// +optional
	Deadline *metav1.Time `json:"deadline,omitempty"`

	// suspend holds the change before its next step. A rollback that is due is not held.
	//
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// cancel ends a change that has not begun to be applied. It cannot be taken back, and it does nothing to a finished
	// change; one that is being applied is finished or rolled back first.
	//
	// +optional
	Cancel bool `json:"cancel,omitempty"`
}

// ChangeRequest is one wish to change something, its plan, who agreed to it, and what came of it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=chg,categories=eclusier
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=`.status.plan.risk.class`
// +kubebuilder:printcolumn:name="Approvals",type=string,JSONPath=`.status.policy.progress`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Summary",type=string,JSONPath=`.status.plan.summary`
// +kubebuilder:printcolumn:name="Requested-By",type=string,JSONPath=`.spec.requestedBy.username`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].message`,priority=1
type ChangeRequest struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard object metadata.
	//
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what is to be changed.
	//
	// +required
	Spec ChangeRequestSpec `json:"spec,omitzero"`

	// status is what came of it so far. Only the operator writes it.
	//
	// +optional
	Status ChangeRequestStatus `json:"status,omitempty"`
}

// GetConditions returns the conditions of the change.
func (c *ChangeRequest) GetConditions() []metav1.Condition { return c.Status.Conditions }

// SetConditions replaces the conditions of the change.
func (c *ChangeRequest) SetConditions(conditions []metav1.Condition) {
	c.Status.Conditions = conditions
}

// ChangeRequestList is a list of ChangeRequests.
//
// +kubebuilder:object:root=true
type ChangeRequestList struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard list metadata.
	//
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the changes.
	Items []ChangeRequest `json:"items"`
}
