// Package pipeline is the port through which a change is planned, applied, inspected, checked and undone.
//
// Each means of changing something (Kubernetes now) is an adapter below it. A pipeline decides nothing about consent: it
// is called by the ChangeRequest controller, once the decision table says so.
package pipeline

import (
	"context"
	"time"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

// Request is what is to be planned.
type Request struct {
	// Change is the request; only its identity, spec and namespace are looked at.
	Change *v1alpha1.ChangeRequest
	// Revision of the plan.
	Revision int32
	// ExpiresAt is when consent to the plan will lapse.
	ExpiresAt time.Time
}

// Planned is a plan without its class (which the risk of it decides), and what is shown beside it.
type Planned struct {
	Plan change.Plan
	View change.View
}

// Invalid is returned by Plan where the change cannot be made as it is written. Reason is a reason of the condition
// Planned; Message says what to write.
type Invalid struct { //nolint:errname // it is not what went wrong, it is the answer to a change that cannot be made
	Reason  string
	Message string
}

// Error returns the message.
func (e *Invalid) Error() string { return e.Message }

// Step is one effect of a stored plan, at the moment of applying or undoing it.
type Step struct {
	Namespace string
	Plan      change.Plan
	View      change.View
	Index     int
	// Version is the resourceVersion that the live object had last; empty where it did not exist, or is not known. It is a
	// hint: what counts is that the object's content is as it was, since its status may have moved on.
	Version string
	// Done is what is recorded of the effect; nil before it.
	Done *v1alpha1.OperationDone
}

// Sight is what looking at a step's object tells.
type Sight string

// What looking at a step's object can tell.
const (
	// SightUntouched: the object is as it was before the step.
	SightUntouched Sight = "Untouched"
	// SightDone: the object is as the step makes it.
	SightDone Sight = "Done"
	// SightForeign: it is neither: somebody else changed it.
	SightForeign Sight = "Foreign"
)

// Inspection is what looking at a step's object tells, and its version.
type Inspection struct {
	Sight   Sight
	Version string
	UID     string
	Message string
}

// Verification is what the checks say.
type Verification struct {
	// Outcome is Open while it is too early to tell.
	Outcome v1alpha1.Outcome
	Message string
	// Again is when to look again, while Outcome is Open.
	Again time.Duration
}

// Reasons of the faults that only pipelines return.
const (
	// ObjectChanged (Terminal): somebody changed, made or deleted the object since it was planned, or, in a rollback, since
	// it was applied. Nothing was sent.
	ObjectChanged = "ObjectChanged"
	// AwaitingDependency (Wait): what the effect builds on is not there yet, such as a namespace that is not active, or not
	// gone yet. Nothing was sent.
	AwaitingDependency = "AwaitingDependency"
	// CannotUndo (Terminal): the plan said beforehand that there is no way back from the effect.
	CannotUndo = "CannotUndo"
)

// Pipeline plans and carries out changes of one sort. Errors are faults (package fault) unless they say otherwise.
type Pipeline interface {
	// Plan resolves the request into effects and dry-runs them. It changes nothing. It returns *Invalid where the request
	// cannot be made as it is written.
	Plan(ctx context.Context, r Request) (*Planned, error)
	// Apply makes one effect, exactly the stored request, on the condition that the object is still the one planned for
	// and has the step's version.
	Apply(ctx context.Context, s Step) (*v1alpha1.OperationDone, error)
	// Inspect says whether a step that may have been interrupted had its effect. It changes nothing.
	Inspect(ctx context.Context, s Step) (*Inspection, error)
	// Verify makes the checks of a plan that was applied at since. It changes nothing.
	Verify(ctx context.Context, s Step, since time.Time) (*Verification, error)
	// Rollback undoes one effect from the record. Undoing what is already undone is no error.
	Rollback(ctx context.Context, s Step) error
}
