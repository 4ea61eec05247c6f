package diagnose

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

var crashPermissionDenied = cause{
	id: "CrashPermissionDenied", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.fromLog("CrashPermissionDenied", s, h)
		f.Evidence = append(f.Evidence, x.securityFields(s, h)...)
		return f
	},
	texts: texts{
		english: map[string]string{
			"CrashPermissionDenied.message": "The process of container %[1]s in %[2]s may not do what it has to: %[3]s",
			"CrashPermissionDenied.fix":     "Let user and group of container %[1]s in %[2]s fit what it works on (runAsUser, fsGroup, the owner of the files) or grant the right that is missing.",
		},
		french: map[string]string{
			"CrashPermissionDenied.message": "Le processus du conteneur %[1]s de %[2]s n'a pas le droit de faire ce qu'il doit : %[3]s",
			"CrashPermissionDenied.fix":     "Accordez l'utilisateur et le groupe du conteneur %[1]s de %[2]s à ce sur quoi il travaille (runAsUser, fsGroup, propriétaire des fichiers) ou donnez le droit qui manque.",
		},
	},
}

// securityFields cites as whom a container runs and which mount a file that it names lies on.
func (x *exam) securityFields(s *symptom, h hit) []Evidence {
	var out []Evidence
	c, p := s.spec(), s.pod()
	if c == nil || p == nil {
		return nil
	}
	if sc := c.SecurityContext; sc != nil {
		if sc.RunAsUser != nil {
			out = append(out, x.containerField(s, "securityContext.runAsUser", *sc.RunAsUser))
		}
		if sc.ReadOnlyRootFilesystem != nil {
			out = append(out, x.containerField(s, "securityContext.readOnlyRootFilesystem", *sc.ReadOnlyRootFilesystem))
		}
	}
	if sc := p.Spec.SecurityContext; sc != nil {
		if sc.RunAsUser != nil {
			out = append(out, field(s.work.ref, "spec.template.spec.securityContext.runAsUser", *sc.RunAsUser))
		}
		if sc.FSGroup != nil {
			out = append(out, field(s.work.ref, "spec.template.spec.securityContext.fsGroup", *sc.FSGroup))
		}
	}
	if m := mountOf(c, h.text); m != nil {
		out = append(out, x.containerField(s, "volumeMounts["+m.Name+"].mountPath", m.MountPath))
		if m.ReadOnly {
			out = append(out, x.containerField(s, "volumeMounts["+m.Name+"].readOnly", true))
		}
	}
	return out
}

// mountOf is the deepest mount of a container below which a path lies that a text names.
func mountOf(c *corev1.Container, text string) *corev1.VolumeMount {
	var found *corev1.VolumeMount
	for i := range c.VolumeMounts {
		m := &c.VolumeMounts[i]
		at := strings.Index(text, m.MountPath)
		if at < 0 || m.MountPath == "/" {
			continue
		}
		if end := at + len(m.MountPath); end < len(text) && inName(text[end]) {
			continue
		}
		if found == nil || len(m.MountPath) > len(found.MountPath) {
			found = m
		}
	}
	return found
}
