package agenttask

import (
	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/kube"
)

// maxAttempts is how often a step is tried.
const maxAttempts = 3

// retry records when the step is tried again, or ends the task where the attempts are spent. They are never spent where a
// change is under way, or may be: a task that ended then would leave it to itself.
func (p *pass) retry(f *fault.Fault) {
	status := &p.task.Status
	failed := int32(1)
	if status.Retry != nil {
		failed = status.Retry.Count + 1
	}
	if p.lasting || p.change() != nil {
		failed = min(failed, maxAttempts-1)
	}
	status.Retry = &v1alpha1.RetryStatus{Count: failed, LastReason: f.Reason}
	if failed >= maxAttempts {
		spent := fault.New(fault.Retry, v1alpha1.SucceededRetriesExhausted, p.say(saidRetriesExhausted, maxAttempts, f.Reason), f)
		p.end(spent.With(p.say(saidCheckCluster), p.say(saidAskAgain)))
		return
	}
	status.Retry.NextAttemptAt = kube.NextAttempt(p.now, failed, f.RetryAfter)
}
