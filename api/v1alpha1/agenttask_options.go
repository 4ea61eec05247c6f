package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ModelSelection chooses the models that work on a task.
type ModelSelection struct {
	// provider is the name of the ModelProvider.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Provider string `json:"provider,omitempty"`

	// brain is the model that reasons; unset, the provider's own choice.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Brain string `json:"brain,omitempty"`

	// fast is the model that classifies and summarises; unset, the provider's own choice.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Fast string `json:"fast,omitempty"`
}

// TaskLimits bounds what a task may use. A task that reaches a limit ends with BudgetExhausted and keeps what it found.
//
// +kubebuilder:validation:XValidation:rule="!has(self.toolCalls)",message="not supported yet: rules call no tools; bound the task by limits.wallClock and leave limits.toolCalls out",reason=FieldValueForbidden,fieldPath=.toolCalls
// +kubebuilder:validation:XValidation:rule="!has(self.toolRetries)",message="not supported yet: rules call no tools; bound the task by limits.wallClock and leave limits.toolRetries out",reason=FieldValueForbidden,fieldPath=.toolRetries
// +kubebuilder:validation:XValidation:rule="!has(self.modelTurns)",message="not supported yet: no model is called; bound the task by limits.wallClock and leave limits.modelTurns out",reason=FieldValueForbidden,fieldPath=.modelTurns
// +kubebuilder:validation:XValidation:rule="!has(self.tokens)",message="not supported yet: no model is called, so no tokens are used; leave limits.tokens out",reason=FieldValueForbidden,fieldPath=.tokens
// +kubebuilder:validation:XValidation:rule="!has(self.costUSD)",message="not supported yet: no model is called, so a task costs nothing; leave limits.costUSD out",reason=FieldValueForbidden,fieldPath=.costUSD
type TaskLimits struct {
	// toolCalls is how many tool calls the task may make.
	//
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	ToolCalls int32 `json:"toolCalls,omitempty"`

	// toolRetries is how often one tool call may be repeated.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	ToolRetries *int32 `json:"toolRetries,omitempty"`

	// modelTurns is how many turns the models may take together.
	//
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	ModelTurns int32 `json:"modelTurns,omitempty"`

	// tokens is how many tokens the models may read and write together.
	//
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000
	Tokens int64 `json:"tokens,omitempty"`

	// costUSD is what the models may cost together, in US dollars.
	//
	// +optional
	CostUSD Decimal `json:"costUSD,omitempty"`

	// wallClock is how long the task may take from its start, "1s" to "24h"; unset, 30m.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="!self.matches('(^|[a-z])([0-9]{9}|[0-9]{6,}h)') && duration(self) >= duration('1s') && duration(self) <= duration('24h')",message="limits.wallClock must be between 1s and 24h"
	WallClock *metav1.Duration `json:"wallClock,omitempty"`
}

// RetryPolicy says how often and how soon a step that failed with a passing fault is tried again.
type RetryPolicy struct {
	// maxAttempts is how often a step is tried in all.
	//
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20
	MaxAttempts int32 `json:"maxAttempts,omitempty"`

	// base is the factor by which each wait is longer than the one before.
	//
	// +optional
	Base Decimal `json:"base,omitempty"`

	// initial is the first wait, such as "1s".
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	Initial *metav1.Duration `json:"initial,omitempty"`

	// cap is the longest wait, such as "30s".
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	Cap *metav1.Duration `json:"cap,omitempty"`

	// jitter is the range of the factor that each wait is multiplied by, at random.
	//
	// +optional
	Jitter *JitterRange `json:"jitter,omitempty"`
}

// JitterRange is the range of a random factor.
//
// +kubebuilder:validation:XValidation:rule="double(self.min) <= double(self.max)",message="jitter.min must not be above jitter.max"
type JitterRange struct {
	// min is the smallest factor, such as "0.5".
	//
	// +required
	Min Decimal `json:"min,omitempty"`

	// max is the largest factor, such as "1.5".
	//
	// +required
	Max Decimal `json:"max,omitempty"`
}

// Interaction says what a task does where a person would have to answer.
//
// +kubebuilder:validation:Enum=Escalate;FailFast
type Interaction string

const (
	// InteractionEscalate asks a person and waits for the answer.
	InteractionEscalate Interaction = "Escalate"
	// InteractionFailFast ends the task and says what would have been asked.
	InteractionFailFast Interaction = "FailFast"
)

// DecompositionStrategy is the way in which a task is split into child tasks.
//
// +kubebuilder:validation:Enum=None;Auto;Vertical;Horizontal;Recursive
type DecompositionStrategy string

const (
	// DecompositionNone never splits.
	DecompositionNone DecompositionStrategy = "None"
	// DecompositionAuto splits where the task is too wide for one agent.
	DecompositionAuto DecompositionStrategy = "Auto"
	// DecompositionVertical splits by step, one after the other.
	DecompositionVertical DecompositionStrategy = "Vertical"
	// DecompositionHorizontal splits by target, side by side.
	DecompositionHorizontal DecompositionStrategy = "Horizontal"
	// DecompositionRecursive lets child tasks split again.
	DecompositionRecursive DecompositionStrategy = "Recursive"
)

// Decomposition says whether and how a task may be split into child tasks.
type Decomposition struct {
	// strategy is the way in which the task is split.
	//
	// +optional
	Strategy DecompositionStrategy `json:"strategy,omitempty"`

	// maxDepth is how many generations of child tasks there may be.
	//
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	MaxDepth int32 `json:"maxDepth,omitempty"`

	// maxRepairs is how often a plan of child tasks may be mended after one of them failed.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	MaxRepairs *int32 `json:"maxRepairs,omitempty"`

	// childBudgetFraction is the share of the remaining limits that one child task may use, above 0 and at most 1.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="double(self) > 0.0 && double(self) <= 1.0",message="childBudgetFraction must be above 0 and at most 1"
	ChildBudgetFraction Decimal `json:"childBudgetFraction,omitempty"`
}

// EscalationPriority is how urgent it is that a person looks.
//
// +kubebuilder:validation:Enum=P1;P2;P3
type EscalationPriority string

const (
	// PriorityP1 is for harm that is being done now.
	PriorityP1 EscalationPriority = "P1"
	// PriorityP2 is for what should be looked at today.
	PriorityP2 EscalationPriority = "P2"
	// PriorityP3 is for what may wait.
	PriorityP3 EscalationPriority = "P3"
)

// EscalationPolicy says when a task is handed to a person, and how urgent that is.
type EscalationPolicy struct {
	// confidenceThreshold is the confidence in an answer strictly below which a person is asked, 0 to 1.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="double(self) <= 1.0",message="confidenceThreshold must be at most 1"
	ConfidenceThreshold Decimal `json:"confidenceThreshold,omitempty"`

	// priority is how urgent an escalation of this task is.
	//
	// +optional
	Priority EscalationPriority `json:"priority,omitempty"`

	// labels route the escalation to the people who can answer it, such as domain: storage.
	//
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 63 && size(self[k]) <= 63)",message="labels have keys and values of at most 63 characters"
	Labels map[string]string `json:"labels,omitempty"`
}
