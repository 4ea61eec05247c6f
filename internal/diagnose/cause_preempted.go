package diagnose

import (
	"regexp"
	"time"

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
			"PriorityPreempted.fixBy":   "Add room, scale %[2]s down or give it a lower priorityClass, or give %[1]s one that matches its worth; which of them comes first is not to be decided from here.",
			"PriorityPreempted.fix":     "Add room, let the pods of higher priority need less, or give %[1]s a priorityClass that matches its worth; which of them comes first is not to be decided from here.",
		},
		french: map[string]string{
			"PriorityPreempted.message": "Des pods de %[1]s ont été préemptés par des pods plus prioritaires et ne trouvent plus de place",
			"PriorityPreempted.by":      "Des pods de %[1]s ont été préemptés par %[2]s, plus prioritaire, et ne trouvent plus de place",
			"PriorityPreempted.fixBy":   "Ajoutez de la place, réduisez %[2]s ou sa priorityClass, ou donnez à %[1]s une priorityClass à sa valeur ; lequel passe d'abord ne se décide pas d'ici.",
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
	by := x.usurper(w)
	for _, e := range events {
		f.Evidence = append(f.Evidence, event(e))
		if named := x.preemptor(e); named != nil {
			by = named
		}
	}
	if by != nil {
		f.Object, f.links.affects = by.ref, append(f.links.affects, w.ref)
		f.Message = x.say("PriorityPreempted.by", w.ref.String(), by.ref.String())
		f.Fix = x.say("PriorityPreempted.fixBy", w.ref.String(), by.ref.String())
		f.Evidence = append(f.Evidence, x.priorityEvidence(by)...)
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

// usurper is the workload of the pod of the highest priority that came to the node of a preempted pod at that time, where
// no event names it.
func (x *exam) usurper(w *workload) *workload {
	victim := x.preemptedPod(w)
	if victim == nil || victim.Spec.NodeName == "" {
		return nil
	}
	x.want(cluster.Want{What: cluster.WantPodsOnNode, Name: victim.Spec.NodeName})
	at := podCondition(victim, corev1.DisruptionTarget).LastTransitionTime.Time
	var by *corev1.Pod
	for _, p := range x.podsOnNode[victim.Spec.NodeName] {
		if p.Namespace == "kube-system" || priority(p) <= priority(victim) || finished(p) || !scheduledAbout(p, at) {
			continue
		}
		if by == nil || priority(p) > priority(by) {
			by = p
		}
	}
	if by == nil {
		return nil
	}
	x.want(cluster.Want{What: cluster.WantNamespace, Namespace: by.Namespace})
	return x.podWorkload[podRef(by)]
}

// scheduledAbout says that a pod got its node about that time, rather later than before.
func scheduledAbout(p *corev1.Pod, at time.Time) bool {
	c := podCondition(p, corev1.PodScheduled)
	if c == nil {
		return false
	}
	d := c.LastTransitionTime.Sub(at)
	return d >= -settle && d <= 10*settle
}

func priority(p *corev1.Pod) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

// priorityEvidence cites where the priority of a workload's pods comes from: a class that they name, or the default one.
func (x *exam) priorityEvidence(w *workload) []Evidence {
	if name := w.template.Spec.PriorityClassName; name != "" {
		return []Evidence{field(w.ref, "spec.template.spec.priorityClassName", name)}
	}
	for _, c := range x.snap.PriorityClasses {
		if c.GlobalDefault {
			r := ref("PriorityClass", "", c.Name)
			return []Evidence{field(r, "metadata.name", c.Name), field(r, "globalDefault", true), field(r, "value", c.Value)}
		}
	}
	return nil
}
