package changerequest

import (
	"context"
	"time"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// dependencyTime is how long an effect waits for what it builds on, such as a namespace that becomes active.
const dependencyTime = time.Second

// inspectApply goes on with an attempt that is open: because more operations are due, or because an earlier pass was cut
// off, which looks the same. It uses up what that pass did not, looks at the next object, and has the next effect only if
// that has certainly not been had, and only while consent stands.
func (p *pass) inspectApply(ctx context.Context) error {
	attempt := p.attempt(v1alpha1.StepApply)
	bundle, err := p.agreed(ctx)
	switch {
	case unusable(err):
		p.closeAttempt(ctx, v1alpha1.StepApply, v1alpha1.OutcomeUnknown, saidStoredPlanUnusable)
		return nil
	case err != nil:
		return err
	}
	index := nextEffect(bundle.Plan, attempt.OperationsDone)
	if index < 0 {
		p.closeAttempt(ctx, v1alpha1.StepApply, v1alpha1.OutcomeSucceeded, saidAllDone(len(attempt.OperationsDone)))
		return nil
	}
	if err := p.current(ctx); err != nil {
		return err
	}
	if err := p.takeTurn(ctx, bundle.Plan); err != nil {
		return err
	}
	if err := p.look(ctx, p.uncached()); err != nil {
		return err
	}
	if err := p.consume(ctx, attempt.ID); err != nil {
		return err
	}
	step := p.step(bundle, index, "")
	seen, err := p.Pipeline.Inspect(ctx, step)
	if err != nil {
		return err
	}
	step.Version = seen.Version
	return p.goOn(ctx, bundle, step, seen)
}

// goOn follows from what the inspection of the next effect saw.
func (p *pass) goOn(ctx context.Context, bundle *change.Bundle, step pipeline.Step, seen *pipeline.Inspection) error {
	attempt := p.attempt(v1alpha1.StepApply)
	effect := step.Plan.Effects[step.Index]
	switch seen.Sight {
	case pipeline.SightDone:
		return p.done(ctx, step, doneAs(step, seen))
	case pipeline.SightForeign:
		p.closeAttempt(ctx, v1alpha1.StepApply, v1alpha1.OutcomeUnknown, told(saidForeign(describe(effect.Object), seen.Message)))
		return nil
	case pipeline.SightUntouched:
	}
	if !p.guard.InPlace() {
		return p.guardMissing()
	}
	if why := p.mayNotGoOn(step.Plan, step.View); why != "" {
		p.closeAttempt(ctx, v1alpha1.StepApply, v1alpha1.OutcomeFailed, told(why))
		return nil
	}
	if retry := p.change.Status.Retry; retry != nil && retry.Count >= maxAttempts {
		p.closeAttempt(ctx, v1alpha1.StepApply, v1alpha1.OutcomeFailed, saidGaveUp(describe(effect.Object), retry.LastReason))
		return nil
	}
	if err := p.record(ctx, p.announced(attempt.ID, bundle, step.Index)); err != nil {
		return err
	}
	return p.effect(ctx, step)
}

// mayNotGoOn says why an open attempt must have no further effect: the Approvals, read anew, are the truth about consent,
// and the policies as they are now say how much of it is needed. It is empty where the attempt may go on.
func (p *pass) mayNotGoOn(plan change.Plan, view change.View) string {
	verdict := p.selected.Judge(p.requester(), plan, change.Assess(plan, view.Facts))
	switch {
	case verdict.Verdict == v1alpha1.PolicyDenied:
		return saidNowDenied(verdict.DecidedBy)
	case p.consent.RejectedBy != "":
		return saidRejected(p.consent.RejectedBy, p.consent.Because)
	case p.consent.Granted < verdict.Required:
		return saidConsentGone(p.consent.Granted, verdict.Required)
	case !p.begun() && p.change.Spec.Cancel:
		return saidCancelledInTime
	case !p.begun() && !p.now.Before(plan.ExpiresAt):
		return saidLapsedInterrupted
	}
	return ""
}

// doneAs records an effect from what its object looks like.
func doneAs(step pipeline.Step, seen *pipeline.Inspection) *v1alpha1.OperationDone {
	o := step.Plan.Effects[step.Index].Object
	done := &v1alpha1.OperationDone{Index: int32(step.Index), ResourceVersion: seen.Version,
		Object: v1alpha1.ObjectReference{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, UID: o.UID}}
	if seen.UID != "" {
		done.Object.UID = seen.UID
	}
	return done
}
