package agenttask

import (
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/fault"
)

const (
	maxAttempts  = 3
	firstDelay   = time.Second
	longestDelay = 30 * time.Second
)

// retry records when the step is tried again, or ends the task where the attempts are spent.
func (p *pass) retry(f *fault.Fault) {
	status := &p.task.Status
	failed := int32(1)
	if status.Retry != nil {
		failed = status.Retry.Count + 1
	}
	status.Retry = &v1alpha1.RetryStatus{Count: failed, LastReason: f.Reason}
	if failed >= maxAttempts {
		spent := fault.New(fault.Retry, v1alpha1.SucceededRetriesExhausted, p.say(saidRetriesExhausted, maxAttempts, f.Reason), f)
		p.end(spent.With(p.say(saidCheckCluster), p.say(saidAskAgain)))
		return
	}
	// Times are stored in whole seconds; rounded down, a wait would end before it is over.
	next := p.now.Add(delay(failed, f.RetryAfter, rand.Float64())).Add(time.Second - 1).Truncate(time.Second) //nolint:gosec // spreading load needs no secret randomness
	status.Retry.NextAttemptAt = &metav1.Time{Time: next}
}

// delay is how long to wait after a number of failed attempts: twice as long each time, spread between half and one and a
// half times that by random (0 to 1), and never less than the other side asked for.
func delay(failed int32, retryAfter time.Duration, random float64) time.Duration {
	wait := min(firstDelay<<(failed-1), longestDelay)
	return max(time.Duration(float64(wait)*(0.5+random)), retryAfter)
}
