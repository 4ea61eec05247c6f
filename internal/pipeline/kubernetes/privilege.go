package kubernetes

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rights are what the pods that an object describes may do and see beyond plain pods, each with where it is said. Every
// part of an object is looked at, so that the pods of custom resources are as well.
type rights struct {
	// privileges widen what a pod may do; secrets are the Secrets that it reads, images what it runs.
	privileges, secrets, images map[string]bool
	// guards are, by container or pod spec, the restraints that a plain pod does not have.
	guards map[string]map[string]bool
}

// rightsOf reads the rights in an object; nil has none.
func rightsOf(content map[string]any) rights {
	r := rights{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]map[string]bool{}}
	if content["kind"] != "ConfigMap" { // its data may be called anything
		r.walk("", content)
	}
	return r
}

func (r rights) walk(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		r.look(path, v)
		for key, value := range v {
			r.walk(path+"."+key, value)
		}
	case []any:
		for i, value := range v {
			r.walk(fmt.Sprintf("%s[%s]", path, elementName(value, i)), value)
		}
	}
}

func elementName(v any, index int) string {
	element, _ := v.(map[string]any)
	if named, ok := element["name"].(string); ok {
		return named
	}
	return fmt.Sprint(index)
}

// look reads what one map of an object says of pods.
func (r rights) look(path string, m map[string]any) {
	for _, field := range []string{"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "automountServiceAccountToken"} {
		if on, _ := m[field].(bool); on {
			r.privileges[field] = true
		}
	}
	for _, field := range []string{"serviceAccountName", "serviceAccount"} {
		if account, _ := m[field].(string); account != "" && account != "default" {
			r.privileges["the service account "+account] = true
		}
	}
	r.places(m)
	if port, ok := m["hostPort"].(int64); ok && port > 0 {
		r.privileges[fmt.Sprintf("the port %d of its node", port)] = true
	}
	if annotations, ok := m["annotations"].(map[string]any); ok {
		r.unconfined(annotations)
	}
	r.volumes(m)
	r.reads(m)
	if context, ok := m["securityContext"].(map[string]any); ok {
		r.secure(path, context)
	}
	if image, _ := m["image"].(string); image != "" {
		r.images[image] = true
	}
	r.restrain(path, m)
}

// places reads where pods may come to stand, and what gives way to them.
func (r rights) places(m map[string]any) {
	if node, _ := m["nodeName"].(string); node != "" && m["containers"] != nil {
		r.privileges["a node chosen past the scheduler"] = true
	}
	if class, _ := m["priorityClassName"].(string); strings.HasPrefix(class, "system-") {
		r.privileges["the priority "+class] = true
	}
	for _, toleration := range list(m["tolerations"]) {
		switch key, _ := toleration["key"].(string); {
		case key == "" && toleration["operator"] == "Exists":
			r.privileges["every node, whatever taints it has"] = true
		case key == "node-role.kubernetes.io/control-plane" || key == "node-role.kubernetes.io/master":
			r.privileges["nodes of the control plane"] = true
		}
	}
}

// unconfined reads AppArmor's annotations, which came before its fields.
func (r rights) unconfined(annotations map[string]any) {
	for key, value := range annotations {
		if container, ok := strings.CutPrefix(key, "container.apparmor.security.beta.kubernetes.io/"); ok && value == "unconfined" {
			r.privileges[container+" without AppArmor"] = true
		}
	}
}

// volumes reads the volumes of a map that are of the node or of a driver's own making.
func (r rights) volumes(m map[string]any) {
	host, _ := m["hostPath"].(map[string]any)
	if path, ok := host["path"].(string); ok {
		r.privileges["the path "+path+" of its node"] = true
	}
	if driver, ok := m["flexVolume"].(map[string]any); ok {
		r.privileges[fmt.Sprintf("the driver %v on its node", driver["driver"])] = true
	}
	paths := map[any]any{}
	for _, volume := range list(m["volumes"]) {
		if host, ok := volume["hostPath"].(map[string]any); ok {
			paths[volume["name"]] = host["path"]
		}
	}
	for _, field := range containerLists {
		for _, container := range list(m[field]) {
			for _, mount := range list(container["volumeMounts"]) {
				path, ofHost := paths[mount["name"]]
				if readOnly, _ := mount["readOnly"].(bool); ofHost && !readOnly {
					r.privileges[fmt.Sprintf("writing to the path %v of its node", path)] = true
				}
			}
		}
	}
}

// secretFields are the fields that name a Secret, by the field that they are in.
var secretFields = map[string][]string{
	"secret": {"secretName", "name"}, "secretRef": {"name"}, "secretKeyRef": {"name"}, "nodePublishSecretRef": {"name"},
}

// reads notes the Secrets that are mounted, or that the environment is taken from.
func (r rights) reads(m map[string]any) {
	for field, names := range secretFields {
		source, _ := m[field].(map[string]any)
		for _, named := range names {
			if value, _ := source[named].(string); value != "" {
				r.secrets[value] = true
			}
		}
	}
	// A token for nobody in particular is what every pod gets by itself.
	if token, ok := m["serviceAccountToken"].(map[string]any); ok && token["audience"] != nil {
		r.secrets[fmt.Sprintf("a token for %v", token["audience"])] = true
	}
	for _, secret := range list(m["imagePullSecrets"]) {
		r.secrets[fmt.Sprint(secret["name"])] = true
	}
}

// secure reads what a security context allows beyond a plain one.
func (r rights) secure(path string, context map[string]any) {
	who := path[strings.LastIndex(path, ".")+1:]
	allow := func(format string, args ...any) {
		r.privileges[fmt.Sprintf(format, args...)+" in "+who] = true
	}
	for _, field := range []string{"privileged", "allowPrivilegeEscalation"} {
		if on, _ := context[field].(bool); on {
			allow("%s", field)
		}
	}
	for _, field := range []string{"runAsUser", "runAsGroup", "fsGroup"} {
		if id, ok := context[field].(int64); ok && id == 0 {
			allow("%s 0", field)
		}
	}
	if mount, _ := context["procMount"].(string); mount == "Unmasked" {
		allow("an unmasked /proc")
	}
	for _, field := range []string{"seccompProfile", "appArmorProfile"} {
		if profile, _ := context[field].(map[string]any); profile["type"] == "Unconfined" {
			allow("an unconfined %s", field)
		}
	}
	r.lists(allow, context)
	r.windows(allow, context)
}

// lists reads what a security context adds one by one.
func (r rights) lists(allow func(string, ...any), context map[string]any) {
	capabilities, _ := context["capabilities"].(map[string]any)
	added, _ := capabilities["add"].([]any)
	for _, capability := range added {
		allow("the capability %v", capability)
	}
	for _, sysctl := range list(context["sysctls"]) {
		allow("the sysctl %v", sysctl["name"])
	}
	labels, _ := context["seLinuxOptions"].(map[string]any)
	for field, value := range labels {
		if field != "level" {
			allow("SELinux' %s %v", field, value)
		}
	}
}

func (r rights) windows(allow func(string, ...any), context map[string]any) {
	options, _ := context["windowsOptions"].(map[string]any)
	if on, _ := options["hostProcess"].(bool); on {
		allow("a process of its node")
	}
	if user, _ := options["runAsUserName"].(string); strings.Contains(strings.ToLower(user), "administrator") || strings.Contains(strings.ToLower(user), "system") {
		allow("the user %s", user)
	}
	for _, field := range []string{"gmsaCredentialSpecName", "gmsaCredentialSpec"} {
		if spec, _ := options[field].(string); spec != "" {
			allow("the credentials %s", field)
		}
	}
}

// inherited are the fields of a security context that a container has from its pod where it does not say otherwise.
var inherited = []string{"runAsNonRoot", "runAsUser", "seccompProfile", "appArmorProfile"}

// containerLists are the fields of a pod spec that hold containers.
var containerLists = []string{"containers", "initContainers", "ephemeralContainers"}

// restrain notes what a pod and its containers deny themselves.
func (r rights) restrain(path string, m map[string]any) {
	if _, isPod := m["containers"].([]any); !isPod {
		return
	}
	guards := map[string]bool{}
	for _, field := range []string{"hostUsers", "automountServiceAccountToken"} {
		if on, said := m[field].(bool); said && !on {
			guards[field+": false"] = true
		}
	}
	if class, _ := m["runtimeClassName"].(string); class != "" {
		guards["the runtime class "+class] = true
	}
	r.guards[path] = guards
	ofPod, _ := m["securityContext"].(map[string]any)
	for _, field := range containerLists {
		for i, container := range list(m[field]) {
			own, _ := container["securityContext"].(map[string]any)
			context := maps.Clone(own)
			for _, field := range inherited {
				if _, says := own[field]; !says && ofPod[field] != nil {
					if context == nil {
						context = map[string]any{}
					}
					context[field] = ofPod[field]
				}
			}
			r.guards[fmt.Sprintf("%s.%s[%s]", path, field, elementName(container, i))] = restraints(context)
		}
	}
}

// restraints are what a container's security context denies it.
func restraints(context map[string]any) map[string]bool {
	guards := map[string]bool{}
	for _, field := range []string{"runAsNonRoot", "readOnlyRootFilesystem"} {
		if on, _ := context[field].(bool); on {
			guards[field] = true
		}
	}
	if escalates, said := context["allowPrivilegeEscalation"].(bool); said && !escalates {
		guards["allowPrivilegeEscalation: false"] = true
	}
	for _, field := range []string{"runAsUser", "seccompProfile", "appArmorProfile"} {
		if context[field] != nil {
			guards[field] = true
		}
	}
	capabilities, _ := context["capabilities"].(map[string]any)
	dropped, _ := capabilities["drop"].([]any)
	for _, capability := range dropped {
		guards[fmt.Sprintf("dropping of the capability %v", capability)] = true
	}
	return guards
}

// widened are the rights that the pods of an object have after a change and did not have before it, restraints that they
// lose included. A new object's pods are held against plain pods, a new container against those beside it.
func widened(before, after rights) []string {
	var wider []string
	for _, p := range slices.Sorted(maps.Keys(after.privileges)) {
		if !before.privileges[p] {
			wider = append(wider, p)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(after.guards)) {
		for _, guard := range slices.Sorted(maps.Keys(before.expected(path))) {
			if !after.guards[path][guard] {
				wider = append(wider, "no "+guard+" any more")
			}
		}
	}
	return slices.Compact(wider)
}

// expected are the restraints that a pod or container should have as the object was: its own, or, for a container that is
// new, what all of the pod's had.
func (r rights) expected(path string) map[string]bool {
	if own, ok := r.guards[path]; ok {
		return own
	}
	pod, ok := podOf(path)
	if !ok {
		return nil
	}
	var common map[string]bool
	for other, guards := range r.guards {
		if beside, ok := podOf(other); !ok || beside != pod {
			continue
		}
		if common == nil {
			common = maps.Clone(guards)
		}
		maps.DeleteFunc(common, func(guard string, _ bool) bool { return !guards[guard] })
	}
	return common
}

// podOf is where the pod of a container is.
func podOf(container string) (string, bool) {
	for _, field := range containerLists {
		if at := strings.LastIndex(container, "."+field+"["); at >= 0 {
			return container[:at], true
		}
	}
	return "", false
}

// anew says whether there is something in one set that is not in another.
func anew(before, after map[string]bool) bool {
	for one := range after {
		if !before[one] {
			return true
		}
	}
	return false
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
