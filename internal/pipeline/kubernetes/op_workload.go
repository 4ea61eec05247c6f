package kubernetes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

// restartedAt is the annotation by which kubectl restarts.
const restartedAt = "kubectl.kubernetes.io/restartedAt"

// buildRestart changes an annotation of the pod template. Its moment is that of the ChangeRequest's creation: planning
// again must give the same bytes.
func buildRestart(_ context.Context, s *planning, it *item) error {
	if paused(it.live) {
		return it.invalid("%s is paused, so that nothing would be restarted; resume it first", name(it.object))
	}
	moment := s.change.CreationTimestamp.UTC().Format(time.RFC3339)
	raw, err := body(map[string]any{"spec": map[string]any{"template": map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{restartedAt: moment}}}}})
	if err != nil {
		return err
	}
	if strategy, _, _ := unstructured.NestedString(it.live.Object, "spec", "updateStrategy", "type"); strategy == "OnDelete" {
		it.note("its update strategy is OnDelete: pods are replaced only as somebody deletes them")
	}
	it.effect.Request = change.Request{Kind: change.RequestMergePatch, Body: raw, FieldManager: fieldManager}
	it.summary = "restart " + name(it.object)
	return nil
}

func paused(o *unstructured.Unstructured) bool {
	held, _, _ := unstructured.NestedBool(o.Object, "spec", "paused")
	return held
}

// templates are the places of pod specs, in the order in which they are tried.
var templates = [][]string{
	{"spec", "template", "spec"},
	{"spec", "jobTemplate", "spec", "template", "spec"},
	{"spec"},
}

// podSpec returns the pod spec in an object, and where it is; nil where there is none.
func podSpec(content map[string]any) (map[string]any, []string) {
	for _, path := range templates {
		spec, found, err := unstructured.NestedMap(content, path...)
		if err != nil || !found {
			continue
		}
		if _, ok := spec["containers"].([]any); ok {
			return spec, path
		}
	}
	return nil, nil
}

// imageBuilder gives a container another image, if it is still the container of that name.
func imageBuilder(o v1alpha1.SetImageOperation) func(context.Context, *planning, *item) error {
	return func(_ context.Context, _ *planning, it *item) error {
		spec, path := podSpec(it.live.Object)
		if spec == nil {
			return it.invalid("a %s has no containers", it.object.Kind)
		}
		found, err := it.container(spec, o.Container)
		if err != nil {
			return err
		}
		at := "/" + strings.Join(path, "/") + fmt.Sprintf("/%s/%d", found.list, found.index)
		raw, err := body([]map[string]any{
			{"op": "test", "path": at + "/name", "value": found.name},
			{"op": "replace", "path": at + "/image", "value": o.Image},
		})
		if err != nil {
			return err
		}
		it.effect.Request = change.Request{Kind: change.RequestJSONPatch, Body: raw, FieldManager: fieldManager}
		it.summary = fmt.Sprintf("set the image of container %s in %s from %s to %s", found.name, name(it.object), found.image, o.Image)
		return nil
	}
}

// place is where a container is in a pod spec.
type place struct {
	list, name, image string
	index             int
}

// container finds the container of that name, or the only one.
func (it *item) container(spec map[string]any, wanted string) (place, error) {
	var all []place
	for _, list := range []string{"containers", "initContainers"} {
		containers, _ := spec[list].([]any)
		for i, c := range containers {
			fields, _ := c.(map[string]any)
			named, _ := fields["name"].(string)
			image, _ := fields["image"].(string)
			if named == wanted {
				return place{list, named, image, i}, nil
			}
			if list == "containers" || wanted != "" {
				all = append(all, place{list, named, image, i})
			}
		}
	}
	if wanted == "" && len(all) == 1 {
		return all[0], nil
	}
	var names []string
	for _, one := range all {
		names = append(names, one.name)
	}
	if wanted == "" {
		return place{}, it.invalid("%s has several containers, so name one: %s", name(it.object), strings.Join(names, ", "))
	}
	return place{}, it.invalid("%s has no container %s; it has %s", name(it.object), wanted, strings.Join(names, ", "))
}
