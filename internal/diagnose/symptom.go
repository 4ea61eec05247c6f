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
}

func (x *exam) note(kind symptomKind, w *workload, p *corev1.Pod, c *corev1.ContainerStatus, reason string, since time.Time) {
	key := symptomKey{kind: kind, work: w.ref, reason: reason}
	if c != nil {
		key.container = c.Name
	}
	s := x.symptomAt[key]
	if s == nil {
		s = &symptom{kind: kind, work: w, container: key.container, reason: reason, since: since}
		x.symptomAt[key] = s
		x.symptoms = append(x.symptoms, s)
		x.symptomsOf[w] = append(x.symptomsOf[w], s)
	}
	if p != nil {
		s.pods = append(s.pods, p)
		for i := range p.Status.InitContainerStatuses {
			s.init = s.init || c != nil && p.Status.InitContainerStatuses[i].Name == c.Name
		}
	}
	if !since.IsZero() && (s.since.IsZero() || since.Before(s.since)) {
		s.since = since
	}
}

func (x *exam) observePod(w *workload, p *corev1.Pod) {
	switch {
	case p.DeletionTimestamp != nil:
		if x.now.Sub(p.DeletionTimestamp.Time) > settle {
			x.note(undeleted, w, p, nil, "", p.DeletionTimestamp.Time)
		}
	case p.Status.Phase == corev1.PodSucceeded:
	case p.Status.Phase == corev1.PodFailed:
		x.observeFailed(w, p)
	case p.Spec.NodeName == "":
		x.observeUnscheduled(w, p)
	default:
		x.observeContainers(w, p)
	}
}

func (x *exam) observeFailed(w *workload, p *corev1.Pod) {
	at := x.endOf(p)
	if p.Status.Reason == "Evicted" || p.Status.Reason == "Preempting" {
		if x.now.Sub(at) < crashMemory || int32(w.readyPods()) < w.desired && x.now.Sub(at) < restartMemory {
			x.note(evicted, w, p, nil, p.Status.Reason, at)
		}
		return
	}
	if w.ref.Kind == "Job" || w.ref.Kind != "Pod" && x.now.Sub(at) > crashMemory {
		return
	}
	if p.Status.Reason != "" && len(p.Status.ContainerStatuses) == 0 {
		x.note(notStarted, w, p, nil, p.Status.Reason, at)
		return
	}
	for _, c := range statuses(p) {
		if t := c.State.Terminated; t != nil && t.ExitCode != 0 && x.now.Sub(t.FinishedAt.Time) < restartMemory {
			x.note(crashing, w, p, &c, "", t.FinishedAt.Time)
		}
	}
}

// endOf is when a finished pod ended, as far as it says.
func (x *exam) endOf(p *corev1.Pod) time.Time {
	at := p.CreationTimestamp.Time
	for _, c := range statuses(p) {
		if t := c.State.Terminated; t != nil && t.FinishedAt.After(at) {
			at = t.FinishedAt.Time
		}
	}
	for _, c := range p.Status.Conditions {
		if c.LastTransitionTime.After(at) {
			at = c.LastTransitionTime.Time
		}
	}
	return at
}

func (x *exam) observeUnscheduled(w *workload, p *corev1.Pod) {
	since := p.CreationTimestamp.Time
	c := podCondition(p, corev1.PodScheduled)
	if c == nil || c.Status != corev1.ConditionFalse {
		if x.now.Sub(since) > 5*settle {
			x.note(unscheduled, w, p, nil, "", since)
		}
		return
	}
	if x.now.Sub(since) > settle/2 {
		x.note(unscheduled, w, p, nil, c.Reason, since)
	}
}

// observeContainers looks at the containers of a pod that has a node.
func (x *exam) observeContainers(w *workload, p *corev1.Pod) {
	before := len(x.symptoms)
	noted := false
	for _, c := range p.Status.InitContainerStatuses {
		noted = x.observeContainer(w, p, &c) || noted
	}
	if !initialized(p) && noted {
		return
	}
	for _, c := range p.Status.ContainerStatuses {
		noted = x.observeContainer(w, p, &c) || noted
	}
	if noted || len(x.symptoms) > before {
		return
	}
	x.observeIdle(w, p)
}

// observeIdle takes down pods none of whose containers says why they are not ready.
func (x *exam) observeIdle(w *workload, p *corev1.Pod) {
	if podReady(p) {
		return
	}
	since := p.CreationTimestamp.Time
	if c := podCondition(p, corev1.PodReady); c != nil && c.LastTransitionTime.After(since) {
		since = c.LastTransitionTime.Time
	}
	if allRunning(p) {
		allowance := time.Duration(0)
		for i := range p.Spec.Containers {
			allowance = max(allowance, startAllowance(&p.Spec.Containers[i]))
		}
		if x.now.Sub(since) > settle+allowance {
			x.note(unready, w, p, nil, "", since)
		}
		return
	}
	for _, e := range x.events[podRef(p)] {
		if e.Warning && startFailures[e.Reason] && x.now.Sub(e.Last) < crashMemory {
			x.note(notStarted, w, p, nil, "", since)
			return
		}
	}
	if x.now.Sub(since) > 5*settle && !x.pulling(p) {
		x.note(notStarted, w, p, nil, "", since)
	}
}

// startFailures are the reasons of events that say why the containers of a pod are not made.
var startFailures = map[string]bool{
	"FailedMount": true, "FailedAttachVolume": true, "FailedMapVolume": true, "FailedCreatePodSandBox": true,
	"FailedPodSandBoxStatus": true, "NetworkNotReady": true, "FailedCreatePodContainer": true, "Failed": true,
	"FailedBinding": true, "VolumeResizeFailed": true, "NodeNotReady": true, "FailedSync": true,
}

// pulling says that the last word about a pod is that an image is being fetched, which may take long.
func (x *exam) pulling(p *corev1.Pod) bool {
	list := x.events[podRef(p)]
	return len(list) > 0 && list[len(list)-1].Reason == "Pulling" && x.now.Sub(list[len(list)-1].Last) < 30*settle
}

// observeContainer takes down what ails one container and says whether anything does.
func (x *exam) observeContainer(w *workload, p *corev1.Pod, c *corev1.ContainerStatus) bool {
	switch {
	case c.State.Waiting != nil:
		return x.observeWaiting(w, p, c)
	case c.State.Terminated != nil:
		t := c.State.Terminated
		if t.ExitCode == 0 && (w.ref.Kind == "Job" || isInit(p, c.Name)) {
			return false
		}
		if w.ref.Kind == "Job" && c.RestartCount == 0 && p.Spec.RestartPolicy == corev1.RestartPolicyNever {
			return false
		}
		x.note(crashing, w, p, c, "", t.FinishedAt.Time)
		return true
	case c.State.Running != nil:
		return x.observeRunning(w, p, c)
	}
	return false
}

func (x *exam) observeWaiting(w *workload, p *corev1.Pod, c *corev1.ContainerStatus) bool {
	switch reason := c.State.Waiting.Reason; reason {
	case "", "ContainerCreating", "PodInitializing":
		return false
	case "CrashLoopBackOff":
		x.note(crashing, w, p, c, "", lastEnd(c))
	case "ErrImagePull", "ImagePullBackOff":
		x.note(waiting, w, p, c, "ImagePullBackOff", p.CreationTimestamp.Time)
	default:
		x.note(waiting, w, p, c, reason, p.CreationTimestamp.Time)
	}
	return true
}

func (x *exam) observeRunning(w *workload, p *corev1.Pod, c *corev1.ContainerStatus) bool {
	t := c.LastTerminationState.Terminated
	age := time.Duration(1<<63 - 1)
	if t != nil {
		age = x.now.Sub(t.FinishedAt.Time)
	}
	sidecar := isSidecar(p, c.Name)
	if isInit(p, c.Name) && !sidecar {
		if age < crashMemory {
			x.note(crashing, w, p, c, "", lastEnd(c))
			return true
		}
		if x.now.Sub(c.State.Running.StartedAt.Time) > 5*settle {
			x.note(unready, w, p, c, "init", c.State.Running.StartedAt.Time)
			return true
		}
		return false
	}
	if age < crashMemory && (c.RestartCount >= 3 || t.Reason == "OOMKilled" || !c.Ready && age < 15*settle) && (t.ExitCode != 0 || c.RestartCount >= 3) {
		x.note(crashing, w, p, c, "", lastEnd(c))
		return true
	}
	if !c.Ready && (!sidecar || c.Started == nil || !*c.Started || hasReadiness(p, c.Name)) {
		since := x.unreadySince(p, c)
		if x.now.Sub(since) > settle+startAllowance(containerOf(&p.Spec, c.Name)) {
			x.note(unready, w, p, c, "", since)
			return true
		}
		return false
	}
	if age < restartMemory {
		x.note(restarted, w, p, c, "", lastEnd(c))
	}
	return false
}

// unreadySince is from when on a running container is not ready.
func (x *exam) unreadySince(p *corev1.Pod, c *corev1.ContainerStatus) time.Time {
	since := c.State.Running.StartedAt.Time
	if r := podCondition(p, corev1.PodReady); r != nil && r.LastTransitionTime.After(since) {
		since = r.LastTransitionTime.Time
	}
	return since
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
