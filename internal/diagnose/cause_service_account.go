package diagnose

import (
	"regexp"

	"github.com/eclusier/eclusier/internal/cluster"
)

var serviceAccountMessage = regexp.MustCompile(`(?:error looking up service account ([\w.-]+)/([\w.-]+)|serviceaccounts? "([^"]+)" not found)`)

var serviceAccountMissing = cause{
	id: "ServiceAccountMissing", severity: High,
	check: func(x *exam) {
		for _, r := range x.denials() {
			m := serviceAccountMessage.FindStringSubmatch(r.message)
			if m == nil {
				continue
			}
			name := m[2]
			if name == "" {
				name = m[3]
			}
			at := ref("ServiceAccount", r.work.namespace(), name)
			f := x.refused(r, "ServiceAccountMissing", at)
			f.Absent = true
			f.Evidence = append(f.Evidence, field(r.work.ref, "spec.template.spec.serviceAccountName", r.work.template.Spec.ServiceAccountName))
			f.Message = x.say("ServiceAccountMissing.message", at.String(), r.work.ref.String())
			f.Fix = x.say("ServiceAccountMissing.fix", at.String(), r.work.ref.String())
			x.nearAccount(&f, at, r.work.ref)
			x.add(f)
		}
	},
	texts: texts{
		english: map[string]string{
			"ServiceAccountMissing.message": "%[1]s, as which the pods of %[2]s run, does not exist",
			"ServiceAccountMissing.fix":     "Create %[1]s with the rights it needs, or correct serviceAccountName in %[2]s.",
			"ServiceAccountMissing.near":    "Correct serviceAccountName in %[2]s to %[3]s, which exists, or create %[1]s with the rights it needs.",
		},
		french: map[string]string{
			"ServiceAccountMissing.message": "%[1]s, sous lequel tournent les pods de %[2]s, n'existe pas",
			"ServiceAccountMissing.fix":     "Créez %[1]s avec les droits qu'il lui faut, ou corrigez serviceAccountName dans %[2]s.",
			"ServiceAccountMissing.near":    "Corrigez serviceAccountName dans %[2]s en %[3]s, qui existe, ou créez %[1]s avec les droits qu'il lui faut.",
		},
	},
}

func (x *exam) nearAccount(f *Finding, at, w cluster.Ref) {
	if near := similar(at.Name, x.namesOf("ServiceAccount", at.Namespace)); near != "" {
		f.Fix = x.say("ServiceAccountMissing.near", at.String(), w.String(), near)
	}
}
