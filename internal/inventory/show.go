package inventory

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/redact"
)

func clean(text string) string { return redact.String(text).String() }

// Show returns what an object says, redacted and without the fields that only machines read; false where the snapshot
// does not hold it. Of a Secret there are the names of its entries.
func Show(s *cluster.Snapshot, ref cluster.Ref) (map[string]any, bool) {
	for _, e := range entries(s) {
		if e.ref == ref {
			return shown(e)
		}
	}
	return nil, false
}

func shown(e entry) (map[string]any, bool) {
	if secret, ok := e.object.(*cluster.Secret); ok {
		return shownSecret(secret), true
	}
	var fields map[string]any
	if u, ok := e.object.(*unstructured.Unstructured); ok {
		fields = u.DeepCopy().Object
	} else {
		var err error
		if fields, err = runtime.DefaultUnstructuredConverter.ToUnstructured(e.object); err != nil {
			return nil, false
		}
	}
	fields["apiVersion"], fields["kind"] = e.apiVersion, e.ref.Kind
	if e.ref.Kind == "Secret" { // whichever way it came here
		delete(fields, "data")
		delete(fields, "stringData")
	}
	trim(fields)
	return redacted("", fields).(map[string]any), true
}

// shownSecret leaves the values of annotations out as well: tools keep copies of the whole object in them.
func shownSecret(s *cluster.Secret) map[string]any {
	var metadata map[string]any
	if data, err := json.Marshal(s.ObjectMeta); err == nil {
		_ = json.Unmarshal(data, &metadata) // what was marshalled can be unmarshalled
	}
	fields := map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": metadata}
	trim(fields)
	if annotations, ok := metadata["annotations"].(map[string]any); ok {
		for name := range annotations {
			annotations[name] = redact.Mark
		}
	}
	fields = redacted("", fields).(map[string]any)
	fields["type"] = string(s.Type)
	if s.Keys != nil {
		keys := make([]any, 0, len(s.Keys))
		for _, k := range s.Keys {
			keys = append(keys, k)
		}
		fields["keys"] = keys
	}
	return fields
}

// trim removes the field managers and the copy of the object that kubectl apply keeps in an annotation.
func trim(fields map[string]any) {
	metadata, ok := fields["metadata"].(map[string]any)
	if !ok {
		return
	}
	delete(metadata, "managedFields")
	if annotations, ok := metadata["annotations"].(map[string]any); ok {
		delete(annotations, corev1.LastAppliedConfigAnnotation)
		if len(annotations) == 0 {
			delete(metadata, "annotations")
		}
	}
}

// redacted redacts every text of a value. A text is judged alone and beside the key or name that it belongs to, since
// "hunter2" is a secret only as somebody's password.
func redacted(key string, value any) any {
	switch v := value.(type) {
	case string:
		return beside(key, v)
	case map[string]any:
		name, named := v["name"].(string)
		for k, field := range v {
			subject := k
			if k == "value" && named {
				subject = name
			}
			v[k] = redacted(subject, field)
		}
		return v
	case []any:
		return redactedList(key, v)
	}
	return value
}

// redactedList judges an argument beside the flag before it.
func redactedList(key string, list []any) []any {
	flag := ""
	for i, item := range list {
		text, ok := item.(string)
		list[i] = redacted(key, item)
		if pair := flag + " " + text; ok && flag != "" && list[i] == text && clean(pair) != redact.Clean(pair) {
			list[i] = redact.Mark
		}
		if flag = ""; strings.HasPrefix(text, "-") {
			flag = text
		}
	}
	return list
}

// beside redacts a text that stands under a key.
func beside(key, text string) string {
	if alone := clean(text); alone != text || key == "" {
		return alone
	}
	if pair := key + "=" + text; clean(pair) != redact.Clean(pair) {
		return redact.Mark
	}
	return text
}
