package diagnose

import (
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// observeWorkload takes down what is wrong with a workload beyond its pods.
func (x *exam) observeWorkload(w *workload) {
	switch o := w.meta.(type) {
	case *appsv1.Deployment:
		x.observeDeployment(w, o)
	case *batchv1.Job:
		x.observeJob(w, o)
	}
	if message, at := x.createFailure(w); message != "" {
		x.note(sighting{notCreated, w, nil, nil, "FailedCreate", at})
	}
	x.observeComplaints(w)
}

func (x *exam) observeDeployment(w *workload, d *appsv1.Deployment) {
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse {
			x.note(sighting{stalled, w, nil, nil, c.Reason, c.LastTransitionTime.Time})
		}
	}
}

// observeJob takes down a Job that failed within the last day and has not been made good by a later run.
func (x *exam) observeJob(w *workload, j *batchv1.Job) {
	for _, c := range j.Status.Conditions {
		if c.Type != batchv1.JobFailed || c.Status != corev1.ConditionTrue {
			continue
		}
		if x.now.Sub(c.LastTransitionTime.Time) < restartMemory && !x.madeGood(j) || x.asksAbout(w.ref) {
			x.note(sighting{jobFailed, w, nil, nil, c.Reason, c.LastTransitionTime.Time})
			s := x.symptoms[len(x.symptoms)-1]
			s.pods = append(s.pods, w.pods...)
		}
	}
}

// observeCronJob takes down a CronJob whose Jobs the API server refuses. It stands as a workload of its own, since it has
// no pods.
func (x *exam) observeCronJob(c *batchv1.CronJob) {
	w := &workload{ref: ref("CronJob", c.Namespace, c.Name), meta: c, template: &c.Spec.JobTemplate.Spec.Template, desired: 1}
	if e := x.createFailureEvent(w); e != nil {
		x.note(sighting{notCreated, w, nil, nil, "FailedCreate", e.First})
	}
}

// madeGood says that a later Job of the same CronJob has succeeded.
func (x *exam) madeGood(j *batchv1.Job) bool {
	for _, o := range j.OwnerReferences {
		for _, other := range x.jobsOf[ref(o.Kind, j.Namespace, o.Name)] {
			if other.CreationTimestamp.After(j.CreationTimestamp.Time) && other.Status.Succeeded > 0 {
				return true
			}
		}
	}
	return false
}

// createFailure returns the message of a controller that cannot create pods now.
func (x *exam) createFailure(w *workload) (string, time.Time) {
	if e := x.createFailureEvent(w); e != nil && int32(livePods(w)) < w.desired {
		return e.Message, e.First
	}
	for _, r := range w.sets {
		for _, c := range r.Status.Conditions {
			if c.Type == appsv1.ReplicaSetReplicaFailure && c.Status == corev1.ConditionTrue && r.Status.Replicas < orOne(r.Spec.Replicas) {
				return c.Message, c.LastTransitionTime.Time
			}
		}
	}
	if d, ok := w.meta.(*appsv1.Deployment); ok {
		for _, c := range d.Status.Conditions {
			if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue {
				return c.Message, c.LastTransitionTime.Time
			}
		}
	}
	return "", time.Time{}
}

// createFailureEvent is the last event of a workload or one of its ReplicaSets that says why no pod could be made,
// unless a creation succeeded afterwards.
func (x *exam) createFailureEvent(w *workload) *cluster.Event {
	about := []cluster.Ref{w.ref}
	for _, r := range w.sets {
		if orOne(r.Spec.Replicas) > 0 {
			about = append(about, ref("ReplicaSet", r.Namespace, r.Name))
		}
	}
	var last *cluster.Event
	for _, a := range about {
		for _, e := range x.events[a] {
			switch {
			case refusesPods(e):
				last = later(last, e)
			case e.Reason == "SuccessfulCreate" && last != nil && e.Last.After(last.Last):
				last = nil
			}
		}
	}
	return last
}

func refusesPods(e *cluster.Event) bool {
	return e.Warning && (strings.HasPrefix(e.Reason, "FailedCreate") || e.Reason == "FailedDaemonPod")
}

// later returns the event that was seen last; a may be nil.
func later(a, b *cluster.Event) *cluster.Event {
	if a == nil || b.Last.After(a.Last) {
		return b
	}
	return a
}

func livePods(w *workload) int {
	n := 0
	for _, p := range w.pods {
		if p.DeletionTimestamp == nil && !finished(p) {
			n++
		}
	}
	return n
}

// observeComplaints takes down logs that report a fault again and again while everything is ready.
func (x *exam) observeComplaints(w *workload) {
	for _, p := range w.pods {
		if finished(p) || p.DeletionTimestamp != nil {
			continue
		}
		for _, c := range p.Status.ContainerStatuses {
			if c.Ready && c.State.Running != nil && x.complains(w, p, c.Name) {
				x.note(sighting{complaining, w, p, &c, "", c.State.Running.StartedAt.Time})
			}
		}
	}
}

func (x *exam) complains(w *workload, p *corev1.Pod, container string) bool {
	for _, l := range x.logsOf(podRef(p), container) {
		if l.Previous {
			continue
		}
		for _, h := range x.hits(l) {
			if h.sig.rank > likely && h.count >= 2 && x.stillComplains(l, h) {
				return true
			}
		}
	}
	_, ok := x.complaintIn(w, p, container)
	return ok
}

// stillComplains says that the last complaint is recent, for how often it comes, and has not been followed by much else:
// what was overcome is no complaint.
func (x *exam) stillComplains(l *cluster.Log, h hit) bool {
	const calm = 10
	lines := x.lines(l)
	after := len(lines) - 1 - slices.IndexFunc(lines, func(one line) bool { return one.no == h.last.no })
	if h.last.at.IsZero() {
		return after < calm
	}
	age := x.now.Sub(h.last.at)
	memory := complaintMemory
	if h.count > 2 && !h.at.IsZero() {
		memory = min(max(memory, 2*h.last.at.Sub(h.at)/time.Duration(h.count-1)), crashMemory*6)
	}
	return age < complaintMemory/4 || age < memory && after < calm
}
