package changerequest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/redact"
)

// maxAttemptsKept is how many records the status keeps.
const maxAttemptsKept = 20

// apply checks everything once more and begins: it takes the leases, reads and asks everything anew, plans again and
// compares, records the attempt, uses the Approvals up, and has the first effect.
func (p *pass) apply(ctx context.Context) (err error) {
	bundle, err := p.agreed(ctx)
	switch {
	case unusable(err):
		p.drift(v1alpha1.DriftedStoredPlanUnusable, saidStoredPlanUnusable)
		return nil
	case err != nil:
		return err
	}
	if err := p.current(ctx); err != nil {
		return err // over an old copy, a lease would be taken, or let go of, that an attempt of now rests on
	}
	defer func() {
		if p.attempt(v1alpha1.StepApply) == nil || p.stale() {
			err = errors.Join(err, p.release(context.WithoutCancel(ctx)))
		}
	}()
	if err := p.takeTurn(ctx, bundle.Plan); err != nil {
		return err
	}
	if cleared, err := p.clearedStill(ctx); err != nil || !cleared {
		p.until(p.Clock.Now().Add(lagTime))
		return err
	}
	fresh, risk, err := p.replan(ctx, bundle)
	if err != nil || fresh == nil {
		return err
	}
	if !p.sameVerdict(fresh.Plan, *risk) {
		p.change.Status.Policy = nil // judged again in the next pass
		return nil
	}
	return p.applyFirst(ctx, bundle, fresh.View.Versions)
}

// lagTime is how long the cache is given to catch up with what was read past it.
const lagTime = time.Second

// clearedStill reads the change and all that it rests on past the cache, and decides anew.
func (p *pass) clearedStill(ctx context.Context) (bool, error) {
	if err := p.current(ctx); err != nil {
		return false, err
	}
	if err := p.look(ctx, p.uncached()); err != nil {
		return false, err
	}
	return p.decision.Action == change.ActionApply, nil
}

// current fails with a conflict unless the change was read as it is now: a cache may show an attempt as open that has long
// been closed.
func (p *pass) current(ctx context.Context) error {
	fresh := &v1alpha1.ChangeRequest{}
	if err := p.Uncached.Get(ctx, client.ObjectKeyFromObject(p.change), fresh); client.IgnoreNotFound(err) != nil {
		return err
	}
	if fresh.UID != p.change.UID || fresh.ResourceVersion != p.change.ResourceVersion {
		return fault.New(fault.Retry, fault.Conflict, "the change was read from a cache that lags behind", nil)
	}
	return nil
}

// applyFirst records the attempt and has the first effect. That the attempt cannot be written down twice is what keeps two
// operators apart; that the effect is written down in the audit log before it is what makes it accountable.
func (p *pass) applyFirst(ctx context.Context, bundle *change.Bundle, versions []string) error {
	index := nextEffect(bundle.Plan, nil)
	id := fmt.Sprintf("apply-%d", bundle.Plan.Revision)
	if index < 0 {
		p.drift(v1alpha1.DriftedStoredPlanUnusable, saidStoredPlanUnusable)
		return nil
	}
	if err := p.record(ctx, p.announced(id, bundle, index)); err != nil {
		return err
	}
	if err := p.open(ctx, v1alpha1.StepApply, id); err != nil {
		return err
	}
	if err := p.consume(ctx, id); err != nil {
		return err
	}
	version := ""
	if index < len(versions) {
		version = versions[index]
	}
	return p.effect(ctx, p.step(bundle, index, version))
}

// open records an attempt before it has any effect: the one status write that does not end a pass.
func (p *pass) open(ctx context.Context, step v1alpha1.AttemptStep, id string) error {
	status := &p.change.Status
	attempt := v1alpha1.Attempt{ID: id, Step: step, Digest: status.Plan.Digest, StartedAt: metav1.NewTime(p.now), Outcome: v1alpha1.OutcomeOpen}
	kept := status.Attempts[max(len(status.Attempts)-maxAttemptsKept+1, 0):]
	status.Attempts = slices.Concat(kept, []v1alpha1.Attempt{attempt})
	status.Retry = nil
	p.outlook.facts = p.gather()
	p.conclude()
	if _, err := p.session.Close(ctx); err != nil {
		status.Attempts = status.Attempts[:len(status.Attempts)-1]
		return err
	}
	p.session = kube.Open(p.Client, p.change)
	return nil
}

// step is one effect of the plan, for the pipeline.
func (p *pass) step(bundle *change.Bundle, index int, version string) pipeline.Step {
	return pipeline.Step{Namespace: p.change.Namespace, Plan: bundle.Plan, View: bundle.View, Index: index, Version: version}
}

// nextEffect is the index of the first effect that is to be sent and is not among those done, -1 if there is none.
func nextEffect(plan change.Plan, done []v1alpha1.OperationDone) int {
	for i, e := range plan.Effects {
		same := func(d v1alpha1.OperationDone) bool { return int(d.Index) == i }
		if e.Verb != change.VerbNone && !slices.ContainsFunc(done, same) {
			return i
		}
	}
	return -1
}

// announced is the entry about an effect that is about to be had. What nobody was asked about is written down in full.
func (p *pass) announced(id string, bundle *change.Bundle, index int) audit.Entry {
	entry := p.about(audit.ActionApply, id, bundle.Plan.Effects[index])
	if verdict := p.change.Status.Policy; verdict != nil && verdict.Verdict == v1alpha1.PolicyAllowed {
		entry.Detail = redact.String(bundle.View.Diff)
	}
	return entry
}

// effect has one effect, and records what came of it. Whoever calls it has written to the audit log that it begins.
func (p *pass) effect(ctx context.Context, step pipeline.Step) error {
	p.effected = true
	done, err := p.Pipeline.Apply(ctx, step)
	if err == nil {
		return p.done(ctx, step, done)
	}
	f := fault.Of(err)
	switch {
	case f.Reason == pipeline.AwaitingDependency:
		p.until(p.Clock.Now().Add(dependencyTime))
		return nil
	case f.Reason == pipeline.ObjectChanged && len(p.attempt(v1alpha1.StepApply).OperationsDone) == 0:
		// Nothing was sent, and nothing of the change is there: people are asked again about the objects as they are now.
		p.closeAttempt(ctx, v1alpha1.StepApply, v1alpha1.OutcomeFailed, told(f.Message))
		p.drift(v1alpha1.DriftedPlanChanged, f.Message)
		return p.releaseAll(ctx)
	case f.Fate == fault.Terminal:
		p.audited(ctx, audit.ActionApply, step, audit.OutcomeFailed, f.Message)
		p.refused(ctx, f)
		return nil
	}
	return err // whether it had its effect is not known: the attempt stays open, and the next pass looks
}

// refused closes the attempt to apply after the API server refused an effect for good.
func (p *pass) refused(ctx context.Context, f *fault.Fault) {
	p.change.Status.Failure = failureOf(f)
	if f.Reason == fault.PermissionDenied {
		p.change.Status.Failure.Type = v1alpha1.AppliedApplierForbidden
	} else {
		p.change.Status.Failure.Type = v1alpha1.AppliedFailed
	}
	p.closeAttempt(ctx, v1alpha1.StepApply, v1alpha1.OutcomeFailed, told(f.Message))
}

// done records that an effect was had. After the last one the attempt has succeeded; one that set what nobody was shown has
// failed.
func (p *pass) done(ctx context.Context, step pipeline.Step, done *v1alpha1.OperationDone) error {
	attempt := p.attempt(v1alpha1.StepApply)
	attempt.OperationsDone = append(attempt.OperationsDone, *done)
	if len(done.Unforeseen) > 0 {
		why := saidUnforeseen(describe(step.Plan.Effects[step.Index].Object), done.Unforeseen)
		p.audited(ctx, audit.ActionApply, step, audit.OutcomeFailed, why)
		p.refused(ctx, fault.New(fault.Terminal, fault.PolicyViolation, why, nil))
		return nil
	}
	p.audited(ctx, audit.ActionApply, step, audit.OutcomeSucceeded, "")
	if nextEffect(step.Plan, attempt.OperationsDone) < 0 {
		p.closeAttempt(ctx, v1alpha1.StepApply, v1alpha1.OutcomeSucceeded, saidAllDone(len(attempt.OperationsDone)))
	}
	return nil
}

// audited writes down how an effect went. What was done cannot be undone by a log that fails: it is told to the operator's
// own log then.
func (p *pass) audited(ctx context.Context, action audit.Action, step pipeline.Step, outcome audit.Outcome, detail string) {
	id := ""
	for _, kind := range []v1alpha1.AttemptStep{v1alpha1.StepRollback, v1alpha1.StepApply} {
		if a := p.attempt(kind); a != nil && id == "" {
			id = a.ID
		}
	}
	entry := p.about(action, id, step.Plan.Effects[step.Index])
	entry.Outcome, entry.Detail = outcome, redact.String(detail)
	p.note(context.WithoutCancel(ctx), entry)
}

// closeAttempt records how a step ended.
func (p *pass) closeAttempt(ctx context.Context, step v1alpha1.AttemptStep, outcome v1alpha1.Outcome, message string) {
	attempt := p.attempt(step)
	finished := metav1.NewTime(p.Clock.Now())
	attempt.FinishedAt, attempt.Outcome, attempt.Message = &finished, outcome, message
	p.change.Status.Retry = nil
	log.FromContext(ctx).Info("Attempt closed", "attempt", attempt.ID, "outcome", outcome, "operations", len(attempt.OperationsDone))
}
