package kubelet

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

// prefix begins the annotations that say how the process in a container would behave. They are meant for the pod
// template; see the README for each.
const prefix = "devcluster.eclusier.io/"

// fate is how and when the process in a container ends by itself.
type fate struct {
	ends            bool
	after           time.Duration
	exitCode        int32
	reason, message string
}

// setting returns what the annotations say of a container: KEY.CONTAINER, or for the first container also KEY.
func (p *pass) setting(c *corev1.Container, key string) string {
	if value, ok := p.pod.Annotations[prefix+key+"."+c.Name]; ok {
		return value
	}
	if p.pod.Spec.Containers[0].Name == c.Name {
		return p.pod.Annotations[prefix+key]
	}
	return ""
}

// list returns a setting as its comma-separated parts, nil if it is not set.
func (p *pass) list(c *corev1.Container, key string) []string {
	text := p.setting(c, key)
	if text == "" {
		return nil
	}
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		parts = append(parts, strings.TrimSpace(part))
	}
	return parts
}

// duration returns a setting as a duration.
func (p *pass) duration(c *corev1.Container, key string, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(p.setting(c, key)); err == nil {
		return d
	}
	return otherwise
}

func (p *pass) exitCode(c *corev1.Container, otherwise int32) int32 {
	if code, err := strconv.ParseInt(p.setting(c, "exit-code"), 10, 32); err == nil {
		return int32(code)
	}
	return otherwise
}

// fate judges what the process would make of the container it is in: its memory limit, its environment, the services
// it can reach, and what it was told to do.
func (p *pass) fate(c *corev1.Container) fate {
	soon := p.duration(c, "run-for", time.Second)
	failure := fate{ends: true, after: soon, exitCode: p.exitCode(c, 1), reason: "Error", message: p.setting(c, "message")}
	switch play := p.setting(c, "play"); {
	case play == "OOMKilled" || p.shortOfMemory(c):
		return fate{ends: true, after: soon, exitCode: 137, reason: "OOMKilled", message: failure.message}
	case play == "Crash" || p.shortOfEnvironment(c) || p.shortOfService(c):
		return failure
	case play == "Complete", p.isInit(c) && !sidecar(c), p.isBatch():
		return fate{ends: true, after: soon, reason: "Completed"}
	}
	return fate{}
}

// isBatch is true for pods that are there to finish.
func (p *pass) isBatch() bool { return p.pod.Spec.RestartPolicy != corev1.RestartPolicyAlways }

func (p *pass) shortOfMemory(c *corev1.Container) bool {
	need, err := resource.ParseQuantity(p.setting(c, "needs-memory"))
	limit, limited := c.Resources.Limits[corev1.ResourceMemory]
	return err == nil && limited && limit.Cmp(need) < 0
}

func (p *pass) shortOfEnvironment(c *corev1.Container) bool {
	needs := p.list(c, "needs-env")
	if needs == nil {
		return false
	}
	var names []string
	for _, variable := range c.Env {
		names = append(names, variable.Name)
	}
	for _, source := range c.EnvFrom {
		if ref := source.ConfigMapRef; ref != nil {
			if found := p.world.configMap(types.NamespacedName{Namespace: p.pod.Namespace, Name: ref.Name}); found != nil {
				names = append(names, prefixed(source.Prefix, found.Data)...)
			}
		}
		if ref := source.SecretRef; ref != nil {
			if found := p.world.secret(types.NamespacedName{Namespace: p.pod.Namespace, Name: ref.Name}); found != nil {
				names = append(names, prefixed(source.Prefix, found.Data)...)
			}
		}
	}
	return slices.ContainsFunc(needs, func(need string) bool { return !slices.Contains(names, need) })
}

func prefixed[V any](prefix string, data map[string]V) []string {
	var names []string
	for key := range maps.Keys(data) {
		names = append(names, prefix+key)
	}
	return names
}

func (p *pass) shortOfService(c *corev1.Container) bool {
	needs := p.list(c, "needs-service")
	return slices.ContainsFunc(needs, func(need string) bool { return !p.world.serves(serviceName(p.pod, need)) })
}

// commandProblem is what the container runtime says if the command cannot be run, empty if it can.
func (p *pass) commandProblem(c *corev1.Container) string {
	if p.setting(c, "play") != "BadCommand" {
		return ""
	}
	name := "/entrypoint"
	if argv := slices.Concat(c.Command, c.Args); len(argv) > 0 {
		name = argv[0]
	}
	cause := "executable file not found in $PATH"
	if strings.Contains(name, "/") {
		cause = fmt.Sprintf("stat %s: no such file or directory", name)
	}
	return fmt.Sprintf("failed to create containerd task: failed to create shim task: OCI runtime create failed: "+
		"runc create failed: unable to start container process: error during container init: exec: %q: %s", name, cause)
}
