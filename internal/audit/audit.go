// Package audit is the port behind which eclusier writes down what it did, for whom and with what outcome, so that nobody
// can later change a line without its being seen.
//
// What has an effect is written down before it and after it, and is not done where it cannot be written down: that is up
// to those who call Record. The package decides nothing and reads nothing back.
package audit

import (
	"context"

	"github.com/eclusier/eclusier/internal/redact"
)

// Action is what was done, or was about to be.
type Action string

// Actions.
const (
	// ActionStart is that of the operator itself: it began to write. What was written before and is not there was lost.
	ActionStart Action = "Start"
	// ActionPlan made a plan, by dry runs alone.
	ActionPlan Action = "Plan"
	// ActionJudge asked the policies.
	ActionJudge Action = "Judge"
	// ActionConsent is a person's decision, with the person as the actor.
	ActionConsent Action = "Consent"
	// ActionApply is one effect on one object.
	ActionApply Action = "Apply"
	// ActionInspect looked at what an interrupted effect left.
	ActionInspect Action = "Inspect"
	// ActionVerify made the checks.
	ActionVerify Action = "Verify"
	// ActionRollback undid one effect on one object.
	ActionRollback Action = "Rollback"
	// ActionRestore brought an object back from a snapshot.
	ActionRestore Action = "Restore"
	// ActionFinish ended the change.
	ActionFinish Action = "Finish"
)

// Outcome is how it went.
type Outcome string

// Outcomes.
const (
	// OutcomeBegun: it is about to be done. A line of this outcome without a later one is an interruption.
	OutcomeBegun Outcome = "Begun"
	// OutcomeSucceeded: it was done.
	OutcomeSucceeded Outcome = "Succeeded"
	// OutcomeFailed: it was tried and not done.
	OutcomeFailed Outcome = "Failed"
	// OutcomeDenied: it was not tried, since it may not be done.
	OutcomeDenied Outcome = "Denied"
	// OutcomeUnknown: nobody can tell.
	OutcomeUnknown Outcome = "Unknown"
)

// Object names an object, empty fields left out.
type Object struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
	UID        string `json:"uid,omitempty"`
}

// Entry is one line. Its time is when it is written down, so that no caller can set it.
type Entry struct {
	// CorrelationID is that of the request from which everything came.
	CorrelationID string `json:"correlationID,omitempty"`
	// Actor is as whom it was done: a user, or a service account in the form of the API server.
	Actor string `json:"actor"`
	// Action and Outcome say what was done.
	Action  Action  `json:"action"`
	Outcome Outcome `json:"outcome"`
	// Change is the ChangeRequest, Object what was touched.
	Change Object `json:"change,omitzero"`
	Object Object `json:"object,omitzero"`
	// Digest is that of the plan, Attempt the id of the attempt.
	Digest  string `json:"digest,omitempty"`
	Attempt string `json:"attempt,omitempty"`
	// Detail is for people: the reason of a refusal or failure, or what was before and after.
	Detail redact.Text `json:"detail,omitzero"`
}

// Log is where entries are written.
type Log interface {
	// Record writes the entry down, and returns once it will survive the end of the process. Where it returns an error,
	// nobody may take the entry as written, and what it speaks of may not be done.
	Record(ctx context.Context, e Entry) error
}
