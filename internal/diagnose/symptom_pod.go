package diagnose

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

func (x *exam) observePod(w *workload, p *corev1.Pod) {
	switch {
	case p.DeletionTimestamp != nil:
		if x.now.Sub(p.DeletionTimestamp.Time) > settle {
			x.note(sighting{undeleted, w, p, nil, "", p.DeletionTimestamp.Time})
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

// observeFailed takes down a pod that has ended. What an owner has replaced long ago is no symptom any more.
func (x *exam) observeFailed(w *workload, p *corev1.Pod) {
	at := x.endOf(p)
	age := x.now.Sub(at)
	switch {
	case p.Status.Reason == "Evicted" || p.Status.Reason == "Preempting":
		if age < crashMemory || int32(w.readyPods()) < w.desired && age < restartMemory {
			x.note(sighting{evicted, w, p, nil, p.Status.Reason, at})
		}
	case w.ref.Kind == "Job" || w.ref.Kind != "Pod" && age > crashMemory:
	case p.Status.Reason != "" && len(p.Status.ContainerStatuses) == 0:
		x.note(sighting{notStarted, w, p, nil, p.Status.Reason, at})
	default:
		x.observeEnds(w, p)
	}
}

// observeEnds takes down the containers that ended a pod by failing.
func (x *exam) observeEnds(w *workload, p *corev1.Pod) {
	for _, c := range statuses(p) {
		if t := c.State.Terminated; t != nil && t.ExitCode != 0 && x.now.Sub(t.FinishedAt.Time) < restartMemory {
			x.note(sighting{crashing, w, p, &c, "", t.FinishedAt.Time})
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
			x.note(sighting{unscheduled, w, p, nil, "", since})
		}
		return
	}
	if x.now.Sub(since) > settle/2 || x.asksAbout(w.ref) {
		x.note(sighting{unscheduled, w, p, nil, c.Reason, since})
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
	age := x.now.Sub(since)
	switch {
	case allRunning(p):
		if age > settle+longestStart(p) {
			x.note(sighting{unready, w, p, nil, "", since})
		}
	case x.startFailed(p) || age > 5*settle && !x.pulling(p):
		x.note(sighting{notStarted, w, p, nil, "", since})
	}
}

// longestStart is the longest time that the probes of a pod's containers let one of them start.
func longestStart(p *corev1.Pod) time.Duration {
	longest := time.Duration(0)
	for i := range p.Spec.Containers {
		longest = max(longest, startAllowance(&p.Spec.Containers[i]))
	}
	return longest
}

// startFailed says that an event of the last hour tells why the containers of a pod are not made.
func (x *exam) startFailed(p *corev1.Pod) bool {
	return slices.ContainsFunc(x.events[podRef(p)], func(e *cluster.Event) bool {
		return e.Warning && startFailures[e.Reason] && x.now.Sub(e.Last) < crashMemory
	})
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
		x.note(sighting{crashing, w, p, c, "", t.FinishedAt.Time})
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
		x.note(sighting{crashing, w, p, c, "", lastEnd(c)})
	case "ErrImagePull", "ImagePullBackOff":
		x.note(sighting{waiting, w, p, c, "ImagePullBackOff", p.CreationTimestamp.Time})
	default:
		x.note(sighting{waiting, w, p, c, reason, p.CreationTimestamp.Time})
	}
	return true
}

func (x *exam) observeRunning(w *workload, p *corev1.Pod, c *corev1.ContainerStatus) bool {
	if isInit(p, c.Name) && !isSidecar(p, c.Name) {
		return x.observeInit(w, p, c)
	}
	t := c.LastTerminationState.Terminated
	switch {
	case t != nil && x.crashesOn(c, t):
		x.note(sighting{crashing, w, p, c, "", t.FinishedAt.Time})
		return true
	case !c.Ready && mustBeReady(p, c):
		since := x.unreadySince(p, c)
		allowance := settle + startAllowance(containerOf(&p.Spec, c.Name))
		if isSidecar(p, c.Name) {
			allowance = min(allowance, 5*settle)
		}
		if x.now.Sub(since) <= allowance {
			return false
		}
		x.note(sighting{unready, w, p, c, "", since})
		return true
	case t != nil && x.now.Sub(t.FinishedAt.Time) < restartMemory:
		x.note(sighting{restarted, w, p, c, "", t.FinishedAt.Time})
	}
	return false
}

// observeInit takes down an init container that runs: again after a failure, or without an end.
func (x *exam) observeInit(w *workload, p *corev1.Pod, c *corev1.ContainerStatus) bool {
	started := c.State.Running.StartedAt.Time
	switch t := c.LastTerminationState.Terminated; {
	case t != nil && x.now.Sub(t.FinishedAt.Time) < crashMemory:
		x.note(sighting{crashing, w, p, c, "", t.FinishedAt.Time})
	case x.now.Sub(started) > 5*settle:
		x.note(sighting{unready, w, p, c, "init", started})
	default:
		return false
	}
	return true
}

// crashesOn says that a container that runs at the moment is between two of its crashes.
func (x *exam) crashesOn(c *corev1.ContainerStatus, t *corev1.ContainerStateTerminated) bool {
	age := x.now.Sub(t.FinishedAt.Time)
	if age >= crashMemory || t.ExitCode == 0 && c.RestartCount < 3 {
		return false
	}
	return c.RestartCount >= 3 || t.Reason == "OOMKilled" || !c.Ready && age < 15*settle || c.RestartCount == 2 && x.unproven(c, t)
}

// unproven says that the last instance of a container was short-lived and that the present one has not run for longer.
// That it is ready proves little: without a readiness probe every process is, until it ends.
func (x *exam) unproven(c *corev1.ContainerStatus, t *corev1.ContainerStateTerminated) bool {
	var lived time.Duration
	// A process that could not be started has the beginning of the epoch here, or nothing.
	if t.StartedAt.Unix() > 0 {
		lived = t.FinishedAt.Sub(t.StartedAt.Time)
	}
	return lived < 15*settle && x.now.Sub(c.State.Running.StartedAt.Time) <= max(lived, settle)
}

// mustBeReady says that a pod waits for a container to become ready: a sidecar only counts until it has started, unless
// it has a readiness probe.
func mustBeReady(p *corev1.Pod, c *corev1.ContainerStatus) bool {
	return !isSidecar(p, c.Name) || c.Started == nil || !*c.Started || hasReadiness(p, c.Name)
}

// unreadySince is from when on a running container is not ready.
func (x *exam) unreadySince(p *corev1.Pod, c *corev1.ContainerStatus) time.Time {
	since := c.State.Running.StartedAt.Time
	if r := podCondition(p, corev1.PodReady); r != nil && r.LastTransitionTime.After(since) {
		since = r.LastTransitionTime.Time
	}
	return since
}
