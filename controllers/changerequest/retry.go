package changerequest

import (
	"context"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	// Times are stored in whole seconds; rounded down, a wait would end before it is over.
	wait := kube.Backoff(failed, f.RetryAfter, rand.Float64()) //nolint:gosec // spreading load needs no secret randomness
	next := metav1.NewTime(p.now.Add(wait).Add(time.Second - 1).Truncate(time.Second))
	status.Retry.NextAttemptAt = &next
}

// spent ends what has been tried often enough, and says whether it did.
func (p *pass) spent(ctx context.Context, f *fault.Fault, failed int32) bool {
	switch p.decision.Action {
	case change.ActionPlan:
		if failed < maxAttempts && f.Fate != fault.Terminal {
			return false
		}
		p.unplannable(f)
	case change.ActionVerify:
		if failed < maxAttempts && f.Fate != fault.Terminal {
			return false
		}
		p.closeVerify(v1alpha1.OutcomeUnknown, saidNotAsked(f))
	case change.ActionInspectApply:
		if failed < maxTries && f.Fate != fault.Terminal {
			return false
		}
		p.closeAttempt(ctx, v1alpha1.StepApply, v1alpha1.OutcomeUnknown, saidNotInspected(f))
	case change.ActionRollback, change.ActionInspectRollback:
		if open := p.attempt(v1alpha1.StepRollback); open == nil || failed < maxTries && f.Fate != fault.Terminal {
			return false
		}
		p.closeAttempt(ctx, v1alpha1.StepRollback, v1alpha1.OutcomeFailed, saidNotUndone(f))
	default:
		return false
	}
	return true
}
