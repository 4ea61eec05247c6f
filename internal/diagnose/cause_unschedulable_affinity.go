package diagnose

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var unschedulableAffinity = cause{
	id: "UnschedulableAffinity", severity: High,
	check: func(x *exam) {
		for _, p := range x.placements() {
			if p.decisive == obstacleAffinity {
				x.add(x.unselected(&p))
			} else if p.decisive == obstaclePodsApart {
				x.add(x.apart(&p))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"UnschedulableAffinity.message": "No node has the labels that %[1]s asks for (%[2]s)",
			"UnschedulableAffinity.fix":     "Correct the node selector or node affinity of %[1]s, or label the nodes that are meant.",
			"UnschedulableAffinity.near":    "Correct the node selector or node affinity of %[1]s: nodes carry %[2]s.",
			"UnschedulableAffinity.pods":    "The rules of %[1]s about which pods it may or must share a node with leave no node (%[2]s)",
			"UnschedulableAffinity.fixPods": "Relax the pod affinity or anti-affinity of %[1]s (preferred instead of required), run fewer replicas, or add nodes.",
		},
		french: map[string]string{
			"UnschedulableAffinity.message": "Aucun nœud n'a les étiquettes que %[1]s demande (%[2]s)",
			"UnschedulableAffinity.fix":     "Corrigez le sélecteur ou l'affinité de nœud de %[1]s, ou étiquetez les nœuds voulus.",
			"UnschedulableAffinity.near":    "Corrigez le sélecteur ou l'affinité de nœud de %[1]s : des nœuds portent %[2]s.",
			"UnschedulableAffinity.pods":    "Les règles de %[1]s sur les pods avec lesquels il peut ou doit partager un nœud ne laissent aucun nœud (%[2]s)",
			"UnschedulableAffinity.fixPods": "Assouplissez l'affinité ou l'anti-affinité de pods de %[1]s (préférée au lieu de requise), réduisez les réplicas ou ajoutez des nœuds.",
		},
	},
}

// unselected names the selector that no node meets, and the label that comes nearest to it.
func (x *exam) unselected(p *placement) Finding {
	w := p.symptom.work
	f := x.unplaced("UnschedulableAffinity", w.ref, p)
	wanted := wantedLabels(p.pod)
	f.Message = x.say("UnschedulableAffinity.message", w.ref.String(), strings.Join(wanted, ", "))
	f.Fix = x.say("UnschedulableAffinity.fix", w.ref.String())
	f.Evidence = append(f.Evidence, selectorEvidence(w.ref, p.pod)...)
	for _, l := range wanted {
		key, value, _ := strings.Cut(l, "=")
		if has := x.labelValues(key); len(has) > 0 {
			f.Fix = x.say("UnschedulableAffinity.near", w.ref.String(), key+"="+strings.Join(has, " | "))
			f.Evidence = append(f.Evidence, cite(FieldEvidence, "Nodes metadata.labels["+key+"]", key+": "+strings.Join(has, " | "), 0))
			if near := similar(value, has); near != "" && p.pod.Spec.NodeSelector[key] == value && value != "" {
				f.Operation = podPatch(w.ref, map[string]any{"nodeSelector": map[string]any{key: near}})
			}
		}
	}
	return f
}

// wantedLabels are the labels, as key=value, that the node selector and the required node affinity of a pod name.
func wantedLabels(p *corev1.Pod) []string {
	var out []string
	for k, v := range p.Spec.NodeSelector {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	if a := p.Spec.Affinity; a != nil && a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		for _, t := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for _, e := range t.MatchExpressions {
				out = append(out, e.Key+"="+strings.Join(e.Values, "|"))
			}
		}
	}
	return out
}

// selectorEvidence cites the labels that a pod asks of its node.
func selectorEvidence(w cluster.Ref, p *corev1.Pod) []Evidence {
	var out []Evidence
	for _, l := range wantedLabels(p) {
		key, value, _ := strings.Cut(l, "=")
		path := "spec.template.spec.nodeSelector"
		if _, plain := p.Spec.NodeSelector[key]; !plain {
			path = "spec.template.spec.affinity.nodeAffinity"
		}
		out = append(out, cite(FieldEvidence, w.String()+" "+path, key+": "+value, 0))
	}
	return out
}

// labelValues are the values that nodes have for a label, sorted, at most five.
func (x *exam) labelValues(key string) []string {
	var out []string
	for _, n := range x.snap.Nodes {
		if v, ok := n.Labels[key]; ok && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), 5)]
}

// apart names the rule about other pods.
func (x *exam) apart(p *placement) Finding {
	w := p.symptom.work
	f := x.unplaced("UnschedulableAffinity", w.ref, p)
	said := ""
	for _, r := range p.refusals {
		if r.obstacle == obstaclePodsApart {
			said = r.text
		}
	}
	f.Message = x.say("UnschedulableAffinity.pods", w.ref.String(), said)
	f.Fix = x.say("UnschedulableAffinity.fixPods", w.ref.String())
	if a := p.pod.Spec.Affinity; a != nil {
		if a.PodAntiAffinity != nil {
			f.Evidence = append(f.Evidence, termEvidence(w, "podAntiAffinity", a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution)...)
		}
		if a.PodAffinity != nil {
			f.Evidence = append(f.Evidence, termEvidence(w, "podAffinity", a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)...)
		}
	}
	return f
}

func termEvidence(w *workload, which string, terms []corev1.PodAffinityTerm) []Evidence {
	var out []Evidence
	path := "spec.template.spec.affinity." + which
	for _, t := range terms {
		out = append(out, field(w.ref, path+".topologyKey", t.TopologyKey))
		if t.LabelSelector != nil {
			out = append(out, field(w.ref, path+".labelSelector", metav1.FormatLabelSelector(t.LabelSelector)))
		}
	}
	return out
}
