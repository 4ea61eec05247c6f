package kube

import (
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	firstDelay   = time.Second
	longestDelay = 30 * time.Second
)

// Backoff is how long to wait after a number of failed attempts: twice as long each time up to a limit, spread between half
// and one and a half times that by random (0 to 1), and never less than the other side asked for.
func Backoff(failed int32, retryAfter time.Duration, random float64) time.Duration {
	wait := longestDelay
	if doublings := failed - 1; doublings < 5 {
		wait = min(firstDelay<<max(doublings, 0), longestDelay)
	}
	return max(time.Duration(float64(wait)*(0.5+random)), retryAfter)
}

// NextAttempt is the time of the attempt after a number of failed ones. It is in whole seconds, as times are stored; rounded
// down, the wait would end before it is over.
func NextAttempt(now time.Time, failed int32, retryAfter time.Duration) *metav1.Time {
	wait := Backoff(failed, retryAfter, rand.Float64()) //nolint:gosec // spreading load needs no secret randomness
	next := metav1.NewTime(now.Add(wait).Add(time.Second - 1).Truncate(time.Second))
	return &next
}
