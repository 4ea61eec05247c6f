package diagnose

import "regexp"

var (
	policyDenial   = regexp.MustCompile(`ValidatingAdmissionPolicy '([^']+)' with binding '[^']+' denied request: ([^\n]+)`)
	webhookDenial  = regexp.MustCompile(`admission webhook "([^"]+)" denied the request:? ?([^\n]*)`)
	priorityAbsent = regexp.MustCompile(`no PriorityClass with name (\S+) was found`)
	invalidPod     = regexp.MustCompile(`(?:Pod|PodTemplate) "[^"]*" is invalid: ([^\n]+)`)
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

var missingPriorityClass = cause{
	id: "MissingPriorityClass", severity: High,
	check: func(x *exam) {
		for _, r := range x.denials() {
			if m := priorityAbsent.FindStringSubmatch(r.message); m != nil {
				at := ref("PriorityClass", "", m[1])
				f := x.refused(r, "MissingPriorityClass", at)
				f.Absent = true
				f.Message = x.say("MissingPriorityClass.message", m[1], r.work.ref.String())
				f.Fix = x.say("MissingPriorityClass.fix", m[1], r.work.ref.String())
				x.add(f)
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"MissingPriorityClass.message": "PriorityClass %[1]s, which %[2]s names, does not exist",
			"MissingPriorityClass.fix":     "Create PriorityClass %[1]s or correct priorityClassName in %[2]s.",
		},
		french: map[string]string{
			"MissingPriorityClass.message": "La PriorityClass %[1]s, que %[2]s désigne, n'existe pas",
			"MissingPriorityClass.fix":     "Créez la PriorityClass %[1]s ou corrigez priorityClassName dans %[2]s.",
		},
	},
}

var invalidPodSpec = cause{
	id: "InvalidPodSpec", severity: High,
	check: func(x *exam) {
		for _, r := range x.denials() {
			if m := invalidPod.FindStringSubmatch(r.message); m != nil {
				f := x.refused(r, "InvalidPodSpec", r.work.ref)
				f.Message = x.say("InvalidPodSpec.message", r.work.ref.String(), m[1])
				f.Fix = x.say("InvalidPodSpec.fix", r.work.ref.String())
				x.add(f)
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"InvalidPodSpec.message": "The API server refuses the pods of %[1]s as invalid: %[2]s",
			"InvalidPodSpec.fix":     "Correct the pod template of %[1]s as the message says.",
		},
		french: map[string]string{
			"InvalidPodSpec.message": "Le serveur d'API refuse les pods de %[1]s comme invalides : %[2]s",
			"InvalidPodSpec.fix":     "Corrigez le modèle de pod de %[1]s comme le dit le message.",
		},
	},
}
