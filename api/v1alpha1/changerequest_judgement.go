package v1alpha1

// Risk is how dangerous a plan is. It is computed from the effects alone.
type Risk struct {
	// class decides who may approve.
	//
	// +required
	Class Class `json:"class,omitempty"`

	// impact is how much it can break.
	//
	// +required
	Impact Impact `json:"impact,omitempty"`

	// reversibility says whether it can be undone.
	//
	// +required
	Reversibility Reversibility `json:"reversibility,omitempty"`

	// reasons say why, a sentence each.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=512
	Reasons []string `json:"reasons,omitempty"`
}

// PolicyVerdict is what the policies say of a plan.
//
// +kubebuilder:validation:Enum=Allowed;ApprovalRequired;Denied
type PolicyVerdict string

// Verdicts of the policies.
const (
	// PolicyAllowed: nobody has to agree.
	PolicyAllowed PolicyVerdict = "Allowed"
	// PolicyApprovalRequired: as many people as required have to agree.
	PolicyApprovalRequired PolicyVerdict = "ApprovalRequired"
	// PolicyDenied: it may not be done.
	PolicyDenied PolicyVerdict = "Denied"
)

// PolicyStatus is what the ChangePolicies say of the current plan.
type PolicyStatus struct {
	// verdict is the strictest answer.
	//
	// +required
	Verdict PolicyVerdict `json:"verdict,omitempty"`

	// digest is the plan that was judged.
	//
	// +required
	// +kubebuilder:validation:Pattern=`^sha256:[0-9a-f]{64}$`
	Digest string `json:"digest"`

	// requiredApprovals is how many people have to agree.
	//
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=5
	RequiredApprovals int32 `json:"requiredApprovals"`

	// progress is "granted/required" for a print column.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=16
	Progress string `json:"progress,omitempty"`

	// decidedBy lists the policies and rules that led to the verdict, such as "shop@3: approval for Medium". The
	// built-in default is named "default".
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=512
	DecidedBy []string `json:"decidedBy,omitempty"`

	// fingerprint identifies the policies and generations that were asked, so that a change of any of them is noticed.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Fingerprint string `json:"fingerprint,omitempty"`

	// reviewAfterwards is true where a person is to look at the change once it is done.
	//
	// +optional
	ReviewAfterwards bool `json:"reviewAfterwards,omitempty"`
}
