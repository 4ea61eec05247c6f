package changerequest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/approval"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/policy"
)

// outlook is what one look at a change and its surroundings found, and what the decision table makes of it.
type outlook struct {
	guard guard.Verdict
	// sure: the guard was asked past the cache, after everything that it vouches for was read. What a cache shows of it may
	// be older than a decision that was made without it.
	sure     bool
	selected policy.Selected
	opening  policy.Opening
	// approvals are all that are about the change, of whatever revision and purpose.
	approvals           []v1alpha1.Approval
	consent, acceptance approval.Answer
	facts               change.Facts
	decision            change.Decision
}

// origin is where a look reads from.
type origin struct {
	reader client.Reader
	// fresh: the reader sees everything as it is now.
	fresh bool
}

func (p *pass) cached() origin   { return origin{reader: p.Client} }
func (p *pass) uncached() origin { return origin{reader: p.Uncached, fresh: true} }

// look reads everything that a decision rests on, and decides.
func (p *pass) look(ctx context.Context, from origin) error {
	o := outlook{}
	var err error
	if o.selected, err = p.choose(ctx, from, p.touchedNamespaces()); err != nil {
		return err
	}
	if o.approvals, err = p.approvalsAbout(ctx, from); err != nil {
		return err
	}
	if o.guard, o.sure, err = p.vouching(ctx, from); err != nil {
		return err
	}
	var notBefore *time.Time
	if at := p.change.Spec.NotBefore; at != nil {
		notBefore = &at.Time
	}
	o.opening = o.selected.Opening(p.now, notBefore)
	p.outlook = o
	if err := p.askRights(ctx); err != nil {
		return err
	}
	if p.change.Status.Plan != nil {
		p.consent = approval.Tally(p.question(v1alpha1.PurposeApply), p.approvals)
		p.acceptance = approval.Tally(p.question(v1alpha1.PurposeAcceptResult), p.approvals)
	}
	p.admit()
	p.facts = p.gather()
	p.decision = change.Decide(p.facts)
	asks := p.decision.Action == change.ActionRequestApproval || p.decision.Action == change.ActionRequestAcceptance
	switch {
	case asks && !p.guard.InPlace():
		p.hold = p.guardMissing()
	case asks && p.guard.Settling > 0:
		// A slot that was made now would be asked anew at once.
		p.hold = fault.New(fault.Wait, v1alpha1.ApprovedIdentityGuardMissing, saidGuardSettles, nil)
		p.until(p.now.Add(p.guard.Settling))
	}
	return nil
}

// vouching asks the guard, and says whether past the cache. What the cache shows to be missing is looked up, since it may
// lag behind an installation, and so is all that somebody's name is taken on.
func (p *pass) vouching(ctx context.Context, from origin) (verdict guard.Verdict, sure bool, err error) {
	sure = from.fresh
	verdict, err = p.Guard.Check(ctx, from.reader)
	if err == nil && !sure && (!verdict.InPlace() || p.untaken()) {
		sure = true
		verdict, err = p.Guard.Check(ctx, p.Uncached)
	}
	if err == nil {
		p.Metrics.GuardInPlace(verdict.InPlace())
	}
	return verdict, sure, err
}

// untaken says that it is still to be found out who asked for the change.
func (p *pass) untaken() bool {
	status := p.change.Status
	return status.StartedAt == nil && status.Failure == nil && !p.change.Spec.Cancel
}

// admit takes a change on once its requester is vouched for, and refuses it where nobody does: a name that was written
// while the admission policies were not in force may be anybody's.
func (p *pass) admit() {
	status := &p.change.Status
	switch {
	case !p.untaken():
		return
	case !p.guard.InPlace():
		p.hold = p.guardMissing()
	case p.unvouched() || p.change.Spec.RequestedBy == nil || p.change.CreationTimestamp.Time.Before(p.guard.Since):
		status.Failure = &v1alpha1.Failure{Type: v1alpha1.AcceptedRequesterUnknown, Message: saidRequesterUnknown, Permanent: true}
	default:
		started := metav1.NewTime(p.now)
		status.StartedAt = &started
	}
}

func (p *pass) guardMissing() *fault.Fault {
	return fault.New(fault.Wait, v1alpha1.ApprovedIdentityGuardMissing, p.guard.Message(), nil)
}

// unvouched says that the change was held for the identity guard before it was taken on. It is read from a condition,
// since policies that were put right bear no sure sign of having been wrong.
func (p *pass) unvouched() bool {
	return slices.ContainsFunc(p.before, func(c metav1.Condition) bool {
		return c.Type == v1alpha1.ConditionApproved && c.Reason == v1alpha1.ApprovedIdentityGuardMissing
	})
}

// touchedNamespaces are those of the objects that the plan touches, as far as there is one.
func (p *pass) touchedNamespaces() []string {
	if p.change.Status.Plan == nil {
		return nil
	}
	return p.change.Status.Plan.Namespaces
}

// choose returns the policies that fit the change's own namespace and the named ones.
func (p *pass) choose(ctx context.Context, from origin, names []string) (policy.Selected, error) {
	policies := &v1alpha1.ChangePolicyList{}
	if err := from.reader.List(ctx, policies); err != nil {
		return policy.Selected{}, err
	}
	places := made(p.change)
	for _, name := range append([]string{p.change.Namespace}, names...) {
		namespace := &metav1.PartialObjectMetadata{}
		namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
		err := from.reader.Get(ctx, client.ObjectKey{Name: name}, namespace)
		if client.IgnoreNotFound(err) != nil {
			return policy.Selected{}, err
		}
		place := policy.Namespace{Name: name, Labels: namespace.Labels}
		if err != nil {
			place.Labels = map[string]string{corev1.LabelMetadataName: name}
		}
		places = append(places, place)
	}
	return policy.Select(policies.Items, places), nil
}

// made are the namespaces that the change itself applies, with the labels that it gives them: the policies for such a
// namespace count before it exists.
func made(requested *v1alpha1.ChangeRequest) []policy.Namespace {
	var places []policy.Namespace
	for _, o := range requested.Spec.Kubernetes.Operations {
		if o.Apply == nil {
			continue
		}
		object := &metav1.PartialObjectMetadata{}
		if json.Unmarshal(o.Apply.Manifest.Raw, object) != nil || object.Kind != "Namespace" || object.APIVersion != "v1" {
			continue
		}
		labels := map[string]string{corev1.LabelMetadataName: object.Name}
		for key, value := range object.Labels {
			labels[key] = value
		}
		places = append(places, policy.Namespace{Name: object.Name, Labels: labels})
	}
	return places
}

// attempt is the newest record of a step of the current plan, nil where there is none.
func (p *pass) attempt(step v1alpha1.AttemptStep) *v1alpha1.Attempt {
	status := &p.change.Status
	if status.Plan == nil {
		return nil
	}
	for i := len(status.Attempts) - 1; i >= 0; i-- {
		if a := &status.Attempts[i]; a.Step == step && a.Digest == status.Plan.Digest {
			return a
		}
	}
	return nil
}

// stale says that live objects changed under the current plan before it had any effect.
func (p *pass) stale() bool {
	status := p.change.Status
	return status.Plan != nil && status.Drift != nil && status.Drift.Revision == status.Plan.Revision
}

// gather turns what was seen into the facts of the decision.
func (p *pass) gather() change.Facts {
	spec, status := p.change.Spec, p.change.Status
	f := change.Facts{
		Result: status.Result, Cancelled: spec.Cancel, Suspended: spec.Suspend, DryRun: spec.DryRun,
		OnFailure: cmp.Or(spec.Rollback, v1alpha1.RollbackAutomatic), Guarded: p.guard.InPlace(), WindowOpen: p.opening.Open,
		Plan: p.planFact(), Verdict: p.verdictFact(), Consent: p.consent.Fact, Acceptance: p.acceptance.Fact,
		Verify: attemptFact(p.attempt(v1alpha1.StepVerify)), Rollback: attemptFact(p.attempt(v1alpha1.StepRollback)),
	}
	if status.Plan != nil {
		f.Revision = status.Plan.Revision
	}
	if apply := p.attempt(v1alpha1.StepApply); apply != nil && !p.stale() {
		f.Apply = attemptFact(apply)
		f.Touched = len(apply.OperationsDone) > 0 || apply.Outcome == v1alpha1.OutcomeUnknown
	}
	f.Overdue = passed(spec.Deadline, p.now) ||
		f.Verdict == change.VerdictAllowed && f.Plan == change.PlanCurrent && passed(&status.Plan.ExpiresAt, p.now)
	return f
}

func passed(moment *metav1.Time, now time.Time) bool {
	return moment != nil && !now.Before(moment.Time)
}

func (p *pass) planFact() change.PlanFact {
	status := p.change.Status
	switch {
	case status.Failure != nil && (status.Plan == nil || p.stale()):
		return change.PlanImpossible
	case status.Plan == nil:
		return change.PlanNone
	case p.stale():
		return change.PlanStale
	case empty(status.Plan.Counts):
		return change.PlanEmpty
	}
	return change.PlanCurrent
}

func empty(c v1alpha1.EffectCounts) bool { return c.Create+c.Update+c.Delete == 0 }

func (p *pass) verdictFact() change.VerdictFact {
	plan, verdict := p.change.Status.Plan, p.change.Status.Policy
	if plan == nil || verdict == nil || verdict.Digest != plan.Digest || verdict.Fingerprint != p.selected.Fingerprint() {
		return change.VerdictNone
	}
	switch verdict.Verdict {
	case v1alpha1.PolicyAllowed:
		return change.VerdictAllowed
	case v1alpha1.PolicyApprovalRequired:
		return change.VerdictApproval
	default:
		return change.VerdictDenied
	}
}

func attemptFact(a *v1alpha1.Attempt) change.AttemptFact {
	if a == nil {
		return change.AttemptNone
	}
	switch a.Outcome {
	case v1alpha1.OutcomeOpen:
		return change.AttemptOpen
	case v1alpha1.OutcomeSucceeded:
		return change.AttemptSucceeded
	case v1alpha1.OutcomeFailed:
		return change.AttemptFailed
	default:
		return change.AttemptUnknown
	}
}
