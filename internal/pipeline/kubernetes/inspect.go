package kubernetes

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
)

// Inspect says whether an effect that may have been interrupted is in place.
func (p *Pipeline) Inspect(ctx context.Context, one pipeline.Step) (*pipeline.Inspection, error) {
	s, err := p.step(one)
	if err != nil {
		return nil, err
	}
	if s.effect.Verb == change.VerbNone {
		return &pipeline.Inspection{Sight: pipeline.SightDone, Version: s.Version, UID: s.effect.Object.UID, Message: "there is nothing to do"}, nil
	}
	live, err := s.live(ctx)
	if err != nil {
		return nil, err
	}
	seen := &pipeline.Inspection{}
	if live != nil {
		seen.Version, seen.UID = live.GetResourceVersion(), string(live.GetUID())
	}
	switch s.effect.Verb {
	case change.VerbCreate:
		seen.Sight, seen.Message = s.sightOfNew(live)
	case change.VerbDelete:
		seen.Sight, seen.Message, err = s.sightOfGone(live)
	default:
		seen.Sight, seen.Message, err = s.sightOfChanged(ctx, live)
	}
	if err != nil {
		return nil, err
	}
	seen.Message = name(s.effect.Object) + " " + seen.Message
	return seen, nil
}

func (s *step) sightOfNew(live *unstructured.Unstructured) (pipeline.Sight, string) {
	switch former := s.former(); {
	case live == nil:
		return pipeline.SightUntouched, "does not exist"
	case former != nil && string(live.GetUID()) == former.Object.UID:
		return pipeline.SightUntouched, "is still the one before"
	case ours(live):
		return pipeline.SightDone, "was made by eclusier"
	}
	return pipeline.SightForeign, "was made by somebody else"
}

func (s *step) sightOfGone(live *unstructured.Unstructured) (pipeline.Sight, string, error) {
	switch {
	case live == nil, string(live.GetUID()) != s.effect.Object.UID:
		return pipeline.SightDone, "is gone", nil
	case live.GetDeletionTimestamp() != nil:
		return pipeline.SightDone, "is being deleted" + heldBy(live), nil
	case s.former() != nil:
		return pipeline.SightUntouched, "is not deleted", nil
	}
	same, err := s.unchanged(live)
	if err != nil || same {
		return pipeline.SightUntouched, "is as it was", err
	}
	return pipeline.SightForeign, "was changed by somebody else", nil
}

func (s *step) sightOfChanged(ctx context.Context, live *unstructured.Unstructured) (pipeline.Sight, string, error) {
	if live == nil || string(live.GetUID()) != s.effect.Object.UID {
		return pipeline.SightForeign, "was deleted by somebody else", nil
	}
	place, fields, err := s.place(ctx, s.effect, live)
	switch {
	case err != nil:
		return "", "", err
	case place == manifest.AtAfter:
		return pipeline.SightDone, "is as the change makes it", nil
	case place == manifest.AtBefore:
		return pipeline.SightUntouched, "is as it was", nil
	}
	return pipeline.SightForeign, "was changed by somebody else" + of(fields), nil
}
