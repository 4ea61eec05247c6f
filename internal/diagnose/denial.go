package diagnose

import (
	"github.com/eclusier/eclusier/internal/cluster"
)

// denial is a symptom of pods that cannot be created, with what the API server says.
type denial struct {
	*symptom
	message  string
	evidence []Evidence
}

// refusals returns the open symptoms of pods that cannot be created.
func (x *exam) denials() []denial {
	var out []denial
	for _, s := range x.open(notCreated) {
		message, _ := x.createFailure(s.work)
		r := denial{symptom: s, message: message}
		if e := x.createFailureEvent(s.work); e != nil {
			r.evidence = append(r.evidence, event(e))
		}
		r.evidence = append(r.evidence, x.rolloutConditions(s.work)...)
		for _, set := range s.work.sets {
			if orOne(set.Spec.Replicas) > set.Status.Replicas {
				r.evidence = append(r.evidence, field(ref("ReplicaSet", set.Namespace, set.Name), "status.replicas", set.Status.Replicas))
				for _, c := range set.Status.Conditions {
					if c.Type == "ReplicaFailure" {
						r.evidence = append(r.evidence, field(ref("ReplicaSet", set.Namespace, set.Name), "status.conditions[ReplicaFailure].message", c.Message))
					}
				}
			}
		}
		out = append(out, r)
	}
	return out
}

// refused is the finding of a denial at an object.
func (x *exam) refused(r denial, id CauseID, at cluster.Ref) Finding {
	f := Finding{Cause: id, Object: at, Evidence: r.evidence, links: links{explains: x.alsoStalled(r.symptom)}}
	if at != r.work.ref {
		f.links.affects = []cluster.Ref{r.work.ref}
	}
	return f
}

// alsoStalled adds the stalled rollout of the same workload to what a finding explains.
func (x *exam) alsoStalled(s *symptom) []*symptom {
	out := []*symptom{s}
	for _, o := range x.symptomsOf[s.work] {
		if o.kind == stalled && o != s && !o.explained() {
			out = append(out, o)
		}
	}
	return out
}
