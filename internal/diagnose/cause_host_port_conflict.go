package diagnose

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

var hostPortConflict = cause{
	id: "HostPortConflict", severity: High,
	check: func(x *exam) {
		for _, p := range x.placements() {
			if p.decisive == obstaclePort {
				x.add(x.portTaken(&p))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"HostPortConflict.message": "The host port %[1]s that %[2]s asks for is taken on every node in question",
			"HostPortConflict.holder":  "The host port %[1]s that %[2]s asks for is taken on every node in question, by %[3]s among others",
			"HostPortConflict.fix":     "Give %[1]s another host port, or none at all (a Service of type NodePort or LoadBalancer); no more than one such pod fits on a node.",
		},
		french: map[string]string{
			"HostPortConflict.message": "Le port d'hôte %[1]s que %[2]s demande est pris sur tous les nœuds concernés",
			"HostPortConflict.holder":  "Le port d'hôte %[1]s que %[2]s demande est pris sur tous les nœuds concernés, notamment par %[3]s",
			"HostPortConflict.fix":     "Donnez à %[1]s un autre port d'hôte, ou aucun (un Service de type NodePort ou LoadBalancer) ; un nœud n'accepte qu'un tel pod.",
		},
	},
}

func (x *exam) portTaken(p *placement) Finding {
	w := p.symptom.work
	f := x.unplaced("HostPortConflict", w.ref, p)
	ports := hostPorts(&p.pod.Spec)
	first := ""
	for _, port := range ports {
		if first == "" {
			first = number(port)
		}
		f.Evidence = append(f.Evidence, field(w.ref, "spec.template.spec.containers.ports.hostPort", port))
	}
	f.Message = x.say("HostPortConflict.message", first, w.ref.String())
	f.Fix = x.say("HostPortConflict.fix", w.ref.String())
	if holder := x.portHolder(w, ports); holder != nil {
		f.Message = x.say("HostPortConflict.holder", first, w.ref.String(), holder.ref.String())
		f.Evidence = append(f.Evidence, field(holder.ref, "spec.template.spec.containers.ports.hostPort", first))
	}
	return f
}

func hostPorts(spec *corev1.PodSpec) []int32 {
	var out []int32
	for i := range spec.Containers {
		for _, port := range spec.Containers[i].Ports {
			switch {
			case port.HostPort > 0:
				out = append(out, port.HostPort)
			case spec.HostNetwork && port.ContainerPort > 0:
				out = append(out, port.ContainerPort)
			}
		}
	}
	return out
}

// portHolder is another workload whose pods hold one of the ports on a node.
func (x *exam) portHolder(w *workload, ports []int32) *workload {
	for _, other := range x.workloadList {
		if other == w || other.readyPods() == 0 {
			continue
		}
		if slices.ContainsFunc(hostPorts(&other.template.Spec), func(p int32) bool { return slices.Contains(ports, p) }) {
			return other
		}
	}
	return nil
}
