package changerequest

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/redact"
)

// verify makes the checks. As long as it is too early to tell, nothing is recorded and the next look is asked for.
func (p *pass) verify(ctx context.Context) error {
	bundle, err := p.agreed(ctx)
	switch {
	case unusable(err):
		p.closeVerify(v1alpha1.OutcomeUnknown, saidStoredPlanUnusable)
		return nil
	case err != nil:
		return err
	}
	seen, err := p.Pipeline.Verify(ctx, p.step(bundle, 0, ""), p.attempt(v1alpha1.StepApply).FinishedAt.Time)
	if err != nil {
		return err
	}
	if seen.Outcome == v1alpha1.OutcomeOpen {
		p.until(p.Clock.Now().Add(max(seen.Again, time.Millisecond)))
		return nil
	}
	p.closeVerify(seen.Outcome, told(seen.Message))
	outcomes := map[v1alpha1.Outcome]audit.Outcome{v1alpha1.OutcomeSucceeded: audit.OutcomeSucceeded, v1alpha1.OutcomeFailed: audit.OutcomeFailed}
	outcome, known := outcomes[seen.Outcome]
	if !known {
		outcome = audit.OutcomeUnknown
	}
	p.note(ctx, audit.Entry{Action: audit.ActionVerify, Outcome: outcome, Attempt: p.attempt(v1alpha1.StepVerify).ID, Detail: redact.String(seen.Message)})
	return nil
}

// closeVerify records what the checks said.
func (p *pass) closeVerify(outcome v1alpha1.Outcome, message string) {
	status, apply := &p.change.Status, p.attempt(v1alpha1.StepApply)
	finished := metav1.NewTime(p.Clock.Now())
	status.Attempts = append(status.Attempts, v1alpha1.Attempt{
		ID: fmt.Sprintf("verify-%d", status.Plan.Revision), Step: v1alpha1.StepVerify, Digest: status.Plan.Digest,
		StartedAt: *apply.FinishedAt, FinishedAt: &finished, Outcome: outcome, Message: message,
	})
}
