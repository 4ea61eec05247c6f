package kubernetes

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
)

// Rollback undoes one effect by its stored inverse. What is already as it was before is left alone; what somebody else
// changed in between is a fault with the reason pipeline.ObjectChanged, and nothing was sent.
func (p *Pipeline) Rollback(ctx context.Context, one pipeline.Step) error {
	s, err := p.step(one)
	if err != nil {
		return err
	}
	if s.effect.Verb == change.VerbNone || s.effect.Inverse != nil && s.effect.Inverse.Kind == change.RequestNone {
		return nil
	}
	for range readings {
		live, err := s.live(ctx)
		if err != nil {
			return err
		}
		back, err := s.needsUndoing(ctx, live)
		if err != nil || !back {
			return err
		}
		request := sending{object: s.effect.Object, request: *s.effect.Inverse, when: conditionOf(live)}
		result, err := send(ctx, s.writer, request)
		if err == nil {
			return s.restored(result)
		}
		if err := s.rejected(ctx, request, err); err != nil {
			return err
		}
	}
	return fault.New(fault.Retry, fault.Conflict, name(s.effect.Object)+" changes faster than it can be read", nil)
}

// needsUndoing says whether the inverse has to be sent. It is an error where it must not be.
func (s *step) needsUndoing(ctx context.Context, live *unstructured.Unstructured) (bool, error) {
	switch s.effect.Verb {
	case change.VerbCreate:
		return s.needsDeleting(ctx, live)
	case change.VerbDelete:
		return s.needsCreating(live)
	default:
		return s.needsPatching(ctx, live)
	}
}

// needsPatching is for what the change changed.
func (s *step) needsPatching(ctx context.Context, live *unstructured.Unstructured) (bool, error) {
	if live == nil || string(live.GetUID()) != s.effect.Object.UID {
		return false, s.changed("was deleted since it was changed")
	}
	place, fields, err := s.place(ctx, s.effect, live)
	switch {
	case err != nil:
		return false, err
	case place == manifest.AtBefore:
		return false, s.restored(live)
	case s.effect.Inverse == nil:
		return false, s.cannot("nothing leads back to what it was")
	case place == manifest.Elsewhere:
		return false, s.changed("was changed by somebody else since%s: it is not overwritten", of(fields))
	}
	return true, nil
}

// restored wants an object to be as it was where the effect had set what nobody was shown: the way back leads over the
// fields that were foreseen, and over no others.
func (s *step) restored(o *unstructured.Unstructured) error {
	if s.effect.Verb != change.VerbUpdate || s.Done == nil || len(s.Done.Unforeseen) == 0 || s.effect.Request.Kind == change.RequestScale {
		return nil
	}
	same, err := s.asBefore(o)
	if err != nil || same {
		return err
	}
	return s.cannot("what nobody was shown stays in place: " + strings.Join(s.Done.Unforeseen, ", "))
}

// asBefore says whether an object is as it was before the effect, of which an earlier one on the same object may be a part.
func (s *step) asBefore(o *unstructured.Unstructured) (bool, error) {
	former := s.former()
	if former == nil {
		return s.unchanged(o)
	}
	foreseen, err := decodeMap(s.View.After[former.Index])
	return err == nil && len(manifest.Unforeseen(foreseen, manifest.Normal(o))) == 0, err
}

func (s *step) cannot(why string) error {
	return fault.New(fault.Terminal, pipeline.CannotUndo, name(s.effect.Object)+": "+why, nil)
}

// needsDeleting is for what the change made.
func (s *step) needsDeleting(ctx context.Context, live *unstructured.Unstructured) (bool, error) {
	if live == nil || live.GetDeletionTimestamp() != nil {
		return false, nil
	}
	switch {
	case s.Done != nil && s.Done.Object.UID != "":
		if string(live.GetUID()) != s.Done.Object.UID {
			return false, nil // What the change made is gone; this one is somebody else's.
		}
	case !ours(live):
		return false, s.changed("was made by somebody else: it is not deleted")
	}
	if live.GetKind() == "Namespace" {
		return true, s.empty(ctx)
	}
	return true, nil
}

// empty wants that nobody has put anything into a namespace that the change made: it would be deleted with it.
func (s *step) empty(ctx context.Context) error {
	for _, resource := range contents {
		var err error
		for _, c := range []dynamic.Interface{s.reader, s.writer} {
			var found *unstructured.UnstructuredList
			if found, err = c.Resource(resource).Namespace(s.effect.Object.Name).List(ctx, metav1.ListOptions{Limit: counted}); err != nil {
				continue
			}
			for i := range found.Items {
				if one := &found.Items[i]; one.GetDeletionTimestamp() == nil && controller(one) == "" {
					return s.changed("holds %s %s, which somebody else put there: it is not deleted", one.GetKind(), one.GetName())
				}
			}
			break
		}
		if err != nil {
			return s.cannot(fmt.Sprintf("whether it holds %s cannot be seen: %s", resource.Resource, quote(err)))
		}
	}
	return nil
}

// needsCreating is for what the change deleted.
func (s *step) needsCreating(live *unstructured.Unstructured) (bool, error) {
	old := live != nil && string(live.GetUID()) == s.effect.Object.UID
	switch {
	case old && live.GetDeletionTimestamp() == nil:
		return false, nil
	case s.effect.Inverse == nil:
		return false, s.cannot("what was deleted cannot be made again")
	case old:
		return false, s.await("%s is still being deleted%s", name(s.effect.Object), heldBy(live))
	case live == nil:
		return true, nil
	case ours(live):
		return false, nil
	}
	return false, s.changed("was made again by somebody else: it is not overwritten")
}
