package kubelet

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
)

const (
	crashLoop    = "CrashLoopBackOff"
	configReason = "CreateContainerConfigError"
)

// advance takes a container one step further in its life.
func (p *pass) advance(c *corev1.Container, status *corev1.ContainerStatus, field string) {
	state := &status.State
	switch {
	case state.Running != nil:
		p.keepRunning(c, status, field)
	case state.Terminated != nil:
		p.afterExit(c, status, field)
	case state.Waiting != nil && state.Waiting.Reason == crashLoop:
		p.backOff(c, status, field)
	default:
		p.start(c, status, field)
	}
}

// delay is the time between an exit and the next start: none the first time, then ten seconds, doubling up to five
// minutes.
func delay(restarts int32) time.Duration {
	if restarts == 0 {
		return 0
	}
	return min(10*time.Second<<min(restarts-1, 10), 5*time.Minute)
}

func (p *pass) afterExit(c *corev1.Container, status *corev1.ContainerStatus, field string) {
	if !podutil.ContainerShouldRestart(*c, p.pod.Spec, status.State.Terminated.ExitCode) && !sidecar(c) {
		return
	}
	status.LastTerminationState = status.State
	if delay(status.RestartCount) == 0 {
		p.start(c, status, field)
		return
	}
	status.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
		Reason: crashLoop,
		Message: fmt.Sprintf("back-off %s restarting failed container=%s pod=%s",
			delay(status.RestartCount), c.Name, podText(p.pod)),
	}}
	p.backOff(c, status, field)
}

func (p *pass) backOff(c *corev1.Container, status *corev1.ContainerStatus, field string) {
	last := status.LastTerminationState.Terminated
	if last == nil {
		p.start(c, status, field)
		return
	}
	remaining := last.FinishedAt.Add(delay(status.RestartCount)).Sub(p.now)
	if remaining <= 0 {
		p.start(c, status, field)
		return
	}
	p.after(remaining)
	p.sayEvery(repeat, event{corev1.EventTypeWarning, "BackOff",
		fmt.Sprintf("Back-off restarting failed container %s in pod %s", c.Name, podText(p.pod)), field})
}

// start brings a container to life if its image and its configuration are there.
func (p *pass) start(c *corev1.Container, status *corev1.ContainerStatus, field string) {
	if !p.pulled(c, status, field) {
		return
	}
	if problem := p.configProblem(c); problem != "" {
		p.keepWaiting(status, configReason, problem)
		p.sayEvery(repeat, event{corev1.EventTypeWarning, "Failed", "Error: " + problem, field})
		return
	}
	if status.LastTerminationState.Terminated != nil {
		status.RestartCount++
	}
	p.say(event{corev1.EventTypeNormal, "Created", "Container created", field})
	id := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%d", p.pod.UID, c.Name, status.RestartCount))
	status.ContainerID = fmt.Sprintf("containerd://%x", id)
	status.ImageID = imageID(c.Image)
	if problem := p.commandProblem(c); problem != "" {
		p.say(event{corev1.EventTypeWarning, "Failed", "Error: " + problem, field})
		p.exit(c, status, fate{exitCode: 128, reason: "StartError", message: problem})
		// The process has never run.
		status.State.Terminated.StartedAt = metav1.Unix(0, 0)
		p.after(time.Second)
		return
	}
	p.say(event{corev1.EventTypeNormal, "Started", "Container started", field})
	status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(p.now)}}
	p.keepRunning(c, status, field)
}

// keepRunning ends a container whose time has come and lets its probes decide about the others.
func (p *pass) keepRunning(c *corev1.Container, status *corev1.ContainerStatus, field string) {
	since := p.now.Sub(status.State.Running.StartedAt.Time)
	f := p.fate(c)
	if f.ends && since >= f.after {
		p.exit(c, status, f)
		p.after(10 * time.Millisecond)
		return
	}
	if f.ends {
		p.after(f.after - since)
	}
	started := p.started(c, status, field)
	if started == deadly {
		p.kill(c, status, field, startup)
		return
	}
	up := started == healthy
	status.Started = &up
	if up && c.LivenessProbe != nil && p.probe(c, status, field, liveness, c.LivenessProbe) == deadly {
		p.kill(c, status, field, liveness)
		return
	}
	// A regular init container is never ready while it runs: the pod would count as initialized.
	if !p.isInit(c) || sidecar(c) {
		status.Ready = up && (c.ReadinessProbe == nil || p.probe(c, status, field, readiness, c.ReadinessProbe) == healthy)
	}
}

// started is what the startup probe finds, which is not asked again once it was content.
func (p *pass) started(c *corev1.Container, status *corev1.ContainerStatus, field string) verdict {
	if c.StartupProbe == nil || (status.Started != nil && *status.Started) {
		return healthy
	}
	return p.probe(c, status, field, startup, c.StartupProbe)
}

func (p *pass) kill(c *corev1.Container, status *corev1.ContainerStatus, field, kind string) {
	p.say(event{corev1.EventTypeNormal, "Killing",
		fmt.Sprintf("Container %s failed %s probe, will be restarted", c.Name, lower(kind)), field})
	p.exit(c, status, fate{exitCode: p.exitCode(c, 137), reason: "Error"})
	p.after(10 * time.Millisecond)
}

func (p *pass) exit(c *corev1.Container, status *corev1.ContainerStatus, f fate) {
	if restarts, err := strconv.ParseInt(p.setting(c, "restarts"), 10, 32); err == nil && f.exitCode != 0 && status.RestartCount == 0 {
		status.RestartCount = int32(restarts)
	}
	started := metav1.NewTime(p.now)
	if status.State.Running != nil {
		started = status.State.Running.StartedAt
	}
	status.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: f.exitCode, Reason: f.reason, Message: f.message,
		StartedAt: started, FinishedAt: metav1.NewTime(p.now), ContainerID: status.ContainerID,
	}}
	no := false
	status.Started = &no
	// A regular init container that has done its work counts as ready.
	status.Ready = f.exitCode == 0 && p.isInit(c) && !sidecar(c)
}

func (p *pass) isInit(c *corev1.Container) bool {
	for i := range p.pod.Spec.InitContainers {
		if p.pod.Spec.InitContainers[i].Name == c.Name {
			return true
		}
	}
	return false
}

func (p *pass) keepWaiting(status *corev1.ContainerStatus, reason, message string) {
	no := false
	status.Started, status.Ready = &no, false
	status.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}
