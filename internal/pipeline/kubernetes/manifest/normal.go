package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Chosen stands for a value that the API server chooses anew each time it is asked, such as an address or a port.
const Chosen = "(chosen by the server)"

// servedFields are the fields of metadata that only the API server writes.
var servedFields = []string{
	"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
	"managedFields", "selfLink",
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// noisyAnnotations are written by controllers and tools as a consequence of a change, or beside it, and change nothing by
// themselves: the number of a rollout, a copy of what kubectl applied, the holder of a lock.
var noisyAnnotations = []string{
	"deployment.kubernetes.io/revision",
	"deployment.kubernetes.io/revision-history",
	countedGeneration,
	lastApplied,
	"control-plane.alpha.kubernetes.io/leader",
	"endpoints.kubernetes.io/last-change-trigger-time",
	"autoscaling.alpha.kubernetes.io/conditions",
	"autoscaling.alpha.kubernetes.io/current-metrics",
}

// countedGeneration is the noise that the API server itself makes of any change.
const countedGeneration = "deprecated.daemonset.template.generation"

// WithAsked returns two normal forms with those of their objects' noisy annotations that a request has set, changed or taken
// away: what is asked for is no noise. An object that does not exist is nil.
func WithAsked(before, after map[string]any, live, outcome *unstructured.Unstructured, request []byte) (was, is map[string]any) {
	was, is = before, after
	if outcome == nil || is == nil {
		return was, is
	}
	var former map[string]string
	if live != nil {
		former = live.GetAnnotations()
	}
	now := outcome.GetAnnotations()
	for _, name := range noisyAnnotations {
		old, had := former[name]
		value, has := now[name]
		if had == has && old == value || name == countedGeneration && !strings.Contains(string(request), name) {
			continue
		}
		if had {
			was = annotated(was, name, old)
		}
		if has {
			is = annotated(is, name, value)
		}
	}
	return was, is
}

func annotated(normal map[string]any, name, value string) map[string]any {
	out := runtime.DeepCopyJSON(normal)
	if metadata, ok := out["metadata"].(map[string]any); ok {
		annotations, _ := metadata["annotations"].(map[string]any)
		if annotations == nil {
			annotations = map[string]any{}
			metadata["annotations"] = annotations
		}
		annotations[name] = value
	}
	return out
}

// Normal returns the object without status and without what the API server and controllers write by themselves: two
// objects with equal normal forms ask for the same.
func Normal(o *unstructured.Unstructured) map[string]any {
	n := runtime.DeepCopyJSON(o.Object)
	delete(n, "status")
	metadata, _ := n["metadata"].(map[string]any)
	for _, field := range servedFields {
		delete(metadata, field)
	}
	if annotations, ok := metadata["annotations"].(map[string]any); ok {
		for _, name := range noisyAnnotations {
			delete(annotations, name)
		}
	}
	tidy(n)
	return n
}

// tidy takes out the empty maps of annotations and labels, and the null timestamps, that some versions of the API server
// write and others leave out.
func tidy(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			tidy(value)
			m, isMap := value.(map[string]any)
			if value == nil && key == "creationTimestamp" || isMap && len(m) == 0 && loose(key) {
				delete(v, key)
			}
		}
	case []any:
		for _, value := range v {
			tidy(value)
		}
	}
}

// loose tells the maps to which everybody adds entries of his own.
func loose(key string) bool { return key == "annotations" || key == "labels" }

// Hash is the SHA-256 of a normal form, in hexadecimal digits.
func Hash(normal map[string]any) (string, error) {
	body, err := json.Marshal(normal)
	if err != nil {
		return "", fmt.Errorf("writing an object in its normal form: %w", err)
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]), nil
}

// Equal says whether two normal forms are the same.
func Equal(a, b map[string]any) bool { return reflect.DeepEqual(a, b) }

// Common returns a with Chosen in place of every value that is another one in b. Where a and b are two answers to the same
// request, that is what the server chose by chance.
func Common(a, b map[string]any) map[string]any {
	common, _ := blend(a, b).(map[string]any)
	return common
}

func blend(a, b any) any {
	switch a := a.(type) {
	case map[string]any:
		other, ok := b.(map[string]any)
		if !ok {
			return Chosen
		}
		return blendMaps(a, other)
	case []any:
		other, ok := b.([]any)
		if !ok || len(other) != len(a) {
			return Chosen
		}
		out := make([]any, len(a))
		for i := range a {
			out[i] = blend(a[i], other[i])
		}
		return out
	}
	if reflect.DeepEqual(a, b) {
		return a
	}
	return Chosen
}

func blendMaps(a, b map[string]any) map[string]any {
	out := make(map[string]any, len(a))
	for key, value := range a {
		out[key] = blend(value, b[key])
	}
	for key := range b {
		if _, ok := a[key]; !ok {
			out[key] = Chosen
		}
	}
	return out
}

// serviceFields are what the API server allocates for a Service; its dry run allocates nothing, and shows the same stand-in
// each time.
var serviceFields = map[string]bool{"clusterIP": true, "clusterIPs": true, "nodePort": true, "healthCheckNodePort": true}

// Allocated puts Chosen in place of what the API server allocates for a Service: the addresses and ports that are neither
// there before nor in the request.
func Allocated(before, after map[string]any, request []byte) {
	if after["kind"] == "Service" {
		was, _ := before["spec"].(map[string]any)
		is, _ := after["spec"].(map[string]any)
		allocate(was, is, string(request))
	}
}

func allocate(before, after map[string]any, request string) {
	for field, value := range after {
		if ports, ok := value.([]any); ok && field == "ports" {
			former, _ := before[field].([]any)
			for i, port := range ports {
				var was map[string]any
				if i < len(former) {
					was, _ = former[i].(map[string]any)
				}
				is, _ := port.(map[string]any)
				allocate(was, is, request)
			}
		}
		literal, err := json.Marshal(value)
		if serviceFields[field] && value != "None" && !reflect.DeepEqual(before[field], value) && err == nil && !strings.Contains(request, string(literal)) {
			after[field] = Chosen
		}
	}
}

// Creatable returns the object as it can be created again: without uid, version, status, and what binds it to a former
// life.
func Creatable(o *unstructured.Unstructured) ([]byte, error) {
	n := runtime.DeepCopyJSON(o.Object)
	delete(n, "status")
	if metadata, ok := n["metadata"].(map[string]any); ok {
		for _, field := range servedFields {
			delete(metadata, field)
		}
	}
	for _, noise := range noisyAnnotations {
		// What kubectl applied last is kept: without it kubectl would no longer know which fields it has set.
		if noise != lastApplied {
			unstructured.RemoveNestedField(n, "metadata", "annotations", noise)
		}
	}
	if o.GetKind() == "Pod" {
		unstructured.RemoveNestedField(n, "spec", "nodeName")
	}
	body, err := json.Marshal(n)
	if err != nil {
		return nil, fmt.Errorf("writing %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	return body, nil
}
