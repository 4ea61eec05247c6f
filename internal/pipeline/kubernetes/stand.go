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

// step is one effect of a plan, with the clients that it is read and made with.
type step struct {
	pipeline.Step
	p      *Pipeline
	effect change.Effect
	// reader is the planner, writer the change's service account.
	reader, writer dynamic.Interface
}

func (p *Pipeline) step(s pipeline.Step) (*step, error) {
	if s.Index < 0 || s.Index >= len(s.Plan.Effects) {
		return nil, fault.New(fault.Terminal, fault.InvalidInput, "the plan has no such operation", fmt.Errorf("operation %d of %d", s.Index+1, len(s.Plan.Effects)))
	}
	reader, err := p.planner(s.Namespace)
	if err != nil {
		return nil, err
	}
	namespace, account, _ := strings.Cut(s.Plan.ServiceAccount, "/")
	writer, err := p.as(namespace, account)
	if err != nil {
		return nil, err
	}
	return &step{p: p, Step: s, effect: s.Plan.Effects[s.Index], reader: reader, writer: writer}, nil
}

// live reads the object of the effect; nil where there is none.
func (s *step) live(ctx context.Context) (*unstructured.Unstructured, error) {
	live, err := get(ctx, s.reader, s.effect.Object)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name(s.effect.Object), err)
	}
	return live, nil
}

// changed is the fault where somebody else was at the object.
func (s *step) changed(format string, args ...any) error {
	message := name(s.effect.Object) + " " + fmt.Sprintf(format, args...)
	return fault.New(fault.Terminal, pipeline.ObjectChanged, message, nil)
}

func (s *step) await(format string, args ...any) error {
	return fault.New(fault.Wait, pipeline.AwaitingDependency, fmt.Sprintf(format, args...), nil)
}

// former is the effect before this one on the same object that changes it; nil where there is none.
func (s *step) former() *change.Effect {
	for at := s.effect.After; at != nil; at = s.Plan.Effects[*at].After {
		if former := &s.Plan.Effects[*at]; former.Verb != change.VerbNone {
			return former
		}
	}
	return nil
}

// before is the object of the effect as it was before the change; nil where it did not exist.
func (s *step) before() (*unstructured.Unstructured, error) {
	first := s.Index
	for at := s.effect.After; at != nil; at = s.Plan.Effects[*at].After {
		first = *at
	}
	if first >= len(s.View.Before) || s.View.Before[first] == nil {
		return nil, nil
	}
	return decode(s.View.Before[first])
}

// unchanged says whether the content of the live object is what it was when it was planned.
func (s *step) unchanged(live *unstructured.Unstructured) (bool, error) {
	before, err := s.before()
	if err != nil || before == nil {
		return false, err
	}
	return manifest.Equal(manifest.Normal(before), manifest.Normal(live)), nil
}

// Bounds of v1alpha1.OperationDone.
const (
	maxUnforeseen = 10
	maxField      = 256
)

// shown is a field's name as the status takes it.
func shown(field string) string {
	if runes := []rune(field); len(runes) > maxField {
		return string(runes[:maxField-1]) + "…"
	}
	return field
}

// unforeseen names the fields that are not as the dry run showed them: admission may treat a real request, or another
// user's, in another way.
func (s *step) unforeseen(result *unstructured.Unstructured) ([]string, error) {
	if s.effect.Request.Kind == change.RequestScale {
		wanted, err := replicasIn(s.effect.Request.Body)
		if err != nil {
			return nil, err
		}
		if is, _, _ := unstructured.NestedInt64(result.Object, "spec", "replicas"); is != wanted {
			return []string{"spec.replicas"}, nil
		}
		return nil, nil
	}
	if s.Index >= len(s.View.After) || s.View.After[s.Index] == nil {
		return nil, nil
	}
	foreseen, err := decodeMap(s.View.After[s.Index])
	if err != nil {
		return nil, err
	}
	return manifest.Unforeseen(foreseen, manifest.Normal(result)), nil
}

// place says where the live object stands between the two ends of an effect that changes it, and which fields are neither.
func (s *step) place(ctx context.Context, e change.Effect, live *unstructured.Unstructured) (manifest.Place, []string, error) {
	switch {
	case e.Inverse == nil:
		return s.placeByHash(e, live)
	case e.Inverse.Kind == change.RequestJSONPatch:
		return manifest.Locate(e.Inverse.Body, manifest.Normal(live))
	case e.Inverse.Kind == change.RequestScale:
		return s.placeOfScale(ctx, e)
	}
	return "", nil, fmt.Errorf("nothing leads back from %s by %s", e.Verb, e.Inverse.Kind)
}

// placeByHash compares the whole object, where no way back tells its fields.
func (s *step) placeByHash(e change.Effect, live *unstructured.Unstructured) (manifest.Place, []string, error) {
	hash, err := manifest.Hash(manifest.Normal(live))
	if err != nil {
		return "", nil, err
	}
	if e.ResultHash == hash {
		return manifest.AtAfter, nil, nil
	}
	same, err := s.unchanged(live)
	if err != nil {
		return "", nil, err
	}
	if same {
		return manifest.AtBefore, nil, nil
	}
	return manifest.Elsewhere, nil, nil
}

func (s *step) placeOfScale(ctx context.Context, e change.Effect) (manifest.Place, []string, error) {
	resource, err := at(s.reader, e.Object)
	if err != nil {
		return "", nil, err
	}
	scale, err := resource.Get(ctx, e.Object.Name, metav1.GetOptions{}, "scale")
	if err != nil {
		return "", nil, fmt.Errorf("reading the scale of %s: %w", name(e.Object), err)
	}
	is, _, _ := unstructured.NestedInt64(scale.Object, "spec", "replicas")
	was, err := replicasIn(e.Inverse.Body)
	if err != nil {
		return "", nil, err
	}
	wanted, err := replicasIn(e.Request.Body)
	if err != nil {
		return "", nil, err
	}
	switch is {
	case wanted:
		return manifest.AtAfter, nil, nil
	case was:
		return manifest.AtBefore, nil, nil
	}
	return manifest.Elsewhere, []string{"spec.replicas"}, nil
}

func replicasIn(scale []byte) (int64, error) {
	content, err := decodeMap(scale)
	if err != nil {
		return 0, err
	}
	replicas, _, err := unstructured.NestedInt64(content, "spec", "replicas")
	return replicas, err
}

// ours says whether eclusier is among those who set fields of an object.
func ours(o *unstructured.Unstructured) bool {
	for _, entry := range o.GetManagedFields() {
		if entry.Manager == fieldManager {
			return true
		}
	}
	return false
}
