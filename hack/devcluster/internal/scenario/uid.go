package scenario

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
)

// placeholder begins a reference to the uid of another object: UID-OF/KIND/NAME.
const placeholder = "UID-OF/"

// uids knows the uid that each object of a scenario got.
type uids struct {
	given map[key]types.UID
	// before maps the uids that objects had where they were written down, if the file tells.
	before map[string]key
	// expected are the objects that will get one.
	expected map[key]bool
}

func newUIDs(objects []*unstructured.Unstructured) *uids {
	u := &uids{given: map[key]types.UID{}, before: map[string]key{}, expected: map[key]bool{}}
	for _, object := range objects {
		u.expected[keyOf(object)] = true
		if uid := object.GetUID(); uid != "" {
			u.before[string(uid)] = keyOf(object)
		}
	}
	return u
}

// missing tells whether the object needs one that is still to come: because it refers to its uid, or because it is a
// pod and the other its service account.
func (u *uids) missing(object *unstructured.Unstructured) bool {
	account, found, _ := unstructured.NestedString(object.Object, "spec", "serviceAccountName")
	needed := key{"ServiceAccount", object.GetNamespace(), account}
	found = found && object.GetKind() == "Pod" && u.expected[needed] && u.given[needed] == ""
	for field, value := range object.Object {
		// The status is written once every object is there.
		if field != "status" {
			walk(value, func(text string) string {
				if target, ok := u.target(text, namespaceOf(object)); ok && u.expected[target] && u.given[target] == "" {
					found = true
				}
				return text
			})
		}
	}
	return found
}

// fill puts uids where the object refers to others; an object that is gone gets any.
func (u *uids) fill(object *unstructured.Unstructured) {
	walk(object.Object, func(text string) string {
		target, ok := u.target(text, namespaceOf(object))
		switch {
		case !ok:
			return text
		case u.given[target] == "":
			u.given[target] = uuid.NewUUID()
		}
		return string(u.given[target])
	})
}

// target finds the object that a reference is about: that of the namespace or, failing that, the cluster-scoped one.
func (u *uids) target(text, namespace string) (key, bool) {
	if k, ok := u.before[text]; ok {
		return k, true
	}
	reference, ok := strings.CutPrefix(text, placeholder)
	if !ok {
		return key{}, false
	}
	kind, name, ok := strings.Cut(reference, "/")
	near, wide := key{kind, namespace, name}, key{kind, "", name}
	if !u.expected[near] && u.expected[wide] {
		return wide, ok
	}
	return near, ok
}

// namespaceOf is the namespace in which the references of an object are looked up.
func namespaceOf(object *unstructured.Unstructured) string {
	for _, path := range [][]string{{"involvedObject", "namespace"}, {"regarding", "namespace"}, {"spec", "claimRef", "namespace"}} {
		if namespace, found, _ := unstructured.NestedString(object.Object, path...); found {
			return namespace
		}
	}
	if object.GetKind() == "Event" {
		// What an event without the namespace of its object is about has none.
		return ""
	}
	return object.GetNamespace()
}

// walk replaces every string within the value that is not a key.
func walk(value any, replace func(string) string) any {
	switch v := value.(type) {
	case string:
		return replace(v)
	case map[string]any:
		for name, part := range v {
			v[name] = walk(part, replace)
		}
	case []any:
		for i, part := range v {
			v[i] = walk(part, replace)
		}
	}
	return value
}
