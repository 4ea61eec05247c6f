package diagnose

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// onAskedNode answers a question about a node that is well with what fails on it and nowhere else: pods of workloads
// whose other pods, on other nodes, are ready. What fails there by chance stays apart.
func (x *exam) onAskedNode(others []*story) (answers, rest []*story) {
	for _, s := range others {
		if slices.ContainsFunc(x.seeds.refs, func(r cluster.Ref) bool { return r.Kind == "Node" && onlyOn(s, r.Name) }) {
			answers = append(answers, s)
		} else {
			rest = append(rest, s)
		}
	}
	return answers, rest
}

// onlyOn says that everything that a story explains happens on one node, while the same workloads are ready elsewhere.
func onlyOn(s *story, node string) bool {
	seen := false
	for _, f := range s.effects {
		for _, o := range f.links.explains {
			there := func(p *corev1.Pod) bool { return p.Spec.NodeName == node }
			elsewhere := func(p *corev1.Pod) bool { return !there(p) && podReady(p) }
			if len(o.pods) == 0 || !slices.ContainsFunc(o.work.pods, elsewhere) || slices.ContainsFunc(o.pods, func(p *corev1.Pod) bool { return !there(p) }) {
				return false
			}
			seen = true
		}
	}
	return seen
}
