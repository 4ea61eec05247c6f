package diagnose

import (
	"regexp"
	"slices"
	"strings"
)

var tooManyOpenFiles = cause{
	id: "TooManyOpenFiles", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.fromLog("TooManyOpenFiles", s, h)
		if c := s.spec(); c != nil {
			for _, a := range slices.Concat(c.Command, c.Args) {
				if at := fileLimits.FindStringIndex(a); at != nil {
					f.Evidence = append(f.Evidence, cite(FieldEvidence, s.work.ref.String()+" spec.template.spec.containers["+c.Name+"].args", a, at[0]))
				}
			}
			for _, v := range x.variables(s.work, c) {
				if fileLimits.MatchString(v.name) {
					f.Evidence = append(f.Evidence, v.evidence)
				}
			}
		}
		if strings.Contains(strings.ToLower(h.text), "notify") || strings.Contains(h.text, "watchers") {
			f.Message = x.say("TooManyOpenFiles.watches", s.container, s.work.ref.String(), h.text[h.focus:])
			f.Fix = x.say("TooManyOpenFiles.fixWatches", s.container, s.work.ref.String(), nodeOf(s))
		}
		return f
	},
	texts: texts{
		english: map[string]string{
			"TooManyOpenFiles.message":    "Container %[1]s of %[2]s has used up its file descriptors: %[3]s",
			"TooManyOpenFiles.watches":    "Container %[1]s of %[2]s gets no more inotify watches or instances from its node: %[3]s",
			"TooManyOpenFiles.fix":        "Raise the limit of open files for container %[1]s of %[2]s where its command or runtime sets it, restart it, and look for descriptors that are never closed.",
			"TooManyOpenFiles.fixWatches": "Raise fs.inotify.max_user_watches and max_user_instances on node %[3]s, or let %[2]s and its neighbours watch fewer files.",
		},
		french: map[string]string{
			"TooManyOpenFiles.message":    "Le conteneur %[1]s de %[2]s a épuisé ses descripteurs de fichiers : %[3]s",
			"TooManyOpenFiles.watches":    "Le conteneur %[1]s de %[2]s n'obtient plus de surveillance inotify de son nœud : %[3]s",
			"TooManyOpenFiles.fix":        "Relevez la limite de fichiers ouverts du conteneur %[1]s de %[2]s là où sa commande ou le moteur la fixe, redémarrez-le, et cherchez les descripteurs jamais fermés.",
			"TooManyOpenFiles.fixWatches": "Relevez fs.inotify.max_user_watches et max_user_instances sur le nœud %[3]s, ou faites surveiller moins de fichiers à %[2]s et à ses voisins.",
		},
	},
}

var fileLimits = regexp.MustCompile(`(?i)ulimit\s+-\w*n\s*\w*|nofile|max_?(?:open_?)?files|rlimit|fd_?limit`)

func nodeOf(s *symptom) string {
	if p := s.pod(); p != nil {
		return p.Spec.NodeName
	}
	return ""
}
