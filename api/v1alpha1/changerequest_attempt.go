package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ApprovalSlot is one Approval of the current plan, as last seen.
type ApprovalSlot struct {
	// name of the Approval.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// purpose is what was asked.
	//
	// +required
	Purpose ApprovalPurpose `json:"purpose,omitempty"`

	// decision as last seen.
	//
	// +required
	Decision Decision `json:"decision,omitempty"`

	// by is who decided.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	By string `json:"by,omitempty"`
}

// AttemptStep is the kind of an attempt.
//
// +kubebuilder:validation:Enum=Apply;Verify;Rollback
type AttemptStep string

// Steps of a change that are recorded as attempts.
const (
	StepApply    AttemptStep = "Apply"
	StepVerify   AttemptStep = "Verify"
	StepRollback AttemptStep = "Rollback"
)

// Outcome is how an attempt ended.
//
// +kubebuilder:validation:Enum=Open;Succeeded;Failed;Unknown
type Outcome string

// Outcomes of an attempt.
const (
	// OutcomeOpen: it was begun and has not been closed.
	OutcomeOpen Outcome = "Open"
	// OutcomeSucceeded: it did all it was to do.
	OutcomeSucceeded Outcome = "Succeeded"
	// OutcomeFailed: it did not; operationsDone says how far it got.
	OutcomeFailed Outcome = "Failed"
	// OutcomeUnknown: it was interrupted, and looking at the objects does not tell whether it had its effect, or a check
	// could not be asked.
	OutcomeUnknown Outcome = "Unknown"
)

// Attempt is the record of one step, written before the step has any effect.
type Attempt struct {
	// id names the attempt, such as "apply-1".
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ID string `json:"id,omitempty"`

	// step is what was attempted.
	//
	// +required
	Step AttemptStep `json:"step,omitempty"`

	// digest is the plan that it belongs to.
	//
	// +required
	// +kubebuilder:validation:Pattern=`^sha256:[0-9a-f]{64}$`
	Digest string `json:"digest"`

	// startedAt is when it was begun.
	//
	// +required
	StartedAt metav1.Time `json:"startedAt"`

	// finishedAt is when it was closed.
	//
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`

	// outcome is how it ended.
	//
	// +required
	Outcome Outcome `json:"outcome,omitempty"`

	// operationsDone are the operations known to have had their effect, in order.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	OperationsDone []OperationDone `json:"operationsDone,omitempty"`

	// message says in a sentence what happened.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
}

// OperationDone is one operation that had its effect.
type OperationDone struct {
	// index of the operation in the plan, from 0.
	//
	// +required
	// +kubebuilder:validation:Minimum=0
	Index int32 `json:"index"`

	// object that was changed.
	//
	// +required
	Object ObjectReference `json:"object,omitzero"`

	// resourceVersion that the object has had since; unset where it was deleted.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	ResourceVersion string `json:"resourceVersion,omitempty"`

	// unforeseen lists fields that the API server stored otherwise than its dry run had shown. The attempt fails then.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=256
	Unforeseen []string `json:"unforeseen,omitempty"`
}
