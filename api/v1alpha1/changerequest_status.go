package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ChangePhase sums the conditions up for a print column. Nothing decides from it.
//
// +kubebuilder:validation:Enum=Planning;AwaitingApproval;AwaitingWindow;Applying;Verifying;AwaitingAcceptance;RollingBack;Suspended;Succeeded;RolledBack;Failed;Denied;Rejected;Expired;Cancelled
type ChangePhase string

// Phases of a change.
const (
	ChangePlanning         ChangePhase = "Planning"
	ChangeAwaitingApproval ChangePhase = "AwaitingApproval"
	ChangeAwaitingWindow   ChangePhase = "AwaitingWindow"
	ChangeApplying         ChangePhase = "Applying"
	ChangeVerifying        ChangePhase = "Verifying"
	// ChangeAwaitingAcceptance: it is applied, and a person decides whether the result stands.
	ChangeAwaitingAcceptance ChangePhase = "AwaitingAcceptance"
	ChangeRollingBack        ChangePhase = "RollingBack"
	ChangeSuspended          ChangePhase = "Suspended"
	ChangeSucceeded          ChangePhase = "Succeeded"
	ChangeRolledBack         ChangePhase = "RolledBack"
	ChangeFailed             ChangePhase = "Failed"
	ChangeDenied             ChangePhase = "Denied"
	ChangeRejected           ChangePhase = "Rejected"
	ChangeExpired            ChangePhase = "Expired"
	ChangeCancelled          ChangePhase = "Cancelled"
)

// Class is how dangerous a change is, computed from its effects. It decides who may approve it.
//
// +kubebuilder:validation:Enum=Low;Medium;High;Critical
type Class string

// Classes of changes, from the least to the most dangerous.
const (
	ClassLow      Class = "Low"
	ClassMedium   Class = "Medium"
	ClassHigh     Class = "High"
	ClassCritical Class = "Critical"
)

// Impact is how much a change can break.
//
// +kubebuilder:validation:Enum=Low;Medium;High
type Impact string

// Impacts, from the least to the greatest.
const (
	ImpactLow    Impact = "Low"
	ImpactMedium Impact = "Medium"
	ImpactHigh   Impact = "High"
)

// Reversibility says whether a change can be undone from its record and snapshot.
//
// +kubebuilder:validation:Enum=Reversible;Irreversible
type Reversibility string

// Reversibilities.
const (
	Reversible   Reversibility = "Reversible"
	Irreversible Reversibility = "Irreversible"
)

// ChangeRequestStatus is what came of a change so far. It holds references, digests, counts and short redacted texts.
type ChangeRequestStatus struct {
	// phase sums the conditions up for kubectl get. Decide from the conditions instead.
	//
	// +optional
	Phase ChangePhase `json:"phase,omitempty"`

	// conditions say how far the change got. Succeeded is the one to wait for.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +kubebuilder:validation:MaxItems=32
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`

	// plan is what the change would do, as the API server's dry run showed it.
	//
	// +optional
	Plan *PlanStatus `json:"plan,omitempty"`

	// policy is what the ChangePolicies say of this plan.
	//
	// +optional
	Policy *PolicyStatus `json:"policy,omitempty"`

	// approvals are the slots of the current revision, and the decision on the result where one was asked for.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=20
	Approvals []ApprovalSlot `json:"approvals,omitempty"`

	// attempts are the steps that had or may have had an effect, the oldest first, at most 20.
	//
	// +optional
	// +listType=map
	// +listMapKey=id
	// +kubebuilder:validation:MaxItems=20
	Attempts []Attempt `json:"attempts,omitempty"`

	// drift counts how often live objects changed under a plan before it could be applied; unset where that never
	// happened.
	//
	// +optional
	Drift *DriftStatus `json:"drift,omitempty"`

	// result is the end of the change; unset while it goes on.
	//
	// +optional
	Result ChangeResult `json:"result,omitempty"`

	// retry says when and why a step is tried again.
	//
	// +optional
	Retry *RetryStatus `json:"retry,omitempty"`

	// failure says why the change did not succeed.
	//
	// +optional
	Failure *Failure `json:"failure,omitempty"`

	// approveWith is the command that an approver runs; unset where nobody is asked.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	ApproveWith []string `json:"approveWith,omitempty"`

	// correlationID is carried into every log line, event and audit line of this change.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	CorrelationID string `json:"correlationID,omitempty"`

	// startedAt is when the change was first looked at.
	//
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`

	// completedAt is when it ended.
	//
	// +optional
	CompletedAt *metav1.Time `json:"completedAt,omitempty"`

	// observedGeneration is the generation that the status speaks of.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// ChangeResult is how a change ended.
//
// +kubebuilder:validation:Enum=Succeeded;Planned;Denied;Rejected;Expired;Cancelled;Invalid;ApplyFailed;VerifyFailed;RolledBack;RollbackFailed
type ChangeResult string

// Results of a change.
const (
	// ResultSucceeded: applied and verified, or accepted by a person.
	ResultSucceeded ChangeResult = "Succeeded"
	// ResultPlanned: spec.dryRun wanted no more.
	ResultPlanned ChangeResult = "Planned"
	// ResultDenied: a policy forbids it.
	ResultDenied ChangeResult = "Denied"
	// ResultRejected: a person said no.
	ResultRejected ChangeResult = "Rejected"
	// ResultExpired: nobody agreed in time, or spec.deadline passed.
	ResultExpired ChangeResult = "Expired"
	// ResultCancelled: spec.cancel ended it before anything was applied.
	ResultCancelled ChangeResult = "Cancelled"
	// ResultInvalid: it cannot be planned as it is written, or no plan of it holds until it is applied.
	ResultInvalid ChangeResult = "Invalid"
	// ResultApplyFailed: applying failed, and what was done stays (rollback Never).
	ResultApplyFailed ChangeResult = "ApplyFailed"
	// ResultVerifyFailed: a check failed, and what was done stays (rollback Never).
	ResultVerifyFailed ChangeResult = "VerifyFailed"
	// ResultRolledBack: it failed, and everything it did was undone.
	ResultRolledBack ChangeResult = "RolledBack"
	// ResultRollbackFailed: it failed, and what it did could not all be undone. A person has to look.
	ResultRollbackFailed ChangeResult = "RollbackFailed"
)

// PlanStatus sums up the stored plan.
type PlanStatus struct {
	// revision counts the plans of this change, from 1. A new plan supersedes the Approvals of the former one.
	//
	// +required
	// +kubebuilder:validation:Minimum=1
	Revision int32 `json:"revision,omitempty"`

	// digest is the SHA-256 of everything that consent binds to, as "sha256:" and 64 hexadecimal digits.
	//
	// +required
	// +kubebuilder:validation:Pattern=`^sha256:[0-9a-f]{64}$`
	Digest string `json:"digest"`

	// summary is the plan in a line, such as "scale Deployment shop/checkout from 2 to 3".
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Summary string `json:"summary,omitempty"`

	// counts says how many objects are created, changed, deleted, and left as they are.
	//
	// +required
	Counts EffectCounts `json:"counts"`

	// risk is how dangerous the plan is, and why.
	//
	// +required
	Risk Risk `json:"risk,omitzero"`

	// notDryRun lists what the API server could not show beforehand, and why.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	NotDryRun []string `json:"notDryRun,omitempty"`

	// notShown lists the objects of which the diff hides something that the change sets, and what: values that look like
	// secrets, and what only the API server can tell.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	NotShown []string `json:"notShown,omitempty"`

	// notes are what an approver should know besides: fields that others manage, objects that Argo CD or Flux would
	// revert, and the like.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	Notes []string `json:"notes,omitempty"`

	// namespaces are those of the touched objects, besides that of the change: their policies count too.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	Namespaces []string `json:"namespaces,omitempty"`

	// diffRef names the stored plan with the whole diff, in the operator's namespace.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	DiffRef string `json:"diffRef,omitempty"`

	// storedDigest is the SHA-256 of what diffRef names, plan and diff: what is not what was shown is never applied, and
	// never shown again.
	//
	// +optional
	// +kubebuilder:validation:Pattern=`^sha256:[0-9a-f]{64}$`
	// +kubebuilder:validation:MinLength=71
	// +kubebuilder:validation:MaxLength=71
	StoredDigest string `json:"storedDigest,omitempty"`

	// snapshotRef names the stored snapshot of the objects before the change, in the operator's namespace.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	SnapshotRef string `json:"snapshotRef,omitempty"`

	// plannedAt is when the plan was made.
	//
	// +required
	PlannedAt metav1.Time `json:"plannedAt"`

	// expiresAt is when consent to this plan lapses.
	//
	// +required
	ExpiresAt metav1.Time `json:"expiresAt"`
}

// DriftStatus is how often live objects changed under a plan.
type DriftStatus struct {
	// revision is the last plan that was overtaken. While it is the revision of status.plan, a new plan is due.
	//
	// +required
	// +kubebuilder:validation:Minimum=1
	Revision int32 `json:"revision,omitempty"`

	// count is how many plans were overtaken.
	//
	// +required
	// +kubebuilder:validation:Minimum=1
	Count int32 `json:"count,omitempty"`

	// reason is that of the condition Drifted.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Reason string `json:"reason,omitempty"`

	// message says in a sentence what changed.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
}

// EffectCounts counts the objects that a plan touches.
type EffectCounts struct {
	// create is the number of objects created.
	//
	// +required
	// +kubebuilder:validation:Minimum=0
	Create int32 `json:"create"`

	// update is the number of objects changed.
	//
	// +required
	// +kubebuilder:validation:Minimum=0
	Update int32 `json:"update"`

	// delete is the number of objects deleted.
	//
	// +required
	// +kubebuilder:validation:Minimum=0
	Delete int32 `json:"delete"`

	// unchanged is the number of operations that would change nothing.
	//
	// +required
	// +kubebuilder:validation:Minimum=0
	Unchanged int32 `json:"unchanged"`
}
