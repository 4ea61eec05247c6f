package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Bounds of the lists and texts in AgentTaskStatus. The API server refuses a status that exceeds them, so whoever writes
// one cuts to these first. Lengths are characters.
const (
	MaxStatusTargets  = 20
	MaxFindings       = 50
	MaxEvidence       = 8
	MaxCausedBy       = 16
	MaxMissing        = 20
	MaxRemedies       = 5
	MaxRules          = 16
	MaxEvidenceSource = 512
	MaxEvidenceText   = 512
	MaxStatusText     = 1024
	MaxAnswerBytes    = 8 << 10
)

// Phase sums the conditions up for a print column. Nothing decides from it.
//
// +kubebuilder:validation:Enum=Pending;Running;Waiting;Suspended;Succeeded;Failed;Cancelled
type Phase string

const (
	// PhasePending is a task that has not been accepted yet.
	PhasePending Phase = "Pending"
	// PhaseRunning is a task that is being worked on.
	PhaseRunning Phase = "Running"
	// PhaseWaiting is a task that cannot go on until something outside it changes.
	PhaseWaiting Phase = "Waiting"
	// PhaseSuspended is a task held by spec.suspend.
	PhaseSuspended Phase = "Suspended"
	// PhaseSucceeded is a task with an answer.
	PhaseSucceeded Phase = "Succeeded"
	// PhaseFailed is a task that ended without an answer.
	PhaseFailed Phase = "Failed"
	// PhaseCancelled is a task ended by spec.cancel.
	PhaseCancelled Phase = "Cancelled"
)

// AgentTaskStatus is what came of a task so far: references, counts and short redacted texts, never a transcript or the
// output of a command.
type AgentTaskStatus struct {
	// phase sums the conditions up for kubectl get. Decide from the conditions instead.
	//
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// conditions say how far the task got. Succeeded is the one to wait for: True with the answer, False without one,
	// Unknown while the task goes on.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +kubebuilder:validation:MaxItems=32
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`

	// classification is what the task was taken for, and why.
	//
	// +optional
	Classification *Classification `json:"classification,omitempty"`

	// targets are the objects and hosts that the task is about, each of them found to exist. A task that names nothing
	// is about its namespace, which is then the only target.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Targets []ResolvedTarget `json:"targets,omitempty"`

	// verdict is what the diagnosis concluded.
	//
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`

	// findings are the faults found: the root causes first, then what links them to the symptoms, then faults that have
	// nothing to do with the question.
	//
	// +optional
	// +listType=map
	// +listMapKey=id
	// +kubebuilder:validation:MaxItems=50
	Findings []Finding `json:"findings,omitempty"`

	// answer is the answer in the language of the task, at most 8 KiB.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=8192
	Answer string `json:"answer,omitempty"`

	// missing is what the answer could not rest on, and the command that would get it.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Missing []MissingEvidence `json:"missing,omitempty"`

	// degradation is how reduced the work was: 0 nominal, 1 an enrichment was missing, 2 a specialist, 3 the brain model,
	// 4 every model.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=4
	Degradation int32 `json:"degradation,omitempty"`

	// usage is what the task has used so far.
	//
	// +optional
	Usage *Usage `json:"usage,omitempty"`

	// checkpoint is where the work goes on after a restart.
	//
	// +optional
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`

	// retry is set while a step that failed is going to be tried again.
	//
	// +optional
	Retry *RetryStatus `json:"retry,omitempty"`

	// changeRequests are the changes proposed by the task. They belong to it and are deleted with it.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=20
	ChangeRequests []ProposedChange `json:"changeRequests,omitempty"`

	// escalations are the questions and hand-overs to people.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=20
	Escalations []LocalReference `json:"escalations,omitempty"`

	// children are the tasks that this one was split into.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=50
	Children []LocalReference `json:"children,omitempty"`

	// failure says why the task ended without an answer, and what to do.
	//
	// +optional
	Failure *Failure `json:"failure,omitempty"`

	// deadLetter is set once the attempts are spent; the task is kept as it was.
	//
	// +optional
	DeadLetter *DeadLetter `json:"deadLetter,omitempty"`

	// correlationID is carried into every log line and event of the task.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	CorrelationID string `json:"correlationID,omitempty"`

	// traceID is the OpenTelemetry trace of the task, 32 hexadecimal digits.
	//
	// +optional
	// +kubebuilder:validation:MinLength=32
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{32}$`
	TraceID string `json:"traceID,omitempty"`

	// startedAt is when the operator took the task up; limits.wallClock counts from here, and ends with a proposed change.
	//
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`

	// completedAt is when the task ended, with or without an answer; ttlAfterFinished counts from here.
	//
	// +optional
	CompletedAt *metav1.Time `json:"completedAt,omitempty"`

	// observedGeneration is the generation of the spec that this status speaks of.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// ProposedChange is a ChangeRequest of the task's namespace that the task proposed.
type ProposedChange struct {
	// name of the ChangeRequest.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// uid of the ChangeRequest, so that another one of the same name is not taken for it.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID string `json:"uid,omitempty"`

	// result is how the change ended; unset while it goes on.
	//
	// +optional
	Result ChangeResult `json:"result,omitempty"`
}

// TargetSource says where a target was named.
//
// +kubebuilder:validation:Enum=Spec;Prompt;Namespace
type TargetSource string

const (
	// TargetFromSpec was named in spec.targets.
	TargetFromSpec TargetSource = "Spec"
	// TargetFromPrompt was named in the prompt.
	TargetFromPrompt TargetSource = "Prompt"
	// TargetFromNamespace was named nowhere: it is the task's own namespace.
	TargetFromNamespace TargetSource = "Namespace"
)

// ResolvedTarget is an object or host that was found to exist.
//
// +kubebuilder:validation:XValidation:rule="has(self.object) != has(self.host)",message="a resolved target is either an object or a host"
type ResolvedTarget struct {
	// object is set where the target is an object, with its uid.
	//
	// +optional
	Object *ObjectReference `json:"object,omitempty"`

	// host is set where the target is a host.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Host string `json:"host,omitempty"`

	// source says where the target was named.
	//
	// +required
	Source TargetSource `json:"source,omitempty"`
}

// MissingEvidence is something that an answer could not rest on.
type MissingEvidence struct {
	// what is missing, such as "the previous log of container api in pod shop/web-0".
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	What string `json:"what,omitempty"`

	// why it is missing.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Why string `json:"why,omitempty"`

	// command that would get it.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Command string `json:"command,omitempty"`
}

// Usage is what a task has used.
type Usage struct {
	// modelCalls is how many times a model was called.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	ModelCalls int32 `json:"modelCalls"`

	// toolCalls is how many times a tool was called.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	ToolCalls int32 `json:"toolCalls"`

	// tokensIn is how many tokens the models read.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	TokensIn int64 `json:"tokensIn"`

	// tokensOut is how many tokens the models wrote.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	TokensOut int64 `json:"tokensOut"`

	// costUSD is what the models cost, in US dollars.
	//
	// +optional
	CostUSD Decimal `json:"costUSD,omitempty"`
}

// Checkpoint is where the work on a task goes on after a restart.
type Checkpoint struct {
	// ref is the name of the stored state in the operator's namespace.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Ref string `json:"ref,omitempty"`

	// digest of the stored state, "sha256:" and 64 hexadecimal digits.
	//
	// +required
	// +kubebuilder:validation:MinLength=71
	// +kubebuilder:validation:MaxLength=71
	// +kubebuilder:validation:Pattern=`^sha256:[0-9a-f]{64}$`
	Digest string `json:"digest,omitempty"`

	// turn after which the state was stored.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	Turn int32 `json:"turn"`
}
