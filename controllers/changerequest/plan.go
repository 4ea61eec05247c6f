package changerequest

import (
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/transcript"
)

// errNotAgreed says that what is stored is not what was shown.
var errNotAgreed = errors.New("the stored plan is not the one that the status and the Approvals speak of")

// agreed returns the stored plan, if it is the one that people saw, byte for byte and with all that was shown of it: its
// digest is computed anew and compared with that of the status, which the Approvals are compared with in turn.
func (p *pass) agreed(ctx context.Context) (*change.Bundle, error) {
	if p.bundle != nil {
		return p.bundle, nil
	}
	content, err := p.Plans.Get(ctx, p.key(p.change.Status.Plan.Revision))
	if err != nil {
		return nil, err
	}
	bundle, err := change.DecodeBundle(content)
	if err != nil || change.ContentDigest(content) != p.change.Status.Plan.StoredDigest || utf8.RuneCountInString(bundle.View.Diff) > change.MaxDiff {
		return nil, errNotAgreed
	}
	digest, err := bundle.Plan.Digest()
	if err != nil {
		return nil, err
	}
	if !p.shown(bundle.Plan, digest) {
		return nil, errNotAgreed
	}
	p.bundle = &bundle
	return p.bundle, nil
}

// shown says whether a plan of that digest is the one that the status speaks of.
func (p *pass) shown(plan change.Plan, digest string) bool {
	shown := p.change.Status.Plan
	return digest == shown.Digest && plan.ChangeUID == string(p.change.UID) && plan.Revision == shown.Revision &&
		plan.Class == shown.Risk.Class && plan.ExpiresAt.Equal(shown.ExpiresAt.Time) && plan.ServiceAccount == p.account()
}

// unusable says whether a stored plan can never be used, so that another one has to be made.
func unusable(err error) bool {
	return errors.Is(err, errNotAgreed) || fault.Is(err, fault.NotFound) || fault.Is(err, transcript.Damaged)
}

// account is whom the effects are made as, as plans name it.
func (p *pass) account() string {
	name := p.change.Spec.ServiceAccountName
	if name == "" {
		name = v1alpha1.DefaultApplierName
	}
	return p.change.Namespace + "/" + name
}

// key is where the plan of a revision is kept.
func (p *pass) key(revision int32) transcript.Key {
	return transcript.Key{Kind: transcript.KindPlan, Namespace: p.change.Namespace, Name: p.change.Name,
		UID: string(p.change.UID), Revision: revision}
}

// holds are the objects whose state before the change is part of the stored plan.
func holds(b change.Bundle) []transcript.Object {
	var objects []transcript.Object
	for i, e := range b.Plan.Effects {
		o := transcript.Object{APIVersion: e.Object.APIVersion, Kind: e.Object.Kind, Namespace: e.Object.Namespace, Name: e.Object.Name}
		if i < len(b.View.Before) && len(b.View.Before[i]) > 0 && !slices.Contains(objects, o) {
			objects = append(objects, o)
		}
	}
	return objects
}

// namespacesOf are the namespaces that a plan touches besides the change's own: those of the objects, and a namespace that
// is itself the object.
func (p *pass) namespacesOf(plan change.Plan) []string {
	var names []string
	for _, e := range plan.Effects {
		name := e.Object.Namespace
		if e.Object.Kind == "Namespace" && e.Object.APIVersion == "v1" {
			name = e.Object.Name
		}
		if name != "" && name != p.change.Namespace && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// drift records that the current plan is overtaken, so that a new one is made and people are asked again.
func (p *pass) drift(reason, message string) {
	status := &p.change.Status
	count := int32(1)
	if status.Drift != nil {
		count = status.Drift.Count + 1
	}
	status.Drift = &v1alpha1.DriftStatus{Revision: status.Plan.Revision, Count: count, Reason: reason, Message: told(message)}
	p.bundle = nil
}

// expiry is when consent to a plan made now lapses. The time to agree, and to use the agreement, counts from when the change
// could first be applied: what waits for the next window must not lapse before it.
func (p *pass) expiry() time.Time {
	begin := p.now
	var notBefore *time.Time
	if at := p.change.Spec.NotBefore; at != nil {
		notBefore = &at.Time
	}
	if opening := p.selected.Opening(p.now, notBefore); !opening.Open && opening.At.After(begin) {
		begin = opening.At
	}
	// Plans know whole seconds; rounded down, a short time would be none.
	return begin.Add(p.selected.TTL()).Add(time.Second - 1).Truncate(time.Second).UTC()
}
