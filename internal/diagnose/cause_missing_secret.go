package diagnose

import "strings"

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
			"MissingSecret.message": "Secret %[1]s, which %[2]s refers to, does not exist",
			"MissingSecret.fix":     "Create Secret %[1]s or correct the reference in %[2]s; what it should hold cannot be known from here. The kubelet goes on by itself.",
			"MissingSecret.near":    "Correct the reference in %[2]s to Secret %[3]s, which exists, or create Secret %[1]s.",
		},
		french: map[string]string{
			"MissingSecret.message": "Le Secret %[1]s, auquel %[2]s se réfère, n'existe pas",
			"MissingSecret.fix":     "Créez le Secret %[1]s ou corrigez la référence dans %[2]s ; son contenu ne peut pas être connu d'ici. Le kubelet reprendra de lui-même.",
			"MissingSecret.near":    "Corrigez la référence dans %[2]s vers le Secret %[3]s, qui existe, ou créez le Secret %[1]s.",
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
	return f
}

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
			"MissingSecretKey.message": "%[1]s asks for the entry %[2]s of Secret %[3]s, which does not hold it",
			"MissingSecretKey.fix":     "Correct the key in %[1]s or add the entry %[2]s to Secret %[3]s.",
			"MissingSecretKey.keys":    "Correct the key in %[1]s or add the entry %[2]s to Secret %[3]s, which holds: %[4]s.",
		},
		french: map[string]string{
			"MissingSecretKey.message": "%[1]s demande l'entrée %[2]s du Secret %[3]s, qui ne la contient pas",
			"MissingSecretKey.fix":     "Corrigez la clé dans %[1]s ou ajoutez l'entrée %[2]s au Secret %[3]s.",
			"MissingSecretKey.keys":    "Corrigez la clé dans %[1]s ou ajoutez l'entrée %[2]s au Secret %[3]s, qui contient : %[4]s.",
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
