package diagnose

import (
	"regexp"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var ownStorageMessage = regexp.MustCompile(`(?i)ephemeral local storage usage exceeds the total limit of containers|exceeded its local ephemeral storage limit|Usage of EmptyDir volume "[^"]+" exceeds the limit`)

var evictedEphemeralStorage = cause{
	id: "EvictedEphemeralStorage", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(evicted) {
			if message, evidence := x.evictionWord(s); ownStorageMessage.MatchString(message) {
				x.add(x.usedTooMuch(s, message, evidence))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"EvictedEphemeralStorage.message": "The pods of %[1]s are evicted for using more local storage than they may: %[2]s",
			"EvictedEphemeralStorage.fix":     "Let %[1]s write less to its own file system or emptyDir, raise that limit, or give it a volume; the node itself is not the cause.",
		},
		french: map[string]string{
			"EvictedEphemeralStorage.message": "Les pods de %[1]s sont évincés parce qu'ils utilisent plus de stockage local que permis : %[2]s",
			"EvictedEphemeralStorage.fix":     "Faites écrire moins à %[1]s dans son propre système de fichiers ou emptyDir, augmentez cette limite, ou donnez-lui un volume ; le nœud n'est pas en cause.",
		},
	},
}

// evictionWord is what the kubelet says of an eviction, in the pod's status or in an event.
func (x *exam) evictionWord(s *symptom) (string, []Evidence) {
	for _, p := range s.pods {
		if p.Status.Message != "" {
			out := []Evidence{field(podRef(p), "status.message", p.Status.Message), field(podRef(p), "status.reason", p.Status.Reason)}
			if e := x.lastEvent([]cluster.Ref{podRef(p)}, "Evicted"); e != nil {
				out = append(out, event(e))
			}
			return p.Status.Message, out
		}
		if e := x.lastEvent([]cluster.Ref{podRef(p)}, "Evicted"); e != nil {
			return e.Message, []Evidence{event(e)}
		}
	}
	return "", nil
}

func (x *exam) usedTooMuch(s *symptom, message string, evidence []Evidence) Finding {
	f := Finding{
		Cause: "EvictedEphemeralStorage", Object: s.work.ref, Evidence: evidence, links: links{explains: []*symptom{s}, weak: s.weak()},
		Message: x.say("EvictedEphemeralStorage.message", s.work.ref.String(), message),
		Fix:     x.say("EvictedEphemeralStorage.fix", s.work.ref.String()),
	}
	spec := &s.pod().Spec
	for i := range spec.Containers {
		c := &spec.Containers[i]
		if q, ok := c.Resources.Limits[corev1.ResourceEphemeralStorage]; ok {
			f.Evidence = append(f.Evidence, x.containerField(&symptom{work: s.work, container: c.Name}, "resources.limits.ephemeral-storage", q.String()))
		}
	}
	for _, v := range spec.Volumes {
		if v.EmptyDir != nil && v.EmptyDir.SizeLimit != nil {
			limit := *v.EmptyDir.SizeLimit // a quantity keeps the text that it is first printed as: let this one's copy do so
			f.Evidence = append(f.Evidence, field(s.work.ref, "spec.template.spec.volumes["+v.Name+"].emptyDir.sizeLimit", limit.String()))
		}
	}
	return f
}
