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

// ChangePolicySpec says what may be changed in the namespaces that it fits, and who has to agree. Where several fit, the
// strictest answer of each field wins; where none fits, every change needs one approval by someone other than the
// requester.
type ChangePolicySpec struct {
	// namespaceSelector chooses the namespaces by their labels; an empty selector fits all. A change is judged for its
	// own namespace and for those of the objects it touches.
	//
	// +required
	NamespaceSelector metav1.LabelSelector `json:"namespaceSelector"`

	// allow lists what may be changed; unset, everything that deny does not forbid.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=50
	Allow []ChangeRule `json:"allow,omitempty"`

	// deny lists what may not be changed; it wins over allow.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=50
	Deny []ChangeRule `json:"deny,omitempty"`

	// protected needs two people's consent.
	//
	// +optional
	Protected *Protected `json:"protected,omitempty"`

	// autonomy says whether the matrix is used; Disabled by default.
	//
	// +optional
	// +kubebuilder:default=Disabled
	Autonomy Autonomy `json:"autonomy,omitempty"`

	// matrix says what each kind of risk needs, where autonomy is Matrix.
	//
	// +optional
	Matrix *RiskMatrix `json:"matrix,omitempty"`

	// approvers are those who may agree, besides that they need the verb "approve"; unset, the verb suffices.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=50
	Approvers []Subject `json:"approvers,omitempty"`

	// quorum is the least number of people who have to agree, 1 to 5; 1 by default. It does not concern what the matrix
	// makes autonomous.
	//
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	Quorum int32 `json:"quorum,omitempty"`

	// selfApproval says whether the requester may agree to his own change; Forbid by default.
	//
	// +optional
	// +kubebuilder:default=Forbid
	SelfApproval SelfApproval `json:"selfApproval,omitempty"`

	// approvalTTL is how long consent may be awaited and used, 1s to 168h; 24h by default. It counts from the plan or, where a
	// window or spec.notBefore has to be waited for, from that.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s') && duration(self) <= duration('168h')",message="spec.approvalTTL must be between 1s and 168h"
	ApprovalTTL *metav1.Duration `json:"approvalTTL,omitempty"`

	// windows say when changes are applied.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	Windows []Window `json:"windows,omitempty"`

	// destructive says whether objects may be deleted; Allow (with consent) by default.
	//
	// +optional
	// +kubebuilder:default=Allow
	Destructive Destructive `json:"destructive,omitempty"`

	// serviceAccounts are those that effects may be made as; unset, eclusier-applier alone.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	ServiceAccounts []string `json:"serviceAccounts,omitempty"`

	// aliases say which names are one person.
	//
	// +optional
	// +listType=map
	// +listMapKey=person
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=500
	Aliases []Alias `json:"aliases,omitempty"`

	// delegatedSubmitters are service accounts, such as Argo CD's, that create ChangeRequests for others. Nobody of them
	// may ever agree to one.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	DelegatedSubmitters []string `json:"delegatedSubmitters,omitempty"`
}

// ChangePolicyStatus says whether the policy can be used.
type ChangePolicyStatus struct {
	// conditions say whether it can be used: Ready is True once it can. While it cannot, every change that it fits is
	// denied.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`

	// observedGeneration is the generation that the status speaks of.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// ChangePolicy says what may be changed in some namespaces, and who has to agree.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=chp,categories=eclusier
// +kubebuilder:printcolumn:name="Quorum",type=integer,JSONPath=`.spec.quorum`
// +kubebuilder:printcolumn:name="Autonomy",type=string,JSONPath=`.spec.autonomy`
// +kubebuilder:printcolumn:name="Self-Approval",type=string,JSONPath=`.spec.selfApproval`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ChangePolicy struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard object metadata.
	//
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the policy.
	//
	// +required
	Spec ChangePolicySpec `json:"spec"`

	// status says whether it can be used.
	//
	// +optional
	Status ChangePolicyStatus `json:"status,omitempty"`
}

// GetConditions returns the conditions of the policy.
func (p *ChangePolicy) GetConditions() []metav1.Condition { return p.Status.Conditions }

// SetConditions replaces the conditions of the policy.
func (p *ChangePolicy) SetConditions(conditions []metav1.Condition) { p.Status.Conditions = conditions }

// ChangePolicyList is a list of ChangePolicies.
//
// +kubebuilder:object:root=true
type ChangePolicyList struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard list metadata.
	//
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the policies.
	Items []ChangePolicy `json:"items"`
}
