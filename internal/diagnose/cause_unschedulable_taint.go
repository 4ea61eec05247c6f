package diagnose

import (
	corev1 "k8s.io/api/core/v1"
)

var unschedulableTaint = cause{
	id: "UnschedulableTaint", severity: High,
	check: func(x *exam) {
		for _, p := range x.placements() {
			if p.decisive == obstacleTaint {
				x.add(x.taintedAway(&p))
			} else if p.decisive == obstacleCordon {
				x.add(x.cordonedAway(&p))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"UnschedulableTaint.message":   "The only nodes that suit %[1]s carry the taint %[2]s, which its pods do not tolerate",
			"UnschedulableTaint.fix":       "Give the pods of %[1]s a toleration for %[2]s if they belong there, or remove the taint from %[3]s.",
			"UnschedulableTaint.sick":      "The nodes that would suit %[1]s are kept free by the taint %[2]s, which says that they are not healthy",
			"UnschedulableTaint.fixSick":   "Mend the condition of node %[1]s; the taint goes away by itself.",
			"UnschedulableTaint.cordon":    "The only nodes that suit %[1]s are cordoned (%[2]s)",
			"UnschedulableTaint.fixCordon": "Uncordon node %[1]s if its maintenance is over, or add a node that suits %[2]s.",
		},
		french: map[string]string{
			"UnschedulableTaint.message":   "Les seuls nœuds qui conviennent à %[1]s portent le taint %[2]s, que ses pods ne tolèrent pas",
			"UnschedulableTaint.fix":       "Donnez aux pods de %[1]s une tolérance pour %[2]s s'ils ont leur place là, ou retirez le taint de %[3]s.",
			"UnschedulableTaint.sick":      "Les nœuds qui conviendraient à %[1]s sont tenus libres par le taint %[2]s, qui dit qu'ils ne sont pas sains",
			"UnschedulableTaint.fixSick":   "Réparez l'état du nœud %[1]s ; le taint disparaîtra de lui-même.",
			"UnschedulableTaint.cordon":    "Les seuls nœuds qui conviennent à %[1]s sont isolés par un cordon (%[2]s)",
			"UnschedulableTaint.fixCordon": "Rouvrez le nœud %[1]s (uncordon) si sa maintenance est finie, ou ajoutez un nœud qui convient à %[2]s.",
		},
	},
}

// taintedAway names the taint of a node that would suit otherwise.
func (x *exam) taintedAway(p *placement) Finding {
	w := p.symptom.work
	f := x.unplaced("UnschedulableTaint", w.ref, p)
	node, taint := x.nearestTaint(p)
	if node == nil {
		said := ""
		for _, r := range p.refusals {
			if r.obstacle == obstacleTaint {
				said = r.text
			}
		}
		f.Message = x.say("UnschedulableTaint.message", w.ref.String(), said)
		f.Fix = x.say("UnschedulableTaint.fix", w.ref.String(), said, "")
		return f
	}
	word := taintWord(taint)
	at := ref("Node", "", node.Name)
	f.Evidence = append(f.Evidence, field(at, "spec.taints["+taint.Key+"].key", taint.Key), field(at, "spec.taints["+taint.Key+"].effect", taint.Effect))
	if taint.Value != "" {
		f.Evidence = append(f.Evidence, field(at, "spec.taints["+taint.Key+"].value", taint.Value))
	}
	f.Evidence = append(f.Evidence, selectorEvidence(w.ref, p.pod)...)
	if conditionTaint(taint) {
		f.Message, f.Fix = x.say("UnschedulableTaint.sick", w.ref.String(), word), x.say("UnschedulableTaint.fixSick", node.Name)
		return f
	}
	f.Message = x.say("UnschedulableTaint.message", w.ref.String(), word)
	f.Fix = x.say("UnschedulableTaint.fix", w.ref.String(), word, node.Name)
	toleration := map[string]any{"key": taint.Key, "operator": "Equal", "value": taint.Value, "effect": string(taint.Effect)}
	if taint.Value == "" {
		toleration = map[string]any{"key": taint.Key, "operator": "Exists", "effect": string(taint.Effect)}
	}
	tolerations := []any{toleration}
	for _, t := range w.template.Spec.Tolerations {
		tolerations = append(tolerations, t)
	}
	f.Operation = podPatch(w.ref, map[string]any{"tolerations": tolerations})
	return f
}

// nearestTaint is an untolerated taint of a node that has no other obstacle, one that somebody set rather than one that
// repeats the node's condition, if there is such a node; control planes come last, since they are tainted on purpose.
func (x *exam) nearestTaint(p *placement) (*corev1.Node, *corev1.Taint) {
	var best *corev1.Node
	var bestTaint *corev1.Taint
	rank := func(t *corev1.Taint) int {
		switch {
		case t == nil:
			return 3
		case t.Key == "node-role.kubernetes.io/control-plane" || t.Key == "node-role.kubernetes.io/master":
			return 2
		case conditionTaint(t):
			return 1
		}
		return 0
	}
	for _, n := range x.snap.Nodes {
		t := untolerated(p.pod, n)
		if t == nil || len(p.stand[n.Name]) != 1 || rank(t) >= rank(bestTaint) {
			continue
		}
		best, bestTaint = n, t
	}
	return best, bestTaint
}

func taintWord(t *corev1.Taint) string {
	if t.Value == "" {
		return t.Key + ":" + string(t.Effect)
	}
	return t.Key + "=" + t.Value + ":" + string(t.Effect)
}

func (x *exam) cordonedAway(p *placement) Finding {
	w := p.symptom.work
	var cordoned []*corev1.Node
	for _, n := range x.snap.Nodes {
		if n.Spec.Unschedulable && fitsNode(p.pod, n) {
			cordoned = append(cordoned, n)
		}
	}
	if len(cordoned) == 0 {
		return x.taintedAway(p)
	}
	node := cordoned[0]
	f := x.unplaced("UnschedulableTaint", w.ref, p)
	f.links.affects = nodeRefs(cordoned)
	f.Message = x.say("UnschedulableTaint.cordon", w.ref.String(), node.Name)
	f.Fix = x.say("UnschedulableTaint.fixCordon", node.Name, w.ref.String())
	for _, n := range cordoned {
		f.Evidence = append(f.Evidence, field(ref("Node", "", n.Name), "spec.unschedulable", true))
	}
	f.Operation = &Operation{Uncordon: &NodeOperation{Node: node.Name}}
	return f
}
