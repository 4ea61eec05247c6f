package changerequest

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/approval"
	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/redact"
)

// verdictOn is what the tally of its purpose makes of an approval.
func (p *pass) verdictOn(i int) approval.Slot {
	slots := p.consent.Slots
	if p.approvals[i].Spec.Purpose == v1alpha1.PurposeAcceptResult {
		slots = p.acceptance.Slots
	}
	if i < len(slots) {
		return slots[i]
	}
	return approval.Slot{Name: p.approvals[i].Name, Reason: v1alpha1.GrantedPending}
}

// ending says whether the change ends with this pass.
type ending string

const (
	ended  ending = "Ended"
	goesOn ending = "GoesOn"
)

// markSlots writes into every Approval what became of it, where that is not there yet. A slot that a person decides at the
// same moment is left to the next pass, which that decision wakes. Once the change ends, what is undecided never will be.
func (p *pass) markSlots(ctx context.Context, ends ending) error {
	if err := p.makeSure(ctx); err != nil {
		return err
	}
	for i := range p.approvals {
		apv := &p.approvals[i]
		if apv.Status.ConsumedBy != "" {
			continue
		}
		slot := p.verdictOn(i)
		if slot.Reason == v1alpha1.GrantedPending && ends == ended {
			slot.Reason, slot.Message = v1alpha1.GrantedSuperseded, saidChangeEnded
		}
		if slot.Reason == v1alpha1.GrantedPending && len(apv.Status.Conditions) == 0 {
			continue // that nobody has decided yet is what its decision says
		}
		if err := p.mark(ctx, apv, slot); err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// mark writes what became of one Approval.
func (p *pass) mark(ctx context.Context, apv *v1alpha1.Approval, slot approval.Slot) error {
	session := kube.Open(p.Client, apv)
	known := apv.Status.IdentitySource != ""
	p.identify(apv)
	apv.Status.Conditions = kube.Conditions(apv.Status.Conditions, []metav1.Condition{granted(slot)}, apv.Generation, p.now)
	apv.Status.ObservedGeneration = apv.Generation
	written, err := session.Close(ctx)
	if written && !known && apv.Status.IdentitySource != "" {
		p.Metrics.ApprovalDecided(string(apv.Spec.Decision), p.now.Sub(apv.CreationTimestamp.Time))
	}
	return err
}

// granted is the condition of a slot.
func granted(slot approval.Slot) metav1.Condition {
	c := metav1.Condition{Type: v1alpha1.ConditionGranted, Status: metav1.ConditionFalse, Reason: slot.Reason, Message: told(slot.Message)}
	switch {
	case slot.Counts, slot.Reason == v1alpha1.GrantedConsumed:
		c.Status = metav1.ConditionTrue
	case slot.Reason == v1alpha1.GrantedPending:
		c.Status = metav1.ConditionUnknown
	}
	return c
}

// makeSure asks the guard past the cache where somebody's decision was seen for the first time.
func (p *pass) makeSure(ctx context.Context) error {
	if p.sure || !slices.ContainsFunc(p.approvals, func(a v1alpha1.Approval) bool { return p.identifiable(&a) }) {
		return nil
	}
	verdict, err := p.Guard.Check(ctx, p.Uncached)
	if err == nil {
		p.guard, p.sure = verdict, true
	}
	return err
}

// identifiable says whether it is to be recorded that it is known who decided.
func (p *pass) identifiable(apv *v1alpha1.Approval) bool {
	return decided(apv) && apv.Status.IdentitySource == "" && p.guard.InPlace() && !apv.CreationTimestamp.Time.Before(p.guard.Since)
}

// identify records how it is known who decided, where somebody did while it was known.
func (p *pass) identify(apv *v1alpha1.Approval) {
	if !p.sure || !p.identifiable(apv) {
		return
	}
	apv.Status.IdentitySource = v1alpha1.IdentityStamped
	if p.guard.Stamp == guard.StampByClient {
		apv.Status.IdentitySource = v1alpha1.IdentityChecked
	}
}

// consume uses up the Approvals that count, in the name of the attempt. One that was used up already is left alone, so that
// a pass after a crash finishes what the one before began.
func (p *pass) consume(ctx context.Context, attempt string) error {
	for i := range p.approvals {
		apv := &p.approvals[i]
		slot := p.verdictOn(i)
		if !slot.Counts || apv.Spec.Purpose != v1alpha1.PurposeApply || apv.Status.ConsumedBy != "" {
			continue
		}
		p.note(ctx, audit.Entry{Action: audit.ActionConsent, Actor: apv.Spec.DecidedBy.Username, Outcome: audit.OutcomeSucceeded,
			Attempt: attempt, Detail: redact.String(apv.Name + ": " + apv.Spec.Reason)})
		consumed := metav1.NewTime(p.now)
		before := apv.DeepCopy()
		apv.Status.ConsumedAt, apv.Status.ConsumedBy = &consumed, attempt
		slot.Reason = v1alpha1.GrantedConsumed
		slot.Message = saidConsumed(apv.Spec.DecidedBy.Username, attempt)
		if err := p.use(ctx, before, apv, slot); err != nil {
			return err
		}
	}
	return nil
}

// use writes that an Approval was used up. The write is refused if anything about the Approval changed since it was read.
func (p *pass) use(ctx context.Context, before, apv *v1alpha1.Approval, slot approval.Slot) error {
	known := apv.Status.IdentitySource != ""
	p.identify(apv)
	apv.Status.Conditions = kube.Conditions(before.Status.Conditions, []metav1.Condition{granted(slot)}, apv.Generation, p.now)
	apv.Status.ObservedGeneration = apv.Generation
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := p.Client.Status().Patch(ctx, apv, patch, kube.FieldOwner); err != nil {
		return err
	}
	if !known {
		p.Metrics.ApprovalDecided(string(apv.Spec.Decision), p.now.Sub(apv.CreationTimestamp.Time))
	}
	return nil
}

// slotsSeen are the Approvals of the current plan, as the status lists them.
func (p *pass) slotsSeen() []v1alpha1.ApprovalSlot {
	plan := p.change.Status.Plan
	if plan == nil {
		return nil
	}
	var current []*v1alpha1.Approval
	for i := range p.approvals {
		if apv := &p.approvals[i]; apv.Spec.Revision == plan.Revision && apv.Spec.PlanDigest == plan.Digest {
			current = append(current, apv)
		}
	}
	slices.SortFunc(current, func(a, b *v1alpha1.Approval) int {
		if a.Spec.Purpose != b.Spec.Purpose {
			return len(a.Spec.Purpose) - len(b.Spec.Purpose) // Apply before AcceptResult, in the order they are asked
		}
		return int(a.Spec.Slot - b.Spec.Slot)
	})
	var seen []v1alpha1.ApprovalSlot
	for _, apv := range current[:min(len(current), approval.MaxSlots)] {
		slot := v1alpha1.ApprovalSlot{Name: apv.Name, Purpose: apv.Spec.Purpose, Decision: apv.Spec.Decision}
		if slot.Decision == "" {
			slot.Decision = v1alpha1.DecisionPending
		}
		if apv.Spec.DecidedBy != nil {
			slot.By = apv.Spec.DecidedBy.Username
		}
		seen = append(seen, slot)
	}
	return seen
}
