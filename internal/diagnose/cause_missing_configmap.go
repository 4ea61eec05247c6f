package diagnose

import "strings"

var missingConfigMap = cause{
	id: "MissingConfigMap", severity: High,
	check: func(x *exam) {
		for _, l := range x.lacks("ConfigMap") {
			x.add(x.missingConfig(l))
		}
	},
	texts: texts{
		english: map[string]string{
			"MissingConfigMap.message": "%[1]s, which %[2]s refers to, does not exist",
			"MissingConfigMap.key":     "%[1]s has no entry %[3]s, which %[2]s asks for",
			"MissingConfigMap.fix":     "Create %[1]s or correct the reference in %[2]s; what it should hold cannot be known from here. The kubelet goes on by itself.",
			"MissingConfigMap.fixKey":  "Add the entry %[3]s to %[1]s or correct the reference in %[2]s (entries: %[4]s).",
		},
		french: map[string]string{
			"MissingConfigMap.message": "%[1]s, à laquelle %[2]s se réfère, n'existe pas",
			"MissingConfigMap.key":     "%[1]s n'a pas d'entrée %[3]s, que %[2]s demande",
			"MissingConfigMap.fix":     "Créez la %[1]s ou corrigez la référence dans %[2]s ; son contenu ne peut pas être connu d'ici. Le kubelet reprendra de lui-même.",
			"MissingConfigMap.fixKey":  "Ajoutez l'entrée %[3]s à %[1]s ou corrigez la référence dans %[2]s (entrées : %[4]s).",
		},
	},
}

func (x *exam) missingConfig(l lack) Finding {
	w := l.symptom.work.ref
	f := Finding{
		Cause: "MissingConfigMap", Object: l.ref, Absent: !x.exists(l.ref), Evidence: l.evidence,
		links: links{explains: []*symptom{l.symptom}},
	}
	if l.key != "" && x.exists(l.ref) {
		keys, _ := x.keysOf(l.ref)
		f.Object, f.links.affects = w, append(f.links.affects, l.ref)
		f.Message = x.say("MissingConfigMap.key", l.ref.String(), w.String(), l.key)
		f.Fix = x.say("MissingConfigMap.fixKey", l.ref.String(), w.String(), l.key, strings.Join(keys, ", "))
		f.Evidence = append(f.Evidence, field(l.ref, "data", strings.Join(keys, ", ")))
		return f
	}
	f.Message = x.say("MissingConfigMap.message", l.ref.String(), w.String())
	f.Fix = x.say("MissingConfigMap.fix", l.ref.String(), w.String())
	x.orderedFrom(&f)
	if f.Absent && x.absent(l.ref) {
		f.Evidence = append(f.Evidence, cite(AbsenceEvidence, l.ref.String(), l.ref.String()+": NotFound", 0))
	}
	return f
}
