package diagnose

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// symptomKind says in which way something visibly does not work.
type symptomKind string

const (
	// waiting: a container cannot be made (image, configuration); reason is the kubelet's.
	waiting symptomKind = "waiting"
	// crashing: a container ends again and again.
	crashing symptomKind = "crashing"
	// unready: a container runs and is not ready for longer than its probes explain.
	unready symptomKind = "unready"
	// unscheduled: no node was found for a pod.
	unscheduled symptomKind = "unscheduled"
	// notStarted: a pod has a node, and its containers are not made: volumes, network, sandbox.
	notStarted symptomKind = "notStarted"
	// notCreated: a controller cannot create its pods.
	notCreated symptomKind = "notCreated"
	// evicted: a node or the scheduler threw a pod out.
	evicted symptomKind = "evicted"
	// undeleted: a pod should be gone and is not.
	undeleted symptomKind = "undeleted"
	// jobFailed: a Job gave up.
	jobFailed symptomKind = "jobFailed"
	// stalled: a rollout passed its deadline.
	stalled symptomKind = "stalled"
	// restarted: a container runs well now and ended within the last day. A symptom only for those who ask.
	restarted symptomKind = "restarted"
	// complaining: everything is ready, and the log reports the same fault again and again. A weak symptom.
	complaining symptomKind = "complaining"
)

const (
	// crashMemory is how long after an end a container that was restarted several times counts as crashing.
	crashMemory = time.Hour
	// restartMemory is how long a single restart is remembered for those who ask about it.
	restartMemory = 24 * time.Hour
	// settle is the least time that a start is given before its state counts as a symptom.
	settle = time.Minute
	// complaintMemory is how recent the last complaint of a log must be.
	complaintMemory = 20 * time.Minute
)

// symptom is one visible trouble of one workload; the pods of a workload that suffer alike share it.
type symptom struct {
	kind symptomKind
	work *workload
	// pods suffer from it, the first of them serves as the example; empty for notCreated.
	pods      []*corev1.Pod
	container string
	init      bool
	// reason is the kubelet's or controller's word.
	reason string
	since  time.Time
	// by holds what explains it.
	by []*Finding
}

func (s *symptom) explained() bool { return len(s.by) > 0 }

// weak symptoms are no reason to doubt that the workload serves.
func (s *symptom) weak() bool {
	return s.kind == restarted || s.kind == complaining || s.kind == evicted && int32(s.work.readyPods()) >= s.work.desired
}

// pod is the example.
func (s *symptom) pod() *corev1.Pod {
	if len(s.pods) == 0 {
		return nil
	}
	return s.pods[0]
}

// spec is the container in the workload's template or, for a revision that is gone, in the pod itself.
func (s *symptom) spec() *corev1.Container {
	if p := s.pod(); p != nil {
		if c := containerOf(&p.Spec, s.container); c != nil {
			return c
		}
	}
	return s.work.container(s.container)
}

func (s *symptom) status() *corev1.ContainerStatus {
	if p := s.pod(); p != nil {
		return statusOf(p, s.container)
	}
	return nil
}

type symptomKey struct {
	kind      symptomKind
	work      cluster.Ref
	container string
	reason    string
}

// observe takes down all symptoms.
func (x *exam) observe() {
	for _, w := range x.workloadList {
		for _, p := range w.pods {
			x.observePod(w, p)
		}
		x.observeWorkload(w)
	}
	for _, c := range x.snap.CronJobs {
		x.observeCronJob(c)
	}
}

// sighting is one pod, container or workload seen in trouble.
type sighting struct {
	kind symptomKind
	work *workload
	// pod and status are nil for a trouble of the workload as a whole; status for one of the whole pod.
	pod    *corev1.Pod
	status *corev1.ContainerStatus
	reason string
	since  time.Time
}

// note takes down a sighting, with those of other pods of the same workload that suffer alike.
func (x *exam) note(n sighting) {
	key := symptomKey{kind: n.kind, work: n.work.ref, reason: n.reason}
	if n.status != nil {
		key.container = n.status.Name
	}
	s := x.symptomAt[key]
	if s == nil {
		s = &symptom{kind: n.kind, work: n.work, container: key.container, reason: n.reason, since: n.since}
		x.symptomAt[key] = s
		x.symptoms = append(x.symptoms, s)
		x.symptomsOf[n.work] = append(x.symptomsOf[n.work], s)
	}
	if n.pod != nil {
		s.pods = append(s.pods, n.pod)
		s.init = s.init || n.status != nil && isInit(n.pod, n.status.Name)
	}
	if !n.since.IsZero() && (s.since.IsZero() || n.since.Before(s.since)) {
		s.since = n.since
	}
}

// startAllowance is how long the probes of a container let it start.
func startAllowance(c *corev1.Container) time.Duration {
	if c == nil {
		return 0
	}
	var total int32
	if p := c.StartupProbe; p != nil {
		total += p.InitialDelaySeconds + max(p.PeriodSeconds, 1)*max(p.FailureThreshold, 1)
	}
	if p := c.ReadinessProbe; p != nil {
		total += p.InitialDelaySeconds
	}
	return time.Duration(total) * time.Second
}

func lastEnd(c *corev1.ContainerStatus) time.Time {
	if t := c.State.Terminated; t != nil {
		return t.FinishedAt.Time
	}
	if t := c.LastTerminationState.Terminated; t != nil {
		return t.FinishedAt.Time
	}
	return time.Time{}
}

// termination is the last end of a container, nil where it never ended.
func termination(c *corev1.ContainerStatus) *corev1.ContainerStateTerminated {
	if c == nil {
		return nil
	}
	if c.State.Terminated != nil {
		return c.State.Terminated
	}
	return c.LastTerminationState.Terminated
}

// terminationPath names the field that termination reads.
func terminationPath(c *corev1.ContainerStatus) string {
	if c.State.Terminated != nil {
		return "state.terminated"
	}
	return "lastState.terminated"
}

func initialized(p *corev1.Pod) bool {
	c := podCondition(p, corev1.PodInitialized)
	return c == nil || c.Status == corev1.ConditionTrue
}

func allRunning(p *corev1.Pod) bool {
	for i := range p.Status.ContainerStatuses {
		if p.Status.ContainerStatuses[i].State.Running == nil {
			return false
		}
	}
	return len(p.Status.ContainerStatuses) > 0
}

func isInit(p *corev1.Pod, container string) bool {
	for i := range p.Spec.InitContainers {
		if p.Spec.InitContainers[i].Name == container {
			return true
		}
	}
	return false
}

// isSidecar says that a container is an init container that keeps running beside the others.
func isSidecar(p *corev1.Pod, container string) bool {
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		if c.Name == container {
			return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
		}
	}
	return false
}

func hasReadiness(p *corev1.Pod, container string) bool {
	c := containerOf(&p.Spec, container)
	return c != nil && c.ReadinessProbe != nil
}
