package diagnose

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var livenessProbeTooAggressive = cause{
	id: "LivenessProbeTooAggressive", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(crashing, restarted) {
			if kill := x.probeKill(s); kill != nil {
				x.add(x.killedByProbe(s, kill))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"LivenessProbeTooAggressive.message":  "The %[3]s probe of container %[1]s in %[2]s kills the process before it answers",
			"LivenessProbeTooAggressive.wrong":    "The %[3]s probe of container %[1]s in %[2]s asks for something that the process does not serve, and kills it: %[4]s",
			"LivenessProbeTooAggressive.fix":      "Give container %[1]s of %[2]s time: a startupProbe that covers its whole start, or a larger initialDelaySeconds, timeoutSeconds or failureThreshold of the %[3]s probe.",
			"LivenessProbeTooAggressive.fixWrong": "Correct path, port or scheme of the %[3]s probe of container %[1]s in %[2]s.",
		},
		french: map[string]string{
			"LivenessProbeTooAggressive.message":  "La sonde %[3]s du conteneur %[1]s de %[2]s tue le processus avant qu'il ne réponde",
			"LivenessProbeTooAggressive.wrong":    "La sonde %[3]s du conteneur %[1]s de %[2]s demande ce que le processus ne sert pas, et le tue : %[4]s",
			"LivenessProbeTooAggressive.fix":      "Laissez du temps au conteneur %[1]s de %[2]s : une startupProbe qui couvre tout son démarrage, ou des initialDelaySeconds, timeoutSeconds ou failureThreshold plus grands pour la sonde %[3]s.",
			"LivenessProbeTooAggressive.fixWrong": "Corrigez le chemin, le port ou le protocole de la sonde %[3]s du conteneur %[1]s de %[2]s.",
		},
	},
}

// probeKill is the event that shows that a probe had the container of a symptom killed: the kubelet's word or, since
// floods of events lose some of them, the probe that failed while the instance lived that a signal ended.
func (x *exam) probeKill(s *symptom) *cluster.Event {
	if last := x.toldKill(s); last != nil {
		return last
	}
	for _, word := range []string{"Liveness probe", "Startup probe"} {
		if e := x.unhealthy(s, word); e != nil && x.endsAfter(s, e) {
			return e
		}
	}
	return nil
}

// toldKill is the last event in which a kubelet says that it kills the container of a symptom for its probe.
func (x *exam) toldKill(s *symptom) *cluster.Event {
	var last *cluster.Event
	for _, p := range s.pods {
		for _, e := range x.events[podRef(p)] {
			if e.Reason == "Killing" && namedIn(e.Message, s.container) && x.recent(e.Last, crashMemory) &&
				(strings.Contains(e.Message, "failed liveness probe") || strings.Contains(e.Message, "failed startup probe")) &&
				(last == nil || e.Last.After(last.Last)) {
				last = e
			}
		}
	}
	return last
}

// endsAfter says that an instance of the container of a symptom ended by a signal, not for lack of memory, after the
// probe of the event had begun to fail and while it still failed.
func (x *exam) endsAfter(s *symptom, e *cluster.Event) bool {
	if !x.recent(e.Last, crashMemory) {
		return false
	}
	return slices.ContainsFunc(s.pods, func(p *corev1.Pod) bool {
		t := termination(statusOf(p, s.container))
		return podRef(p) == e.About && t != nil && (t.ExitCode == 137 || t.ExitCode == 143) && t.Reason != "OOMKilled" &&
			!e.First.After(t.FinishedAt.Time) && !e.Last.Before(t.StartedAt.Time)
	})
}

func (x *exam) killedByProbe(s *symptom, kill *cluster.Event) Finding {
	kind, word := "liveness", "Liveness probe"
	if strings.HasPrefix(kill.Message, "Startup probe") || strings.Contains(kill.Message, "failed startup probe") {
		kind, word = "startup", "Startup probe"
	}
	f := Finding{
		Cause: "LivenessProbeTooAggressive", Object: s.work.ref, Evidence: []Evidence{event(kill)},
		links:   links{explains: x.alsoStalled(s), weak: s.weak()},
		Message: x.say("LivenessProbeTooAggressive.message", s.container, s.work.ref.String(), kind),
		Fix:     x.say("LivenessProbeTooAggressive.fix", s.container, s.work.ref.String(), kind),
	}
	if e := x.unhealthy(s, word); e != nil {
		f.Evidence = append(f.Evidence, event(e))
		if wrongProbe(e.Message) {
			f.Message = x.say("LivenessProbeTooAggressive.wrong", s.container, s.work.ref.String(), kind, afterColon(e.Message))
			f.Fix = x.say("LivenessProbeTooAggressive.fixWrong", s.container, s.work.ref.String(), kind)
		}
	}
	if c := s.spec(); c != nil {
		probe, path := c.LivenessProbe, "livenessProbe"
		if kind == "startup" {
			probe, path = c.StartupProbe, "startupProbe"
		}
		f.Evidence = append(f.Evidence, x.probeFields(s, path, probe)...)
	}
	f.Evidence = append(f.Evidence, x.ending(s)...)
	f.Evidence = append(f.Evidence, x.lastWords(s)...)
	if h, ok := best(x.hitsOf(s)); ok && h.sig.rank == dependency {
		f.links.needs = x.peers(s.work, h)
		f.Evidence = append(f.Evidence, h.evidence())
	}
	return f
}

// unhealthy is the last event of a failed probe of a symptom's container.
func (x *exam) unhealthy(s *symptom, word string) *cluster.Event {
	var last *cluster.Event
	for _, p := range s.pods {
		for _, e := range x.events[podRef(p)] {
			mine := s.container == "" || e.FieldPath == "" || strings.Contains(e.FieldPath, "{"+s.container+"}")
			if e.Reason == "Unhealthy" && mine && strings.HasPrefix(e.Message, word) && (last == nil || e.Last.After(last.Last)) {
				last = e
			}
		}
	}
	return last
}

// probeFields cites how a probe is set.
func (x *exam) probeFields(s *symptom, path string, p *corev1.Probe) []Evidence {
	if p == nil {
		return nil
	}
	var out []Evidence
	add := func(name string, value any) { out = append(out, x.containerField(s, path+"."+name, value)) }
	switch {
	case p.HTTPGet != nil:
		add("httpGet.path", p.HTTPGet.Path)
		add("httpGet.port", p.HTTPGet.Port.String())
		if p.HTTPGet.Scheme == corev1.URISchemeHTTPS {
			add("httpGet.scheme", p.HTTPGet.Scheme)
		}
	case p.TCPSocket != nil:
		add("tcpSocket.port", p.TCPSocket.Port.String())
	case p.GRPC != nil:
		add("grpc.port", fmt.Sprint(p.GRPC.Port))
	case p.Exec != nil:
		add("exec.command", strings.Join(p.Exec.Command, " "))
	}
	add("initialDelaySeconds", p.InitialDelaySeconds)
	add("failureThreshold", p.FailureThreshold)
	add("timeoutSeconds", p.TimeoutSeconds)
	return out
}

// wrongProbe says that the answer to a probe shows that it asks for the wrong thing: the process is there and serves
// something else.
func wrongProbe(message string) bool {
	for _, w := range []string{
		"statuscode: 400", "statuscode: 401", "statuscode: 403", "statuscode: 404", "statuscode: 405", "statuscode: 406", "statuscode: 426",
		"server gave HTTP response to HTTPS client", "malformed HTTP response", "malformed HTTP status code", "executable file not found", "no such file or directory", "not found", "first record does not look like a TLS handshake",
		"service unknown", "unknown service", "certificate is valid for",
	} {
		if strings.Contains(message, w) {
			return true
		}
	}
	return false
}

func afterColon(s string) string {
	if _, rest, ok := strings.Cut(s, ": "); ok {
		return rest
	}
	return s
}
