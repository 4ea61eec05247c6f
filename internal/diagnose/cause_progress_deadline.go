package diagnose

import (
	"regexp"
	"time"

	appsv1 "k8s.io/api/apps/v1"
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
// pull, or pods that became ready after all.
func (x *exam) slowStart(w *workload, d *appsv1.Deployment) []Evidence {
	deadline := time.Duration(deadlineOf(d)) * time.Second
	var out []Evidence
	for i := range w.template.Spec.Containers {
		c := &w.template.Spec.Containers[i]
		s := &symptom{work: w, container: c.Name}
		if startAllowance(c)+time.Duration(d.Spec.MinReadySeconds)*time.Second >= deadline {
			out = append(out, x.probeFields(s, "startupProbe", c.StartupProbe)...)
			out = append(out, x.probeFields(s, "readinessProbe", c.ReadinessProbe)...)
		}
	}
	late := false
	for _, p := range w.pods {
		for _, e := range x.events[podRef(p)] {
			if m := pulledIn.FindStringSubmatch(e.Message); m != nil {
				if took, err := time.ParseDuration(m[1]); err == nil && took >= deadline {
					out = append(out, event(e))
				}
			}
		}
		for _, c := range p.Status.ContainerStatuses {
			if r := c.State.Running; r != nil && c.RestartCount == 0 && (c.Ready || c.Started == nil || !*c.Started) {
				late = true
				out = append(out, field(podRef(p), "status.containerStatuses["+c.Name+"].state.running.startedAt", r.StartedAt.UTC().Format(time.RFC3339)))
				if last := x.lastLine(&symptom{work: w, pods: w.pods, container: c.Name}); last != nil {
					out = append(out, last.cite(0))
				}
			}
		}
	}
	if len(out) == 0 || !late && len(w.pods) > 0 && len(out) < 2 {
		return nil
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
