package changerequest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/kube"
)

// steps says who does what the decision table asks for. A step records facts; it returns nil with them recorded, or a
// fault: what may pass is tried again, what waits holds the change.
var steps = map[change.Action]step{
	change.ActionPlan:              {"Plan", (*pass).plan, outside},
	change.ActionJudge:             {"Judge", (*pass).judge, inside},
	change.ActionRequestApproval:   {"RequestApproval", (*pass).requestApproval, outside},
	change.ActionWait:              {"Wait", (*pass).wait, last},
	change.ActionApply:             {"Apply", (*pass).apply, outside},
	change.ActionInspectApply:      {"InspectApply", (*pass).inspectApply, outside},
	change.ActionVerify:            {"Verify", (*pass).verify, outside},
	change.ActionRequestAcceptance: {"RequestAcceptance", (*pass).requestAcceptance, outside},
	change.ActionRollback:          {"Rollback", (*pass).rollback, outside},
	change.ActionInspectRollback:   {"InspectRollback", (*pass).inspectRollback, outside},
	change.ActionFinish:            {"Finish", (*pass).finish, last},
}

// step is what is done for one action.
type step struct {
	name  string
	take  func(*pass, context.Context) error
	reach reach
}

// reach says what a step touches. A pass takes at most one step that reaches outside, so that what was reached is recorded
// before the next one builds on it, and a slow one holds up no other change.
type reach string

const (
	inside  reach = "Inside"
	outside reach = "Outside"
	last    reach = "Last"
)

// maxSteps bounds a pass; the longest takes three steps.
const maxSteps = 5

// pass is one look at one change.
type pass struct {
	*Reconciler
	change  *v1alpha1.ChangeRequest
	session *kube.Session
	before  []metav1.Condition
	now     time.Time
	// outlook is what the last look found.
	outlook
	// bundle is the stored plan, once it was read or made in this pass.
	bundle *change.Bundle
	// made are the slots made in this pass, which the cache may not show yet.
	made []v1alpha1.Approval
	// asked remembers, for this pass, who may approve the class of the plan.
	asked map[string]bool
	// hold says why the change waits for something that is no fact of the decision; nil if it does not.
	hold *fault.Fault
	// again is when the pass wants to be repeated if nothing happens before; zero for never.
	again time.Time
	// effected: an effect was sent in this pass, so that its record must not be lost.
	effected bool
	// leases are the names of those that this pass took, or found to be the change's own.
	leases []string
}

func (r *Reconciler) begin(requested *v1alpha1.ChangeRequest) *pass {
	p := &pass{Reconciler: r, change: requested, session: kube.Open(r.Client, requested),
		before: requested.Status.Conditions, now: r.Clock.Now()}
	requested.Status.CorrelationID = correlationID(requested)
	return p
}

// run looks, decides and acts until something outside was reached, or the change waits. An error means that the pass was
// made over an old copy or could not look: nothing of it is to be stored.
func (p *pass) run(ctx context.Context) error {
	if p.delayed() {
		return again(p.look(ctx, p.cached()))
	}
	reached := false
	for range maxSteps {
		if err := again(p.look(ctx, p.cached())); err != nil {
			return err
		}
		step := steps[p.decision.Action]
		if p.held() {
			return p.markSlots(ctx, goesOn)
		}
		if step.reach == outside && reached {
			return nil
		}
		reached = reached || step.reach == outside
		if err := p.take(ctx, step); err != nil {
			return p.fail(ctx, step, err)
		}
		if p.decision.Action != change.ActionWait {
			p.change.Status.Retry = nil
		}
		if step.reach == last {
			return nil
		}
	}
	return nil
}

// held says that the change waits for something that is no fact of its decision.
func (p *pass) held() bool { return p.hold != nil }

// delayed says that the step in hand failed and is not due again yet.
func (p *pass) delayed() bool {
	retry := p.change.Status.Retry
	return retry != nil && retry.NextAttemptAt != nil && p.now.Before(retry.NextAttemptAt.Time) && !p.change.Spec.Cancel
}

// again makes what kept the operator from looking around something that may pass: what it lacks, such as a right, somebody
// will give it, and no event tells when.
func again(err error) error {
	if err == nil || fault.Of(err).Fate != fault.Terminal {
		return err
	}
	return fault.New(fault.Retry, fault.Of(err).Reason, "the operator could not look around", err)
}

// take makes one step. A panic is a fault of this step, not of the operator: what a tenant's cluster holds must not keep
// others from their changes.
func (p *pass) take(ctx context.Context, step step) (err error) {
	started := p.Clock.Now()
	defer func() {
		if broken := recover(); broken != nil {
			log.FromContext(ctx).Error(nil, "Step panicked", "step", step.name, "stack", string(debug.Stack()))
			err = fault.New(fault.Retry, fault.Unexpected, "the operator ran into a defect of its own", fmt.Errorf("panic: %T", broken))
		}
		p.Metrics.ChangeStepTook(step.name, p.Clock.Since(started))
	}()
	log.FromContext(ctx).V(1).Info("Taking step", "step", step.name, "state", p.decision.State)
	return step.take(p, ctx)
}

// fail records what follows from a fault. A conflict says that the pass looked at an old copy: it is returned, so that
// nothing of the pass is stored, and the next one looks again.
func (p *pass) fail(ctx context.Context, step step, err error) error {
	f := fault.Of(err)
	p.Metrics.ChangeStepFailed(step.name, f.Reason, string(f.Fate))
	logger := log.FromContext(ctx).WithValues("step", step.name, "reason", f.Reason, "fate", f.Fate)
	if cause := errors.Unwrap(f); cause != nil {
		logger = logger.WithValues("cause", cause.Error())
	}
	logger.Info("Step did not succeed")
	p.now = p.Clock.Now()
	switch {
	case f.Reason == fault.Conflict && !p.effected:
		return f
	case f.Reason == fault.Interrupted:
		// The operator is being stopped: the next one goes on from what is stored.
	case f.Fate == fault.Wait:
		p.hold = f
	default:
		p.retry(ctx, f)
	}
	return nil
}

// until asks for another pass at a moment, unless an earlier one is asked for already.
func (p *pass) until(moment time.Time) {
	if !moment.IsZero() && (p.again.IsZero() || moment.Before(p.again)) {
		p.again = moment
	}
}

// wake is how long the change may sleep if nothing happens. A change that goes on is woken by the write of its own status.
func (p *pass) wake() time.Duration {
	if finished(p.change) {
		return 0
	}
	if retry := p.change.Status.Retry; retry != nil && retry.NextAttemptAt != nil {
		p.until(retry.NextAttemptAt.Time)
	}
	p.untilLapse()
	if p.again.IsZero() {
		return 0
	}
	return max(p.again.Sub(p.Clock.Now()), time.Millisecond)
}

// untilLapse asks for another pass when the plan or the deadline lapses, as long as nothing was applied.
func (p *pass) untilLapse() {
	if p.attempt(v1alpha1.StepApply) != nil {
		if p.decision.State == change.StateAwaitingAcceptance {
			p.until(p.acceptedUntil())
		}
		return
	}
	if plan := p.change.Status.Plan; plan != nil {
		p.until(plan.ExpiresAt.Time)
	}
	if deadline := p.change.Spec.Deadline; deadline != nil {
		p.until(deadline.Time)
	}
}
