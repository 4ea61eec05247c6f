package diagnose

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/eclusier/eclusier/internal/cluster"
)

// loop is a container api that has ended twice after it lived for a while, and has been running again for another while.
// Nothing but its end makes it not ready.
func loop(code int32, lived, runs time.Duration) (*world, *corev1.Pod) {
	w := newWorld()
	_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
		t.Spec.Containers[0].LivenessProbe = &corev1.Probe{FailureThreshold: 2, PeriodSeconds: 5, ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080)}}}
	})
	c := statusOf(p, "api")
	c.RestartCount, c.State.Running.StartedAt = 2, before(runs)
	c.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
		ExitCode: code, Reason: "Error", FinishedAt: before(runs + 10*time.Second), StartedAt: before(runs + 10*time.Second + lived)}
	return w, p
}

// happened adds an event that was seen for a minute, the last time at a moment before now.
func (w *world) happened(p *corev1.Pod, warning bool, reason, message string, ago time.Duration) {
	w.Events = append(w.Events, &cluster.Event{Namespace: p.Namespace, About: podRef(p), Warning: warning, Reason: reason, Message: message,
		Count: 4, First: noon.Add(-ago - time.Minute), Last: noon.Add(-ago)})
}

func TestLivenessProbe_atAnyMomentOfTheLoop(t *testing.T) {
	t.Parallel()
	const failed = `Liveness probe failed: Get "http://10.1.0.7:8080/healthz": dial tcp 10.1.0.7:8080: connect: connection refused`
	killing := func(w *world, p *corev1.Pod, ago time.Duration) {
		w.happened(p, false, "Killing", "Container api failed liveness probe, will be restarted", ago)
	}
	failing := func(w *world, p *corev1.Pod, ago time.Duration) { w.happened(p, true, "Unhealthy", failed, ago) }
	for name, c := range map[string]struct {
		code        int32
		lived, runs time.Duration
		events      []func(*world, *corev1.Pod, time.Duration)
		cites       string
	}{
		"a moment after the start":                 {137, 15 * time.Second, time.Second, []func(*world, *corev1.Pod, time.Duration){killing, failing}, "failed liveness probe"},
		"while the next probe fails":               {137, 15 * time.Second, 12 * time.Second, []func(*world, *corev1.Pod, time.Duration){killing, failing}, "failed liveness probe"},
		"a probe that waits for minutes":           {137, 4 * time.Minute, 3 * time.Minute, []func(*world, *corev1.Pod, time.Duration){killing, failing}, "failed liveness probe"},
		"the kubelet's word was lost in the flood": {137, 15 * time.Second, 12 * time.Second, []func(*world, *corev1.Pod, time.Duration){failing}, "connection refused"},
		"lost, and it ended on the first signal":   {143, 15 * time.Second, 12 * time.Second, []func(*world, *corev1.Pod, time.Duration){failing}, "exitCode: 143"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := loop(c.code, c.lived, c.runs)
			for _, add := range c.events {
				add(w, p, c.runs+10*time.Second)
			}
			w.check(t, expected{cause: "LivenessProbeTooAggressive", object: "Deployment/app/api", evidence: []string{c.cites, "failureThreshold: 2"}})
		})
	}
}

func TestLivenessProbe_doesNotKillWhatEndsOtherwise(t *testing.T) {
	t.Parallel()
	const failed = `Liveness probe failed: Get "http://10.1.0.7:8080/healthz": context deadline exceeded`
	for name, add := range map[string]func() *world{
		"by itself": func() *world {
			w, p := loop(1, 15*time.Second, 12*time.Second)
			w.happened(p, true, "Unhealthy", failed, 22*time.Second)
			return w
		},
		"long after the probe failed": func() *world {
			w, p := loop(137, 15*time.Second, 12*time.Second)
			w.happened(p, true, "Unhealthy", failed, 30*time.Minute)
			return w
		},
		"before the probe failed": func() *world {
			w, p := loop(137, 15*time.Second, 5*time.Minute)
			w.happened(p, true, "Unhealthy", failed, time.Minute)
			return w
		},
		"by a signal of which nothing is known": func() *world {
			w, _ := loop(137, 15*time.Second, 12*time.Second)
			return w
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := add().ask(t, ref("Deployment", "app", "api"))
			for _, f := range r.RootCauses {
				if f.Cause == "LivenessProbeTooAggressive" {
					t.Errorf("blames the probe: %s", f.Message)
				}
			}
		})
	}
}

func TestACrashLoopIsOneWhileItRuns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lived, runs time.Duration
		want        symptomKind
	}{
		"it has just started again":            {time.Second, 2 * time.Second, crashing},
		"it has not run for as long as it did": {5 * time.Minute, 4 * time.Minute, crashing},
		"it has outlived what ended":           {time.Second, 2 * time.Minute, restarted},
		"it ended after a long life":           {8 * time.Hour, 2 * time.Second, restarted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := loop(1, c.lived, c.runs)
			x := newExam(w.Snapshot, Question{Namespace: "app"})
			x.observe()
			if len(x.symptoms) != 1 || x.symptoms[0].kind != c.want {
				t.Errorf("sees %+v, want one that is %s", x.symptoms, c.want)
			}
		})
	}
}

func TestACrashLoopOfWhatCannotBeStarted(t *testing.T) {
	t.Parallel()
	w, p := loop(128, 0, 2*time.Second)
	end := statusOf(p, "api").LastTerminationState.Terminated
	end.Reason, end.StartedAt.Time = "StartError", time.Unix(0, 0)
	end.Message = `exec: "serv": executable file not found in $PATH`
	w.check(t, expected{cause: "CrashBadCommand", object: "Deployment/app/api", evidence: []string{"serv"}})
}
