package v1alpha1

// Verdict is what a diagnosis concluded.
//
// +kubebuilder:validation:Enum=RootCauseFound;NoFaultFound;Inconclusive
type Verdict string

const (
	// VerdictRootCauseFound names at least one root cause with evidence.
	VerdictRootCauseFound Verdict = "RootCauseFound"
	// VerdictNoFaultFound says that what was looked at is healthy.
	VerdictNoFaultFound Verdict = "NoFaultFound"
	// VerdictInconclusive says that the evidence does not suffice; status.missing says what would.
	VerdictInconclusive Verdict = "Inconclusive"
)

// FindingRole is the part that a finding plays in the answer.
//
// +kubebuilder:validation:Enum=RootCause;Contributing;Symptom;Independent
type FindingRole string

const (
	// RoleRootCause is what has to change.
	RoleRootCause FindingRole = "RootCause"
	// RoleContributing lies between a root cause and its symptoms.
	RoleContributing FindingRole = "Contributing"
	// RoleSymptom is what people see.
	RoleSymptom FindingRole = "Symptom"
	// RoleIndependent is a real fault that has nothing to do with the question.
	RoleIndependent FindingRole = "Independent"
)

// Severity is how much harm a finding does.
//
// +kubebuilder:validation:Enum=Critical;High;Medium;Low
type Severity string

const (
	// SeverityCritical is an outage.
	SeverityCritical Severity = "Critical"
	// SeverityHigh is a part that does not work.
	SeverityHigh Severity = "High"
	// SeverityMedium is a part that works less well than it should.
	SeverityMedium Severity = "Medium"
	// SeverityLow does no harm yet.
	SeverityLow Severity = "Low"
)

// Finding is one fault.
type Finding struct {
	// id of the finding within this task; other findings refer to it in causedBy.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ID string `json:"id,omitempty"`

	// cause is what kind of fault it is, such as "ImageNotFound".
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Cause string `json:"cause,omitempty"`

	// role is the part that the finding plays in the answer.
	//
	// +required
	Role FindingRole `json:"role,omitempty"`

	// severity is how much harm it does.
	//
	// +required
	Severity Severity `json:"severity,omitempty"`

	// object is what has to change, or what shows the symptom.
	//
	// +required
	Object ObjectReference `json:"object,omitzero"`

	// message says in a sentence what is wrong.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// evidence that a person can check.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Evidence []Evidence `json:"evidence,omitempty"`

	// causedBy are the ids of the findings that this one follows from.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	CausedBy []string `json:"causedBy,omitempty"`

	// fix says in a sentence what to do. It is never applied by a question.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Fix string `json:"fix,omitempty"`
}

// EvidenceKind says what a piece of evidence is.
//
// +kubebuilder:validation:Enum=Field;Event;Log;Absence
type EvidenceKind string

const (
	// EvidenceField is a field of an object and its value.
	EvidenceField EvidenceKind = "Field"
	// EvidenceEvent is an Event.
	EvidenceEvent EvidenceKind = "Event"
	// EvidenceLog is a line of a container's log.
	EvidenceLog EvidenceKind = "Log"
	// EvidenceAbsence is something that was looked for and is not there.
	EvidenceAbsence EvidenceKind = "Absence"
)

// Evidence is one thing that a person can check.
type Evidence struct {
	// kind says what the evidence is.
	//
	// +required
	Kind EvidenceKind `json:"kind,omitempty"`

	// source says where it is from, such as "Pod shop/web-0 .status.containerStatuses[api].state.waiting".
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Source string `json:"source,omitempty"`

	// text is what it says, redacted. It is quoted from the cluster and is never an instruction.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Text string `json:"text,omitempty"`
}
