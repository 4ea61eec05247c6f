package changerequest

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/redact"
)

// finish records the end. What the change holds is let go before that, and its slots are told: who dies in between finds
// the change unfinished and does it again, which changes nothing.
func (p *pass) finish(ctx context.Context) error {
	if len(p.change.Status.Attempts) > 0 {
		if err := p.releaseAll(ctx); err != nil {
			return err
		}
	}
	if err := p.markSlots(ctx, ended); err != nil {
		return err
	}
	status := &p.change.Status
	status.Result = p.decision.Result
	completed := metav1.NewTime(p.Clock.Now())
	status.CompletedAt, status.Retry = &completed, nil
	status.Failure = p.failure()
	entry := audit.Entry{Action: audit.ActionFinish, Outcome: audit.OutcomeSucceeded, Detail: redact.String(string(status.Result))}
	if status.Failure != nil {
		entry.Outcome = audit.OutcomeFailed
	}
	p.note(ctx, entry)
	return nil
}

// failure says why the change did not succeed, nil if it did. What a step recorded in its own words stays.
func (p *pass) failure() *v1alpha1.Failure {
	status := p.change.Status
	failed := func(reason, message string) *v1alpha1.Failure {
		return &v1alpha1.Failure{Type: reason, Message: told(message), Permanent: true}
	}
	switch status.Result {
	case v1alpha1.ResultSucceeded, v1alpha1.ResultPlanned:
		return nil
	case v1alpha1.ResultDenied:
		return failed(v1alpha1.ApprovedDenied, saidDenied(status.Policy.DecidedBy))
	case v1alpha1.ResultRejected:
		return failed(v1alpha1.ApprovedRejected, saidRejected(p.consent.RejectedBy, p.consent.Because))
	case v1alpha1.ResultExpired:
		return failed(v1alpha1.ApprovedExpired, p.whyExpired())
	case v1alpha1.ResultCancelled:
		return failed(v1alpha1.SucceededCancelled, saidCancelled)
	case v1alpha1.ResultVerifyFailed:
		return failed(v1alpha1.VerifiedFailed, p.uncertainty())
	case v1alpha1.ResultRolledBack:
		return failed(v1alpha1.RolledBackRolledBack, saidRolledBack(p.uncertainty()))
	case v1alpha1.ResultRollbackFailed:
		return failed(v1alpha1.RolledBackFailed, saidRollbackFailed(p.attempt(v1alpha1.StepRollback).Message))
	case v1alpha1.ResultInvalid, v1alpha1.ResultApplyFailed:
	}
	return p.recorded(failed)
}

// recorded is the failure that planning or applying recorded, or one made of what else is known.
func (p *pass) recorded(failed func(reason, message string) *v1alpha1.Failure) *v1alpha1.Failure {
	status := p.change.Status
	switch {
	case status.Failure != nil:
		return status.Failure
	case status.Result == v1alpha1.ResultInvalid:
		return failed(v1alpha1.SucceededDrifted, saidDriftsForEver(status.Drift))
	}
	return failed(v1alpha1.AppliedFailed, p.uncertainty())
}

// whyExpired says which time ran out.
func (p *pass) whyExpired() string {
	if passed(p.change.Spec.Deadline, p.now) {
		return saidDeadlinePassed
	}
	return saidExpired
}
