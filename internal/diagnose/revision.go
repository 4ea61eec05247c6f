package diagnose

import (
	"encoding/json"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rollback is what a workload whose new revision fails can go back to.
type rollback struct {
	// newest and former are the numbers of the revisions, 0 where nothing tells them.
	newest, former int64
	// made is when the newest revision came to be, zero where nothing tells it.
	made time.Time
	// spec is the former revision's.
	spec *corev1.PodSpec
	// evidence shows that the former revision works or worked, and how far the new one has come.
	evidence []Evidence
}

// rollbackOf tells the revision before the newest, nil where the pods of the symptom are not all of the newest one or
// no earlier one is known.
func (x *exam) rollbackOf(s *symptom) *rollback {
	switch o := s.work.meta.(type) {
	case *appsv1.Deployment:
		return x.deploymentRollback(s)
	case *appsv1.DaemonSet:
		status := field(s.work.ref, "status.updatedNumberScheduled", o.Status.UpdatedNumberScheduled)
		return x.controllerRollback(s, x.newestHash(s.work), status)
	case *appsv1.StatefulSet:
		status := field(s.work.ref, "status.updatedReplicas", o.Status.UpdatedReplicas)
		if o.Status.UpdateRevision == o.Status.CurrentRevision && x.newestHash(s.work) == "" {
			return nil
		}
		return x.controllerRollback(s, o.Status.UpdateRevision, status)
	}
	return nil
}

func (x *exam) deploymentRollback(s *symptom) *rollback {
	if !s.ofNewRevision() {
		return nil
	}
	newest, former := s.work.newestSet(), s.work.formerSet()
	return &rollback{
		newest: revision(newest), former: revision(former), made: newest.CreationTimestamp.Time, spec: &former.Spec.Template.Spec,
		evidence: []Evidence{field(ref("ReplicaSet", former.Namespace, former.Name), "status.readyReplicas", former.Status.ReadyReplicas)},
	}
}

// revisionsOf are the newest ControllerRevision of a workload and the one before it; nil where there is none.
func (x *exam) revisionsOf(w *workload) (newest, former *appsv1.ControllerRevision) {
	for _, r := range x.snap.ControllerRevs {
		o := metav1.GetControllerOfNoCopy(r)
		if o == nil || ref(o.Kind, r.Namespace, o.Name) != w.ref {
			continue
		}
		switch {
		case newest == nil || r.Revision > newest.Revision:
			newest, former = r, newest
		case former == nil || r.Revision > former.Revision:
			former = r
		}
	}
	return newest, former
}

// newestHash is what pods of the newest revision of a DaemonSet or StatefulSet are labelled with, empty if unknown.
func (x *exam) newestHash(w *workload) string {
	if newest, _ := x.revisionsOf(w); newest != nil {
		return newest.Labels[appsv1.ControllerRevisionHashLabelKey]
	}
	generation := w.meta.GetAnnotations()[appsv1.DeprecatedTemplateGeneration]
	for _, p := range w.pods {
		if generation != "" && p.Labels["pod-template-generation"] == generation {
			return p.Labels[appsv1.ControllerRevisionHashLabelKey]
		}
	}
	return ""
}

// controllerRollback finds the former revision in the history or, where that was not read, in a pod that still has it
// and is ready.
func (x *exam) controllerRollback(s *symptom, hash string, status Evidence) *rollback {
	if hash == "" || len(s.pods) == 0 {
		return nil
	}
	for _, p := range s.pods {
		if p.Labels[appsv1.ControllerRevisionHashLabelKey] != hash {
			return nil
		}
	}
	r := &rollback{evidence: []Evidence{status}}
	for _, p := range s.work.pods {
		if h := p.Labels[appsv1.ControllerRevisionHashLabelKey]; h != "" && h != hash && podReady(p) {
			r.spec = &p.Spec
			r.evidence = append(r.evidence, cite(FieldEvidence, podRef(p).String()+" metadata.labels", appsv1.ControllerRevisionHashLabelKey+": "+h, 0))
			break
		}
	}
	newest, former := x.revisionsOf(s.work)
	if former != nil {
		r.newest, r.former, r.made = newest.Revision, former.Revision, newest.CreationTimestamp.Time
		if spec := revisionSpec(former); spec != nil {
			r.spec = spec
		}
	}
	if r.spec == nil {
		return nil
	}
	return r
}

// revisionSpec reads the pod template that a ControllerRevision keeps; nil for data of another make.
func revisionSpec(r *appsv1.ControllerRevision) *corev1.PodSpec {
	var data struct {
		Spec struct {
			Template *corev1.PodTemplateSpec `json:"template"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(r.Data.Raw, &data); err != nil || data.Spec.Template == nil {
		return nil
	}
	return &data.Spec.Template.Spec
}

// workedLong says that the newest revision ran well for most of its time, longer than a day: then its being new does not
// explain why it fails now. How long it fails follows from the restarts, which come at most every five minutes or so.
func (x *exam) workedLong(s *symptom, r *rollback) bool {
	const backOff = 6 * time.Minute
	age := x.now.Sub(r.made)
	if r.made.IsZero() || age < 24*time.Hour {
		return false
	}
	failing := time.Duration(0)
	for _, p := range s.pods {
		if c := statusOf(p, s.container); c != nil {
			failing = max(failing, time.Duration(c.RestartCount+2)*backOff)
		}
	}
	return failing < age/2
}

// crashSignals are the signals with which a system ends a process that misbehaves, by exit code.
var crashSignals = map[int32]string{132: "SIGILL", 134: "SIGABRT", 135: "SIGBUS", 136: "SIGFPE", 139: "SIGSEGV"}

// crashSignal names the signal that ended the container of a symptom, empty where it ended otherwise.
func (s *symptom) crashSignal() string {
	t := termination(s.status())
	if t == nil {
		return ""
	}
	return crashSignals[t.ExitCode]
}
