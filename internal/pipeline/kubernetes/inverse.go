package kubernetes

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
)

// inverse is the request that undoes the effect, from the object before it and the dry run alone; nil where nothing can.
func (it *item) inverse() (*change.Request, error) {
	switch it.effect.Verb {
	case change.VerbCreate:
		return &change.Request{Kind: change.RequestDelete, FieldManager: fieldManager, Propagation: "Background"}, nil
	case change.VerbDelete:
		return it.recreation()
	case change.VerbNone:
		return nil, nil
	case change.VerbUpdate:
		if it.effect.Request.Kind == change.RequestScale {
			body := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, *it.facts.ReplicasFrom)
			return &change.Request{Kind: change.RequestScale, Body: body, FieldManager: fieldManager}, nil
		}
		if it.outcome == nil {
			return nil, nil
		}
		body, err := manifest.Inverse(it.before, it.outcome)
		if err != nil || body == nil {
			return nil, err
		}
		return &change.Request{Kind: change.RequestJSONPatch, Body: body, FieldManager: fieldManager}, nil
	}
	return nil, nil
}

// irrecoverable are the kinds of which a deletion takes along what no manifest holds, or that do their work anew when
// they are created again.
var irrecoverable = map[string]string{
	"Namespace":                "everything in it is deleted with it",
	"CustomResourceDefinition": "every object of its kind is deleted with it",
	"PersistentVolumeClaim":    "its data may be deleted with it",
	"PersistentVolume":         "it is not bound to its claim again",
	"Job":                      "created again, it would run again",
}

// recreated are the kinds whose deleted objects their controllers replace by themselves.
var recreated = map[string]bool{"Pod": true, "ReplicaSet": true}

// recreation is the way back from a deletion.
func (it *item) recreation() (*change.Request, error) {
	if why, ok := irrecoverable[it.object.Kind]; ok {
		it.note("the deletion cannot be undone: %s", why)
		return nil, nil
	}
	if owner := controller(it.live); owner != "" && recreated[it.object.Kind] {
		return &change.Request{Kind: change.RequestNone, FieldManager: fieldManager}, nil
	}
	if claimsGo(it.live) {
		it.note("the deletion cannot be undone: its volume claims are deleted with it")
		return nil, nil
	}
	body, err := manifest.Creatable(it.live)
	if err != nil {
		return nil, err
	}
	return &change.Request{Kind: change.RequestCreate, Body: body, FieldManager: fieldManager}, nil
}

// claimsGo says whether a StatefulSet takes its volume claims along.
func claimsGo(o *unstructured.Unstructured) bool {
	when, _, _ := unstructured.NestedString(o.Object, "spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted")
	return o.GetKind() == "StatefulSet" && when == "Delete"
}

// controller names the owner that manages an object; empty where there is none.
func controller(o *unstructured.Unstructured) string {
	for _, owner := range o.GetOwnerReferences() {
		if owner.Controller != nil && *owner.Controller {
			return owner.Kind + " " + owner.Name
		}
	}
	return ""
}

// secret says whether the values of an object are never to be seen.
func secret(o change.Object) bool { return o.Kind == "Secret" && o.APIVersion == "v1" }

// withoutValues plans an operation on a Secret without reading it: enough for policy to refuse it, and no more.
func (it *item) withoutValues() error {
	e := &it.effect
	e.Verb, e.NotDryRun = change.VerbUpdate, "Secrets are neither read nor shown"
	if it.op.name == "delete" {
		e.Verb = change.VerbDelete
	}
	e.Request = change.Request{Kind: change.RequestApply, FieldManager: fieldManager}
	it.summary = string(it.op.name) + " " + name(it.object)
	it.note("not dry-run: %s", e.NotDryRun)
	return nil
}

// body writes a patch.
func body(patch any) ([]byte, error) {
	out, err := json.Marshal(patch)
	if err != nil {
		return nil, fmt.Errorf("writing the patch: %w", err)
	}
	return out, nil
}
