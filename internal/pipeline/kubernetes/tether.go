package kubernetes

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// tethers refuses a change of what keeps an object, or lets the garbage collector have it: it would be a deletion, or make
// way for one, that does not look like it. What is as it was may be in a manifest.
func (it *item) tethers() error {
	if it.effect.Verb == change.VerbDelete {
		return nil
	}
	was, is := &unstructured.Unstructured{Object: it.before}, &unstructured.Unstructured{Object: it.foreseen()}
	if it.before == nil {
		was.Object = map[string]any{}
	}
	if is.Object == nil {
		return nil
	}
	asked := it.before != nil || strings.Contains(string(it.effect.Request.Body), "ownerReferences")
	if owned, owns := owners(was), owners(is); asked && !reflect.DeepEqual(owned, owns) {
		return it.tether("ownerReferences", "the garbage collector deletes what its owners do not keep")
	}
	for _, finalizer := range was.GetFinalizers() {
		if !slices.Contains(is.GetFinalizers(), finalizer) {
			return it.tether("finalizers", finalizer+" keeps the object until it is done")
		}
	}
	return nil
}

func owners(o *unstructured.Unstructured) []any {
	list, _, _ := unstructured.NestedSlice(o.Object, "metadata", "ownerReferences")
	return list
}

func (it *item) tether(field, why string) *pipeline.Invalid {
	return it.invalid("metadata.%s of %s would change, and %s: leave it as it is; to delete something use the operation delete", field, name(it.object), why)
}
