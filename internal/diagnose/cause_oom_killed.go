package diagnose

import (
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

var oomKilled = cause{
	id: "OOMKilled", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(crashing, restarted) {
			if t := termination(s.status()); t != nil && t.Reason == "OOMKilled" {
				x.add(x.outOfMemory(s))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"OOMKilled.message": "Container %[1]s of %[2]s is killed for exceeding its memory limit of %[3]s",
			"OOMKilled.noLimit": "Container %[1]s of %[2]s has no memory limit and was killed when the memory of its node or pod ran out",
			"OOMKilled.fix":     "Raise the memory limit of container %[1]s above %[2]s or make the process need less; a restart alone changes nothing.",
			"OOMKilled.fixNone": "Give container %[1]s a memory request and limit that fit what it uses; no safe value is known from here.",
		},
		french: map[string]string{
			"OOMKilled.message": "Le conteneur %[1]s de %[2]s est tué parce qu'il dépasse sa limite mémoire de %[3]s",
			"OOMKilled.noLimit": "Le conteneur %[1]s de %[2]s n'a pas de limite mémoire et a été tué quand la mémoire de son nœud ou de son pod s'est épuisée",
			"OOMKilled.fix":     "Augmentez la limite mémoire du conteneur %[1]s au-delà de %[2]s ou réduisez ce que le processus consomme ; un simple redémarrage ne change rien.",
			"OOMKilled.fixNone": "Donnez au conteneur %[1]s une requête et une limite mémoire à sa mesure ; aucune valeur sûre n'est connue d'ici.",
		},
	},
}

func (x *exam) outOfMemory(s *symptom) Finding {
	f := Finding{Cause: "OOMKilled", Object: s.work.ref, Evidence: x.ending(s), links: links{explains: []*symptom{s}, weak: s.weak()}}
	limit, ok := memoryLimit(s.spec())
	if ok {
		f.Message = x.say("OOMKilled.message", s.container, s.work.ref.String(), limit.String())
		f.Fix = x.say("OOMKilled.fix", s.container, limit.String())
		f.Evidence = append(f.Evidence, x.containerField(s, "resources.limits.memory", limit.String()))
		more := limit.DeepCopy()
		more.Add(limit)
		patch := containerPatch
		if s.init {
			patch = initContainerPatch
		}
		f.Operation = patch(s.work.ref, s.container, map[string]any{"resources": map[string]any{"limits": map[string]any{"memory": more.String()}}})
	} else {
		f.Message = x.say("OOMKilled.noLimit", s.container, s.work.ref.String())
		f.Fix = x.say("OOMKilled.fixNone", s.container)
	}
	f.Evidence = append(f.Evidence, x.memorySettings(s)...)
	f.Evidence = append(f.Evidence, x.lastWords(s)...)
	return f
}

func memoryLimit(c *corev1.Container) (resource.Quantity, bool) {
	if c == nil {
		return resource.Quantity{}, false
	}
	q, ok := c.Resources.Limits[corev1.ResourceMemory]
	return q, ok
}

// memorySetting recognises arguments and variables that size what a process keeps in memory.
var memorySetting = regexp.MustCompile(`(?i)(?:mem(?:ory)?|heap|buffers?|cache|xmx|maxram\w*|old[-_]space[-_]size)[\w.-]*(?:[=: ]\d+\S*|\d+[kmgt])`)

// memorySettings cites how the process was told to use memory.
func (x *exam) memorySettings(s *symptom) []Evidence {
	c := s.spec()
	if c == nil {
		return nil
	}
	var out []Evidence
	for _, a := range slices.Concat(c.Command, c.Args) {
		if memorySetting.MatchString(a) {
			out = append(out, x.containerField(s, "args", a))
		}
	}
	for _, e := range c.Env {
		if memorySetting.MatchString(e.Name + "=" + e.Value) {
			one := x.containerField(s, "env["+e.Name+"].value", "")
			out = append(out, cite(FieldEvidence, one.Source, e.Name+": "+e.Value, 0))
		}
	}
	return out
}

// lastWords cites the last line that a container logged before it ended.
func (x *exam) lastWords(s *symptom) []Evidence {
	if last := x.lastLine(s); last != nil {
		return []Evidence{last.cite(0)}
	}
	return nil
}
