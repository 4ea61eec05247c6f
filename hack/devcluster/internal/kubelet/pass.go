package kubelet

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	podstatus "k8s.io/kubernetes/pkg/kubelet/status"
)

// repeat is how often a kubelet looks at a pod that does not get on, and says again what is wrong with it.
const repeat = 15 * time.Second

// memory is what a kubelet knows of a pod beyond its status. It is lost when the kubelet restarts, as in life.
type memory struct {
	// pulls holds, by container, how the pulling of its image goes.
	pulls map[string]pull
	// said holds when something was last told, by what it was.
	said map[string]time.Time
	// mountFailures counts the attempts to mount the volumes since they last failed anew.
	mountFailures int
}

// pass is one look at one pod: what is known goes in, the new status, the events and the time of the next look come
// out. It does no I/O.
type pass struct {
	pod    *corev1.Pod
	node   *corev1.Node
	world  world
	memory memory
	now    time.Time

	events []event
	// wait is the time until the next look, zero meaning when something changes.
	wait time.Duration
	// gone is true once the pod has ended and can be removed.
	gone bool
}

func newPass(pod *corev1.Pod, node *corev1.Node, w world, m memory, now time.Time) *pass {
	if m.pulls == nil {
		m.pulls = map[string]pull{}
	}
	if m.said == nil {
		m.said = map[string]time.Time{}
	}
	return &pass{pod: pod, node: node, world: w, memory: m, now: now}
}

func (p *pass) run() {
	switch {
	case p.pod.DeletionTimestamp != nil:
		p.terminate()
		return
	case p.pod.Status.Phase == corev1.PodSucceeded, p.pod.Status.Phase == corev1.PodFailed:
		return
	case p.pod.Status.StartTime == nil:
		p.admit()
	case p.mounted() && p.initialized():
		for i := range p.pod.Spec.Containers {
			c := &p.pod.Spec.Containers[i]
			p.advance(c, p.status(c), "spec.containers{"+c.Name+"}")
		}
		p.endSidecars()
	}
	p.conclude(phase(p.pod))
}

// admit writes the first status of a pod: it is on the node and nothing has started.
func (p *pass) admit() {
	s := &p.pod.Status
	now := metav1.NewTime(p.now)
	s.StartTime = &now
	for _, address := range p.node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			s.HostIP, s.HostIPs = address.Address, []corev1.HostIP{{IP: address.Address}}
		}
	}
	reason := "ContainerCreating"
	if len(p.pod.Spec.InitContainers) > 0 {
		reason = "PodInitializing"
	}
	s.InitContainerStatuses = firstStatuses(p.pod.Spec.InitContainers, reason)
	s.ContainerStatuses = firstStatuses(p.pod.Spec.Containers, reason)
	p.condition(corev1.PodReadyToStartContainers, false)
}

func firstStatuses(containers []corev1.Container, reason string) []corev1.ContainerStatus {
	var statuses []corev1.ContainerStatus
	for _, c := range containers {
		started := false
		statuses = append(statuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Started: &started, AllocatedResources: c.Resources.Requests,
			Resources: &corev1.ResourceRequirements{Requests: c.Resources.Requests, Limits: c.Resources.Limits},
			State:     corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}},
		})
	}
	return statuses
}

// mounted tells whether the volumes are there, and gives the pod its sandbox and address once they are.
func (p *pass) mounted() bool {
	if condition(p.pod, corev1.PodReadyToStartContainers) {
		return true
	}
	if problem := p.mountProblem(); problem != "" {
		// A kubelet tries again after half a second, then twice as long each time, up to two minutes.
		interval := min(500*time.Millisecond<<min(p.memory.mountFailures, 8), 122*time.Second)
		if p.sayEvery(interval, event{corev1.EventTypeWarning, "FailedMount", problem, ""}) {
			p.memory.mountFailures++
		}
		return false
	}
	address := p.pod.Status.HostIP
	if !p.pod.Spec.HostNetwork {
		address = p.world.address(p.node, p.pod.UID)
	}
	p.pod.Status.PodIP, p.pod.Status.PodIPs = address, []corev1.PodIP{{IP: address}}
	p.condition(corev1.PodReadyToStartContainers, true)
	return true
}

// initialized takes the init containers further, in order, and tells whether the others may start.
func (p *pass) initialized() bool {
	for i := range p.pod.Spec.InitContainers {
		c := &p.pod.Spec.InitContainers[i]
		status := p.status(c)
		done := status.State.Terminated != nil && status.State.Terminated.ExitCode == 0
		if sidecar(c) || !done {
			p.advance(c, status, "spec.initContainers{"+c.Name+"}")
		}
		if sidecar(c) {
			done = status.Started != nil && *status.Started
		}
		if !done && !condition(p.pod, corev1.PodInitialized) {
			return false
		}
	}
	return true
}

// endSidecars stops the sidecars once no other container will run again.
func (p *pass) endSidecars() {
	for i := range p.pod.Spec.Containers {
		c := &p.pod.Spec.Containers[i]
		ended := p.status(c).State.Terminated
		if ended == nil || podutil.ContainerShouldRestart(*c, p.pod.Spec, ended.ExitCode) {
			return
		}
	}
	for i := range p.pod.Spec.InitContainers {
		if c := &p.pod.Spec.InitContainers[i]; sidecar(c) && p.status(c).State.Running != nil {
			p.exit(c, p.status(c), fate{reason: "Completed"})
		}
	}
}

// terminate ends a pod that was deleted, a second after its containers were asked to stop.
func (p *pass) terminate() {
	asked, before := p.memory.said["Killing"]
	running := false
	for _, list := range [][]corev1.ContainerStatus{p.pod.Status.InitContainerStatuses, p.pod.Status.ContainerStatuses} {
		for i := range list {
			if list[i].State.Running == nil {
				continue
			}
			running = true
			if !before {
				p.events = append(p.events, event{corev1.EventTypeNormal, "Killing", "Stopping container " + list[i].Name, p.field(list[i].Name)})
			}
		}
	}
	if !before {
		p.memory.said["Killing"], asked = p.now, p.now
	}
	remaining := time.Second - p.now.Sub(asked)
	if p.gone = !running || remaining <= 0; !p.gone {
		p.after(remaining)
		return
	}
	p.conclude(p.stop())
}

// stop ends every container that runs and returns the phase that the pod ends in.
func (p *pass) stop() corev1.PodPhase {
	end := corev1.PodSucceeded
	for _, list := range [][]corev1.Container{p.pod.Spec.InitContainers, p.pod.Spec.Containers} {
		for i := range list {
			status := p.status(&list[i])
			if status.State.Running != nil {
				p.exit(&list[i], status, fate{reason: "Completed"})
			}
			if status.State.Terminated == nil || status.State.Terminated.ExitCode != 0 {
				end = corev1.PodFailed
			}
		}
	}
	return end
}

// conclude writes the phase of the pod and derives its conditions from the states of its containers.
func (p *pass) conclude(phase corev1.PodPhase) {
	s := &p.pod.Status
	statuses := append(append([]corev1.ContainerStatus{}, s.InitContainerStatuses...), s.ContainerStatuses...)
	s.Phase = phase
	s.ObservedGeneration = p.pod.Generation
	if s.Phase == corev1.PodSucceeded || s.Phase == corev1.PodFailed {
		p.condition(corev1.PodReadyToStartContainers, false)
	}
	old := s.DeepCopy()
	ready := podstatus.GeneratePodReadyCondition(p.pod, old, old.Conditions, statuses, s.Phase)
	for _, c := range []corev1.PodCondition{
		podstatus.GeneratePodInitializedCondition(p.pod, old, statuses, s.Phase),
		ready,
		podstatus.GenerateContainersReadyCondition(p.pod, old, statuses, s.Phase),
	} {
		podutil.UpdatePodCondition(s, &c)
	}
}

func (p *pass) condition(kind corev1.PodConditionType, value bool) {
	status := corev1.ConditionFalse
	if value {
		status = corev1.ConditionTrue
	}
	podutil.UpdatePodCondition(&p.pod.Status, &corev1.PodCondition{Type: kind, Status: status, ObservedGeneration: p.pod.Generation})
}

func condition(pod *corev1.Pod, kind corev1.PodConditionType) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == kind {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// phase sums up the states of the containers as the API defines it.
func phase(pod *corev1.Pod) corev1.PodPhase {
	if early := initPhase(pod); early != "" {
		return early
	}
	total, final, succeeded := len(pod.Status.ContainerStatuses), 0, 0
	for i, status := range pod.Status.ContainerStatuses {
		last := status.State.Terminated
		if status.State.Waiting != nil && status.LastTerminationState.Terminated == nil {
			return corev1.PodPending
		}
		if last == nil || podutil.ContainerShouldRestart(pod.Spec.Containers[i], pod.Spec, last.ExitCode) {
			continue
		}
		final++
		if last.ExitCode == 0 {
			succeeded++
		}
	}
	switch {
	case final < total:
		return corev1.PodRunning
	case succeeded == total:
		return corev1.PodSucceeded
	default:
		return corev1.PodFailed
	}
}

// initPhase is the phase of a pod whose init containers hold it back or have failed for good, empty for any other.
func initPhase(pod *corev1.Pod) corev1.PodPhase {
	for i, status := range pod.Status.InitContainerStatuses {
		c, ended := &pod.Spec.InitContainers[i], status.State.Terminated
		if ended != nil && ended.ExitCode != 0 && !podutil.ContainerShouldRestart(*c, pod.Spec, ended.ExitCode) {
			return corev1.PodFailed
		}
		done := ended != nil && ended.ExitCode == 0
		if sidecar(c) {
			done = status.Started != nil && *status.Started
		}
		if !done && !condition(pod, corev1.PodInitialized) {
			return corev1.PodPending
		}
	}
	return ""
}

// status returns the status of a container, which admit has written.
func (p *pass) status(c *corev1.Container) *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{p.pod.Status.InitContainerStatuses, p.pod.Status.ContainerStatuses} {
		for i := range list {
			if list[i].Name == c.Name {
				return &list[i]
			}
		}
	}
	return &corev1.ContainerStatus{Name: c.Name}
}

func (p *pass) field(container string) string {
	for i := range p.pod.Spec.InitContainers {
		if p.pod.Spec.InitContainers[i].Name == container {
			return fmt.Sprintf("spec.initContainers{%s}", container)
		}
	}
	return fmt.Sprintf("spec.containers{%s}", container)
}

func sidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// after asks for another look at the latest after d.
func (p *pass) after(d time.Duration) {
	d = max(d, 10*time.Millisecond)
	if p.wait == 0 || d < p.wait {
		p.wait = d
	}
}

// say tells events once.
func (p *pass) say(events ...event) {
	for _, e := range events {
		p.memory.said[e.field+e.reason+e.message] = p.now
	}
	p.events = append(p.events, events...)
}

// sayEvery tells an event unless it was told less than the interval ago, and sees to it that it is told again. It
// reports whether it told it now.
func (p *pass) sayEvery(interval time.Duration, e event) bool {
	last, before := p.memory.said[e.field+e.reason+e.message]
	if before && p.now.Sub(last) < interval {
		p.after(interval - p.now.Sub(last))
		return false
	}
	p.say(e)
	p.after(interval)
	return true
}
