package diagnose

import (
	"regexp"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var ownStorageMessage = regexp.MustCompile(`(?i)ephemeral local storage usage exceeds the total limit of containers|exceeded its local ephemeral storage limit|Usage of EmptyDir volume "[^"]+" exceeds the limit`)

var evictedEphemeralStorage = cause{
	id: "EvictedEphemeralStorage", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(evicted) {
			if message, evidence := x.evictionWord(s); ownStorageMessage.MatchString(message) {
				x.add(x.usedTooMuch(s, message, evidence))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"EvictedEphemeralStorage.message": "The pods of %[1]s are evicted for using more local storage than they may: %[2]s",
			"EvictedEphemeralStorage.fix":     "Let %[1]s write less to its own file system or emptyDir, raise that limit, or give it a volume; the node itself is not the cause.",
		},
		french: map[string]string{
			"EvictedEphemeralStorage.message": "Les pods de %[1]s sont évincés parce qu'ils utilisent plus de stockage local que permis : %[2]s",
			"EvictedEphemeralStorage.fix":     "Faites écrire moins à %[1]s dans son propre système de fichiers ou emptyDir, augmentez cette limite, ou donnez-lui un volume ; le nœud n'est pas en cause.",
		},
	},
}

// evictionWord is what the kubelet says of an eviction, in the pod's status or in an event.
func (x *exam) evictionWord(s *symptom) (string, []Evidence) {
	for _, p := range s.pods {
		if p.Status.Message != "" {
			out := []Evidence{field(podRef(p), "status.message", p.Status.Message), field(podRef(p), "status.reason", p.Status.Reason)}
			if e := x.lastEvent([]cluster.Ref{podRef(p)}, "Evicted"); e != nil {
				out = append(out, event(e))
			}
			return p.Status.Message, out
		}
		if e := x.lastEvent([]cluster.Ref{podRef(p)}, "Evicted"); e != nil {
			return e.Message, []Evidence{event(e)}
		}
	}
	return "", nil
}

func (x *exam) usedTooMuch(s *symptom, message string, evidence []Evidence) Finding {
	f := Finding{
		Cause: "EvictedEphemeralStorage", Object: s.work.ref, Evidence: evidence, links: links{explains: []*symptom{s}, weak: s.weak()},
		Message: x.say("EvictedEphemeralStorage.message", s.work.ref.String(), message),
		Fix:     x.say("EvictedEphemeralStorage.fix", s.work.ref.String()),
	}
	spec := &s.pod().Spec
	for i := range spec.Containers {
		c := &spec.Containers[i]
		if q, ok := c.Resources.Limits[corev1.ResourceEphemeralStorage]; ok {
			f.Evidence = append(f.Evidence, x.containerField(&symptom{work: s.work, container: c.Name}, "resources.limits.ephemeral-storage", q.String()))
		}
	}
	for _, v := range spec.Volumes {
		if v.EmptyDir != nil && v.EmptyDir.SizeLimit != nil {
			f.Evidence = append(f.Evidence, field(s.work.ref, "spec.template.spec.volumes["+v.Name+"].emptyDir.sizeLimit", v.EmptyDir.SizeLimit.String()))
		}
	}
	return f
}

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
