package changerequest

import (
	"context"
	"fmt"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/policy"
	"github.com/eclusier/eclusier/internal/redact"
)

// Bounds of what the status tells of a verdict.
const (
	maxDecidedBy = 20
	maxRule      = 512
	maxQuorum    = 5
)

// judge asks the policies about the stored plan.
func (p *pass) judge(ctx context.Context) error {
	bundle, err := p.agreed(ctx)
	switch {
	case unusable(err):
		p.drift(v1alpha1.DriftedStoredPlanUnusable, saidStoredPlanUnusable)
		return nil
	case err != nil:
		return err
	}
	verdict := p.selected.Judge(p.requester(), bundle.Plan, change.Assess(bundle.Plan, bundle.View.Facts))
	p.change.Status.Policy = p.policyStatus(verdict)
	entry := audit.Entry{Action: audit.ActionJudge, Outcome: audit.OutcomeSucceeded, Detail: redact.String(string(verdict.Verdict))}
	if verdict.Verdict == v1alpha1.PolicyDenied {
		entry.Outcome = audit.OutcomeDenied
	}
	p.note(ctx, entry)
	return nil
}

// policyStatus is a verdict on the current plan as the status tells it.
func (p *pass) policyStatus(v policy.Verdict) *v1alpha1.PolicyStatus {
	status := &v1alpha1.PolicyStatus{
		Verdict: v.Verdict, Digest: p.change.Status.Plan.Digest, RequiredApprovals: min(v.Required, maxQuorum),
		Fingerprint: p.selected.Fingerprint(), ReviewAfterwards: v.ReviewAfterwards,
	}
	for _, rule := range v.DecidedBy[:min(len(v.DecidedBy), maxDecidedBy)] {
		status.DecidedBy = append(status.DecidedBy, shorten(redact.String(rule).String(), maxRule))
	}
	if v.Verdict == v1alpha1.PolicyApprovalRequired {
		status.Progress = fmt.Sprintf("0/%d", status.RequiredApprovals)
	}
	return status
}

// sameVerdict says whether the policies, asked about the plan as it is now, answer what the status says they did.
func (p *pass) sameVerdict(plan change.Plan, risk v1alpha1.Risk) bool {
	now, then := p.policyStatus(p.selected.Judge(p.requester(), plan, risk)), p.change.Status.Policy
	return then != nil && now.Verdict == then.Verdict && now.RequiredApprovals == then.RequiredApprovals && now.Fingerprint == then.Fingerprint
}
