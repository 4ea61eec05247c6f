package changerequest

import (
	"context"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/kube"
)

const (
	// maxAttempts is how often a step is tried that nobody has agreed to yet, or that changes nothing.
	maxAttempts = 3
	// maxTries is how often it is tried to find out, or to undo, what a change has done: to give up leaves a person with
	// an unknown state.
	maxTries = 10
)

// retry records when the step is tried again, and what follows where its attempts are spent. What people agreed to is tried
// until their consent lapses: nothing has happened yet, and to ask them again costs more than to wait.
func (p *pass) retry(ctx context.Context, f *fault.Fault) {
	status := &p.change.Status
	failed := int32(1)
	if status.Retry != nil {
		failed = status.Retry.Count + 1
	}
	status.Retry = &v1alpha1.RetryStatus{Count: failed, LastReason: f.Reason}
	if p.spent(ctx, f, failed) {
		status.Retry = nil
		return
	}
	status.Retry.NextAttemptAt = kube.NextAttempt(p.now, failed, f.RetryAfter)
}

// limit says how often a step is tried and what follows then. Steps without one are tried for as long as it takes.
type limit struct {
	tries int32
	end   func(*pass, context.Context, *fault.Fault)
}

var limits = map[change.Action]limit{
	change.ActionPlan: {maxAttempts, func(p *pass, _ context.Context, f *fault.Fault) { p.unplannable(f) }},
	change.ActionVerify: {maxAttempts, func(p *pass, _ context.Context, f *fault.Fault) {
		p.closeVerify(v1alpha1.OutcomeUnknown, saidNotAsked(f))
	}},
	change.ActionInspectApply: {maxTries, func(p *pass, ctx context.Context, f *fault.Fault) {
		p.closeAttempt(ctx, v1alpha1.StepApply, v1alpha1.OutcomeUnknown, saidNotInspected(f))
	}},
	change.ActionInspectRollback: {maxTries, func(p *pass, ctx context.Context, f *fault.Fault) {
		p.closeAttempt(ctx, v1alpha1.StepRollback, v1alpha1.OutcomeFailed, saidNotUndone(f))
	}},
}

// spent ends what has been tried often enough, or what no other attempt would change, and says whether it did.
func (p *pass) spent(ctx context.Context, f *fault.Fault, failed int32) bool {
	limit, limited := limits[p.decision.Action]
	if !limited || failed < limit.tries && f.Fate != fault.Terminal {
		return false
	}
	limit.end(p, ctx, f)
	return true
}
