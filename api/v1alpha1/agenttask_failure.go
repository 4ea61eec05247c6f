package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RetryStatus says when and why a step is tried again.
type RetryStatus struct {
	// count is how many attempts have failed.
	//
	// +required
	// +kubebuilder:validation:Minimum=0
	Count int32 `json:"count"`

	// nextAttemptAt is when the next attempt is made.
	//
	// +optional
	NextAttemptAt *metav1.Time `json:"nextAttemptAt,omitempty"`

	// lastReason is the reason of the last failed attempt, such as "Timeout".
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	LastReason string `json:"lastReason,omitempty"`
}

// Failure says why a task ended without an answer.
type Failure struct {
	// type is the reason of the condition Succeeded, such as "TargetNotFound".
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Type string `json:"type,omitempty"`

	// message says in a sentence what happened, redacted.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// permanent is true where the same task would fail again until something else changes.
	//
	// +required
	Permanent bool `json:"permanent"`

	// remedies say what a person can do, the best first.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	Remedies []string `json:"remedies,omitempty"`
}

// DeadLetter is what is known of a task whose attempts are spent.
type DeadLetter struct {
	// taskID is the uid of the task.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	TaskID string `json:"taskID,omitempty"`

	// correlationID of the task.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	CorrelationID string `json:"correlationID,omitempty"`

	// depositedAt is when the last attempt failed.
	//
	// +required
	DepositedAt metav1.Time `json:"depositedAt,omitzero"`

	// attempts is how many were made.
	//
	// +required
	// +kubebuilder:validation:Minimum=1
	Attempts int32 `json:"attempts,omitempty"`

	// lastError is what the last attempt failed of.
	//
	// +required
	LastError DeadLetterError `json:"lastError,omitzero"`

	// agentChain names the agents from the first to the one that failed.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	AgentChain []string `json:"agentChain,omitempty"`

	// checkpointRef is the name of the last stored state.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	CheckpointRef string `json:"checkpointRef,omitempty"`
}

// DeadLetterError is what an attempt failed of.
type DeadLetterError struct {
	// type of the fault, such as "Timeout".
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Type string `json:"type,omitempty"`

	// tool that was being used.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Tool string `json:"tool,omitempty"`

	// timeout that ran out, where one did.
	//
	// +optional
	Timeout *metav1.Duration `json:"timeout,omitempty"`
}
