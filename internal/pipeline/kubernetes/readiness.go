package kubernetes

import (
	"context"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
)

// instant are the operations that have their whole effect at once: nothing becomes ready by them, and what is not ready
// need not become so.
var instant = map[v1alpha1.OperationName]bool{"cordon": true, "uncordon": true, "suspend": true, "resume": true}

// readiness looks at every changed object.
func (v *verifying) readiness(ctx context.Context) result {
	var results []result
	for _, i := range touched(v.Plan) {
		one := v.Step
		one.Index = i
		s, err := v.p.step(one)
		if err != nil {
			return unknown("%s", quote(err))
		}
		results = append(results, s.settled(ctx).within(v.now.Sub(v.since), readyTimeout))
	}
	if len(results) == 0 {
		return holds()
	}
	verdict := sumUp(results)
	return result{outcome: verdict.Outcome, message: verdict.Message, again: verdict.Again}
}

// settled says whether the object of an effect is as the effect wants it, and ready.
func (s *step) settled(ctx context.Context) result {
	live, err := s.live(ctx)
	if err != nil {
		return unasked(err)
	}
	e := s.effect
	gone := live == nil || e.Object.UID != "" && string(live.GetUID()) != e.Object.UID
	switch {
	case e.Verb == change.VerbDelete && gone:
		return holds()
	case e.Verb == change.VerbDelete:
		return open("%s is not gone yet%s", name(e.Object), heldBy(live))
	case gone:
		return fails("%s is gone", name(e.Object))
	}
	if undone, err := s.undone(ctx, live); err != nil {
		return unasked(err)
	} else if undone {
		return fails("%s is as it was before: something has undone the change", name(e.Object))
	}
	if instant[e.Operation] {
		return holds()
	}
	return readiness(live)
}

// undone says whether somebody has brought the object back to what it was.
func (s *step) undone(ctx context.Context, live *unstructured.Unstructured) (bool, error) {
	if s.effect.Verb != change.VerbUpdate || s.effect.Inverse == nil {
		return false, nil
	}
	place, _, err := s.place(ctx, s.effect, live)
	return place == manifest.AtBefore, err
}

// readiness says whether an object is ready, as kstatus computes it from its generation and conditions.
func readiness(o *unstructured.Unstructured) result {
	label := name(change.Object{Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName()})
	if o.GetKind() == "PersistentVolumeClaim" && o.GetDeletionTimestamp() == nil {
		// A claim may wait for its first pod before it is bound.
		if phase, _, _ := unstructured.NestedString(o.Object, "status", "phase"); phase == "Lost" {
			return fails("%s has lost its volume", label)
		}
		return holds()
	}
	computed, err := status.Compute(o)
	if err != nil {
		return unknown("whether %s is ready cannot be told: %s", label, quote(err))
	}
	switch computed.Status {
	case status.CurrentStatus:
		return holds()
	case status.FailedStatus:
		return fails("%s has failed: %s", label, quoteText(computed.Message))
	case status.TerminatingStatus:
		return fails("%s is being deleted", label)
	default:
		return open("%s is not ready: %s", label, quoteText(computed.Message))
	}
}
