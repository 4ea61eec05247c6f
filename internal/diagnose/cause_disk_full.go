package diagnose

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

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
		f.Evidence = append(f.Evidence, x.retention(s)...)
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

// retentionWords recognise settings that say how long or how much of what is written is kept.
var retentionWords = regexp.MustCompile(`(?i)expire|retention|retain|keep|purge|rotat|max[-_.]?(?:size|bytes|files)|wal[-_]|compact`)

// retention cites the arguments and variables that say how long or how much of what is written is kept.
func (x *exam) retention(s *symptom) []Evidence {
	const most = 3
	var out []Evidence
	c := s.spec()
	for _, a := range slices.Concat(c.Command, c.Args) {
		if len(a) < 200 && retentionWords.MatchString(a) && len(out) < most {
			out = append(out, x.containerField(s, "args", a))
		}
	}
	for _, v := range x.variables(s.work, c) {
		if retentionWords.MatchString(v.name) && len(out) < most {
			out = append(out, v.evidence)
		}
	}
	return out
}

// claimOf is the claim that a symptom's container writes to at a path that the line names or, where it names none, the
// only one it mounts for writing.
func (x *exam) claimOf(s *symptom, h hit) (cluster.Ref, string) {
	c, p := s.spec(), s.pod()
	if c == nil || p == nil {
		return cluster.Ref{}, ""
	}
	name := ""
	if m := mountOf(c, h.text); m != nil {
		name = claimNamed(p, m.Name)
	} else if !strings.HasPrefix(h.vars["file"], "/") {
		name = onlyClaim(c, p)
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

// claimNamed is the claim behind a volume of a pod, empty where it is none.
func claimNamed(p *corev1.Pod, volume string) string {
	for _, v := range p.Spec.Volumes {
		if v.Name == volume && v.PersistentVolumeClaim != nil {
			return v.PersistentVolumeClaim.ClaimName
		}
	}
	return ""
}

// onlyClaim is the claim that a container mounts for writing, empty where it mounts several.
func onlyClaim(c *corev1.Container, p *corev1.Pod) string {
	found := ""
	for _, m := range c.VolumeMounts {
		claim := claimNamed(p, m.Name)
		switch {
		case claim == "" || m.ReadOnly || claim == found:
		case found != "":
			return ""
		default:
			found = claim
		}
	}
	return found
}
