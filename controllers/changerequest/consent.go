package changerequest

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/approval"
)

// changeOf is the index of Approvals by the uid of the change that they are about.
const changeOf = "spec.changeRequestRef.uid"

// approvalsAbout reads the Approvals that are about the change, whatever their labels and owners say.
func (p *pass) approvalsAbout(ctx context.Context, from origin) ([]v1alpha1.Approval, error) {
	list := &v1alpha1.ApprovalList{}
	options := []client.ListOption{client.InNamespace(p.change.Namespace)}
	if !from.fresh {
		options = append(options, client.MatchingFields{changeOf: string(p.change.UID)})
	}
	if err := from.reader.List(ctx, list, options...); err != nil {
		return nil, err
	}
	about := slices.DeleteFunc(list.Items, func(a v1alpha1.Approval) bool {
		return a.Spec.ChangeRequestRef.UID != string(p.change.UID)
	})
	for _, slot := range p.made {
		if !slices.ContainsFunc(about, func(a v1alpha1.Approval) bool { return a.Name == slot.Name }) {
			about = append(about, slot)
		}
	}
	return about, nil
}

// question is what people are asked about the current plan.
func (p *pass) question(purpose v1alpha1.ApprovalPurpose) approval.Question {
	plan := p.change.Status.Plan
	q := approval.Question{
		ChangeName: p.change.Name, ChangeUID: string(p.change.UID), Purpose: purpose, Revision: plan.Revision, Digest: plan.Digest,
		Class: plan.Risk.Class, Required: 1, Requester: p.requester(), SelfApproval: p.selected.SelfApproval(),
		Person: p.selected.Person, Delegated: p.selected.Delegated, StillAllowed: p.allowed, Stands: p.stands,
		ExpiresAt: plan.ExpiresAt.Time, Now: p.now,
	}
	if purpose == v1alpha1.PurposeAcceptResult {
		q.ExpiresAt = p.acceptedUntil()
		return q
	}
	if verdict := p.change.Status.Policy; verdict != nil {
		q.Required = verdict.RequiredApprovals
	}
	if apply := p.attempt(v1alpha1.StepApply); apply != nil {
		q.Attempt = apply.ID
		if p.begun() {
			// Consent was used in time, by people who had the right: to take it back half-way would help nobody.
			q.StillAllowed = p.named
			if apply.StartedAt.Time.Before(q.Now) {
				q.Now = apply.StartedAt.Time
			}
		}
	}
	return q
}

func (p *pass) requester() string {
	if by := p.change.Spec.RequestedBy; by != nil {
		return by.Username
	}
	return ""
}

// acceptedUntil is when the question lapses whether a result is accepted: as long after the step that left it open as
// consent may be awaited.
func (p *pass) acceptedUntil() time.Time {
	for _, step := range []v1alpha1.AttemptStep{v1alpha1.StepVerify, v1alpha1.StepApply} {
		if a := p.attempt(step); a != nil && a.FinishedAt != nil {
			return a.FinishedAt.Add(p.selected.TTL()).Truncate(time.Second)
		}
	}
	return p.now.Add(p.selected.TTL()).Truncate(time.Second)
}

// stands says whether a slot asks under the rules of now, or was decided while somebody vouched for who decides: it was
// made since the admission policies are in force without a gap, or the decision had been seen before the gap.
func (p *pass) stands(apv *v1alpha1.Approval) bool {
	if known := apv.Status.IdentitySource != ""; known && apv.Spec.Decision == v1alpha1.DecisionApproved {
		return true
	}
	vouched := !apv.CreationTimestamp.Time.Before(p.guard.Since)
	if !p.guard.InPlace() {
		// Nothing is asked meanwhile, and what is undecided is judged once the policies are back.
		vouched = !decided(apv)
	}
	if apv.Spec.Decision == v1alpha1.DecisionApproved {
		return vouched
	}
	asked, now := apv.Spec.Approvers, p.selected.Approvers()
	same := len(asked) == 0 && len(now) == 0 || reflect.DeepEqual(asked, now)
	return vouched && same && apv.Spec.SelfApproval == p.selected.SelfApproval()
}

// decided says whether somebody has answered.
func decided(apv *v1alpha1.Approval) bool {
	return apv.Spec.Decision == v1alpha1.DecisionApproved || apv.Spec.Decision == v1alpha1.DecisionRejected
}

// named says whether whoever decided is among the approvers of every policy that names any.
func (p *pass) named(by v1alpha1.Decider) bool {
	for _, set := range p.selected.Approvers() {
		if !slices.ContainsFunc(set.Subjects, func(s v1alpha1.Subject) bool {
			return s.Kind == v1alpha1.SubjectUser && s.Name == by.Username ||
				s.Kind == v1alpha1.SubjectGroup && slices.Contains(by.Groups, s.Name)
		}) {
			return false
		}
	}
	return true
}

// askRights asks the API server about everyone who decided about the current plan, in every pass: a right may be taken away
// at any time.
func (p *pass) askRights(ctx context.Context) error {
	plan := p.change.Status.Plan
	if plan == nil {
		return nil
	}
	if p.asked == nil {
		p.asked = map[string]bool{}
	}
	for i := range p.approvals {
		spec := &p.approvals[i].Spec
		if spec.DecidedBy == nil || spec.PlanDigest != plan.Digest || spec.Purpose == v1alpha1.PurposeApply && p.begun() {
			continue
		}
		who := identity(*spec.DecidedBy)
		if _, known := p.asked[who]; known {
			continue
		}
		var err error
		if p.asked[who], err = p.mayApprove(ctx, *spec.DecidedBy, plan.Risk.Class); err != nil {
			return err
		}
	}
	return nil
}

// begun says that the change has had an effect.
func (p *pass) begun() bool {
	apply := p.attempt(v1alpha1.StepApply)
	return apply != nil && len(apply.OperationsDone) > 0
}

// allowed says whether whoever decided about a result, or about a plan that has had no effect yet, may still do so.
func (p *pass) allowed(by v1alpha1.Decider) bool { return p.asked[identity(by)] && p.named(by) }

// identity tells deciders apart: who decided as a member of other groups may have other rights.
func identity(by v1alpha1.Decider) string {
	return by.Username + "\n" + strings.Join(by.Groups, "\n")
}

// everybody is the group that every authenticated user is in.
const everybody = "system:authenticated"

// mayApprove asks the API server whether somebody may approve changes of a class in the change's namespace.
func (p *pass) mayApprove(ctx context.Context, by v1alpha1.Decider, class v1alpha1.Class) (bool, error) {
	groups := by.Groups
	if !slices.Contains(groups, everybody) {
		groups = append(slices.Clone(groups), everybody)
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: by.Username, UID: by.UID, Groups: groups,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: p.change.Namespace, Verb: "approve", Group: v1alpha1.GroupVersion.Group,
			Resource: "changeclasses", Name: strings.ToLower(string(class)),
		},
	}}
	if err := p.Client.Create(ctx, review); err != nil {
		return false, err
	}
	return review.Status.Allowed && !review.Status.Denied, nil
}
