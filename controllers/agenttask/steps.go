package agenttask

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/classify"
	"github.com/eclusier/eclusier/internal/fault"
)

// plan is everything that happens to a task, in order. A step is taken if its fact is not recorded yet. It returns nil
// with the fact recorded, or a fault: a terminal one ends the task under the fault's reason, a waiting one holds it, a
// passing one is tried again.
var plan = []step{
	{"Accept", (*pass).accepted, (*pass).accept, inside},       // who asks, is it text, does the account exist
	{"Classify", (*pass).classified, (*pass).classify, inside}, // question or change, and is it operations at all
	{"Resolve", (*pass).resolved, (*pass).resolve, outside},    // every named object exists and is meant
	{"Admit", (*pass).admitted, (*pass).admit, inside},         // what is unclear ends here
	{"Propose", (*pass).proposed, (*pass).propose, inside},     // a wish becomes a ChangeRequest, which is the operator's own
	{"Follow", (*pass).followed, (*pass).follow, inside},       // and waits for its end
	{"Diagnose", (*pass).diagnosed, (*pass).diagnose, outside}, // a question is answered
}

// step is one step of the plan.
type step struct {
	name  string
	done  func(*pass) bool
	take  func(*pass, context.Context) error
	reach reach
}

// reach says whether a step works with the tenant's cluster. A pass takes at most one such step, so that what was reached
// is recorded before the next one, and a slow one holds up no other task.
type reach string

const (
	inside  reach = "Inside"
	outside reach = "Outside"
)

func (p *pass) accepted() bool   { return p.task.Status.StartedAt != nil || p.change() != nil }
func (p *pass) classified() bool { return p.task.Status.Classification != nil }
func (p *pass) resolved() bool   { return len(p.task.Status.Targets) > 0 || p.change() != nil }
func (p *pass) diagnosed() bool  { return p.task.Status.Verdict != "" || p.wantsChange() }
func (p *pass) proposed() bool   { return p.change() != nil || !p.wantsChange() }
func (p *pass) followed() bool   { return finished(p.task) || !p.wantsChange() }
func (p *pass) admitted() bool   { return p.task.Status.Verdict != "" || p.change() != nil }

// pass is one look at one task.
type pass struct {
	*Reconciler
	task   *v1alpha1.AgentTask
	before []metav1.Condition
	now    time.Time
	// hold says why the task waits; nil if it does not.
	hold *fault.Fault
	// stored is called once what this pass found out is stored.
	stored []func()

	prompt *classify.Result
	wish   *reading
	// lasting says that the task must not end now.
	lasting bool
}

func (r *Reconciler) begin(task *v1alpha1.AgentTask) *pass {
	task.Status.CorrelationID = correlationID(task)
	return &pass{Reconciler: r, task: task, before: task.Status.Conditions, now: r.Clock.Now()}
}

// run takes the next steps of the plan, and lets no task end before a change that it has made.
func (p *pass) run(ctx context.Context) {
	p.steps(ctx)
	if p.task.Status.Failure != nil && p.change() == nil {
		p.remember(ctx)
	}
}

// steps takes the next steps, up to the second one that reaches outside.
func (p *pass) steps(ctx context.Context) {
	if p.interrupted() {
		return
	}
	reached := false
	for _, step := range plan {
		if step.done(p) {
			continue
		}
		if step.reach == outside && reached {
			return
		}
		reached = reached || step.reach == outside
		if err := p.take(ctx, step); err != nil {
			p.fail(ctx, step, err)
			return
		}
		if step.done(p) {
			p.task.Status.Retry = nil // its attempts are over; a step without a fact of its own says nothing about them
		}
		if finished(p.task) {
			return
		}
	}
}

// interrupted ends, holds or delays the task where that comes before any step.
func (p *pass) interrupted() bool {
	spec, status := p.task.Spec, p.task.Status
	switch {
	case spec.Cancel && p.change() != nil:
		return false // the change is cancelled, and its end is the task's
	case spec.Cancel:
		p.end(fault.New(fault.Terminal, v1alpha1.SucceededCancelled, p.say(saidCancelled), nil))
	case p.overdue():
		p.end(p.exceeded())
	case spec.Suspend:
		p.hold = fault.New(fault.Wait, v1alpha1.SucceededSuspended, p.suspended(), nil)
	case status.Retry != nil && p.now.Before(status.Retry.NextAttemptAt.Time):
	default:
		return false
	}
	return true
}

// take makes one step within the time that the task has left. A panic is a fault of this step, not of the operator: what
// a tenant's cluster holds must not keep others from their answers.
func (p *pass) take(ctx context.Context, step step) (err error) {
	if deadline, ok := p.deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deadline.Sub(p.now))
		defer cancel()
	}
	started := p.Clock.Now()
	defer func() {
		if broken := recover(); broken != nil {
			log.FromContext(ctx).Error(nil, "Step panicked", "step", step.name, "stack", string(debug.Stack()))
			err = fault.New(fault.Retry, fault.Unexpected, "the operator ran into a defect of its own", fmt.Errorf("panic: %T", broken))
		}
		p.Metrics.StepTook(step.name, p.Clock.Since(started))
	}()
	log.FromContext(ctx).V(1).Info("Taking step", "step", step.name)
	return step.take(p, ctx)
}

// fail records what follows from a fault.
func (p *pass) fail(ctx context.Context, step step, err error) {
	f := fault.Of(err)
	p.Metrics.StepFailed(step.name, f.Reason, string(f.Fate))
	logger := log.FromContext(ctx).WithValues("step", step.name, "reason", f.Reason, "fate", f.Fate)
	if cause := errors.Unwrap(f); cause != nil {
		logger = logger.WithValues("cause", cause.Error())
	}
	if f.Fate == fault.Terminal {
		logger = logger.V(1) // the line about the task's end says so
	}
	logger.Info("Step did not succeed")
	p.now = p.Clock.Now()
	switch {
	case f.Fate == fault.Terminal:
		p.end(f)
	case f.Fate == fault.Wait:
		p.hold = f
	case p.overdue():
		p.end(p.exceeded())
	default:
		p.retry(f)
	}
}

// end records that the task has ended without an answer.
func (p *pass) end(f *fault.Fault) {
	p.task.Status.Failure = &v1alpha1.Failure{
		Type:      f.Reason,
		Message:   cut(f.Message, v1alpha1.MaxStatusText),
		Permanent: f.Fate == fault.Terminal,
		Remedies:  bounded(f.Remedies, v1alpha1.MaxRemedies),
	}
	p.complete()
}

// complete records that the task has ended.
func (p *pass) complete() {
	p.now = p.Clock.Now()
	completed := metav1.NewTime(p.now)
	p.task.Status.CompletedAt = &completed
}

// deadline is when the task's time is over, once it has started or is held for the identity guard. A task that waits for
// its change has all the time that people take.
func (p *pass) deadline() (time.Time, bool) {
	held := p.unvouched()
	switch {
	case p.change() != nil:
		return time.Time{}, false
	case p.task.Status.StartedAt != nil:
		return p.task.Status.StartedAt.Add(p.task.WallClock()), true
	case held != nil:
		return held.LastTransitionTime.Add(p.task.WallClock()), true
	case p.hold != nil && p.hold.Reason == v1alpha1.AcceptedIdentityGuardMissing:
		return p.now.Add(p.task.WallClock()), true
	}
	return time.Time{}, false
}

func (p *pass) overdue() bool {
	deadline, ok := p.deadline()
	return ok && !p.now.Before(deadline)
}

func (p *pass) exceeded() *fault.Fault {
	if held := p.unvouched(); held != nil {
		return fault.New(fault.Terminal, v1alpha1.SucceededWallClockExceeded, p.say(saidExceededHeld, p.task.WallClock().String(), held.Message), nil)
	}
	return fault.New(fault.Terminal, v1alpha1.SucceededWallClockExceeded, p.say(saidExceeded, p.task.WallClock().String()), nil)
}

// wake is how long the task may sleep if nothing changes. A task that goes on is woken by the write of its own status.
func (p *pass) wake() time.Duration {
	status := p.task.Status
	switch {
	case finished(p.task) && p.task.Spec.TTLAfterFinished != nil:
		return max(status.CompletedAt.Add(p.task.Spec.TTLAfterFinished.Duration).Sub(p.now), time.Millisecond)
	case finished(p.task):
		return 0
	case status.Retry != nil && p.hold == nil:
		return max(status.Retry.NextAttemptAt.Sub(p.now), time.Millisecond)
	}
	if deadline, ok := p.deadline(); ok && p.hold != nil {
		return max(deadline.Sub(p.now), time.Millisecond)
	}
	return 0
}
