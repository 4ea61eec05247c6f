package kubernetes

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// item is one operation on its way to an effect.
type item struct {
	op     operation
	kind   kind
	object change.Object
	// manifest is what is applied; nil for other operations.
	manifest map[string]any
	// former and next are the operations on the same object before and after this one.
	former, next *item

	// live is the object that the operation is planned on: as it is, or as the former operation leaves it; nil where
	// there is none.
	live *unstructured.Unstructured
	// after is the object as the operation leaves it; nil where there is none, or where nobody knows.
	after *unstructured.Unstructured
	// guessed is the object as the operation probably leaves it, where the API server could not be asked.
	guessed *unstructured.Unstructured
	// before and outcome are the normal forms of both; what the server chose by chance is left out of outcome.
	before, outcome map[string]any

	effect  change.Effect
	summary string
	diff    string
	notes   []string
	// notShown is what the diff does not show of what is set.
	notShown []string
	facts    change.RiskFacts
}

func (it *item) note(format string, args ...any) {
	it.notes = append(it.notes, fmt.Sprintf(format, args...))
}

func (it *item) invalid(format string, args ...any) *pipeline.Invalid {
	return invalid(v1alpha1.PlannedInvalid, string(it.op.name)+": "+format, args...)
}

func (it *item) missing() *pipeline.Invalid {
	return invalid(v1alpha1.PlannedTargetNotFound, "%s: %s does not exist", it.op.name, name(it.object))
}

// snapshot is the object as it is, for whoever wants it back, and its version.
func (it *item) snapshot() ([]byte, string, error) {
	if it.former != nil || it.live == nil {
		return nil, "", nil
	}
	object := it.live.DeepCopy()
	object.SetManagedFields(nil)
	body, err := json.Marshal(object.Object)
	if err != nil {
		return nil, "", fmt.Errorf("keeping %s: %w", name(it.object), err)
	}
	return body, it.live.GetResourceVersion(), nil
}

// tried is the object as the dry run returned it; nil where there was none.
func (it *item) tried() ([]byte, error) {
	if it.outcome == nil || it.effect.NotDryRun != "" {
		return nil, nil
	}
	body, err := json.Marshal(it.outcome)
	if err != nil {
		return nil, fmt.Errorf("keeping what is foreseen of %s: %w", name(it.object), err)
	}
	return body, nil
}

// items finds out what each operation is about, and which are about the same object.
func (s *planning) items() ([]*item, error) {
	var items []*item
	last := map[change.Object]*item{}
	for i, o := range s.change.Spec.Kubernetes.Operations {
		it, err := s.identify(o)
		if err != nil {
			return nil, err
		}
		it.effect = change.Effect{Index: i, Operation: it.op.name, Object: it.object}
		if former := last[it.object]; former != nil {
			it.former, former.next = former, it
			at := former.effect.Index
			it.effect.After = &at
		}
		last[it.object] = it
		items = append(items, it)
	}
	return items, s.order(items)
}

// order notes the namespaces that are made, and refuses objects that come before their namespace.
func (s *planning) order(items []*item) error {
	for i, it := range items {
		if it.manifest != nil && it.object.Kind == "Namespace" && it.object.APIVersion == "v1" {
			if _, ok := s.made[it.object.Name]; !ok {
				s.made[it.object.Name] = i
			}
		}
	}
	for i, it := range items {
		if at, ok := s.made[it.object.Namespace]; ok && at > i {
			return invalid(v1alpha1.PlannedInvalid, "operation %d: %s comes before the operation that applies its namespace: put the namespace first", i+1, name(it.object))
		}
	}
	return nil
}

// identify finds the object of an operation.
func (s *planning) identify(o v1alpha1.Operation) (*item, error) {
	it := &item{op: operationOf(o)}
	if o.Apply != nil {
		return it, s.identifyManifest(it, o.Apply.Manifest.Raw)
	}
	target := it.op.target
	found, err := s.kinds.named(target.Kind, target.APIVersion)
	if err != nil {
		return nil, err
	}
	it.kind = found
	it.object = found.object(orDefault(target.Namespace, s.namespace), target.Name)
	if len(it.op.kinds) > 0 && !slices.Contains(it.op.kinds, found.GroupKind()) {
		return nil, it.invalid("%s", it.op.otherwise(found.Kind))
	}
	return it, nil
}

func (s *planning) identifyManifest(it *item, raw []byte) error {
	manifest, err := decode(raw)
	if err != nil || manifest.Object == nil {
		return it.invalid("the manifest is no object")
	}
	if manifest.GetName() == "" {
		return it.invalid("the manifest needs metadata.name: a plan must name what it creates")
	}
	if manifest.IsList() {
		return it.invalid("a manifest is one object: make an operation of each item of the list")
	}
	found, err := s.kinds.exact(schema.FromAPIVersionAndKind(manifest.GetAPIVersion(), manifest.GetKind()))
	if err != nil {
		return err
	}
	it.kind = found
	it.object = found.object(orDefault(manifest.GetNamespace(), s.namespace), manifest.GetName())
	it.manifest = manifest.Object
	return nil
}
