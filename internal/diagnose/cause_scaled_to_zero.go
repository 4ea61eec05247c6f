package diagnose

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var scaledToZero = cause{
	id: "ScaledToZero", severity: High,
	check: func(x *exam) {
		for _, w := range x.workloadList {
			if w.desired != 0 || w.ref.Kind != "Deployment" && w.ref.Kind != "StatefulSet" && w.ref.Kind != "ReplicaSet" && w.ref.Kind != "ReplicationController" {
				continue
			}
			if w.ref.Kind == "ReplicaSet" && len(w.meta.GetOwnerReferences()) > 0 {
				continue
			}
			x.add(x.zero(w))
		}
	},
	texts: texts{
		english: map[string]string{
			"ScaledToZero.message": "%[1]s is scaled to zero, so there is nothing that could serve",
			"ScaledToZero.fix":     "Scale %[1]s up again, after finding out who scaled it down and why, or it may be scaled down once more.",
		},
		french: map[string]string{
			"ScaledToZero.message": "%[1]s est réduit à zéro réplique, il n'y a donc rien qui puisse servir",
			"ScaledToZero.fix":     "Remettez des répliques à %[1]s, après avoir trouvé qui les a retirées et pourquoi, sinon cela peut recommencer.",
		},
	},
}

func (x *exam) zero(w *workload) Finding {
	f := Finding{
		Cause: "ScaledToZero", Object: w.ref, links: links{onDemand: true},
		Message: x.say("ScaledToZero.message", w.ref.String()), Fix: x.say("ScaledToZero.fix", w.ref.String()),
		Evidence: []Evidence{field(w.ref, "spec.replicas", w.desired)},
	}
	former := int32(1)
	for k, v := range w.meta.GetAnnotations() {
		if n, ok := formerReplicas(k, v); ok {
			former = n
			f.Evidence = append(f.Evidence, cite(FieldEvidence, source(w.ref)+" metadata.annotations", k+": "+v, 0))
		}
	}
	if e := x.scaleDown(w); e != nil {
		f.Evidence = append(f.Evidence, event(e))
		if m := scaledFrom.FindStringSubmatch(e.Message); m != nil {
			if n, ok := formerReplicas("replicas", m[1]); ok {
				former = n
			}
		}
	}
	f.Operation = scaleOperation(w.ref, former)
	f.Evidence = append(f.Evidence, x.whoScaled(w)...)
	return f
}

var scaledFrom = regexp.MustCompile(`from (\d+) to 0\b`)

// scaleDown is the event of the last scaling to zero.
func (x *exam) scaleDown(w *workload) *cluster.Event {
	var last *cluster.Event
	for _, e := range x.events[w.ref] {
		if e.Reason == "ScalingReplicaSet" && strings.HasSuffix(e.Message, "to 0") {
			last = e
		}
	}
	return last
}

// formerReplicas reads the number of replicas that tools which scale down leave in an annotation.
func formerReplicas(key, value string) (int32, bool) {
	if !strings.Contains(strings.ToLower(key), "replicas") || strings.HasPrefix(key, "deployment.kubernetes.io/") {
		return 0, false
	}
	n := int32(0)
	for _, c := range value {
		if c < '0' || c > '9' || n > 10000 {
			return 0, false
		}
		n = n*10 + int32(c-'0')
	}
	return n, n > 0
}

// scalerName recognises workloads that scale others by their name.
var scalerName = regexp.MustCompile(`(?i)scal|keda|sleep|hibernat|shutdown|schedul|saver`)

// whoScaled cites logs of the same namespace that speak of scaling the workload, and asks for those of likely scalers.
func (x *exam) whoScaled(w *workload) []Evidence {
	var out []Evidence
	for _, p := range x.podsByNS[w.namespace()] {
		for _, l := range x.logs[podRef(p)] {
			for _, one := range x.lines(l) {
				if at := strings.Index(one.text, w.ref.Name); at >= 0 && namedIn(one.text, w.ref.Name) && scalerName.MatchString(one.text) && len(out) < 3 {
					out = append(out, one.cite(at))
				}
			}
		}
		if scalerName.MatchString(x.podWorkload[podRef(p)].ref.Name) && p.Status.Phase == corev1.PodRunning {
			for _, c := range runningContainers(p) {
				x.wantLogs(p, c, false)
			}
		}
	}
	return out
}
