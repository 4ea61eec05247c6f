package diagnose

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var scaledToZero = cause{
	id: "ScaledToZero", severity: High,
	check: func(x *exam) {
		for _, w := range x.workloadList {
			if w.desired == 0 && w.meta != nil && (w.ref.Kind == "Deployment" || w.ref.Kind == "StatefulSet") && x.needed(w) {
				x.add(x.atZero(w))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"ScaledToZero.message": "%[1]s is scaled to 0 replicas, so nothing serves what needs it",
			"ScaledToZero.fix":     "Scale %[1]s up again (to %[2]s to begin with) if nobody scaled it down on purpose.",
		},
		french: map[string]string{
			"ScaledToZero.message": "%[1]s est réduit à 0 réplica, si bien que rien ne sert ceux qui en ont besoin",
			"ScaledToZero.fix":     "Remontez l'échelle de %[1]s (à %[2]s pour commencer) si personne ne l'a réduite exprès.",
		},
	},
}

// needed says that somebody misses a workload: the question asks about it or a Service in front of it, or another
// finding depends on it. A workload that nobody misses may well be scaled down on purpose.
func (x *exam) needed(w *workload) bool {
	if x.asksAbout(w.ref) {
		return true
	}
	for _, s := range x.servicesNS[w.namespace()] {
		if len(s.Spec.Selector) > 0 && carries(w.template.Labels, s.Spec.Selector) && x.asksAbout(ref("Service", s.Namespace, s.Name)) {
			return true
		}
	}
	return slices.ContainsFunc(x.findings, func(f *Finding) bool {
		return slices.ContainsFunc(f.links.needs, func(n cluster.Ref) bool { return n == w.ref || x.serves(n, w) })
	})
}

// serves says that an object is a Service in front of a workload.
func (x *exam) serves(r cluster.Ref, w *workload) bool {
	s := get[*corev1.Service](x.index, r.Kind, r.Namespace, r.Name)
	return r.Kind == "Service" && s != nil && len(s.Spec.Selector) > 0 && s.Namespace == w.namespace() && carries(w.template.Labels, s.Spec.Selector)
}

func (x *exam) atZero(w *workload) Finding {
	f := Finding{Cause: "ScaledToZero", Object: w.ref, Message: x.say("ScaledToZero.message", w.ref.String())}
	f.Evidence = append(f.Evidence, field(w.ref, "spec.replicas", 0))
	if e := x.lastEvent([]cluster.Ref{w.ref}, "ScalingReplicaSet", "SuccessfulDelete"); e != nil {
		f.Evidence = append(f.Evidence, event(e))
	}
	for _, s := range x.servicesNS[w.namespace()] {
		if len(s.Spec.Selector) > 0 && carries(w.template.Labels, s.Spec.Selector) {
			f.links.affects = append(f.links.affects, ref("Service", s.Namespace, s.Name))
		}
	}
	for _, h := range x.snap.Autoscalers {
		if scaledRef(h) == w.ref && h.Namespace == w.namespace() {
			f.Evidence = append(f.Evidence, field(ref("HorizontalPodAutoscaler", h.Namespace, h.Name), "status.currentReplicas", h.Status.CurrentReplicas))
		}
	}
	f.Fix = x.say("ScaledToZero.fix", w.ref.String(), "1")
	f.Operation = scaleOperation(w.ref, 1)
	return f
}
