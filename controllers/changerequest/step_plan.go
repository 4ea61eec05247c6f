package changerequest

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// Bounds of what the status tells of a plan.
const (
	maxNotes  = 20
	maxPlaces = 20
)

// plan makes the plan of the next revision, keeps it, and shows it.
func (p *pass) plan(ctx context.Context) error {
	revision := int32(1)
	if former := p.change.Status.Plan; former != nil {
		revision = former.Revision + 1
	}
	planned, err := p.Pipeline.Plan(ctx, pipeline.Request{Change: p.change, Revision: revision, ExpiresAt: p.expiry()})
	var invalid *pipeline.Invalid
	switch {
	case errors.As(err, &invalid):
		p.unplannable(fault.New(fault.Terminal, invalid.Reason, invalid.Message, nil))
		return nil
	case err != nil:
		return err
	}
	bundle := change.Bundle{Plan: planned.Plan, View: planned.View}
	places := p.namespacesOf(bundle.Plan)
	if len(places) > maxPlaces {
		p.unplannable(fault.New(fault.Terminal, v1alpha1.PlannedInvalid, saidTooManyPlaces, nil))
		return nil
	}
	if p.selected, err = p.choose(ctx, p.cached(), places); err != nil {
		return err
	}
	bundle.Plan.ExpiresAt = p.expiry()
	risk := change.Assess(bundle.Plan, bundle.View.Facts)
	bundle.Plan.Class = risk.Class
	digest, err := bundle.Plan.Digest()
	if err != nil {
		return err
	}
	content, err := bundle.Encode()
	if err != nil {
		return err
	}
	// A pass over an old copy would put its plan in the place of the one that people have been shown since.
	if err := p.current(ctx); err != nil {
		return err
	}
	ref, err := p.Plans.Put(ctx, p.key(revision), holds(bundle), content)
	if err != nil {
		return err
	}
	p.show(bundle, risk, digest, ref)
	p.change.Status.Plan.Namespaces, p.change.Status.Plan.StoredDigest = places, change.ContentDigest(content)
	p.bundle = &bundle
	p.note(ctx, audit.Entry{Action: audit.ActionPlan, Outcome: audit.OutcomeSucceeded})
	return nil
}

// show sums the plan up in the status, in place of a former one.
func (p *pass) show(bundle change.Bundle, risk v1alpha1.Risk, digest, ref string) {
	status := &p.change.Status
	status.Plan = &v1alpha1.PlanStatus{
		Revision: bundle.Plan.Revision, Digest: digest, Summary: told(bundle.View.Summary), Counts: bundle.Plan.Counts(),
		Risk: risk, DiffRef: ref, SnapshotRef: ref, PlannedAt: metav1.NewTime(p.now), ExpiresAt: metav1.NewTime(bundle.Plan.ExpiresAt),
	}
	var notDryRun []string
	for _, e := range bundle.Plan.Effects {
		if e.NotDryRun != "" {
			notDryRun = append(notDryRun, describe(e.Object)+": "+e.NotDryRun)
		}
	}
	status.Plan.NotDryRun, status.Plan.NotShown, status.Plan.Notes = listed(notDryRun), listed(bundle.View.NotShown), listed(bundle.View.Notes)
	status.Policy, status.Approvals, status.Failure = nil, nil, nil
}

// listed makes texts fit for a list of the status, and says how many are left out.
func listed(texts []string) []string {
	var list []string
	for _, text := range texts {
		if text != "" {
			list = append(list, told(text))
		}
	}
	if len(list) > maxNotes {
		list = append(list[:maxNotes-1:maxNotes-1], fmt.Sprintf("and %d more, in the stored plan", len(list)-maxNotes+1))
	}
	return list
}

// unplannable records why there is no plan, which ends the change.
func (p *pass) unplannable(f *fault.Fault) {
	failure := failureOf(f)
	switch {
	case f.Reason == fault.Unexpected:
		failure.Type, failure.Message = v1alpha1.PlannedInternalError, saidInternalError
	case f.Fate != fault.Terminal:
		failure.Type, failure.Permanent = v1alpha1.SucceededRetriesExhausted, false
	}
	p.change.Status.Failure = failure
}

// replan plans once more on the live objects, for the same revision and expiry, and returns the plan and its risk if they
// are what people agreed to. Otherwise it records the drift and returns nil.
func (p *pass) replan(ctx context.Context, agreed *change.Bundle) (*change.Bundle, *v1alpha1.Risk, error) {
	planned, err := p.Pipeline.Plan(ctx, pipeline.Request{Change: p.change, Revision: agreed.Plan.Revision, ExpiresAt: agreed.Plan.ExpiresAt})
	var invalid *pipeline.Invalid
	switch {
	case errors.As(err, &invalid):
		p.drift(v1alpha1.DriftedTargetChanged, saidTargetChanged(invalid.Message))
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	fresh := change.Bundle{Plan: planned.Plan, View: planned.View}
	fresh.Plan.ExpiresAt = agreed.Plan.ExpiresAt
	risk := change.Assess(fresh.Plan, fresh.View.Facts)
	fresh.Plan.Class = risk.Class
	digest, err := fresh.Plan.Digest()
	if err != nil {
		return nil, nil, err
	}
	if digest != p.change.Status.Plan.Digest {
		p.drift(v1alpha1.DriftedPlanChanged, saidPlanChanged(agreed.Plan, fresh.Plan))
		return nil, nil, nil
	}
	return &fresh, &risk, nil
}
