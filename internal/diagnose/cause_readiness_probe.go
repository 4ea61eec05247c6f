package diagnose

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// readinessProbeWrong comes before the logs are asked: the probe's own failure says that it asks for the wrong thing.
var readinessProbeWrong = cause{
	id: "ReadinessProbeFailing", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(unready) {
			if x.sidecarOf(s) || s.reason == "init" {
				continue
			}
			e := x.unhealthy(s, "Readiness probe")
			switch {
			case e != nil && wrongProbe(e.Message):
				x.add(x.notReady(s, e, "wrong"))
			case e != nil && refusedPort(e.Message) != "" && x.listensElsewhere(s):
				x.add(x.notReady(s, e, "port"))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"ReadinessProbeFailing.wrong":   "The readiness probe of container %[1]s in %[2]s asks for something that the process does not serve: %[3]s",
			"ReadinessProbeFailing.port":    "The readiness probe of container %[1]s in %[2]s asks on a port on which the process does not listen: %[3]s",
			"ReadinessProbeFailing.message": "Container %[1]s of %[2]s runs, and its readiness probe fails: %[3]s",
			"ReadinessProbeFailing.gate":    "The pods of %[2]s run and wait for the readiness gate %[3]s, which nobody has set to True",
			"ReadinessProbeFailing.fix":     "Correct path, port, scheme or command of the readinessProbe of container %[1]s in %[2]s; the process itself is up.",
			"ReadinessProbeFailing.fixSee":  "See what container %[1]s of %[2]s answers to its probe and why; if it only needs longer, raise timeoutSeconds or failureThreshold.",
			"ReadinessProbeFailing.fixGate": "See why whoever is responsible for the condition %[3]s does not set it on the pods of %[2]s.",
		},
		french: map[string]string{
			"ReadinessProbeFailing.wrong":   "La sonde de disponibilité du conteneur %[1]s de %[2]s demande ce que le processus ne sert pas : %[3]s",
			"ReadinessProbeFailing.port":    "La sonde de disponibilité du conteneur %[1]s de %[2]s vise un port où le processus n'écoute pas : %[3]s",
			"ReadinessProbeFailing.message": "Le conteneur %[1]s de %[2]s tourne, et sa sonde de disponibilité échoue : %[3]s",
			"ReadinessProbeFailing.gate":    "Les pods de %[2]s tournent et attendent la condition %[3]s (readiness gate), que personne n'a mise à True",
			"ReadinessProbeFailing.fix":     "Corrigez le chemin, le port, le protocole ou la commande de la readinessProbe du conteneur %[1]s de %[2]s ; le processus lui-même fonctionne.",
			"ReadinessProbeFailing.fixSee":  "Regardez ce que le conteneur %[1]s de %[2]s répond à sa sonde et pourquoi ; s'il lui faut seulement plus de temps, augmentez timeoutSeconds ou failureThreshold.",
			"ReadinessProbeFailing.fixGate": "Cherchez pourquoi le responsable de la condition %[3]s ne la pose pas sur les pods de %[2]s.",
		},
	},
}

// readinessProbeFailing comes last: whatever the log explains is explained.
var readinessProbeFailing = cause{
	id: "ReadinessProbeFailing", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(unready) {
			if s.reason == "init" {
				continue
			}
			if gate := openGate(s.pod()); gate != "" && s.container == "" {
				x.add(x.gated(s, gate))
			} else if e := x.unhealthy(s, "Readiness probe"); e != nil {
				x.add(x.notReady(s, e, "message"))
			}
		}
	},
}

func (x *exam) notReady(s *symptom, e *cluster.Event, text string) Finding {
	container := s.container
	if container == "" {
		container = strings.TrimSuffix(strings.TrimPrefix(e.FieldPath, "spec.containers{"), "}")
	}
	f := Finding{
		Cause: "ReadinessProbeFailing", Object: s.work.ref, Evidence: []Evidence{event(e)}, links: links{explains: x.alsoStalled(s)},
		Message: x.say("ReadinessProbeFailing."+text, container, s.work.ref.String(), afterColon(e.Message)),
		Fix:     x.say("ReadinessProbeFailing.fix", container, s.work.ref.String()),
	}
	if text == "message" {
		f.Fix = x.say("ReadinessProbeFailing.fixSee", container, s.work.ref.String())
		f.links.needs = x.calls(s.work)
	}
	if c := s.spec(); c != nil {
		f.Evidence = append(f.Evidence, x.probeFields(s, "readinessProbe", c.ReadinessProbe)...)
		f.Evidence = append(f.Evidence, x.servedInstead(s, c.ReadinessProbe)...)
	}
	return f
}

// servedInstead cites lines of the log that speak of the path of a probe or say where the process listens.
func (x *exam) servedInstead(s *symptom, p *corev1.Probe) []Evidence {
	const most = 4
	var out []Evidence
	for _, pod := range s.pods {
		for _, l := range x.logsOf(podRef(pod), s.container) {
			for _, one := range x.lines(l) {
				if at := speaksOfProbe(one, p); at >= 0 && len(out) < most {
					out = append(out, one.cite(at))
				}
			}
			if len(out) > 0 {
				return out
			}
		}
	}
	return out
}

// speaksOfProbe says where a line that is no access line names the path of a probe or a port to listen on, -1 if not.
func speaksOfProbe(one line, p *corev1.Probe) int {
	if accessLine.MatchString(one.text) || strings.Contains(one.text, "kube-probe") {
		return -1
	}
	if at := listening.FindStringIndex(one.text); at != nil {
		return at[0]
	}
	if p != nil && p.HTTPGet != nil && len(p.HTTPGet.Path) > 1 {
		return strings.Index(one.text, p.HTTPGet.Path)
	}
	return -1
}

// listening recognises the line with which servers say that they serve, and the port.
var listening = regexp.MustCompile(`(?i)\b(?:listening|serving|server (?:is )?(?:ready|started|running)|started server|running on|started on|bound to|initialized with)\b.{0,60}?(?::|port\(?s?\)?:? )(\d{2,5})\b`)

var refusedPortPattern = regexp.MustCompile(`:(\d{1,5}): connect: connection refused`)

func refusedPort(message string) string {
	if m := refusedPortPattern.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}

// listensElsewhere says that the log of the container tells of a port it listens on, and the probe asks on another.
func (x *exam) listensElsewhere(s *symptom) bool {
	e := x.unhealthy(s, "Readiness probe")
	port := refusedPort(e.Message)
	other := false
	for _, p := range s.pods {
		for _, l := range x.logsOf(podRef(p), s.container) {
			for _, one := range x.lines(l) {
				if m := listening.FindStringSubmatch(one.text); m != nil {
					if m[1] == port {
						return false
					}
					other = true
				}
			}
		}
	}
	return other
}

// openGate is the first readiness gate of a pod that is not True.
func openGate(p *corev1.Pod) string {
	if p == nil {
		return ""
	}
	for _, g := range p.Spec.ReadinessGates {
		if c := podCondition(p, g.ConditionType); c == nil || c.Status != corev1.ConditionTrue {
			return string(g.ConditionType)
		}
	}
	return ""
}

func (x *exam) gated(s *symptom, gate string) Finding {
	f := Finding{
		Cause: "ReadinessProbeFailing", Object: s.work.ref, links: links{explains: x.alsoStalled(s)},
		Message:  x.say("ReadinessProbeFailing.gate", s.container, s.work.ref.String(), gate),
		Fix:      x.say("ReadinessProbeFailing.fixGate", s.container, s.work.ref.String(), gate),
		Evidence: []Evidence{field(s.work.ref, "spec.template.spec.readinessGates.conditionType", gate)},
	}
	if c := podCondition(s.pod(), corev1.PodReady); c != nil {
		f.Evidence = append(f.Evidence, field(podRef(s.pod()), "status.conditions[Ready].reason", c.Reason), field(podRef(s.pod()), "status.conditions[Ready].message", c.Message))
	}
	return f
}
