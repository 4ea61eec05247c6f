package diagnose

import "strings"

var missingSecretKey = cause{
	id: "MissingSecretKey", severity: High,
	check: func(x *exam) {
		for _, l := range x.lacks("Secret") {
			if l.key != "" {
				x.add(x.secretKeyGone(l))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"MissingSecretKey.message": "%[1]s asks for the entry %[2]s of %[3]s, which does not hold it",
			"MissingSecretKey.fix":     "Correct the key in %[1]s or add the entry %[2]s to %[3]s.",
			"MissingSecretKey.keys":    "Correct the key in %[1]s or add the entry %[2]s to %[3]s, which holds: %[4]s.",
		},
		french: map[string]string{
			"MissingSecretKey.message": "%[1]s demande l'entrée %[2]s de %[3]s, qui ne la contient pas",
			"MissingSecretKey.fix":     "Corrigez la clé dans %[1]s ou ajoutez l'entrée %[2]s à %[3]s.",
			"MissingSecretKey.keys":    "Corrigez la clé dans %[1]s ou ajoutez l'entrée %[2]s à %[3]s, qui contient : %[4]s.",
		},
	},
}

func (x *exam) secretKeyGone(l lack) Finding {
	w := l.symptom.work.ref
	f := Finding{
		Cause: "MissingSecretKey", Object: w, Evidence: l.evidence,
		links:   links{explains: []*symptom{l.symptom}, affects: nil},
		Message: x.say("MissingSecretKey.message", w.String(), l.key, l.ref.String()),
		Fix:     x.say("MissingSecretKey.fix", w.String(), l.key, l.ref.String()),
	}
	f.links.affects = append(f.links.affects, l.ref)
	if keys, known := x.keysOf(l.ref); known && len(keys) > 0 {
		f.Fix = x.say("MissingSecretKey.keys", w.String(), l.key, l.ref.String(), strings.Join(keys, ", "))
		f.Evidence = append(f.Evidence, field(l.ref, "keys", strings.Join(keys, ", ")))
	}
	return f
}
