package kubernetes

import (
	"encoding/json"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/eclusier/eclusier/internal/change"
)

// patched applies the request to an object here, as the API server would. A server-side apply cannot be made here.
func patched(r change.Request, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	object, err := json.Marshal(live.Object)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", live.GetName(), err)
	}
	switch r.Kind {
	case change.RequestJSONPatch:
		ops, err := jsonpatch.DecodePatch(r.Body)
		if err != nil {
			return nil, fmt.Errorf("reading the patch: %w", err)
		}
		object, err = ops.Apply(object)
		if err != nil {
			return nil, fmt.Errorf("applying the patch: %w", err)
		}
	case change.RequestMergePatch:
		object, err = jsonpatch.MergePatch(object, r.Body)
	case change.RequestScale:
		// The field of the scale is that of the object: scaleBuilder has seen to it.
		object, err = jsonpatch.MergePatch(object, r.Body)
	case change.RequestStrategicPatch:
		typed, unknown := clientgoscheme.Scheme.New(live.GroupVersionKind())
		if unknown != nil {
			return nil, fmt.Errorf("a %s takes no strategic merge patch: use type Merge or JSON", live.GetKind())
		}
		object, err = strategicpatch.StrategicMergePatch(object, r.Body, typed)
	default:
		return nil, fmt.Errorf("nobody but the API server can foresee a request of kind %s", r.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("applying the patch: %w", err)
	}
	return decode(object)
}
