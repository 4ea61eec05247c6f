package cli

import (
	"strings"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// splitTarget reads KIND/NAME, KIND/NAMESPACE/NAME or a bare NAME.
func splitTarget(text string) (kind, namespace, name string, ok bool) {
	parts := strings.Split(text, "/")
	for _, p := range parts {
		if p == "" || strings.ContainsAny(p, " \t\n") {
			return "", "", "", false
		}
	}
	switch len(parts) {
	case 1:
		return "", "", parts[0], true
	case 2:
		return parts[0], "", parts[1], true
	case 3:
		return parts[0], parts[1], parts[2], true
	}
	return "", "", "", false
}

// taskTarget reads a target of ask.
func taskTarget(text string) (v1alpha1.Target, bool) {
	kind, namespace, name, ok := splitTarget(text)
	if !ok || kind == "" {
		return v1alpha1.Target{}, false
	}
	if strings.EqualFold(kind, "host") {
		return v1alpha1.Target{Host: name}, namespace == ""
	}
	return v1alpha1.Target{Kind: kind, Namespace: namespace, Name: name}, true
}
