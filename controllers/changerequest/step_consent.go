package changerequest

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/approval"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/kube"
)

// requestApproval makes the slots that are still to be made for the current plan.
func (p *pass) requestApproval(ctx context.Context) error {
	bundle, err := p.agreed(ctx)
	switch {
	case unusable(err):
		p.drift(v1alpha1.DriftedStoredPlanUnusable, saidStoredPlanUnusable)
		return nil
	case err != nil:
		return err
	}
	return p.ask(ctx, p.slot(v1alpha1.PurposeApply, bundle), p.consent.Make)
}

// requestAcceptance makes the slot that asks whether the result stands. Without the stored plan the question is the same,
// only shorter.
func (p *pass) requestAcceptance(ctx context.Context) error {
	bundle, err := p.agreed(ctx)
	if err != nil && !unusable(err) {
		return err
	}
	slot := p.slot(v1alpha1.PurposeAcceptResult, bundle)
	slot.Spec.Summary = told(saidAcceptance(p.change.Status.Plan.Summary, p.uncertainty(), p.facts.OnFailure))
	slot.Spec.ExpiresAt = metav1.NewTime(p.acceptedUntil())
	// Whoever repairs by hand, or by another change, what nobody knows to be good must not have to wait for the answer.
	if err := p.releaseAll(ctx); err != nil {
		return err
	}
	return p.ask(ctx, slot, p.acceptance.Make)
}

// uncertainty says what is not known, or went wrong, about what was applied.
func (p *pass) uncertainty() string {
	for _, step := range []v1alpha1.AttemptStep{v1alpha1.StepVerify, v1alpha1.StepApply} {
		if a := p.attempt(step); a != nil && a.Message != "" {
			return a.Message
		}
	}
	return saidOutcomeUnknown
}

// slot is a question about the current plan, without its number.
func (p *pass) slot(purpose v1alpha1.ApprovalPurpose, bundle *change.Bundle) *v1alpha1.Approval {
	plan, controller := p.change.Status.Plan, true
	slot := &v1alpha1.Approval{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   p.change.Namespace,
			Annotations: map[string]string{kube.CorrelationAnnotation: p.change.Status.CorrelationID},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: v1alpha1.GroupVersion.String(), Kind: "ChangeRequest",
				Name: p.change.Name, UID: p.change.UID, Controller: &controller}},
		},
		Spec: v1alpha1.ApprovalSpec{
			ChangeRequestRef: v1alpha1.ChangeReference{Name: p.change.Name, UID: string(p.change.UID)},
			Purpose:          purpose, Revision: plan.Revision, PlanDigest: plan.Digest, Class: plan.Risk.Class,
			RequestedBy: *p.change.Spec.RequestedBy, Summary: plan.Summary, Risk: plan.Risk, ExpiresAt: plan.ExpiresAt,
			SelfApproval: p.selected.SelfApproval(), Approvers: p.selected.Approvers(), Decision: v1alpha1.DecisionPending,
		},
	}
	if bundle != nil {
		slot.Spec.Diff = bundle.View.Diff
	}
	return slot
}

// ask makes slots of the given numbers. A name that another question holds, such as one of a change that was deleted and
// created again, is passed over for the next number; a slot that was made already, unseen by the cache, is taken as it is.
func (p *pass) ask(ctx context.Context, slot *v1alpha1.Approval, numbers []int32) error {
	next := int32(0)
	for _, n := range numbers {
		next = max(next+1, n)
		for ; ; next++ {
			if next > approval.MaxSlots {
				return nil // nobody can answer any more, and the question lapses in its time
			}
			taken, err := p.make(ctx, slot, next)
			if err != nil {
				return err
			}
			if !taken {
				break
			}
		}
	}
	return nil
}

// make makes one slot, and says whether its name is taken by another question.
func (p *pass) make(ctx context.Context, wanted *v1alpha1.Approval, number int32) (taken bool, err error) {
	slot := wanted.DeepCopy()
	slot.Spec.Slot = number
	slot.Name = approval.SlotName(p.change.Name, slot.Spec.Purpose, slot.Spec.Revision, number)
	err = p.Client.Create(ctx, slot, kube.FieldOwner)
	if apierrors.IsAlreadyExists(err) {
		if err = p.Uncached.Get(ctx, client.ObjectKeyFromObject(slot), slot); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		if same := slot.Spec.ChangeRequestRef == wanted.Spec.ChangeRequestRef && slot.Spec.PlanDigest == wanted.Spec.PlanDigest &&
			slot.Spec.Purpose == wanted.Spec.Purpose && p.stands(slot); !same {
			return true, nil
		}
	}
	if err != nil {
		return false, err
	}
	p.made = append(p.made, *slot)
	return false, nil
}

// wait does nothing but to tell the slots what became of them, and to ask for another pass when time decides.
func (p *pass) wait(ctx context.Context) error {
	if p.decision.State == change.StateAwaitingWindow {
		p.until(p.opening.At)
	}
	return p.markSlots(ctx, goesOn)
}
