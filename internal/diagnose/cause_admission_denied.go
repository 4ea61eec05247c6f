package diagnose

import "regexp"

var (
	policyDenial  = regexp.MustCompile(`ValidatingAdmissionPolicy '([^']+)' with binding '[^']+' denied request: ([^\n]+)`)
	webhookDenial = regexp.MustCompile(`admission webhook "([^"]+)" denied the request:? ?([^\n]*)`)
)

var admissionDenied = cause{
	id: "AdmissionDenied", severity: High,
	check: func(x *exam) {
		for _, r := range x.denials() {
			for _, re := range []*regexp.Regexp{policyDenial, webhookDenial} {
				if m := re.FindStringSubmatch(r.message); m != nil {
					f := x.refused(r, "AdmissionDenied", r.work.ref)
					f.Message = x.say("AdmissionDenied.message", r.work.ref.String(), m[1], m[2])
					f.Fix = x.say("AdmissionDenied.fix", r.work.ref.String(), m[1])
					x.add(f)
					break
				}
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"AdmissionDenied.message": "The admission policy %[2]s refuses the pods of %[1]s: %[3]s",
			"AdmissionDenied.fix":     "Change %[1]s so that it meets the policy %[2]s, or have whoever owns the policy make an exception.",
		},
		french: map[string]string{
			"AdmissionDenied.message": "La règle d'admission %[2]s refuse les pods de %[1]s : %[3]s",
			"AdmissionDenied.fix":     "Changez %[1]s pour qu'il respecte la règle %[2]s, ou demandez une exception à son responsable.",
		},
	},
}
