package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// OperationName names an operation of a ChangeRequest in policies.
//
// +kubebuilder:validation:Enum=apply;patch;scale;restart;setImage;undo;delete;cordon;uncordon;suspend;resume
type OperationName string

// ChangeRule fits changes. A list that is unset fits everything; one change fits a rule if any of its effects fits all
// of the rule's lists.
//
// +kubebuilder:validation:XValidation:rule="has(self.pipelines) || has(self.operations) || has(self.kinds)",message="a rule must name pipelines, operations or kinds: one that fits everything is written as kinds: ['*']"
type ChangeRule struct {
	// name of the rule, shown in the verdict.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// pipelines that it fits.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	Pipelines []Pipeline `json:"pipelines,omitempty"`

	// operations that it fits.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=11
	Operations []OperationName `json:"operations,omitempty"`

	// kinds that it fits, as "Kind" or "Kind.group", such as "Deployment.apps"; "*" is every kind.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=50
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=317
	Kinds []string `json:"kinds,omitempty"`
}

// Autonomy says whether changes may be applied without a person's consent.
//
// +kubebuilder:validation:Enum=Disabled;Matrix
type Autonomy string

const (
	// AutonomyDisabled: every change needs somebody's consent.
	AutonomyDisabled Autonomy = "Disabled"
	// AutonomyMatrix: the matrix says which do.
	AutonomyMatrix Autonomy = "Matrix"
)

// MatrixAnswer is one cell of the matrix, from the most to the least permissive.
//
// +kubebuilder:validation:Enum=Autonomous;AutonomousThenReview;Approval;DoubleApproval;Deny
type MatrixAnswer string

// Answers of the matrix.
const (
	AnswerAutonomous           MatrixAnswer = "Autonomous"
	AnswerAutonomousThenReview MatrixAnswer = "AutonomousThenReview"
	AnswerApproval             MatrixAnswer = "Approval"
	AnswerDoubleApproval       MatrixAnswer = "DoubleApproval"
	AnswerDeny                 MatrixAnswer = "Deny"
)

// RiskMatrix says, for each impact and reversibility, what is needed. High impact is never autonomous.
//
// +kubebuilder:validation:XValidation:rule="!(self.highReversible in ['Autonomous', 'AutonomousThenReview']) && !(self.highIrreversible in ['Autonomous', 'AutonomousThenReview'])",message="changes of high impact always need somebody's consent: use Approval, DoubleApproval or Deny"
type RiskMatrix struct {
	// lowReversible is for low impact that can be undone.
	//
	// +optional
	// +kubebuilder:default=Autonomous
	LowReversible MatrixAnswer `json:"lowReversible,omitempty"`

	// lowIrreversible is for low impact that cannot be undone.
	//
	// +optional
	// +kubebuilder:default=Autonomous
	LowIrreversible MatrixAnswer `json:"lowIrreversible,omitempty"`

	// mediumReversible is for medium impact that can be undone.
	//
	// +optional
	// +kubebuilder:default=AutonomousThenReview
	MediumReversible MatrixAnswer `json:"mediumReversible,omitempty"`

	// mediumIrreversible is for medium impact that cannot be undone.
	//
	// +optional
	// +kubebuilder:default=Approval
	MediumIrreversible MatrixAnswer `json:"mediumIrreversible,omitempty"`

	// highReversible is for high impact that can be undone.
	//
	// +optional
	// +kubebuilder:default=Approval
	HighReversible MatrixAnswer `json:"highReversible,omitempty"`

	// highIrreversible is for high impact that cannot be undone.
	//
	// +optional
	// +kubebuilder:default=DoubleApproval
	HighIrreversible MatrixAnswer `json:"highIrreversible,omitempty"`
}

// Protected names what needs two people's consent whatever the risk, and is never autonomous.
type Protected struct {
	// namespaces by name.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	Namespaces []string `json:"namespaces,omitempty"`

	// objects by kind, namespace and name; an unset field fits every value.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	Objects []ProtectedObject `json:"objects,omitempty"`
}

// ProtectedObject fits objects.
type ProtectedObject struct {
	// kind of the object, as "Kind" or "Kind.group".
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	Kind string `json:"kind,omitempty"`

	// namespace of the object; unset fits all.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// name of the object; unset fits all.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// WindowKind says whether a window opens or closes the gate.
//
// +kubebuilder:validation:Enum=Allow;Freeze
type WindowKind string

const (
	// WindowAllow: changes are applied only within windows of this kind, if there is any.
	WindowAllow WindowKind = "Allow"
	// WindowFreeze: changes are not applied within the window.
	WindowFreeze WindowKind = "Freeze"
)

// Window is a recurring span of time.
type Window struct {
	// name of the window, shown while a change waits for it.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// kind is Allow or Freeze.
	//
	// +required
	Kind WindowKind `json:"kind,omitempty"`

	// schedule is when it begins, as a cron expression of five fields.
	//
	// +required
	// +kubebuilder:validation:MinLength=9
	// +kubebuilder:validation:MaxLength=128
	Schedule string `json:"schedule,omitempty"`

	// duration is how long it lasts, up to 168h.
	//
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="duration(self) > duration('0s') && duration(self) <= duration('168h')",message="a window lasts more than 0s and at most 168h"
	Duration metav1.Duration `json:"duration"`

	// timeZone is an IANA time zone, UTC by default.
	//
	// +optional
	// +kubebuilder:default=UTC
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	TimeZone string `json:"timeZone,omitempty"`
}

// Destructive says whether objects may be deleted.
//
// +kubebuilder:validation:Enum=Allow;Forbid
type Destructive string

const (
	// DestructiveAllow: with consent.
	DestructiveAllow Destructive = "Allow"
	// DestructiveForbid: not at all.
	DestructiveForbid Destructive = "Forbid"
)

// Alias says that several names are one person, who counts once.
type Alias struct {
	// person is a name for the person.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Person string `json:"person,omitempty"`

	// usernames are the names that the API server knows the person by.
	//
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	Usernames []string `json:"usernames,omitempty"`
}
