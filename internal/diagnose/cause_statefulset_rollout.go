package diagnose

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

var statefulSetStuckRollout = cause{
	id: "StatefulSetStuckRollout", severity: High,
	check: func(x *exam) {
		for _, o := range x.snap.StatefulSets {
			w := x.workloads[ref("StatefulSet", o.Namespace, o.Name)]
			if p := x.obsoletePod(w, o); p != nil {
				x.add(x.stuckRollout(w, o, p))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"StatefulSetStuckRollout.message": "The rollout of %[1]s waits for pod %[2]s, which still has an older, broken revision and will never become ready; the controller does not replace it by itself",
			"StatefulSetStuckRollout.fix":     "Delete pod %[2]s once the template of %[1]s is right: the controller makes it anew in the current revision. Its volume is kept.",
		},
		french: map[string]string{
			"StatefulSetStuckRollout.message": "Le déploiement de %[1]s attend le pod %[2]s, qui a encore une révision antérieure défectueuse et ne sera jamais prêt ; le contrôleur ne le remplace pas de lui-même",
			"StatefulSetStuckRollout.fix":     "Supprimez le pod %[2]s une fois le modèle de %[1]s correct : le contrôleur le recrée dans la révision actuelle. Son volume est conservé.",
		},
	},
}

// obsoletePod is a pod of an ordered StatefulSet that is broken and of another revision than the one to arrive at.
func (x *exam) obsoletePod(w *workload, o *appsv1.StatefulSet) *corev1.Pod {
	if o.Spec.PodManagementPolicy == appsv1.ParallelPodManagement || o.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType {
		return nil
	}
	for _, s := range x.symptomsOf[w] {
		switch s.kind {
		case crashing, waiting, unready, notStarted, unscheduled:
			if at := slices.IndexFunc(s.pods, func(p *corev1.Pod) bool { return obsolete(o, p, len(w.pods)) }); at >= 0 {
				return s.pods[at]
			}
		default:
		}
	}
	return nil
}

// obsolete says that a pod has neither the revision to arrive at nor one that its set would keep beside it.
func obsolete(o *appsv1.StatefulSet, p *corev1.Pod, pods int) bool {
	hash := p.Labels[appsv1.ControllerRevisionHashLabelKey]
	update, current := o.Status.UpdateRevision, o.Status.CurrentRevision
	if hash == "" || update == "" || hash == update {
		return false
	}
	return hash != current || o.Status.CurrentReplicas == 0 || o.Status.UpdatedReplicas == 0 && pods == 1
}

func (x *exam) stuckRollout(w *workload, o *appsv1.StatefulSet, p *corev1.Pod) Finding {
	f := Finding{
		Cause: "StatefulSetStuckRollout", Object: w.ref,
		Message: x.say("StatefulSetStuckRollout.message", w.ref.String(), p.Name),
		Fix:     x.say("StatefulSetStuckRollout.fix", w.ref.String(), p.Name),
		Evidence: []Evidence{
			field(w.ref, "status.updateRevision", o.Status.UpdateRevision), field(w.ref, "status.currentRevision", o.Status.CurrentRevision),
			cite(FieldEvidence, podRef(p).String()+" metadata.labels", appsv1.ControllerRevisionHashLabelKey+": "+p.Labels[appsv1.ControllerRevisionHashLabelKey], 0),
		},
		Operation: &Operation{Delete: &TargetOnly{Target: target(podRef(p))}},
	}
	for _, s := range x.symptomsOf[w] {
		if s.weak() {
			continue
		}
		f.links.explains = append(f.links.explains, s)
		if c := s.status(); c != nil && c.State.Waiting != nil {
			f.Evidence = append(f.Evidence, x.waitingEvidence(s.pod(), c)...)
		}
		if c := s.spec(); c != nil {
			f.Evidence = append(f.Evidence, field(podRef(p), "spec.containers["+c.Name+"].image", c.Image))
		}
	}
	if e := x.lastEvent(podRefs([]*corev1.Pod{p})); e != nil && e.Warning {
		f.Evidence = append(f.Evidence, event(e))
	}
	return f
}
