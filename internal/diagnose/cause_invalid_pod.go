package diagnose

import "regexp"

var invalidPod = regexp.MustCompile(`(?:Pod|PodTemplate) "[^"]*" is invalid: ([^\n]+)`)

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
