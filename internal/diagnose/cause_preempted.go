package diagnose

import (
	"regexp"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var priorityPreempted = cause{
	id: "PriorityPreempted", severity: Medium,
	check: func(x *exam) {
		victims := map[cluster.Ref][]*cluster.Event{}
		for about, list := range x.events {
			for _, e := range list {
				if e.Reason == "Preempted" && about.Kind == "Pod" && x.recent(e.Last, 2*crashMemory) {
					victims[x.victim(about)] = append(victims[x.victim(about)], e)
				}
			}
		}
		for _, w := range x.workloadList {
			if x.preemptedPod(w) != nil || len(victims[w.ref]) > 0 {
				x.addPreempted(w, victims[w.ref])
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"PriorityPreempted.message": "Pods of %[1]s were preempted by pods of higher priority and find no room since",
			"PriorityPreempted.by":      "Pods of %[1]s were preempted by %[2]s, which has a higher priority, and find no room since",
			"PriorityPreempted.fix":     "Add room, let the pods of higher priority need less, or give %[1]s a priorityClass that matches its worth; which of them comes first is not to be decided from here.",
		},
		french: map[string]string{
			"PriorityPreempted.message": "Des pods de %[1]s ont été préemptés par des pods plus prioritaires et ne trouvent plus de place",
			"PriorityPreempted.by":      "Des pods de %[1]s ont été préemptés par %[2]s, plus prioritaire, et ne trouvent plus de place",
			"PriorityPreempted.fix":     "Ajoutez de la place, réduisez les besoins des pods plus prioritaires, ou donnez à %[1]s une priorityClass à sa valeur ; lequel passe d'abord ne se décide pas d'ici.",
		},
	},
}

// victim is the workload of a pod that may be gone: by its owner, or by the prefix of its name.
func (x *exam) victim(pod cluster.Ref) cluster.Ref {
	if w := x.podWorkload[pod]; w != nil {
		return w.ref
	}
	for _, w := range x.workloadList {
		if w.ref.Namespace != pod.Namespace {
			continue
		}
		for _, s := range w.sets {
			if generatedFrom(pod.Name, s.Name) {
				return w.ref
			}
		}
		if generatedFrom(pod.Name, w.ref.Name) {
			return w.ref
		}
	}
	return pod
}

// generatedFrom says that a name is an owner's name with one generated part.
func generatedFrom(name, owner string) bool {
	return len(name) > len(owner)+1 && name[:len(owner)] == owner && name[len(owner)] == '-' && lastDash(name) == len(owner)
}

func lastDash(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '-' {
			return i
		}
	}
	return -1
}

func (x *exam) preemptedPod(w *workload) *corev1.Pod {
	for _, p := range w.pods {
		c := podCondition(p, corev1.DisruptionTarget)
		if c != nil && c.Status == corev1.ConditionTrue && c.Reason == corev1.PodReasonPreemptionByScheduler && x.recent(c.LastTransitionTime.Time, 2*crashMemory) {
			return p
		}
	}
	return nil
}

// addPreempted adds the finding if the workload still lacks pods for it.
func (x *exam) addPreempted(w *workload, events []*cluster.Event) {
	if int32(w.readyPods()) >= w.desired {
		return
	}
	f := Finding{
		Cause: "PriorityPreempted", Object: w.ref, Message: x.say("PriorityPreempted.message", w.ref.String()),
		Fix: x.say("PriorityPreempted.fix", w.ref.String()),
	}
	for _, s := range x.symptomsOf[w] {
		if (s.kind == unscheduled || s.kind == evicted) && !s.explained() {
			f.links.explains = append(f.links.explains, s)
			if c := podCondition(s.pod(), corev1.PodScheduled); c != nil {
				f.Evidence = append(f.Evidence, field(podRef(s.pod()), "status.conditions[PodScheduled].message", c.Message))
			}
		}
	}
	if p := x.preemptedPod(w); p != nil {
		c := podCondition(p, corev1.DisruptionTarget)
		f.Evidence = append(f.Evidence, field(podRef(p), "status.conditions[DisruptionTarget].reason", c.Reason), field(podRef(p), "status.conditions[DisruptionTarget].message", c.Message))
	}
	for _, e := range events {
		f.Evidence = append(f.Evidence, event(e))
		if by := x.preemptor(e); by != nil {
			f.links.affects = append(f.links.affects, by.ref)
			f.Message = x.say("PriorityPreempted.by", w.ref.String(), by.ref.String())
			f.Evidence = append(f.Evidence, field(by.ref, "spec.template.spec.priorityClassName", by.template.Spec.PriorityClassName))
		}
	}
	if w.template.Spec.PriorityClassName != "" {
		f.Evidence = append(f.Evidence, field(w.ref, "spec.template.spec.priorityClassName", w.template.Spec.PriorityClassName))
	}
	x.add(f)
}

var preemptedBy = regexp.MustCompile(`Preempted by (?:pod )?(\S+)`)

// preemptor is the workload of the pod that an event names by namespace and name or by uid.
func (x *exam) preemptor(e *cluster.Event) *workload {
	m := preemptedBy.FindStringSubmatch(e.Message)
	if m == nil {
		return nil
	}
	for _, p := range x.snap.Pods {
		if string(p.UID) == m[1] || p.Namespace+"/"+p.Name == m[1] {
			return x.podWorkload[podRef(p)]
		}
	}
	return nil
}
