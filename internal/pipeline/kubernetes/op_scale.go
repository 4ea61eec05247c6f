package kubernetes

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
)

// scaleBuilder sets the number of replicas through the scale subresource, as kubectl does.
func scaleBuilder(replicas int32) func(context.Context, *planning, *item) error {
	return func(ctx context.Context, s *planning, it *item) error {
		if !it.kind.scalable {
			return it.invalid("a %s has no number of replicas to set", it.object.Kind)
		}
		from, shown := replicasOf(it.live)
		if it.former == nil {
			scale, err := s.scaleOf(ctx, it)
			if err != nil {
				return err
			}
			current, _, _ := unstructured.NestedInt64(scale.Object, "spec", "replicas")
			if shown = shown && from == int32(current); !shown {
				// A custom resource may keep the number in another field: then the Scale itself is compared.
				it.before = manifest.Normal(scale)
			}
			from = int32(current)
		}
		if !shown && it.former != nil {
			return it.invalid("operation %d changes %s as well, and the number of its replicas is in a field of its own: make this a change of its own",
				it.former.effect.Index+1, name(it.object))
		}
		it.facts.ReplicasFrom, it.facts.ReplicasTo = &from, &replicas
		it.effect.Request = change.Request{Kind: change.RequestScale, Body: fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas), FieldManager: fieldManager}
		it.summary = fmt.Sprintf("scale %s from %d to %d", name(it.object), from, replicas)
		return nil
	}
}

// scaleOf reads the scale of an object as the planner.
func (s *planning) scaleOf(ctx context.Context, it *item) (*unstructured.Unstructured, error) {
	resource, err := at(s.client, it.object)
	if err != nil {
		return nil, err
	}
	scale, err := resource.Get(ctx, it.object.Name, metav1.GetOptions{}, "scale")
	if apierrors.IsNotFound(err) {
		return nil, it.missing()
	}
	if err != nil {
		return nil, s.unreadable(err, access{object: it.object, verb: "get", subresource: "scale"})
	}
	return scale, nil
}

// scaled takes the dry run of a scale for the object that it scales.
func (it *item) scaled(scale *unstructured.Unstructured) {
	if it.before != nil {
		it.outcome = manifest.Normal(scale)
		return
	}
	it.after = it.live.DeepCopy()
	_ = unstructured.SetNestedField(it.after.Object, int64(*it.facts.ReplicasTo), "spec", "replicas")
	it.outcome = manifest.Normal(it.after)
}

// replicasOf returns the number of replicas that an object asks for, where it keeps it at the usual place.
func replicasOf(o *unstructured.Unstructured) (int32, bool) {
	if o == nil {
		return 0, false
	}
	replicas, found, err := unstructured.NestedInt64(o.Object, "spec", "replicas")
	return int32(replicas), found && err == nil
}
