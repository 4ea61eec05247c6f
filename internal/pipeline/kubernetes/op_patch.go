package kubernetes

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

var patchKinds = map[v1alpha1.PatchType]change.RequestKind{
	v1alpha1.PatchMerge:     change.RequestMergePatch,
	v1alpha1.PatchJSON:      change.RequestJSONPatch,
	v1alpha1.PatchStrategic: change.RequestStrategicPatch,
}

// patchBuilder sends the patch as it is written, as JSON.
func patchBuilder(o v1alpha1.PatchOperation) func(context.Context, *planning, *item) error {
	return func(_ context.Context, _ *planning, it *item) error {
		raw, err := yaml.YAMLToJSON([]byte(o.Patch))
		if err != nil {
			return it.invalid("the patch is neither JSON nor YAML: %s", quote(err))
		}
		kind := patchKinds[orDefault(o.Type, v1alpha1.PatchMerge)]
		if field, err := conditional(kind, raw); err != nil {
			return it.invalid("%s", err.Error())
		} else if field != "" {
			return it.invalid("the patch sets %s, which is not people's to write: leave it out", field)
		}
		it.effect.Request = change.Request{Kind: kind, Body: raw, FieldManager: fieldManager}
		it.summary = "patch " + name(it.object)
		return nil
	}
}

type shapeError string

func (e shapeError) Error() string { return string(e) }

// conditional returns the field of the patch that would stand in the way of the condition that is put into it, or that no
// diff shows.
func conditional(kind change.RequestKind, raw []byte) (string, error) {
	if kind == change.RequestJSONPatch {
		return conditionalJSON(raw)
	}
	var patch struct {
		Metadata map[string]any  `json:"metadata"`
		Status   json.RawMessage `json:"status"`
	}
	if err := json.Unmarshal(raw, &patch); err != nil {
		return "", shapeError("the patch is an object with the fields that change, such as {spec: {replicas: 3}}")
	}
	if patch.Status != nil {
		return "status", nil
	}
	for _, field := range dropped {
		if _, ok := patch.Metadata[field]; ok {
			return "metadata." + field, nil
		}
	}
	return "", nil
}

func conditionalJSON(raw []byte) (string, error) {
	var ops []struct {
		Op   string `json:"op"`
		Path string `json:"path"`
	}
	if err := json.Unmarshal(raw, &ops); err != nil {
		return "", shapeError("a JSON patch is a list of operations, such as [{op: replace, path: /spec/replicas, value: 3}]")
	}
	for _, op := range ops {
		parts := strings.Split(strings.TrimPrefix(op.Path, "/"), "/")
		switch {
		case op.Path == "":
			return "the whole object", nil
		case op.Path == "/metadata", parts[0] == "status", len(parts) > 1 && parts[0] == "metadata" && slices.Contains(dropped, parts[1]):
			return strings.Join(parts, "."), nil
		}
	}
	return "", nil
}
