package diagnose

var missingSecret = cause{
	id: "MissingSecret", severity: High,
	check: func(x *exam) {
		for _, l := range x.lacks("Secret") {
			if l.key == "" || !x.exists(l.ref) && x.absent(l.ref) {
				x.add(x.secretGone(l))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"MissingSecret.message": "%[1]s, which %[2]s refers to, does not exist",
			"MissingSecret.fix":     "Create %[1]s or correct the reference in %[2]s; what it should hold cannot be known from here. The kubelet goes on by itself.",
			"MissingSecret.near":    "Correct the reference in %[2]s to %[3]s, which exists, or create %[1]s.",
		},
		french: map[string]string{
			"MissingSecret.message": "%[1]s, auquel %[2]s se réfère, n'existe pas",
			"MissingSecret.fix":     "Créez %[1]s ou corrigez la référence dans %[2]s ; son contenu ne peut pas être connu d'ici. Le kubelet reprendra de lui-même.",
			"MissingSecret.near":    "Corrigez la référence dans %[2]s vers %[3]s, qui existe, ou créez %[1]s.",
		},
	},
}

func (x *exam) secretGone(l lack) Finding {
	w := l.symptom.work.ref
	f := Finding{
		Cause: "MissingSecret", Object: l.ref, Absent: true, Evidence: l.evidence, links: links{explains: []*symptom{l.symptom}},
		Message: x.say("MissingSecret.message", l.ref.String(), w.String()),
		Fix:     x.say("MissingSecret.fix", l.ref.String(), w.String()),
	}
	if near := similar(l.ref.Name, x.namesOf("Secret", l.ref.Namespace)); near != "" {
		f.Fix = x.say("MissingSecret.near", l.ref.String(), w.String(), near)
		f.links.affects = append(f.links.affects, ref("Secret", l.ref.Namespace, near))
	}
	x.orderedFrom(&f)
	return f
}
