package changerequest

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
)

// auditing is who stands in the audit log for what nobody else does.
const auditing = "eclusier"

// auditUnavailable is the reason under which a change waits for the audit log.
const auditUnavailable = "AuditUnavailable"

// record writes an entry of the change to the audit log. Where it cannot be written, what it speaks of is not done.
func (p *pass) record(ctx context.Context, e audit.Entry) error {
	if err := p.Audit.Record(ctx, p.complete(e)); err != nil {
		return fault.New(fault.Retry, auditUnavailable, "the audit log cannot be written, so nothing is done", err)
	}
	return nil
}

// note writes an entry about what has no effect outside of eclusier, which goes on without it.
func (p *pass) note(ctx context.Context, e audit.Entry) {
	if err := p.Audit.Record(ctx, p.complete(e)); err != nil {
		log.FromContext(ctx).Error(err, "Writing to the audit log", "action", e.Action, "outcome", e.Outcome)
	}
}

func (p *pass) complete(e audit.Entry) audit.Entry {
	e.CorrelationID = p.change.Status.CorrelationID
	e.Change = audit.Object{APIVersion: v1alpha1.GroupVersion.String(), Kind: "ChangeRequest", Namespace: p.change.Namespace,
		Name: p.change.Name, UID: string(p.change.UID)}
	if e.Actor == "" {
		e.Actor = auditing
	}
	if plan := p.change.Status.Plan; plan != nil {
		e.Digest = plan.Digest
	}
	return e
}

// about is an entry about one effect of an attempt, made as the change's service account.
func (p *pass) about(action audit.Action, attempt string, effect change.Effect) audit.Entry {
	o := effect.Object
	return audit.Entry{Action: action, Outcome: audit.OutcomeBegun, Attempt: attempt, Actor: accountName(p.account()),
		Object: audit.Object{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, UID: o.UID}}
}
