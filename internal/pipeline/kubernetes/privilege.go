package kubernetes

import (
	"fmt"
	"maps"
)

// widened says whether the pods of an object may do more after a change than before it. A new object's pods are held
// against pods without any privilege; which service account they run as is no widening then.
func widened(before, after map[string]any) bool {
	if after == nil {
		return false
	}
	had, has := privileges(before), privileges(after)
	if before == nil {
		maps.DeleteFunc(has, func(p string, _ bool) bool { return p == accountOf(after) })
	}
	for p := range has {
		if !had[p] {
			return true
		}
	}
	return false
}

func accountOf(content map[string]any) string {
	spec, _ := podSpec(content)
	account, _ := spec["serviceAccountName"].(string)
	if account == "" || account == "default" {
		return ""
	}
	return "serviceAccountName " + account
}

// privileges are the rights beyond a plain pod's that the pods of an object have.
func privileges(content map[string]any) map[string]bool {
	found := map[string]bool{}
	spec, _ := podSpec(content)
	if spec == nil {
		return found
	}
	for _, field := range []string{"hostNetwork", "hostPID", "hostIPC"} {
		if on, _ := spec[field].(bool); on {
			found[field] = true
		}
	}
	if account := accountOf(content); account != "" {
		found[account] = true
	}
	for _, volume := range list(spec["volumes"]) {
		if path, ok := volume["hostPath"].(map[string]any); ok {
			found[fmt.Sprintf("hostPath %v", path["path"])] = true
		}
	}
	secure(found, "pod", spec["securityContext"])
	for _, field := range []string{"containers", "initContainers", "ephemeralContainers"} {
		for _, container := range list(spec[field]) {
			named, _ := container["name"].(string)
			secure(found, named, container["securityContext"])
			for _, port := range list(container["ports"]) {
				if number, ok := port["hostPort"].(int64); ok && number > 0 {
					found[fmt.Sprintf("hostPort %d", number)] = true
				}
			}
		}
	}
	return found
}

// secure adds what a security context allows beyond a plain one.
func secure(found map[string]bool, who string, v any) {
	context, _ := v.(map[string]any)
	for _, field := range []string{"privileged", "allowPrivilegeEscalation"} {
		if on, _ := context[field].(bool); on {
			found[who+" "+field] = true
		}
	}
	if user, ok := context["runAsUser"].(int64); ok && user == 0 {
		found[who+" runs as root"] = true
	}
	if mount, _ := context["procMount"].(string); mount == "Unmasked" {
		found[who+" unmasked proc"] = true
	}
	capabilities, _ := context["capabilities"].(map[string]any)
	added, _ := capabilities["add"].([]any)
	for _, capability := range added {
		found[fmt.Sprintf("%s capability %v", who, capability)] = true
	}
}

// list returns the maps of a list.
func list(v any) []map[string]any {
	elements, _ := v.([]any)
	var out []map[string]any
	for _, element := range elements {
		if fields, ok := element.(map[string]any); ok {
			out = append(out, fields)
		}
	}
	return out
}
