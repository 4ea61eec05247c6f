package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ApprovalPurpose is what an Approval decides.
//
// +kubebuilder:validation:Enum=Apply;AcceptResult
type ApprovalPurpose string

const (
	// PurposeApply: whether the plan may be applied.
	PurposeApply ApprovalPurpose = "Apply"
	// PurposeAcceptResult: whether a result that could not be verified is accepted (Approved) or rolled back (Rejected).
	PurposeAcceptResult ApprovalPurpose = "AcceptResult"
)

// Decision is what a person decided.
//
// +kubebuilder:validation:Enum=Pending;Approved;Rejected
type Decision string

const (
	// DecisionPending: nobody has decided yet.
	DecisionPending Decision = "Pending"
	// DecisionApproved: a person agreed.
	DecisionApproved Decision = "Approved"
	// DecisionRejected: a person refused.
	DecisionRejected Decision = "Rejected"
)

// SelfApproval says whether the requester may be one of those who agree.
//
// +kubebuilder:validation:Enum=Forbid;Allow
type SelfApproval string

const (
	// SelfApprovalForbid: somebody else has to agree.
	SelfApprovalForbid SelfApproval = "Forbid"
	// SelfApprovalAllow: the requester may agree to his own change.
	SelfApprovalAllow SelfApproval = "Allow"
)

// ApprovalSpec is one question to one person, and the answer. Everything but the answer is written by the operator when
// the slot is made and never changes; the answer is written once, by a person whom the API server authenticated.
//
// +kubebuilder:validation:XValidation:rule="self.changeRequestRef == oldSelf.changeRequestRef && self.purpose == oldSelf.purpose && self.revision == oldSelf.revision && self.planDigest == oldSelf.planDigest && self.class == oldSelf.class && self.requestedBy == oldSelf.requestedBy && self.summary == oldSelf.summary && has(self.diff) == has(oldSelf.diff) && (!has(self.diff) || self.diff == oldSelf.diff) && self.risk == oldSelf.risk && self.slot == oldSelf.slot && self.expiresAt == oldSelf.expiresAt && self.selfApproval == oldSelf.selfApproval && has(self.approvers) == has(oldSelf.approvers) && (!has(self.approvers) || self.approvers == oldSelf.approvers)",message="only decision, acknowledgedDigest and reason of an Approval can be written: everything else is the question as it was asked",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="oldSelf.decision == 'Pending' || (self.decision == oldSelf.decision && has(self.acknowledgedDigest) == has(oldSelf.acknowledgedDigest) && (!has(self.acknowledgedDigest) || self.acknowledgedDigest == oldSelf.acknowledgedDigest) && has(self.reason) == has(oldSelf.reason) && (!has(self.reason) || self.reason == oldSelf.reason) && has(self.decidedBy) == has(oldSelf.decidedBy) && (!has(self.decidedBy) || self.decidedBy == oldSelf.decidedBy))",message="this Approval has been decided, and a decision is never changed: to stop the change, set spec.cancel of the ChangeRequest",reason=FieldValueForbidden,fieldPath=.decision
// +kubebuilder:validation:XValidation:rule="self.decision != 'Approved' || (has(self.acknowledgedDigest) && self.acknowledgedDigest == self.planDigest)",message="spec.acknowledgedDigest must equal spec.planDigest: it says that you have seen this plan and not another one",fieldPath=.acknowledgedDigest
// +kubebuilder:validation:XValidation:rule="self.decision != 'Pending' || !(has(self.decidedBy) || has(self.acknowledgedDigest) || has(self.reason))",message="acknowledgedDigest, reason and decidedBy belong to a decision: set spec.decision to Approved or Rejected in the same request",fieldPath=.decision
// +kubebuilder:validation:XValidation:rule="!has(self.signature)",message="not supported yet: decisions through Git are not taken; patch the Approval as yourself",reason=FieldValueForbidden,fieldPath=.signature
type ApprovalSpec struct {
	// changeRequestRef is the change, by name and uid: one that is created again under the same name is another change.
	//
	// +required
	ChangeRequestRef ChangeReference `json:"changeRequestRef,omitzero"`

	// purpose is what is decided: Apply, or AcceptResult after an inconclusive verification.
	//
	// +required
	Purpose ApprovalPurpose `json:"purpose,omitempty"`

	// revision of the plan.
	//
	// +required
	// +kubebuilder:validation:Minimum=1
	Revision int32 `json:"revision,omitempty"`

	// planDigest is the digest of the plan that is decided about, and of no other.
	//
	// +required
	// +kubebuilder:validation:Pattern=`^sha256:[0-9a-f]{64}$`
	PlanDigest string `json:"planDigest"`

	// class of the change. Whoever decides needs the verb "approve" on changeclasses/<class in lower case> of this
	// namespace.
	//
	// +required
	Class Class `json:"class,omitempty"`

	// requestedBy is who asked for the change, and may not agree to it unless selfApproval says so.
	//
	// +required
	RequestedBy Requester `json:"requestedBy,omitzero"`

	// summary is the plan in a line.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Summary string `json:"summary,omitempty"`

	// diff shows what would change, object by object, redacted. It is whole: a longer one is no plan.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=65536
	Diff string `json:"diff,omitempty"`

	// risk is how dangerous the change is, and why.
	//
	// +required
	Risk Risk `json:"risk,omitzero"`

	// slot counts the people who have to agree, from 1.
	//
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20
	Slot int32 `json:"slot,omitempty"`

	// expiresAt is when the question lapses.
	//
	// +required
	ExpiresAt metav1.Time `json:"expiresAt"`

	// selfApproval says whether the requester may decide.
	//
	// +required
	SelfApproval SelfApproval `json:"selfApproval,omitempty"`

	// approvers are those who may decide, besides that they need the verb "approve": whoever decides must be in every
	// set. Unset, the verb suffices.
	//
	// +optional
	// +listType=map
	// +listMapKey=policy
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	Approvers []ApproverSet `json:"approvers,omitempty"`

	// decision is Pending until a person writes Approved or Rejected, once.
	//
	// +optional
	// +kubebuilder:default=Pending
	Decision Decision `json:"decision,omitempty"`

	// acknowledgedDigest must equal planDigest when the decision is Approved: nobody approves unseen.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:Pattern=`^sha256:[0-9a-f]{64}$`
	AcknowledgedDigest string `json:"acknowledgedDigest,omitempty"`

	// reason says why, in the words of the one who decided.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason,omitempty"`

	// decidedBy is who decided. The API server writes it from the authenticated request; before Kubernetes 1.36 the
	// client sends its own name, with the groups that let it decide, and any other is refused. A decision without it is
	// refused, and counts for nothing.
	//
	// +optional
	DecidedBy *Decider `json:"decidedBy,omitempty"`

	// signature is the approver's own signature of a decision that comes through Git.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=8192
	Signature string `json:"signature,omitempty"`
}

// ChangeReference names a ChangeRequest of the same namespace.
type ChangeReference struct {
	// name of the ChangeRequest.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// uid of the ChangeRequest.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID string `json:"uid,omitempty"`
}

// Decider is the identity of the person who decided, as the API server authenticated it.
type Decider struct {
	// username is the authenticated name.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Username string `json:"username,omitempty"`

	// uid is the identity's unique id where the authenticator supplies one.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	UID string `json:"uid,omitempty"`

	// groups are those that the person was in when deciding, so that it can be asked again, before applying, whether a
	// member of them may still decide. A name that is not one of the caller's groups is refused. Of a person in more than
	// 500 groups the API server writes the first 500.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=500
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	Groups []string `json:"groups,omitempty"`
}

// ApproverSet is the approvers that one ChangePolicy names.
type ApproverSet struct {
	// policy is the name of the ChangePolicy.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Policy string `json:"policy,omitempty"`

	// subjects are its approvers.
	//
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=50
	Subjects []Subject `json:"subjects,omitempty"`
}

// SubjectKind is the kind of a subject.
//
// +kubebuilder:validation:Enum=User;Group
type SubjectKind string

const (
	// SubjectUser is one user, by exact name.
	SubjectUser SubjectKind = "User"
	// SubjectGroup is every member of a group, by exact name.
	SubjectGroup SubjectKind = "Group"
)

// Subject is a user or a group as the API server authenticates them.
type Subject struct {
	// kind is User or Group.
	//
	// +required
	Kind SubjectKind `json:"kind,omitempty"`

	// name is the exact name.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Name string `json:"name,omitempty"`
}

// IdentitySource says how it is known who decided.
//
// +kubebuilder:validation:Enum=Stamped;Checked
type IdentitySource string

const (
	// IdentityStamped: the API server wrote the name.
	IdentityStamped IdentitySource = "Stamped"
	// IdentityChecked: the client wrote its name, and the API server refused any other.
	IdentityChecked IdentitySource = "Checked"
)

// ApprovalStatus is what the operator made of the decision.
type ApprovalStatus struct {
	// conditions say what it amounts to: Granted is True once the decision counts, False once it never will, Unknown
	// while it is awaited.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`

	// identitySource says how it is known who decided.
	//
	// +optional
	IdentitySource IdentitySource `json:"identitySource,omitempty"`

	// consumedAt is when the approval was used up by an attempt to apply. It counts once.
	//
	// +optional
	ConsumedAt *metav1.Time `json:"consumedAt,omitempty"`

	// consumedBy is the id of that attempt.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ConsumedBy string `json:"consumedBy,omitempty"`

	// observedGeneration is the generation that the status speaks of.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// Approval is one person's decision about one plan.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=apv,categories=eclusier
// +kubebuilder:printcolumn:name="Change",type=string,JSONPath=`.spec.changeRequestRef.name`
// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=`.spec.class`
// +kubebuilder:printcolumn:name="Decision",type=string,JSONPath=`.spec.decision`
// +kubebuilder:printcolumn:name="By",type=string,JSONPath=`.spec.decidedBy.username`
// +kubebuilder:printcolumn:name="Granted",type=string,JSONPath=`.status.conditions[?(@.type=="Granted")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Summary",type=string,JSONPath=`.spec.summary`
// +kubebuilder:printcolumn:name="Requested-By",type=string,JSONPath=`.spec.requestedBy.username`,priority=1
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.spec.expiresAt`,priority=1
// +kubebuilder:printcolumn:name="Digest",type=string,JSONPath=`.spec.planDigest`,priority=1
type Approval struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard object metadata.
	//
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the question and the answer.
	//
	// +required
	Spec ApprovalSpec `json:"spec,omitzero"`

	// status is what the operator made of it. Only the operator writes it.
	//
	// +optional
	Status ApprovalStatus `json:"status,omitempty"`
}

// GetConditions returns the conditions of the approval.
func (a *Approval) GetConditions() []metav1.Condition { return a.Status.Conditions }

// SetConditions replaces the conditions of the approval.
func (a *Approval) SetConditions(conditions []metav1.Condition) { a.Status.Conditions = conditions }

// ApprovalList is a list of Approvals.
//
// +kubebuilder:object:root=true
type ApprovalList struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard list metadata.
	//
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the approvals.
	Items []Approval `json:"items"`
}
