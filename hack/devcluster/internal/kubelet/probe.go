package kubelet

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The kinds of probes, as they begin the messages about them.
const (
	startup   = "Startup"
	liveness  = "Liveness"
	readiness = "Readiness"
)

// verdict is what a probe has found out so far.
type verdict int

const (
	undecided verdict = iota
	healthy
	failing
	// deadly means that a probe has failed as often as it may.
	deadly
)

func lower(kind string) string { return strings.ToLower(kind) }

// probe judges a running container by one of its probes, as of its newest attempt.
func (p *pass) probe(c *corev1.Container, status *corev1.ContainerStatus, field, kind string, probe *corev1.Probe) verdict {
	start := status.State.Running.StartedAt.Time
	period := time.Duration(max(probe.PeriodSeconds, 1)) * time.Second
	first := start.Add(time.Duration(probe.InitialDelaySeconds) * time.Second)
	if p.now.Before(first) {
		p.after(first.Sub(p.now))
		return undecided
	}
	attempts := int(p.now.Sub(first)/period) + 1
	// A process answers nothing until it serves, and the same ever after.
	serves := start.Add(p.duration(c, "serves-after", 0))
	problem := p.probeProblem(c, kind, probe)
	failures := attempts
	if problem == "" {
		failures = min(attempts, int((serves.Sub(first)+period-1)/period))
	}
	if failures < attempts {
		return healthy
	}
	if problem == "" || serves.After(p.now) {
		problem = p.refusal(c, probe)
	}
	p.sayEvery(period, event{corev1.EventTypeWarning, "Unhealthy", fmt.Sprintf("%s probe failed: %s", kind, problem), field})
	p.after(first.Add(time.Duration(attempts) * period).Sub(p.now))
	if kind != readiness && failures >= int(max(probe.FailureThreshold, 1)) {
		return deadly
	}
	return failing
}

// probeProblem is what is wrong with the answer of a process that serves, empty if nothing is.
func (p *pass) probeProblem(c *corev1.Container, kind string, probe *corev1.Probe) string {
	if p.setting(c, "play") != kind+"Fails" {
		return p.answerProblem(c, probe)
	}
	if message := p.setting(c, "message"); message != "" {
		return message
	}
	if probe.HTTPGet != nil {
		return "HTTP probe failed with statuscode: 503"
	}
	return p.refusal(c, probe)
}

// answerProblem compares what a probe asks for with what the process is said to serve.
func (p *pass) answerProblem(c *corev1.Container, probe *corev1.Probe) string {
	serves, port := p.list(c, "serves"), strconv.Itoa(p.probedPort(c, probe))
	if serves == nil || probe.Exec != nil {
		return ""
	}
	listens := func(entry string) bool { return entry == port || strings.HasPrefix(entry, port+"/") }
	if !slices.ContainsFunc(serves, listens) {
		return p.refusal(c, probe)
	}
	if probe.HTTPGet == nil || slices.Contains(serves, port) ||
		slices.Contains(serves, port+"/"+strings.TrimPrefix(probe.HTTPGet.Path, "/")) {
		return ""
	}
	return "HTTP probe failed with statuscode: 404"
}

func (p *pass) probedPort(c *corev1.Container, probe *corev1.Probe) int {
	switch {
	case probe.HTTPGet != nil:
		return p.port(c, probe.HTTPGet.Port)
	case probe.TCPSocket != nil:
		return p.port(c, probe.TCPSocket.Port)
	case probe.GRPC != nil:
		return int(probe.GRPC.Port)
	}
	return 0
}

// refusal is what a prober says of a process that does not listen.
func (p *pass) refusal(c *corev1.Container, probe *corev1.Probe) string {
	target := net.JoinHostPort(p.pod.Status.PodIP, strconv.Itoa(p.probedPort(c, probe)))
	switch {
	case probe.HTTPGet != nil:
		scheme := strings.ToLower(string(probe.HTTPGet.Scheme))
		if scheme == "" {
			scheme = "http"
		}
		return fmt.Sprintf("Get \"%s://%s/%s\": dial tcp %s: connect: connection refused",
			scheme, target, strings.TrimPrefix(probe.HTTPGet.Path, "/"), target)
	case probe.TCPSocket != nil:
		return fmt.Sprintf("dial tcp %s: connect: connection refused", target)
	case probe.GRPC != nil:
		timeout := time.Duration(max(probe.TimeoutSeconds, 1)) * time.Second
		return fmt.Sprintf("timeout: failed to connect service %q within %v: context deadline exceeded", target, timeout)
	default:
		return "command returned exit code 1"
	}
}

func (p *pass) port(c *corev1.Container, port intstr.IntOrString) int {
	for _, named := range c.Ports {
		if port.Type == intstr.String && named.Name == port.StrVal {
			return int(named.ContainerPort)
		}
	}
	return port.IntValue()
}
