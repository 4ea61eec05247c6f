package kube

import "time"

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
