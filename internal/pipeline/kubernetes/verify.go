package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/pipeline"
)

const (
	// readyTimeout is how long the changed objects may take to become ready: as long as Kubernetes gives a Deployment to
	// make progress, unless it says otherwise.
	readyTimeout = 10 * time.Minute
	// readySoak is how long they must have been ready without a break.
	readySoak = 5 * time.Second
	// checkTimeout and nothingNewSoak are the defaults of v1alpha1.Check and v1alpha1.NothingNewCheck.
	checkTimeout   = 2 * time.Minute
	nothingNewSoak = 10 * time.Second
)

// result is what one check says.
type result struct {
	outcome v1alpha1.Outcome
	message string
	// again is when the answer may be another one, while outcome is Open; zero where nobody knows.
	again time.Duration
	// unasked: the check could not be made, rather than not hold.
	unasked bool
}

func holds() result { return result{outcome: v1alpha1.OutcomeSucceeded} }

func fails(format string, args ...any) result {
	return result{outcome: v1alpha1.OutcomeFailed, message: fmt.Sprintf(format, args...)}
}

func open(format string, args ...any) result {
	return result{outcome: v1alpha1.OutcomeOpen, message: fmt.Sprintf(format, args...)}
}

func unknown(format string, args ...any) result {
	return result{outcome: v1alpha1.OutcomeUnknown, message: fmt.Sprintf(format, args...)}
}

// within gives an open result until the time is over. Then what does not hold has failed, and what could not be asked is
// unknown.
func (r result) within(elapsed, timeout time.Duration) result {
	if r.outcome != v1alpha1.OutcomeOpen {
		return r
	}
	if elapsed >= timeout {
		late := v1alpha1.OutcomeFailed
		if r.unasked {
			late = v1alpha1.OutcomeUnknown
		}
		return result{outcome: late, message: fmt.Sprintf("%s, after %s", r.message, timeout)}
	}
	if left := timeout - elapsed; r.again == 0 || left < r.again {
		r.again = min(left, pace(elapsed))
	}
	return r
}

// pace is how soon to look again: often at first, when most changes settle.
func pace(elapsed time.Duration) time.Duration {
	return min(max(elapsed/10, time.Second), 10*time.Second)
}

// unasked is the result where the cluster could not be asked: open where that may go away by itself, unknown otherwise.
func unasked(err error) result {
	if fault.IsRetry(err) {
		return result{outcome: v1alpha1.OutcomeOpen, message: "the cluster could not be asked: " + quote(err), unasked: true}
	}
	return unknown("the cluster could not be asked: %s", quote(err))
}

// verifying is one look at a change that was applied.
type verifying struct {
	pipeline.Step
	p          *Pipeline
	since, now time.Time
	// settled is since when everything has been ready; zero while it is not.
	settled time.Time
}

// Verify looks whether every changed object is ready, has been so for a while, and whether the declared checks hold.
func (p *Pipeline) Verify(ctx context.Context, s pipeline.Step, since time.Time) (*pipeline.Verification, error) {
	v := &verifying{p: p, Step: s, since: since, now: p.now()}
	key := fmt.Sprintf("%s/%d", s.Plan.ChangeUID, s.Plan.Revision)
	readiness := v.readiness(ctx)
	if readiness.outcome == v1alpha1.OutcomeSucceeded {
		v.settled = p.ready.ready(key, v.now)
		readiness = v.soaked(readySoak)
	} else {
		p.ready.forget(key)
	}
	results := []result{readiness}
	for _, c := range s.Plan.Checks {
		r := v.check(ctx, c)
		r.message = fmt.Sprintf("check %q: %s", c.Name, r.message)
		results = append(results, r)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	verdict := sumUp(results)
	if verdict.Outcome != v1alpha1.OutcomeOpen {
		p.ready.forget(key)
	}
	return verdict, nil
}

// sumUp: one failure is enough to fail; what is open is waited for; what could not be asked leaves the whole unknown.
func sumUp(results []result) *pipeline.Verification {
	for _, outcome := range []v1alpha1.Outcome{v1alpha1.OutcomeFailed, v1alpha1.OutcomeOpen, v1alpha1.OutcomeUnknown} {
		var found *pipeline.Verification
		for _, r := range results {
			switch {
			case r.outcome != outcome:
			case found == nil:
				found = &pipeline.Verification{Outcome: outcome, Message: r.message, Again: r.again}
			case r.again < found.Again:
				found.Again = r.again
			}
		}
		if found != nil {
			return found
		}
	}
	message := "every changed object is ready"
	if checks := len(results) - 1; checks > 0 {
		message += fmt.Sprintf(", and the checks hold (%d)", checks)
	}
	return &pipeline.Verification{Outcome: v1alpha1.OutcomeSucceeded, Message: message}
}

// soaked wants that everything has been ready for a while.
func (v *verifying) soaked(soak time.Duration) result {
	if v.settled.IsZero() {
		r := open("the changed objects are not ready yet")
		r.again = pace(v.now.Sub(v.since))
		return r
	}
	if left := soak - v.now.Sub(v.settled); left > 0 {
		r := open("the changed objects have been ready for less than %s", soak)
		r.again = left
		return r
	}
	return holds()
}

// touched are the effects that are the last on their object and change something.
func touched(p change.Plan) []int {
	last := map[change.Object]int{}
	for i, e := range p.Effects {
		if e.Verb != change.VerbNone {
			o := e.Object
			o.UID = ""
			last[o] = i
		}
	}
	var found []int
	for i, e := range p.Effects {
		o := e.Object
		o.UID = ""
		if at, ok := last[o]; ok && at == i {
			found = append(found, i)
		}
	}
	return found
}

// check makes one declared check.
func (v *verifying) check(ctx context.Context, c v1alpha1.Check) result {
	timeout := durationOr(c.Timeout, checkTimeout)
	elapsed := v.now.Sub(v.since)
	switch {
	case c.ObjectReady != nil:
		return v.objectReady(ctx, c.ObjectReady.Target).within(elapsed, timeout)
	case c.CEL != nil:
		return v.expression(ctx, *c.CEL).within(elapsed, timeout)
	case c.HTTPGet != nil:
		return v.httpGet(ctx, *c.HTTPGet).within(elapsed, timeout)
	case c.NoNewWarnings != nil:
		return v.noNewWarnings(ctx, durationOr(c.NoNewWarnings.Soak, nothingNewSoak))
	case c.NoNewFaults != nil:
		return v.noNewFaults(ctx, durationOr(c.NoNewFaults.Soak, nothingNewSoak), timeout)
	}
	return unknown("nothing is asked")
}

func durationOr(d *metav1.Duration, otherwise time.Duration) time.Duration {
	if d == nil {
		return otherwise
	}
	return d.Duration
}

var errNoReaders = errors.New("no reader is set up")
