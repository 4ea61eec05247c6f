package diagnose

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
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

var readOnlyFilesystem = cause{
	id: "ReadOnlyFilesystem", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(crashing, waiting) {
			if message, evidence := x.startFailure(s); strings.Contains(message, "read-only file system") {
				x.add(Finding{
					Cause: "ReadOnlyFilesystem", Object: s.work.ref, Evidence: evidence, links: links{explains: []*symptom{s}},
					Message: x.say("ReadOnlyFilesystem.message", s.container, s.work.ref.String(), message),
					Fix:     x.say("ReadOnlyFilesystem.fix", s.container, s.work.ref.String()),
				})
			}
		}
	},
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.fromLog("ReadOnlyFilesystem", s, h)
		f.Evidence = append(f.Evidence, x.securityFields(s, h)...)
		return f
	},
	texts: texts{
		english: map[string]string{
			"ReadOnlyFilesystem.message": "The process of container %[1]s in %[2]s writes where the file system is read-only: %[3]s",
			"ReadOnlyFilesystem.fix":     "Mount an emptyDir or a volume for container %[1]s of %[2]s where it writes, or tell it to write elsewhere; the root file system may stay read-only.",
		},
		french: map[string]string{
			"ReadOnlyFilesystem.message": "Le processus du conteneur %[1]s de %[2]s écrit là où le système de fichiers est en lecture seule : %[3]s",
			"ReadOnlyFilesystem.fix":     "Montez un emptyDir ou un volume pour le conteneur %[1]s de %[2]s là où il écrit, ou faites-le écrire ailleurs ; le système de fichiers racine peut rester en lecture seule.",
		},
	},
}

var diskFullInContainer = cause{
	id: "DiskFullInContainer", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.fromLog("DiskFullInContainer", s, h)
		claim, capacity := x.claimOf(s, h)
		if claim.Name == "" {
			return f
		}
		f.links.affects = append(f.links.affects, s.work.ref)
		f.Object = claim
		f.Evidence = append(f.Evidence, field(claim, "status.capacity.storage", capacity))
		f.Message = x.say("DiskFullInContainer.claim", s.container, s.work.ref.String(), claim.String(), lineWord(h))
		f.Fix = x.say("DiskFullInContainer.fixClaim", claim.String(), s.work.ref.String())
		return f
	},
	texts: texts{
		english: map[string]string{
			"DiskFullInContainer.message":  "A file system that container %[1]s of %[2]s writes to is full: %[3]s",
			"DiskFullInContainer.claim":    "Volume %[3]s, to which container %[1]s of %[2]s writes, is full: %[4]s",
			"DiskFullInContainer.fix":      "Make room where container %[1]s of %[2]s writes, or give it a larger volume.",
			"DiskFullInContainer.fixClaim": "Enlarge %[1]s (if its class allows expansion) or remove data that %[2]s does not need any more; data are never removed from here.",
		},
		french: map[string]string{
			"DiskFullInContainer.message":  "Un système de fichiers où écrit le conteneur %[1]s de %[2]s est plein : %[3]s",
			"DiskFullInContainer.claim":    "Le volume %[3]s, où écrit le conteneur %[1]s de %[2]s, est plein : %[4]s",
			"DiskFullInContainer.fix":      "Libérez de la place là où écrit le conteneur %[1]s de %[2]s, ou donnez-lui un volume plus grand.",
			"DiskFullInContainer.fixClaim": "Agrandissez %[1]s (si sa classe le permet) ou retirez des données dont %[2]s n'a plus besoin ; rien n'est jamais effacé d'ici.",
		},
	},
}

// claimOf is the claim that a symptom's container writes to at a path that the line names or, where it names none, the
// only one it mounts for writing.
func (x *exam) claimOf(s *symptom, h hit) (cluster.Ref, string) {
	c, p := s.spec(), s.pod()
	if c == nil || p == nil {
		return cluster.Ref{}, ""
	}
	claims := map[string]string{}
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			claims[v.Name] = v.PersistentVolumeClaim.ClaimName
		}
	}
	name := ""
	if m := mountOf(c, h.text); m != nil {
		name = claims[m.Name]
	} else {
		for _, m := range c.VolumeMounts {
			if claim := claims[m.Name]; claim != "" && !m.ReadOnly && strings.HasPrefix(h.vars["file"], "/") == false {
				name = claim
			}
		}
		if len(claims) > 1 {
			name = ""
		}
	}
	if name == "" {
		return cluster.Ref{}, ""
	}
	r := ref("PersistentVolumeClaim", p.Namespace, name)
	if o := get[*corev1.PersistentVolumeClaim](x.index, r.Kind, r.Namespace, r.Name); o != nil {
		q := o.Status.Capacity[corev1.ResourceStorage]
		return r, q.String()
	}
	return r, "?"
}
