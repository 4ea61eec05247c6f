package diagnose

import (
	"regexp"

	corev1 "k8s.io/api/core/v1"
)

var podSecurityMessage = regexp.MustCompile(`violates PodSecurity "([^"]+)": ([^\n]+)`)

var podSecurityRejected = cause{
	id: "PodSecurityRejected", severity: High,
	check: func(x *exam) {
		for _, r := range x.denials() {
			m := podSecurityMessage.FindStringSubmatch(r.message)
			if m == nil {
				continue
			}
			f := x.refused(r, "PodSecurityRejected", r.work.ref)
			f.Message = x.say("PodSecurityRejected.message", r.work.ref.String(), m[1], m[2])
			f.Fix = x.say("PodSecurityRejected.fix", r.work.ref.String(), m[1])
			ns := ref("Namespace", "", r.work.namespace())
			if n := get[*corev1.Namespace](x.index, "Namespace", "", ns.Name); n != nil {
				const label = "pod-security.kubernetes.io/enforce"
				if v := n.Labels[label]; v != "" {
					f.Evidence = append(f.Evidence, cite(FieldEvidence, ns.String()+" metadata.labels", label+": "+v, 0))
				}
			}
			x.add(f)
		}
	},
	texts: texts{
		english: map[string]string{
			"PodSecurityRejected.message": "Pod Security refuses the pods of %[1]s under the level %[2]s of the namespace: %[3]s",
			"PodSecurityRejected.fix":     "Change the security context of %[1]s so that it meets %[2]s. Lowering the level of the namespace is a decision of whoever owns it.",
		},
		french: map[string]string{
			"PodSecurityRejected.message": "Pod Security refuse les pods de %[1]s au niveau %[2]s de l'espace de noms : %[3]s",
			"PodSecurityRejected.fix":     "Changez le contexte de sécurité de %[1]s pour qu'il respecte %[2]s. Abaisser le niveau de l'espace de noms est la décision de son responsable.",
		},
	},
}
