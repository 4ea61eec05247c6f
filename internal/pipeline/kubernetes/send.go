package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/dynamic"

	"github.com/eclusier/eclusier/internal/change"
)

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// condition is what the live object must be for a request to have an effect. The zero value asks for nothing.
type condition struct{ uid, version string }

// conditionOf asks for the very object that was read.
func conditionOf(live *unstructured.Unstructured) condition {
	if live == nil {
		return condition{}
	}
	return condition{uid: string(live.GetUID()), version: live.GetResourceVersion()}
}

// at returns the client of an object's resource and namespace.
func at(c dynamic.Interface, o change.Object) (dynamic.ResourceInterface, error) {
	version, err := schema.ParseGroupVersion(o.APIVersion)
	if err != nil {
		return nil, fmt.Errorf("reading the version of %s: %w", name(o), err)
	}
	resource := c.Resource(version.WithResource(o.Resource))
	if o.Namespace == "" {
		return resource, nil
	}
	return resource.Namespace(o.Namespace), nil
}

// sending is one request about one object.
type sending struct {
	object  change.Object
	request change.Request
	// when is what must hold for the request to have an effect.
	when condition
	// dryRun is empty for a real request.
	dryRun []string
}

// dry is a request that has no effect.
var dry = []string{metav1.DryRunAll}

// patchTypes are the content types of the requests that are patches.
var patchTypes = map[change.RequestKind]types.PatchType{
	change.RequestApply:          types.ApplyPatchType,
	change.RequestMergePatch:     types.MergePatchType,
	change.RequestJSONPatch:      types.JSONPatchType,
	change.RequestStrategicPatch: types.StrategicMergePatchType,
	change.RequestScale:          types.MergePatchType,
}

// send makes a request and returns the object that it leads to: a Scale for a scale, nil for a deletion.
func send(ctx context.Context, c dynamic.Interface, s sending) (*unstructured.Unstructured, error) {
	resource, err := at(c, s.object)
	if err != nil {
		return nil, err
	}
	switch s.request.Kind {
	case change.RequestDelete:
		propagation := metav1.DeletionPropagation(s.request.Propagation)
		options := metav1.DeleteOptions{DryRun: s.dryRun, PropagationPolicy: &propagation}
		if s.when != (condition{}) {
			uid := types.UID(s.when.uid)
			options.Preconditions = &metav1.Preconditions{UID: &uid}
			if s.when.version != "" {
				options.Preconditions.ResourceVersion = &s.when.version
			}
		}
		return nil, resource.Delete(ctx, s.object.Name, options)
	case change.RequestCreate:
		body, err := decode(s.request.Body)
		if err != nil {
			return nil, err
		}
		return resource.Create(ctx, body, metav1.CreateOptions{DryRun: s.dryRun, FieldManager: s.request.FieldManager, FieldValidation: metav1.FieldValidationStrict})
	default:
		return sendPatch(ctx, resource, s)
	}
}

func sendPatch(ctx context.Context, resource dynamic.ResourceInterface, s sending) (*unstructured.Unstructured, error) {
	patchType, ok := patchTypes[s.request.Kind]
	if !ok {
		return nil, fmt.Errorf("no request of kind %q can be sent", s.request.Kind)
	}
	body, err := s.body()
	if err != nil {
		return nil, err
	}
	options := metav1.PatchOptions{DryRun: s.dryRun, FieldManager: s.request.FieldManager, FieldValidation: metav1.FieldValidationStrict}
	if s.request.Kind == change.RequestApply {
		options.Force = &s.request.Force
	}
	var subresources []string
	if s.request.Kind == change.RequestScale {
		subresources = []string{"scale"}
	}
	return resource.Patch(ctx, s.object.Name, patchType, body, options, subresources...)
}

// body is the body of a patch with the condition in it. The API server answers with a conflict where it does not hold.
func (s sending) body() ([]byte, error) {
	if s.when == (condition{}) {
		return s.request.Body, nil
	}
	if s.request.Kind == change.RequestJSONPatch {
		return s.conditionalJSONPatch()
	}
	body, err := decodeMap(s.request.Body)
	if err != nil {
		return nil, err
	}
	metadata, _ := body["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		body["metadata"] = metadata
	}
	metadata["uid"], metadata["resourceVersion"] = s.when.uid, s.when.version
	return json.Marshal(body)
}

// conditionalJSONPatch puts the condition before the operations: a test of the uid, and the version, with which the
// API server compares the one that it has.
func (s sending) conditionalJSONPatch() ([]byte, error) {
	var ops []any
	if err := utiljson.Unmarshal(s.request.Body, &ops); err != nil {
		return nil, fmt.Errorf("reading the patch: %w", err)
	}
	ops = append([]any{
		map[string]any{"op": "test", "path": "/metadata/uid", "value": s.when.uid},
		map[string]any{"op": "replace", "path": "/metadata/resourceVersion", "value": s.when.version},
	}, ops...)
	return json.Marshal(ops)
}

func decode(body []byte) (*unstructured.Unstructured, error) {
	content, err := decodeMap(body)
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: content}, nil
}

func decodeMap(body []byte) (map[string]any, error) {
	var content map[string]any
	if err := utiljson.Unmarshal(body, &content); err != nil {
		return nil, fmt.Errorf("reading an object: %w", err)
	}
	return content, nil
}

// name names an object as people do.
func name(o change.Object) string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}
