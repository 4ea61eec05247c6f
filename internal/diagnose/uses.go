package diagnose

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// use is a reference of a pod specification to another object.
type use struct {
	ref cluster.Ref
	// key is the entry of a ConfigMap or Secret that is asked for, empty for the whole.
	key string
	// path is the field that refers, below the pod's spec; container the container it belongs to, if any.
	path      string
	container string
	optional  bool
	// pull says that a Secret is used to pull images: pods start without it.
	pull bool
}

// podUses lists what a pod specification refers to, in the order of its fields.
func podUses(namespace string, spec *corev1.PodSpec) []use {
	var out []use
	for i := range spec.InitContainers {
		out = append(out, containerUses(namespace, "initContainers", &spec.InitContainers[i])...)
	}
	for i := range spec.Containers {
		out = append(out, containerUses(namespace, "containers", &spec.Containers[i])...)
	}
	for i := range spec.Volumes {
		out = append(out, volumeUses(namespace, &spec.Volumes[i])...)
	}
	for i, s := range spec.ImagePullSecrets {
		out = append(out, use{ref: ref("Secret", namespace, s.Name), path: fmt.Sprintf("imagePullSecrets[%d].name", i), pull: true})
	}
	if spec.ServiceAccountName != "" {
		out = append(out, use{ref: ref("ServiceAccount", namespace, spec.ServiceAccountName), path: "serviceAccountName"})
	}
	return out
}

// PodReference is an object that a pod specification refers to, and the field below the specification that does.
type PodReference struct {
	Ref  cluster.Ref
	Path string
}

// PodReferences lists what a pod specification in a namespace refers to, each object once, in the order of its fields.
func PodReferences(namespace string, spec *corev1.PodSpec) []PodReference {
	var list []PodReference
	seen := map[cluster.Ref]bool{}
	for _, u := range podUses(namespace, spec) {
		if !seen[u.ref] {
			seen[u.ref] = true
			list = append(list, PodReference{Ref: u.ref, Path: u.path})
		}
	}
	return list
}

func containerUses(namespace, group string, c *corev1.Container) []use {
	var out []use
	for _, e := range c.Env {
		if e.ValueFrom == nil {
			continue
		}
		path := fmt.Sprintf("%s[%s].env[%s].valueFrom", group, c.Name, e.Name)
		if k := e.ValueFrom.ConfigMapKeyRef; k != nil {
			out = append(out, use{ref("ConfigMap", namespace, k.Name), k.Key, path + ".configMapKeyRef", c.Name, isTrue(k.Optional), false})
		}
		if k := e.ValueFrom.SecretKeyRef; k != nil {
			out = append(out, use{ref("Secret", namespace, k.Name), k.Key, path + ".secretKeyRef", c.Name, isTrue(k.Optional), false})
		}
	}
	for i, e := range c.EnvFrom {
		path := fmt.Sprintf("%s[%s].envFrom[%d]", group, c.Name, i)
		if r := e.ConfigMapRef; r != nil {
			out = append(out, use{ref("ConfigMap", namespace, r.Name), "", path + ".configMapRef", c.Name, isTrue(r.Optional), false})
		}
		if r := e.SecretRef; r != nil {
			out = append(out, use{ref("Secret", namespace, r.Name), "", path + ".secretRef", c.Name, isTrue(r.Optional), false})
		}
	}
	return out
}

func volumeUses(namespace string, v *corev1.Volume) []use {
	path := fmt.Sprintf("volumes[%s]", v.Name)
	switch {
	case v.ConfigMap != nil:
		return itemUses(ref("ConfigMap", namespace, v.ConfigMap.Name), path+".configMap", v.ConfigMap.Items, isTrue(v.ConfigMap.Optional))
	case v.Secret != nil:
		return itemUses(ref("Secret", namespace, v.Secret.SecretName), path+".secret", v.Secret.Items, isTrue(v.Secret.Optional))
	case v.PersistentVolumeClaim != nil:
		return []use{{ref: ref("PersistentVolumeClaim", namespace, v.PersistentVolumeClaim.ClaimName), path: path + ".persistentVolumeClaim"}}
	case v.Projected != nil:
		var out []use
		for i, s := range v.Projected.Sources {
			at := fmt.Sprintf("%s.projected.sources[%d]", path, i)
			if s.ConfigMap != nil {
				out = append(out, itemUses(ref("ConfigMap", namespace, s.ConfigMap.Name), at+".configMap", s.ConfigMap.Items, isTrue(s.ConfigMap.Optional))...)
			}
			if s.Secret != nil {
				out = append(out, itemUses(ref("Secret", namespace, s.Secret.Name), at+".secret", s.Secret.Items, isTrue(s.Secret.Optional))...)
			}
		}
		return out
	}
	return nil
}

func itemUses(r cluster.Ref, path string, items []corev1.KeyToPath, optional bool) []use {
	out := []use{{ref: r, path: path, optional: optional}}
	for _, i := range items {
		out = append(out, use{ref: r, key: i.Key, path: path + ".items", optional: optional})
	}
	return out
}

func isTrue(b *bool) bool { return b != nil && *b }
