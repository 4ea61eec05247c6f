package diagnose

import (
	"fmt"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var factTexts = texts{
	english: map[string]string{
		"fact.node":    "%[1]s is ready since %[2]s",
		"fact.cordon":  "%[1]s is ready and cordoned",
		"fact.service": "%[1]s has %[2]s ready endpoints",
		"fact.scaler":  "%[1]s gets its metrics and wants %[2]s replicas, of which there are %[3]s (%[4]s to %[5]s allowed)",
		"fact.budget":  "%[1]s allows %[2]s disruptions; %[3]s pods are healthy and %[4]s are needed",
		"fact.job":     "%[1]s: %[2]s of %[3]s runs succeeded, %[4]s failed",
		"fact.cron":    "%[1]s ran last at %[2]s and succeeded last at %[3]s",
		"fact.claim":   "%[1]s is %[2]s",
		"fact.never":   "never",
	},
	french: map[string]string{
		"fact.node":    "%[1]s est prêt depuis %[2]s",
		"fact.cordon":  "%[1]s est prêt et isolé par un cordon",
		"fact.service": "%[1]s a %[2]s points d'accès prêts",
		"fact.scaler":  "%[1]s reçoit ses métriques et veut %[2]s réplicas ; il y en a %[3]s (de %[4]s à %[5]s permis)",
		"fact.budget":  "%[1]s autorise %[2]s perturbations ; %[3]s pods sont sains et %[4]s sont nécessaires",
		"fact.job":     "%[1]s : %[2]s exécutions réussies sur %[3]s, %[4]s échouées",
		"fact.cron":    "%[1]s a tourné la dernière fois le %[2]s et réussi la dernière fois le %[3]s",
		"fact.claim":   "%[1]s est %[2]s",
		"fact.never":   "jamais",
	},
}

// facts are what is seen of the objects that were asked about, other than workloads, where nothing is wrong with them: an
// answer that contradicts what its reader believes has to show why.
func (x *exam) facts(v Verdict) []Finding {
	const most = 10
	var out []Finding
	for _, r := range x.factual() {
		f := Finding{ID: string(v) + ":" + r.Path(), Cause: CauseID(v), Object: r, Severity: Low, Impact: 1}
		f.Message, f.Evidence = x.fact(r)
		if f.Message != "" && len(out) < most {
			out = append(out, f)
		}
	}
	return out
}

// factual are the objects asked about, and the autoscalers and budgets of the workloads asked about.
func (x *exam) factual() []cluster.Ref {
	out := append([]cluster.Ref(nil), x.seeds.refs...)
	for _, w := range x.askedWorkloads() {
		for _, h := range x.snap.Autoscalers {
			if scaledRef(h) == w.ref {
				out = append(out, ref("HorizontalPodAutoscaler", h.Namespace, h.Name))
			}
		}
		for _, b := range x.snap.DisruptionBudgets {
			if b.Namespace == w.namespace() && b.Spec.Selector != nil && selectorFits(b.Spec.Selector, w.template.Labels) {
				out = append(out, ref("PodDisruptionBudget", b.Namespace, b.Name))
			}
		}
	}
	return out
}

func (x *exam) fact(r cluster.Ref) (string, []Evidence) {
	switch o := x.objects[r].(type) {
	case *corev1.Node:
		return x.nodeFact(r, o)
	case *corev1.Service:
		return x.serviceFact(r, o)
	case *autoscalingv2.HorizontalPodAutoscaler:
		return x.scalerFact(r, o)
	case *policyv1.PodDisruptionBudget:
		s := o.Status
		return x.say("fact.budget", r.String(), number(s.DisruptionsAllowed), number(s.CurrentHealthy), number(s.DesiredHealthy)),
			[]Evidence{field(r, "status.disruptionsAllowed", s.DisruptionsAllowed), field(r, "status.currentHealthy", s.CurrentHealthy), field(r, "status.desiredHealthy", s.DesiredHealthy)}
	case *batchv1.Job:
		return x.jobFact(r, o)
	case *batchv1.CronJob:
		return x.cronFact(r, o)
	case *corev1.PersistentVolumeClaim:
		return x.say("fact.claim", r.String(), string(o.Status.Phase)), []Evidence{field(r, "status.phase", o.Status.Phase)}
	}
	return "", nil
}

func (x *exam) nodeFact(r cluster.Ref, n *corev1.Node) (string, []Evidence) {
	var evidence []Evidence
	message := ""
	for i := range n.Status.Conditions {
		c := &n.Status.Conditions[i]
		evidence = append(evidence, field(r, "status.conditions["+string(c.Type)+"].status", c.Status))
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			message = x.say("fact.node", r.String(), moment(c.LastTransitionTime.Time))
		}
	}
	if n.Spec.Unschedulable && message != "" {
		message = x.say("fact.cordon", r.String())
		evidence = append(evidence, field(r, "spec.unschedulable", true))
	}
	if e := x.lastEvent([]cluster.Ref{r}, "Rebooted", "Starting", "InvalidDiskCapacity", "NodeNotReady"); e != nil {
		evidence = append(evidence, event(e))
	}
	return message, append(evidence, x.brokenOff(n.Name)...)
}

// brokenOff cites containers of a node that ended without anybody seeing how, as they do when their machine stops.
func (x *exam) brokenOff(node string) []Evidence {
	const most = 3
	var out []Evidence
	pods := 0
	for _, p := range x.podsOnNode[node] {
		for _, c := range statuses(p) {
			if t := termination(&c); t != nil && t.Reason == "ContainerStatusUnknown" || t != nil && t.Reason == "Unknown" {
				s := &symptom{work: x.podWorkload[podRef(p)], container: c.Name, init: isInit(p, c.Name)}
				s.pods = append(s.pods, p)
				if pods++; pods <= most && s.work != nil {
					out = append(out, x.ending(s)...)
				}
			}
		}
	}
	return out
}

func (x *exam) serviceFact(r cluster.Ref, s *corev1.Service) (string, []Evidence) {
	if s.Spec.Type == corev1.ServiceTypeExternalName {
		return "", nil
	}
	ready := 0
	for _, slice := range x.slices[r] {
		for _, e := range slice.Endpoints {
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				ready += len(e.Addresses)
			}
		}
	}
	return x.say("fact.service", r.String(), number(ready)), []Evidence{cite(FieldEvidence, "EndpointSlices of "+r.String(), fmt.Sprintf("ready endpoints: %d", ready), 0)}
}

func (x *exam) scalerFact(r cluster.Ref, h *autoscalingv2.HorizontalPodAutoscaler) (string, []Evidence) {
	lowest := int32(1)
	if h.Spec.MinReplicas != nil {
		lowest = *h.Spec.MinReplicas
	}
	var evidence []Evidence
	for _, c := range h.Status.Conditions {
		evidence = append(evidence, field(r, "status.conditions["+string(c.Type)+"].reason", c.Reason))
	}
	for _, m := range h.Status.CurrentMetrics {
		if c := currents(m); c.what != "" {
			evidence = append(evidence, field(r, "status.currentMetrics["+c.name+"]."+c.what, c.value))
		}
	}
	return x.say("fact.scaler", r.String(), number(h.Status.DesiredReplicas), number(h.Status.CurrentReplicas), number(lowest), number(h.Spec.MaxReplicas)), evidence
}

func (x *exam) jobFact(r cluster.Ref, j *batchv1.Job) (string, []Evidence) {
	wanted := int32(1)
	if j.Spec.Completions != nil {
		wanted = *j.Spec.Completions
	}
	evidence := []Evidence{field(r, "status.succeeded", j.Status.Succeeded), field(r, "status.failed", j.Status.Failed)}
	if e := x.lastEvent([]cluster.Ref{r}, "Completed"); e != nil {
		evidence = append(evidence, event(e))
	}
	return x.say("fact.job", r.String(), number(j.Status.Succeeded), number(wanted), number(j.Status.Failed)), evidence
}

func (x *exam) cronFact(r cluster.Ref, c *batchv1.CronJob) (string, []Evidence) {
	last, succeeded := x.say("fact.never"), x.say("fact.never")
	if t := c.Status.LastScheduleTime; t != nil {
		last = moment(t.Time)
	}
	if t := c.Status.LastSuccessfulTime; t != nil {
		succeeded = moment(t.Time)
	}
	evidence := []Evidence{
		field(r, "spec.schedule", c.Spec.Schedule), field(r, "status.lastScheduleTime", last), field(r, "status.lastSuccessfulTime", succeeded),
	}
	return x.say("fact.cron", r.String(), last, succeeded), append(evidence, x.durations(r)...)
}

// durations cites how long the last runs of a CronJob took.
func (x *exam) durations(r cluster.Ref) []Evidence {
	const most = 4
	var out []Evidence
	for _, j := range x.jobsOf[r] {
		if s := j.Status; s.StartTime != nil && s.CompletionTime != nil {
			took := s.CompletionTime.Sub(s.StartTime.Time)
			out = append(out, cite(FieldEvidence, ref("Job", j.Namespace, j.Name).String()+" status", "took "+took.String()+" until "+moment(s.CompletionTime.Time), 0))
		}
	}
	return out[max(0, len(out)-most):]
}

// moment writes a time as people read it, to the minute.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
