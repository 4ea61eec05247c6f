package diagnose

import (
	"regexp"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

var deploymentProgressDeadline = cause{
	id: "DeploymentProgressDeadline", severity: Medium,
	check: func(x *exam) {
		for _, s := range x.open(stalled) {
			d, ok := s.work.meta.(*appsv1.Deployment)
			if !ok || s.reason != "ProgressDeadlineExceeded" || x.otherSymptom(s) {
				continue
			}
			if evidence := x.slowStart(s.work, d); evidence != nil {
				x.add(x.shortDeadline(s, d, evidence))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"DeploymentProgressDeadline.message": "The progress deadline of %[1]s (%[2]s s) is shorter than its pods need to become ready; nothing fails by itself",
			"DeploymentProgressDeadline.fix":     "Raise progressDeadlineSeconds of %[1]s above the time that one pod needs; the rollout goes on by itself meanwhile.",
		},
		french: map[string]string{
			"DeploymentProgressDeadline.message": "Le délai de progression de %[1]s (%[2]s s) est plus court que ce qu'il faut à ses pods pour être prêts ; rien n'échoue par ailleurs",
			"DeploymentProgressDeadline.fix":     "Augmentez progressDeadlineSeconds de %[1]s au-delà du temps qu'il faut à un pod ; le déploiement continue entre-temps de lui-même.",
		},
	},
}

var pulledIn = regexp.MustCompile(`^Successfully pulled image .* in ([\dhms.]+)`)

// slowStart cites what shows that the pods of a rollout need longer than its deadline: probes that wait longer, a long
// pull, or pods that start without having failed.
func (x *exam) slowStart(w *workload, d *appsv1.Deployment) []Evidence {
	deadline := time.Duration(deadlineOf(d)) * time.Second
	var patient, starting []Evidence
	for i := range w.template.Spec.Containers {
		c := &w.template.Spec.Containers[i]
		s := &symptom{work: w, container: c.Name}
		if startAllowance(c)+time.Duration(d.Spec.MinReadySeconds)*time.Second >= deadline {
			patient = append(patient, x.probeFields(s, "startupProbe", c.StartupProbe)...)
			patient = append(patient, x.probeFields(s, "readinessProbe", c.ReadinessProbe)...)
		}
	}
	for _, p := range w.pods {
		patient = append(patient, x.longPull(p, deadline)...)
		starting = append(starting, x.startsWell(w, p)...)
	}
	if len(starting) == 0 && len(w.pods) > 0 && len(patient) < 2 {
		return nil
	}
	return append(patient, starting...)
}

// longPull cites that fetching an image alone took longer than the deadline.
func (x *exam) longPull(p *corev1.Pod, deadline time.Duration) []Evidence {
	var out []Evidence
	for _, e := range x.events[podRef(p)] {
		if m := pulledIn.FindStringSubmatch(e.Message); m != nil {
			if took, err := time.ParseDuration(m[1]); err == nil && took >= deadline {
				out = append(out, event(e))
			}
		}
	}
	return out
}

// startsWell cites containers that are ready or still starting and never failed.
func (x *exam) startsWell(w *workload, p *corev1.Pod) []Evidence {
	var out []Evidence
	for _, c := range p.Status.ContainerStatuses {
		r := c.State.Running
		if r == nil || c.RestartCount > 0 || !c.Ready && c.Started != nil && *c.Started {
			continue
		}
		out = append(out, field(podRef(p), "status.containerStatuses["+c.Name+"].state.running.startedAt", r.StartedAt.UTC().Format(time.RFC3339)))
		if last := x.lastLine(&symptom{work: w, pods: []*corev1.Pod{p}, container: c.Name}); last != nil {
			out = append(out, last.cite(0))
		}
	}
	return out
}

func deadlineOf(d *appsv1.Deployment) int32 {
	if d.Spec.ProgressDeadlineSeconds == nil {
		return 600
	}
	return *d.Spec.ProgressDeadlineSeconds
}

func (x *exam) shortDeadline(s *symptom, d *appsv1.Deployment, evidence []Evidence) Finding {
	f := Finding{
		Cause: "DeploymentProgressDeadline", Object: s.work.ref, links: links{explains: []*symptom{s}},
		Message:   x.say("DeploymentProgressDeadline.message", s.work.ref.String(), number(deadlineOf(d))),
		Fix:       x.say("DeploymentProgressDeadline.fix", s.work.ref.String()),
		Evidence:  []Evidence{field(s.work.ref, "spec.progressDeadlineSeconds", deadlineOf(d))},
		Operation: patchOperation(s.work.ref, "merge", map[string]any{"spec": map[string]any{"progressDeadlineSeconds": max(600, 3*deadlineOf(d))}}),
	}
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentProgressing {
			f.Evidence = append(f.Evidence, field(s.work.ref, "status.conditions[Progressing].reason", c.Reason), field(s.work.ref, "status.conditions[Progressing].message", c.Message))
		}
	}
	f.Evidence = append(f.Evidence, evidence...)
	return f
}
