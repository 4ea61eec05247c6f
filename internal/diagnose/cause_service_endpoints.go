package diagnose

import (
	corev1 "k8s.io/api/core/v1"
)

// serviceWithoutEndpoints is the echo of what ails the pods of a Service. It shows how their trouble reaches those who
// call the Service; it is never a root cause.
var serviceWithoutEndpoints = cause{
	id: "ServiceWithoutEndpoints", severity: High,
	check: func(x *exam) {
		for _, r := range x.byKind["Service"] {
			s := get[*corev1.Service](x.index, "Service", r.Namespace, r.Name)
			if s == nil || len(s.Spec.Selector) == 0 || s.Spec.PublishNotReadyAddresses {
				continue
			}
			behind := x.workloadsSelected(s.Namespace, s.Spec.Selector)
			if len(behind) == 0 || x.ready(behind) > 0 || x.idleBehind(r) != nil {
				continue
			}
			f := Finding{
				Cause: "ServiceWithoutEndpoints", Object: r, Message: x.say("ServiceWithoutEndpoints.message", r.String(), behind[0].ref.String()),
				Fix:   x.say("ServiceWithoutEndpoints.fix", r.String(), behind[0].ref.String()),
				links: links{echo: true, needs: workloadRefs(behind)},
			}
			for _, k := range sortedKeys(s.Spec.Selector) {
				f.Evidence = append(f.Evidence, entry(r, "spec.selector", k, s.Spec.Selector[k]))
			}
			for _, w := range behind {
				f.Evidence = append(f.Evidence, field(w.ref, "status.readyReplicas", w.readyPods()))
			}
			x.add(f)
		}
	},
	texts: texts{
		english: map[string]string{
			"ServiceWithoutEndpoints.message": "%[1]s has no ready endpoint because no pod of %[2]s is ready",
			"ServiceWithoutEndpoints.fix":     "Nothing to change in %[1]s: it serves again once a pod of %[2]s is ready.",
		},
		french: map[string]string{
			"ServiceWithoutEndpoints.message": "%[1]s n'a aucun point d'accès prêt parce qu'aucun pod de %[2]s n'est prêt",
			"ServiceWithoutEndpoints.fix":     "Rien à changer dans %[1]s : il servira de nouveau dès qu'un pod de %[2]s sera prêt.",
		},
	},
}

func (x *exam) ready(list []*workload) int {
	n := 0
	for _, w := range list {
		n += w.readyPods()
	}
	return n
}
