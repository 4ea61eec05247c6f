package kubelet

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// mountProblem is what a kubelet says of the first volume that it cannot set up, empty if there is none.
func (p *pass) mountProblem() string {
	for _, volume := range p.pod.Spec.Volumes {
		if problem := p.volumeProblem(volume.VolumeSource); problem != "" {
			return fmt.Sprintf("MountVolume.SetUp failed for volume %q : %s", volume.Name, problem)
		}
	}
	return ""
}

func (p *pass) volumeProblem(source corev1.VolumeSource) string {
	switch {
	case source.ConfigMap != nil:
		return p.configMapVolume(source.ConfigMap.Name, source.ConfigMap.Items, source.ConfigMap.Optional)
	case source.Secret != nil:
		return p.secretVolume(source.Secret.SecretName, source.Secret.Items, source.Secret.Optional)
	case source.Projected != nil:
		for _, part := range source.Projected.Sources {
			problem := ""
			if part.ConfigMap != nil {
				problem = p.configMapVolume(part.ConfigMap.Name, part.ConfigMap.Items, part.ConfigMap.Optional)
			}
			if part.Secret != nil {
				problem = p.secretVolume(part.Secret.Name, part.Secret.Items, part.Secret.Optional)
			}
			if problem != "" {
				return problem
			}
		}
	}
	return ""
}

func (p *pass) configMapVolume(name string, items []corev1.KeyToPath, optional *bool) string {
	if optional != nil && *optional {
		return ""
	}
	found := p.world.configMap(types.NamespacedName{Namespace: p.pod.Namespace, Name: name})
	if found == nil {
		return fmt.Sprintf("configmap %q not found", name)
	}
	for _, item := range items {
		_, text := found.Data[item.Key]
		_, binary := found.BinaryData[item.Key]
		if !text && !binary {
			return "configmap references non-existent config key: " + item.Key
		}
	}
	return ""
}

func (p *pass) secretVolume(name string, items []corev1.KeyToPath, optional *bool) string {
	if optional != nil && *optional {
		return ""
	}
	found := p.world.secret(types.NamespacedName{Namespace: p.pod.Namespace, Name: name})
	if found == nil {
		return fmt.Sprintf("secret %q not found", name)
	}
	for _, item := range items {
		if _, ok := found.Data[item.Key]; !ok {
			return "references non-existent secret key: " + item.Key
		}
	}
	return ""
}

// configProblem is what a kubelet says if it cannot put together the configuration of a container, empty if it can.
func (p *pass) configProblem(c *corev1.Container) string {
	if p.setting(c, "play") == "RunsAsRoot" && runAsNonRoot(p.pod, c) {
		return fmt.Sprintf("container has runAsNonRoot and image will run as root (pod: %q, container: %s)", podText(p.pod), c.Name)
	}
	for _, source := range c.EnvFrom {
		if ref := source.ConfigMapRef; ref != nil {
			if problem := p.configMapVolume(ref.Name, nil, ref.Optional); problem != "" {
				return problem
			}
		}
		if ref := source.SecretRef; ref != nil {
			if problem := p.secretVolume(ref.Name, nil, ref.Optional); problem != "" {
				return problem
			}
		}
	}
	for _, variable := range c.Env {
		if variable.ValueFrom == nil {
			continue
		}
		if problem := p.keyProblem(variable.ValueFrom); problem != "" {
			return problem
		}
	}
	return ""
}

func (p *pass) keyProblem(source *corev1.EnvVarSource) string {
	if ref := source.ConfigMapKeyRef; ref != nil && (ref.Optional == nil || !*ref.Optional) {
		found := p.world.configMap(types.NamespacedName{Namespace: p.pod.Namespace, Name: ref.Name})
		if found == nil {
			return fmt.Sprintf("configmap %q not found", ref.Name)
		}
		if _, ok := found.Data[ref.Key]; !ok {
			return fmt.Sprintf("couldn't find key %s in ConfigMap %s/%s", ref.Key, p.pod.Namespace, ref.Name)
		}
	}
	if ref := source.SecretKeyRef; ref != nil && (ref.Optional == nil || !*ref.Optional) {
		found := p.world.secret(types.NamespacedName{Namespace: p.pod.Namespace, Name: ref.Name})
		if found == nil {
			return fmt.Sprintf("secret %q not found", ref.Name)
		}
		if _, ok := found.Data[ref.Key]; !ok {
			return fmt.Sprintf("couldn't find key %s in Secret %s/%s", ref.Key, p.pod.Namespace, ref.Name)
		}
	}
	return ""
}

// runAsNonRoot tells whether a container must not run as root and nothing but its image says as whom it runs.
func runAsNonRoot(pod *corev1.Pod, c *corev1.Container) bool {
	must, user := false, false
	if s := pod.Spec.SecurityContext; s != nil {
		must, user = s.RunAsNonRoot != nil && *s.RunAsNonRoot, s.RunAsUser != nil
	}
	if s := c.SecurityContext; s != nil {
		if s.RunAsNonRoot != nil {
			must = *s.RunAsNonRoot
		}
		user = user || s.RunAsUser != nil
	}
	return must && !user
}
