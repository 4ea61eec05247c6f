package diagnose

import "strings"

var runAsNonRootViolation = cause{
	id: "RunAsNonRootViolation", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(waiting) {
			if evidence := x.nonRootRefusal(s); evidence != nil {
				x.add(x.runsAsRoot(s, evidence))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"RunAsNonRootViolation.message": "Container %[1]s of %[2]s must not run as root, and its image would",
			"RunAsNonRootViolation.fix":     "Set securityContext.runAsUser of container %[1]s in %[2]s to a numeric user other than 0 that the image supports, or use an image with such a USER.",
		},
		french: map[string]string{
			"RunAsNonRootViolation.message": "Le conteneur %[1]s de %[2]s ne doit pas tourner en root, et son image le ferait",
			"RunAsNonRootViolation.fix":     "Donnez à securityContext.runAsUser du conteneur %[1]s de %[2]s un utilisateur numérique autre que 0 que l'image accepte, ou prenez une image avec un tel USER.",
		},
	},
}

var nonRootMessages = []string{"runAsNonRoot and image will run as root", "runAsNonRoot and image has non-numeric user", "breaks non-root policy"}

func (x *exam) nonRootRefusal(s *symptom) []Evidence {
	says := func(text string) bool {
		for _, m := range nonRootMessages {
			if strings.Contains(text, m) {
				return true
			}
		}
		return false
	}
	for _, p := range s.pods {
		if c := statusOf(p, s.container); c != nil && c.State.Waiting != nil && says(c.State.Waiting.Message) {
			return x.waitingEvidence(p, c)
		}
		for _, e := range x.events[podRef(p)] {
			if e.Warning && says(e.Message) {
				return []Evidence{event(e)}
			}
		}
	}
	return nil
}

func (x *exam) runsAsRoot(s *symptom, evidence []Evidence) Finding {
	f := Finding{
		Cause: "RunAsNonRootViolation", Object: s.work.ref, Evidence: evidence, links: links{explains: []*symptom{s}},
		Message: x.say("RunAsNonRootViolation.message", s.container, s.work.ref.String()),
		Fix:     x.say("RunAsNonRootViolation.fix", s.container, s.work.ref.String()),
	}
	if c := s.spec(); c != nil && c.SecurityContext != nil && isTrue(c.SecurityContext.RunAsNonRoot) {
		f.Evidence = append(f.Evidence, x.containerField(s, "securityContext.runAsNonRoot", true))
		if u := c.SecurityContext.RunAsUser; u != nil {
			f.Evidence = append(f.Evidence, x.containerField(s, "securityContext.runAsUser", *u))
		}
	}
	if sc := s.pod().Spec.SecurityContext; sc != nil && isTrue(sc.RunAsNonRoot) {
		f.Evidence = append(f.Evidence, field(s.work.ref, "spec.template.spec.securityContext.runAsNonRoot", true))
	}
	return f
}
