package kubernetes

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// workload is an object with a pod template of this content.
func workload(t *testing.T, spec string) map[string]any {
	t.Helper()
	var content map[string]any
	if err := yaml.Unmarshal([]byte("{kind: Deployment, spec: {template: {spec: "+spec+"}}}"), &content); err != nil {
		t.Fatal(err)
	}
	return decoded(t, content)
}

// decoded gives numbers the type that they have in objects of the API server.
func decoded(t *testing.T, content map[string]any) map[string]any {
	t.Helper()
	raw, err := body(content)
	if err != nil {
		t.Fatal(err)
	}
	out, err := decodeMap(raw)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const plain = `{containers: [{name: web}]}`

func in(container string) string { return "{containers: [{name: web, " + container + "}]}" }

func contextOf(context string) string { return in("securityContext: {" + context + "}") }

// TestWidened: says is empty where nothing is widened. What a new object has is held against a plain pod.
func TestWidened(t *testing.T) {
	const hard = "runAsNonRoot: true, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, seccompProfile: {type: RuntimeDefault}, capabilities: {drop: [ALL]}"
	mounted := func(mount string) string {
		return "{volumes: [{name: a, hostPath: {path: /var/log}}], containers: [{name: web, volumeMounts: [{name: a, mountPath: /a" + mount + "}]}]}"
	}
	tests := []struct{ name, before, after, says string }{
		{"a plain pod that is new", "", plain, ""},
		{"an account that is new", "", "{serviceAccountName: boss, containers: []}", "account boss"},
		{"an account by its former name", "", "{serviceAccount: boss, containers: []}", "account boss"},
		{"the default account", "", "{serviceAccountName: default, containers: []}", ""},
		{"another account", "{serviceAccountName: own, containers: []}", "{serviceAccountName: boss, containers: []}", "account boss"},
		{"the account that it has", "{serviceAccountName: own, containers: []}", "{serviceAccountName: own, containers: []}", ""},
		{"a token that the account withholds", plain, "{automountServiceAccountToken: true, containers: []}", "automountServiceAccountToken"},
		{"a token that the pod withheld", "{automountServiceAccountToken: false, containers: []}", "{containers: []}", "automountServiceAccountToken"},
		{"the network of the node", "", "{hostNetwork: true, containers: []}", "hostNetwork"},
		{"processes shared", plain, "{shareProcessNamespace: true, containers: []}", "shareProcessNamespace"},
		{"users of the node", "{hostUsers: false, containers: []}", "{containers: []}", "hostUsers"},
		{"a node past the scheduler", "", "{nodeName: cp-1, containers: []}", "scheduler"},
		{"the cluster's own priority", "", "{priorityClassName: system-node-critical, containers: []}", "priority"},
		{"a priority of one's own", "", "{priorityClassName: batch, containers: []}", ""},
		{"every node", "", "{tolerations: [{operator: Exists}], containers: []}", "every node"},
		{"nodes of the control plane", plain, "{tolerations: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}], containers: []}", "control plane"},
		{"nodes of one's own", "", "{tolerations: [{key: batch, operator: Exists}], containers: []}", ""},
		{"no sandbox any more", "{runtimeClassName: gvisor, containers: []}", plain, "gvisor"},
		{"a sysctl", plain, "{securityContext: {sysctls: [{name: kernel.msgmax, value: a}]}, containers: []}", "kernel.msgmax"},
		{"a path of the node", "", mounted(", readOnly: true"), "/var/log"},
		{"a path of the node, writable", mounted(", readOnly: true"), mounted(""), "writing to the path /var/log"},
		{"a path of the node, as before", mounted(""), mounted(""), ""},
		{"a driver on the node", plain, "{volumes: [{name: a, flexVolume: {driver: x/y}}], containers: []}", "x/y"},
		{"a port of the node", plain, in("ports: [{containerPort: 80, hostPort: 80}]"), "port 80"},
		{"privileged", "", contextOf("privileged: true"), "privileged"},
		{"privileged as an init container", plain, "{containers: [{name: web}], initContainers: [{name: i, securityContext: {privileged: true}}]}", "privileged"},
		{"root", plain, contextOf("runAsUser: 0"), "runAsUser 0"},
		{"a capability", plain, contextOf("capabilities: {add: [SYS_ADMIN]}"), "SYS_ADMIN"},
		{"no seccomp", plain, contextOf("seccompProfile: {type: Unconfined}"), "seccompProfile"},
		{"no AppArmor", plain, contextOf("appArmorProfile: {type: Unconfined}"), "appArmorProfile"},
		{"another SELinux type", plain, contextOf("seLinuxOptions: {type: spc_t}"), "spc_t"},
		{"another SELinux level", plain, contextOf("seLinuxOptions: {level: s0}"), ""},
		{"an unmasked /proc", plain, contextOf("procMount: Unmasked"), "/proc"},
		{"a process of a Windows node", plain, contextOf("windowsOptions: {hostProcess: true}"), "process of its node"},
		{"the same for the pod", plain, "{securityContext: {windowsOptions: {hostProcess: true}}, containers: []}", "process of its node"},
		{"root allowed", contextOf(hard), contextOf(strings.Replace(hard, "runAsNonRoot: true", "runAsNonRoot: false", 1)), "runAsNonRoot"},
		{"a writable root", contextOf(hard), contextOf(strings.Replace(hard, "readOnlyRootFilesystem: true, ", "", 1)), "readOnlyRootFilesystem"},
		{"all restraints gone", contextOf(hard), plain, "capability ALL"},
		{"restraints that a new pod does not have", "", plain, ""},
		{"restraints moved to the pod", contextOf("runAsNonRoot: true"), "{securityContext: {runAsNonRoot: true}, containers: [{name: web}]}", ""},
		{"a container that takes itself out", "{securityContext: {runAsNonRoot: true}, containers: [{name: web}]}",
			"{securityContext: {runAsNonRoot: true}, containers: [{name: web, securityContext: {runAsNonRoot: false}}]}", "runAsNonRoot"},
		{"a container of another name without restraints", contextOf(hard), "{containers: [{name: other}]}", "runAsNonRoot"},
		{"one more container, restrained as the others", contextOf("runAsNonRoot: true"),
			"{containers: [{name: web, securityContext: {runAsNonRoot: true}}, {name: log, securityContext: {runAsNonRoot: true}}]}", ""},
		{"more restraints", plain, contextOf(hard), ""},
		{"pods gone", contextOf("privileged: true"), plain, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var before map[string]any
			if tt.before != "" {
				before = workload(t, tt.before)
			}
			got := widened(rightsOf(before), rightsOf(workload(t, tt.after)))
			if (len(got) > 0) != (tt.says != "") || !strings.Contains(strings.Join(got, "\n"), tt.says) {
				t.Errorf("got %q, want %q", got, tt.says)
			}
		})
	}
}

// TestWidened_anywhere: pods are described in many places, those of custom resources among them.
func TestWidened_anywhere(t *testing.T) {
	for name, text := range map[string]string{
		"a pod":                      `{kind: Pod, spec: {serviceAccountName: boss, containers: [{name: a}]}}`,
		"a CronJob":                  `{kind: CronJob, spec: {jobTemplate: {spec: {template: {spec: {hostIPC: true, containers: [{name: a}]}}}}}}`,
		"a PodTemplate":              `{kind: PodTemplate, template: {spec: {containers: [{name: a, securityContext: {privileged: true}}]}}}`,
		"a set of Jobs":              `{kind: JobSet, spec: {replicatedJobs: [{name: a, template: {spec: {template: {spec: {hostPID: true, containers: [{name: a}]}}}}}]}}`,
		"a resource that makes pods": `{kind: Prometheus, spec: {serviceAccountName: boss, replicas: 2}}`,
		"AppArmor by an annotation":  `{kind: Deployment, spec: {template: {metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/a: unconfined}}, spec: {containers: [{name: a}]}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var content map[string]any
			if err := yaml.Unmarshal([]byte(text), &content); err != nil {
				t.Fatal(err)
			}
			if len(widened(rightsOf(nil), rightsOf(decoded(t, content)))) == 0 {
				t.Error("nothing was seen")
			}
		})
	}
}
