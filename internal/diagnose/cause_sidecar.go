package diagnose

import (
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

var sidecarNotReady = cause{
	id: "SidecarNotReady", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(unready, crashing) {
			if x.sidecarOf(s) {
				x.add(x.sidecarFault(s))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"SidecarNotReady.message": "The sidecar %[1]s of %[2]s does not become ready and keeps the whole pod from serving; the main container is not the cause",
			"SidecarNotReady.fix":     "Repair the sidecar %[1]s of %[2]s (see the lines cited and its probe), not the main container.",
		},
		french: map[string]string{
			"SidecarNotReady.message": "Le conteneur annexe %[1]s de %[2]s ne devient pas prêt et empêche tout le pod de servir ; le conteneur principal n'est pas en cause",
			"SidecarNotReady.fix":     "Réparez le conteneur annexe %[1]s de %[2]s (voir les lignes citées et sa sonde), pas le conteneur principal.",
		},
	},
}

// sidecarName recognises containers that serve the main one by their name.
var sidecarName = regexp.MustCompile(`(?i)(?:^|-)(?:istio|envoy|linkerd|proxy|sidecar|agent|exporter|fluent-?bit|fluentd|filebeat|promtail|vector|otel|collector|dapr|daprd|consul|vault|cloud-?sql|cloudsql|oauth2|auth|tls|ghostunnel|nginx-proxy|haproxy|pgbouncer|reloader|watcher|syncer?|git-sync|logs?|logger|shipper|metrics|config-reload(?:er)?|token|cert)(?:-|$|d$)`)

// sidecarOf says that the container of a symptom serves another one of the same pod, which is well.
func (x *exam) sidecarOf(s *symptom) bool {
	p := s.pod()
	if p == nil || s.container == "" {
		return false
	}
	if isSidecar(p, s.container) {
		return true
	}
	return !s.init && len(p.Spec.Containers) > 1 && servesOthers(s.work, p, s.container) && othersRun(p, s.container)
}

// servesOthers says that a container is not the main one: another bears the name of the workload, or its own name is
// that of a helper.
func servesOthers(w *workload, p *corev1.Pod, container string) bool {
	if container == w.ref.Name {
		return false
	}
	if main := mainContainer(w, p); main != "" {
		return main != container
	}
	return sidecarName.MatchString(container)
}

// othersRun says that the other containers of a pod run.
func othersRun(p *corev1.Pod, container string) bool {
	return !slices.ContainsFunc(p.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.Name != container && !c.Ready && c.State.Running == nil
	})
}

// mainContainer is the container that bears the name of its workload or application, empty where none does.
func mainContainer(w *workload, p *corev1.Pod) string {
	for _, name := range []string{w.ref.Name, p.Labels["app"], p.Labels["app.kubernetes.io/name"], p.Labels["k8s-app"]} {
		for i := range p.Spec.Containers {
			if name != "" && p.Spec.Containers[i].Name == name {
				return name
			}
		}
	}
	if v := p.Annotations["kubectl.kubernetes.io/default-container"]; v != "" {
		return v
	}
	return ""
}

func (x *exam) sidecarFault(s *symptom) Finding {
	f := Finding{
		Cause: "SidecarNotReady", Object: s.work.ref, Evidence: x.ending(s), links: links{explains: x.heldBack(s)},
		Message: x.say("SidecarNotReady.message", s.container, s.work.ref.String()),
		Fix:     x.say("SidecarNotReady.fix", s.container, s.work.ref.String()),
	}
	if c := s.status(); c != nil {
		f.Evidence = append(f.Evidence, x.statusField(s, "ready", c.Ready))
	}
	for _, word := range []string{"Startup probe", "Readiness probe", "Liveness probe"} {
		if e := x.unhealthy(s, word); e != nil {
			f.Evidence = append(f.Evidence, event(e))
		}
	}
	if h, ok := best(x.hitsOf(s)); ok {
		f.Evidence = append(f.Evidence, x.context(h)...)
		if h.sig.rank == dependency {
			f.links.needs = x.peers(s.work, h)
		}
		for _, host := range []string{h.vars["name"], h.vars["peer"]} {
			f.Evidence = append(f.Evidence, x.configuredBy(s, host)...)
		}
	} else {
		f.Evidence = append(f.Evidence, x.lastWords(s)...)
	}
	return f
}

// heldBack adds to a sidecar's symptom those of the other containers of its pods that only wait to become ready.
func (x *exam) heldBack(s *symptom) []*symptom {
	out := x.alsoStalled(s)
	for _, o := range x.symptomsOf[s.work] {
		if o != s && o.kind == unready && !o.explained() {
			if e := x.unhealthy(o, "Readiness probe"); e == nil || !wrongProbe(e.Message) {
				out = append(out, o)
			}
		}
	}
	return out
}
