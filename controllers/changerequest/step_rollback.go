package changerequest

import (
	"context"
	"fmt"
	"slices"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// rollback records the attempt to undo what was done, and undoes the last of it.
func (p *pass) rollback(ctx context.Context) error {
	bundle, err := p.agreed(ctx)
	if err != nil && !unusable(err) {
		return err
	}
	if err := p.current(ctx); err != nil {
		return err
	}
	if bundle != nil {
		if err := p.takeTurn(ctx, bundle.Plan); err != nil {
			return err
		}
	}
	if err := p.open(ctx, v1alpha1.StepRollback, fmt.Sprintf("rollback-%d", p.change.Status.Plan.Revision)); err != nil {
		return err
	}
	if bundle == nil {
		p.closeAttempt(ctx, v1alpha1.StepRollback, v1alpha1.OutcomeFailed, saidStoredPlanUnusable)
		return nil
	}
	return p.undoNext(ctx, bundle)
}

// inspectRollback goes on with a rollback that is open. Undoing what is undone already changes nothing, so that there is
// nothing to be looked at first.
func (p *pass) inspectRollback(ctx context.Context) error {
	bundle, err := p.agreed(ctx)
	switch {
	case unusable(err):
		p.closeAttempt(ctx, v1alpha1.StepRollback, v1alpha1.OutcomeFailed, saidStoredPlanUnusable)
		return nil
	case err != nil:
		return err
	}
	if err := p.current(ctx); err != nil {
		return err
	}
	if err := p.takeTurn(ctx, bundle.Plan); err != nil {
		return err
	}
	return p.undoNext(ctx, bundle)
}

// undone is one effect that is to be undone, with what is recorded of it.
type undone struct {
	index int
	done  *v1alpha1.OperationDone
}

// toUndo are the effects that were had, the last first, and before them the one of which nobody knows.
func (p *pass) toUndo(plan change.Plan) []undone {
	apply := p.attempt(v1alpha1.StepApply)
	var all []undone
	for i := range apply.OperationsDone {
		all = append(all, undone{int(apply.OperationsDone[i].Index), &apply.OperationsDone[i]})
	}
	if next := nextEffect(plan, apply.OperationsDone); next >= 0 && apply.Outcome == v1alpha1.OutcomeUnknown {
		all = append(all, undone{next, nil})
	}
	slices.Reverse(all)
	return all
}

// undoNext undoes the next effect, and stops at the first that cannot be undone: what came before it may rest on it.
func (p *pass) undoNext(ctx context.Context, bundle *change.Bundle) error {
	attempt := p.attempt(v1alpha1.StepRollback)
	all := p.toUndo(bundle.Plan)
	if len(attempt.OperationsDone) >= len(all) {
		p.closeAttempt(ctx, v1alpha1.StepRollback, v1alpha1.OutcomeSucceeded, saidAllUndone(len(all)))
		return nil
	}
	next := all[len(attempt.OperationsDone)]
	step := p.step(bundle, next.index, "")
	if step.Done = next.done; next.done != nil {
		step.Version = next.done.ResourceVersion
	}
	effect := bundle.Plan.Effects[next.index]
	if err := p.record(ctx, p.about(audit.ActionRollback, attempt.ID, effect)); err != nil {
		return err
	}
	p.effected = true
	if err := p.Pipeline.Rollback(ctx, step); err != nil {
		return p.notUndone(ctx, step, err)
	}
	p.audited(ctx, audit.ActionRollback, step, audit.OutcomeSucceeded, "")
	attempt = p.attempt(v1alpha1.StepRollback)
	o := effect.Object
	attempt.OperationsDone = append(attempt.OperationsDone, v1alpha1.OperationDone{Index: int32(next.index),
		Object: v1alpha1.ObjectReference{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, UID: o.UID}})
	if len(attempt.OperationsDone) == len(all) {
		p.closeAttempt(ctx, v1alpha1.StepRollback, v1alpha1.OutcomeSucceeded, saidAllUndone(len(all)))
	}
	return nil
}

// notUndone follows from a fault of undoing one effect.
func (p *pass) notUndone(ctx context.Context, step pipeline.Step, err error) error {
	f := fault.Of(err)
	switch {
	case f.Reason == pipeline.AwaitingDependency:
		p.until(p.Clock.Now().Add(dependencyTime))
		return nil
	case f.Fate != fault.Terminal:
		return err
	}
	object := describe(step.Plan.Effects[step.Index].Object)
	p.audited(ctx, audit.ActionRollback, step, audit.OutcomeFailed, f.Message)
	p.closeAttempt(ctx, v1alpha1.StepRollback, v1alpha1.OutcomeFailed, told(saidStuckAt(object, f.Message)))
	return nil
}
