package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
