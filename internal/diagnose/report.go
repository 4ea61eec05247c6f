package diagnose

import "github.com/eclusier/eclusier/internal/cluster"

// Verdict is the outcome of a diagnosis in one word.
type Verdict string

const (
	// RootCauseFound: at least one root cause of what was asked is known.
	RootCauseFound Verdict = "RootCauseFound"
	// NoFaultFound: enough was seen to say that what was asked about works.
	NoFaultFound Verdict = "NoFaultFound"
	// Inconclusive: something is or was wrong, or could not be seen, and the evidence does not allow naming a cause.
	Inconclusive Verdict = "Inconclusive"
)

// Severity says how much harm a finding does.
type Severity string

const (
	// Critical harms a whole cluster, a node or many workloads.
	Critical Severity = "Critical"
	// High takes a workload or a service down, or keeps a change from arriving.
	High Severity = "High"
	// Medium degrades something that still works.
	Medium Severity = "Medium"
	// Low is worth knowing, no more.
	Low Severity = "Low"
)

// CauseID names a kind of fault, such as OOMKilled. The ids are listed in docs/diagnosis.md.
type CauseID string

// EvidenceKind says what sort of thing an Evidence cites.
type EvidenceKind string

const (
	// FieldEvidence cites a field of an object.
	FieldEvidence EvidenceKind = "Field"
	// EventEvidence cites an event.
	EventEvidence EvidenceKind = "Event"
	// LogEvidence cites a line of a log.
	LogEvidence EvidenceKind = "Log"
	// AbsenceEvidence says what was looked for and is not there.
	AbsenceEvidence EvidenceKind = "Absence"
)

// Evidence is one thing that a person can check.
type Evidence struct {
	Kind EvidenceKind `json:"kind"`
	// Source says where it is from: an object and field, an event, a log and line.
	Source string `json:"source"`
	// Text is the literal value, cleaned, bounded and redacted.
	Text string `json:"text"`
}

// Finding is one fault, or one consequence of a fault, with its proof.
type Finding struct {
	// ID is unique within a report and stable from one diagnosis of the same snapshot to the next.
	ID    string  `json:"id"`
	Cause CauseID `json:"cause"`
	// Object is what has to change. Absent says that the point is that it does not exist.
	Object   cluster.Ref `json:"object"`
	Absent   bool        `json:"absent,omitempty"`
	Message  string      `json:"message"`
	Severity Severity    `json:"severity"`
	Evidence []Evidence  `json:"evidence"`
	// CausedBy holds the ids of the findings that this one follows from.
	CausedBy []string `json:"causedBy,omitempty"`
	// Fix is the remedy in a sentence. Where Operation is nil it says why no safe operation exists or what to decide.
	Fix       string     `json:"fix,omitempty"`
	Operation *Operation `json:"operation,omitempty"`
	// Impact is the number of workloads and services that suffer from it, its own included.
	Impact int `json:"impact"`

	links links
}

// Missing is something that would have allowed to say more.
type Missing struct {
	What    string `json:"what"`
	Why     string `json:"why"`
	Command string `json:"command,omitempty"`
}

// Report is the answer to a Question.
type Report struct {
	Verdict Verdict `json:"verdict"`
	// Summary is the answer in one sentence.
	Summary string `json:"summary"`
	// RootCauses are ordered: the cause of what was asked first, then by impact.
	RootCauses []Finding `json:"rootCauses"`
	// Chain leads from the root causes to what was asked about; for something healthy it holds what was observed.
	Chain []Finding `json:"chain"`
	// Independent are real faults that have nothing to do with the question.
	Independent []Finding `json:"independentFaults"`
	Missing     []Missing `json:"missing"`
	// Looked says what was looked at, by kind.
	Looked []string `json:"looked"`
	// Wants is what the engine would read next to say more; empty at the end.
	Wants []cluster.Want `json:"-"`
}
