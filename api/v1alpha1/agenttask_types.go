package v1alpha1

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// DefaultServiceAccountName is the service account that reads are made as unless spec.serviceAccountName names
	// another one.
	DefaultServiceAccountName = "eclusier-reader"

	// DefaultWallClock is how long a task may take unless spec.limits.wallClock says otherwise.
	DefaultWallClock = 30 * time.Minute

	// MaxPromptBytes is the longest prompt that is worked on. The API server stores longer ones (up to 131,072
	// characters), so that the answer to a pasted log is a condition that says what to do rather than a lost text.
	MaxPromptBytes = 8 << 10
)

// Intent is what a task wants.
//
// +kubebuilder:validation:Enum=Auto;Diagnostic;Change
type Intent string

const (
	// IntentAuto leaves it to the operator to find out from the prompt.
	IntentAuto Intent = "Auto"
	// IntentDiagnostic asks a question: nothing is changed, whatever the prompt says.
	IntentDiagnostic Intent = "Diagnostic"
	// IntentChange asks for a change.
	IntentChange Intent = "Change"
)

// AgentTaskSpec is what a person asks for. It cannot be changed once created, except suspend, cancel (which cannot be
// taken back) and ttlAfterFinished (which concerns only how long the finished task is kept).
//
// +kubebuilder:validation:XValidation:rule="self.prompt == oldSelf.prompt",message="spec.prompt cannot be changed: create another AgentTask",reason=FieldValueForbidden,fieldPath=.prompt
// +kubebuilder:validation:XValidation:rule="(has(self.intent) ? self.intent : 'Auto') == (has(oldSelf.intent) ? oldSelf.intent : 'Auto')",message="spec.intent cannot be changed: create another AgentTask",reason=FieldValueForbidden,fieldPath=.intent
// +kubebuilder:validation:XValidation:rule="has(self.targets) == has(oldSelf.targets) && (!has(self.targets) || self.targets == oldSelf.targets)",message="spec.targets cannot be changed: create another AgentTask",reason=FieldValueForbidden,fieldPath=.targets
// +kubebuilder:validation:XValidation:rule="(has(self.serviceAccountName) ? self.serviceAccountName : 'eclusier-reader') == (has(oldSelf.serviceAccountName) ? oldSelf.serviceAccountName : 'eclusier-reader')",message="spec.serviceAccountName cannot be changed: create another AgentTask",reason=FieldValueForbidden,fieldPath=.serviceAccountName
// +kubebuilder:validation:XValidation:rule="has(self.requestedBy) == has(oldSelf.requestedBy) && (!has(self.requestedBy) || self.requestedBy == oldSelf.requestedBy)",message="spec.requestedBy cannot be changed: it names who created the AgentTask",reason=FieldValueForbidden,fieldPath=.requestedBy
// +kubebuilder:validation:XValidation:rule="has(self.correlationID) == has(oldSelf.correlationID) && (!has(self.correlationID) || self.correlationID == oldSelf.correlationID)",message="spec.correlationID cannot be changed: create another AgentTask",reason=FieldValueForbidden,fieldPath=.correlationID
// +kubebuilder:validation:XValidation:rule="has(self.limits) == has(oldSelf.limits) && (!has(self.limits) || self.limits == oldSelf.limits)",message="spec.limits cannot be changed: cancel this AgentTask and create another one",reason=FieldValueForbidden,fieldPath=.limits
// +kubebuilder:validation:XValidation:rule="has(self.language) == has(oldSelf.language) && (!has(self.language) || self.language == oldSelf.language)",message="spec.language cannot be changed: create another AgentTask",reason=FieldValueForbidden,fieldPath=.language
// +kubebuilder:validation:XValidation:rule="!(has(oldSelf.cancel) && oldSelf.cancel) || (has(self.cancel) && self.cancel)",message="spec.cancel cannot be taken back: create another AgentTask",reason=FieldValueForbidden,fieldPath=.cancel
// +kubebuilder:validation:XValidation:rule="!has(self.models)",message="not supported yet: tasks are answered by rules, without a model; leave spec.models out",reason=FieldValueForbidden,fieldPath=.models
// +kubebuilder:validation:XValidation:rule="!has(self.retry)",message="not supported yet: every task has 3 attempts, 1s to 30s apart; leave spec.retry out",reason=FieldValueForbidden,fieldPath=.retry
// +kubebuilder:validation:XValidation:rule="!has(self.interaction)",message="not supported yet: a task that would need an answer ends and says what to write in another one; leave spec.interaction out",reason=FieldValueForbidden,fieldPath=.interaction
// +kubebuilder:validation:XValidation:rule="!has(self.decomposition)",message="not supported yet: a task is not split; create one AgentTask for each question and leave spec.decomposition out",reason=FieldValueForbidden,fieldPath=.decomposition
// +kubebuilder:validation:XValidation:rule="!has(self.escalation)",message="not supported yet: nothing is handed to a person by itself; watch the condition Succeeded and leave spec.escalation out",reason=FieldValueForbidden,fieldPath=.escalation
type AgentTaskSpec struct {
	// prompt is the question or wish in plain words, in English or French. Up to 8 KiB of text are worked on; a prompt
	// that is empty, longer, or no readable text is stored and answered with Accepted=False and what to do about it.
	// It cannot be changed.
	//
	// +required
	// +kubebuilder:validation:MaxLength=131072
	Prompt string `json:"prompt"`

	// intent is what the task wants: Diagnostic asks a question, Change wants something changed, Auto (the default)
	// leaves it to the operator to find out from the prompt. It cannot be changed.
	//
	// +optional
	// +kubebuilder:default=Auto
	Intent Intent `json:"intent,omitempty"`

	// targets are the objects and hosts that the task is about, at most 20. They win over what the prompt names. With
	// neither, the task is about its own namespace. They cannot be changed.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	Targets []Target `json:"targets,omitempty"`

	// serviceAccountName is the service account of the task's namespace that everything is read as, eclusier-reader by
	// default. The operator must have been granted the right to impersonate an account of another name. It cannot be
	// changed.
	//
	// +optional
	// +kubebuilder:default=eclusier-reader
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// requestedBy is who created the task. The API server writes it from the authenticated request and overwrites what
	// the client sent; before Kubernetes 1.36 it cannot, so the client sends its own name and any other is refused. It
	// cannot be changed.
	//
	// +optional
	RequestedBy *Requester `json:"requestedBy,omitempty"`

	// correlationID is carried into every log line, event and later child of this task. Unset, the operator makes one
	// ("corr-" and 8 hexadecimal digits) and writes it into status.correlationID. It cannot be changed.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9._:]*[A-Za-z0-9])?$`
	CorrelationID string `json:"correlationID,omitempty"`

	// models chooses the provider and the models that work on the task.
	//
	// +optional
	Models *ModelSelection `json:"models,omitempty"`

	// limits bounds what the task may use. They cannot be changed.
	//
	// +optional
	Limits *TaskLimits `json:"limits,omitempty"`

	// retry says how often and how soon a failed step is tried again.
	//
	// +optional
	Retry *RetryPolicy `json:"retry,omitempty"`

	// interaction says what happens where a person would have to answer: Escalate asks and waits, FailFast ends the task.
	//
	// +optional
	Interaction Interaction `json:"interaction,omitempty"`

	// decomposition says whether and how the task may be split into child tasks.
	//
	// +optional
	Decomposition *Decomposition `json:"decomposition,omitempty"`

	// escalation says when the task is handed to a person, and how urgent that is.
	//
	// +optional
	Escalation *EscalationPolicy `json:"escalation,omitempty"`

	// language is the language of the answer: "en" or "fr", with or without a region ("fr-CA"). Unset, it is the
	// language of the prompt. It cannot be changed.
	//
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=35
	// +kubebuilder:validation:XValidation:rule="self.matches('^(en|fr)(-[A-Za-z0-9]{2,8})*$')",message="not supported yet: answers are written in English (en) or French (fr); leave spec.language out to be answered in the language of the prompt",reason=FieldValueForbidden
	Language string `json:"language,omitempty"`

	// suspend holds the task before its next step, until it is unset again. The time it is held counts towards
	// limits.wallClock.
	//
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// cancel ends the task with Succeeded=False, reason Cancelled, and keeps what was found so far. It cannot be taken
	// back, and it does nothing to a finished task.
	//
	// +optional
	Cancel bool `json:"cancel,omitempty"`

	// ttlAfterFinished is how long the task is kept once it has finished, "0s" to "8760h"; then it is deleted. Unset, it
	// is kept. It may be changed, also afterwards.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="!self.matches('(^|[a-z])([0-9]{9}|[0-9]{6,}h)') && duration(self) <= duration('8760h')",message="spec.ttlAfterFinished must be at most 8760h (one year); leave it out to keep the task"
	TTLAfterFinished *metav1.Duration `json:"ttlAfterFinished,omitempty"`
}

// Target is one object, one host, or the hosts that a selector fits.
//
// +kubebuilder:validation:XValidation:rule="(has(self.kind) ? 1 : 0) + (has(self.host) ? 1 : 0) + (has(self.hostSelector) ? 1 : 0) == 1",message="a target is either an object (kind and name) or a host: set exactly one of kind and host"
// +kubebuilder:validation:XValidation:rule="has(self.kind) == has(self.name)",message="an object is named by kind and name together"
// +kubebuilder:validation:XValidation:rule="has(self.kind) || !(has(self.apiVersion) || has(self.namespace))",message="apiVersion and namespace belong to an object: set kind and name too, or leave them out"
// +kubebuilder:validation:XValidation:rule="!has(self.hostSelector)",message="not supported yet: name each host in a target of its own instead of using hostSelector",reason=FieldValueForbidden,fieldPath=.hostSelector
type Target struct {
	// apiVersion is the group and version of the object, such as "apps/v1"; needed only where several groups serve the
	// kind.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?v[a-z0-9]+$`
	APIVersion string `json:"apiVersion,omitempty"`

	// kind of the object: a kind, a resource or a short name, such as "Deployment", "deployments" or "deploy".
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9]*$`
	Kind string `json:"kind,omitempty"`

	// namespace of the object; unset, it is the task's own. It is ignored for cluster-scoped kinds.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Namespace string `json:"namespace,omitempty"`

	// name of the object.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9._:]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`

	// host is the name or address of a machine outside the cluster.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9:][-A-Za-z0-9.:_]*$`
	Host string `json:"host,omitempty"`

	// hostSelector chooses hosts by their labels.
	//
	// +optional
	HostSelector *metav1.LabelSelector `json:"hostSelector,omitempty"`
}

// AgentTask is one question or wish in plain words, and what came of it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=at,categories=eclusier
// +kubebuilder:printcolumn:name="Intent",type=string,JSONPath=`.status.classification.intent`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Answer",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].message`
// +kubebuilder:printcolumn:name="Requested-By",type=string,JSONPath=`.spec.requestedBy.username`,priority=1
// +kubebuilder:printcolumn:name="Started",type=date,JSONPath=`.status.startedAt`,priority=1
// +kubebuilder:printcolumn:name="Completed",type=date,JSONPath=`.status.completedAt`,priority=1
// +kubebuilder:printcolumn:name="Correlation",type=string,JSONPath=`.status.correlationID`,priority=1
type AgentTask struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard object metadata.
	//
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what is asked for.
	//
	// +required
	Spec AgentTaskSpec `json:"spec"`

	// status is what came of it so far. Only the operator writes it.
	//
	// +optional
	Status AgentTaskStatus `json:"status,omitempty"`
}

// WallClock is how long the task may take from its start.
func (t *AgentTask) WallClock() time.Duration {
	if t.Spec.Limits == nil || t.Spec.Limits.WallClock == nil {
		return DefaultWallClock
	}
	return t.Spec.Limits.WallClock.Duration
}

// GetConditions returns the conditions of the task.
func (t *AgentTask) GetConditions() []metav1.Condition { return t.Status.Conditions }

// SetConditions replaces the conditions of the task.
func (t *AgentTask) SetConditions(conditions []metav1.Condition) { t.Status.Conditions = conditions }

// AgentTaskList is a list of AgentTasks.
//
// +kubebuilder:object:root=true
type AgentTaskList struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard list metadata.
	//
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the tasks.
	Items []AgentTask `json:"items"`
}
