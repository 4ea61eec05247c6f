package diagnose

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/eclusier/eclusier/internal/cluster"
)

var pdbBlocksEviction = cause{
	id: "PDBBlocksEviction", severity: Medium,
	check: func(x *exam) {
		for _, n := range x.snap.Nodes {
			if n.Spec.Unschedulable {
				x.drainBlocked(n)
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"PDBBlocksEviction.message":   "%[1]s allows no eviction of %[2]s, so node %[3]s cannot be drained",
			"PDBBlocksEviction.fix":       "Run %[1]s with more replicas than the budget %[2]s needs, or relax the budget (maxUnavailable: 1). Do not delete the pod by force.",
			"PDBBlocksEviction.two":       "%[1]s and the budget %[2]s both select the pods of %[3]s; a pod with more than one budget cannot be evicted, so node %[4]s cannot be drained",
			"PDBBlocksEviction.fixTwo":    "Remove one of the budgets %[1]s and %[2]s, or narrow its selector, so that the pods of %[3]s have one.",
			"PDBBlocksEviction.fixHealth": "See why only %[3]s of the %[4]s pods that budget %[2]s needs are healthy; once %[1]s is well the drain goes on.",
		},
		french: map[string]string{
			"PDBBlocksEviction.message":   "%[1]s n'autorise aucune éviction de %[2]s, si bien que le nœud %[3]s ne peut être vidé",
			"PDBBlocksEviction.fix":       "Donnez à %[1]s plus de réplicas que le budget %[2]s n'en exige, ou assouplissez le budget (maxUnavailable: 1). Ne supprimez pas le pod de force.",
			"PDBBlocksEviction.two":       "%[1]s et le budget %[2]s sélectionnent tous deux les pods de %[3]s ; un pod qui a plusieurs budgets ne peut être évincé, si bien que le nœud %[4]s ne peut être vidé",
			"PDBBlocksEviction.fixTwo":    "Retirez l'un des budgets %[1]s et %[2]s, ou restreignez son sélecteur, pour que les pods de %[3]s n'en aient qu'un.",
			"PDBBlocksEviction.fixHealth": "Cherchez pourquoi seuls %[3]s des %[4]s pods qu'exige le budget %[2]s sont sains ; une fois %[1]s rétabli, la vidange se poursuivra.",
		},
	},
}

// drainWords tell that a question is about emptying a node.
var drainWords = regexp.MustCompile(`(?i)\bdrain|\bevict|upgrade|mise à (?:jour|niveau)|maintenance|vidange|vider|évic|expuls|\bpatch|reboot|redémarr`)

// drainBlocked looks for budgets that keep pods on a cordoned node. A budget that allows nothing is no fault by itself:
// somebody must be trying to evict, or ask about it.
func (x *exam) drainBlocked(n *corev1.Node) {
	asked := x.asksAbout(ref("Node", "", n.Name)) && (drainWords.MatchString(x.question.Text) || x.question.Text == "")
	for _, p := range x.podsOnNode[n.Name] {
		if finished(p) || p.DeletionTimestamp != nil {
			continue
		}
		budgets := x.budgetsOf(p)
		for _, b := range budgets {
			if b.Status.DisruptionsAllowed == 0 || len(budgets) > 1 {
				x.evictionBlocked(n, p, b, asked)
			}
		}
	}
}

// evictionBlocked reports a budget that allows no eviction of a pod, where somebody tries to evict it or asks about that.
func (x *exam) evictionBlocked(n *corev1.Node, p *corev1.Pod, b *policyv1.PodDisruptionBudget, asked bool) {
	refused := x.evictionRefused(n, p)
	if refused == nil && asked {
		x.wantDrainer()
	}
	if refused != nil || asked || x.asksAbout(ref("PodDisruptionBudget", b.Namespace, b.Name)) {
		x.add(x.blockedBy(n, p, b, refused))
	}
}

// wantDrainer asks for the namespaces where something may be at work on the node: its log has the refusals.
func (x *exam) wantDrainer() {
	for _, n := range x.snap.Namespaces[:min(len(x.snap.Namespaces), maxNamespaces)] {
		x.want(cluster.Want{What: cluster.WantNamespace, Namespace: n.Name})
	}
}

func (x *exam) budgetsOf(p *corev1.Pod) []*policyv1.PodDisruptionBudget {
	var out []*policyv1.PodDisruptionBudget
	for _, b := range x.snap.DisruptionBudgets {
		if b.Namespace == p.Namespace && b.Spec.Selector != nil && selectorFits(b.Spec.Selector, p.Labels) {
			out = append(out, b)
		}
	}
	return out
}

// refusedEviction are the API server's words for an eviction that a budget, or more than one, does not allow.
var refusedEviction = regexp.MustCompile(`(?:Cannot evict pod as it would )?violate the pod's disruption budget|This pod has more than one PodDisruptionBudget`)

// evictionRefused is the word of the one who drains: an event, or a line in the log of a pod that works on the node.
func (x *exam) evictionRefused(n *corev1.Node, p *corev1.Pod) *Evidence {
	for _, e := range append(x.events[podRef(p)], x.events[ref("Node", "", n.Name)]...) {
		if refusedEviction.MatchString(e.Message) && x.recent(e.Last, crashMemory) {
			found := event(e)
			return &found
		}
	}
	for _, d := range x.snap.Pods {
		if finished(d) || !speaksOf(d, n.Name) {
			continue
		}
		for i := range d.Spec.Containers {
			c := d.Spec.Containers[i].Name
			x.wantLogs(d, c, false)
			l := x.findLine(podRef(d), c, "disruption budget", "poddisruptionbudget")
			if l == nil || !strings.Contains(l.text, p.Name) {
				continue
			}
			if at := refusedEviction.FindStringIndex(l.text); at != nil {
				found := l.cite(at[0])
				return &found
			}
		}
	}
	return nil
}

// nodeWorkers are what those that empty nodes are usually called after.
var nodeWorkers = regexp.MustCompile(`drain|cordon|evict|rotat|upgrad|maint|reboot|kured|patch|autoscaler|karpenter|deschedul|recycl|node`)

// speaksOf says that a pod may be at work on a node: it is called so, or its arguments name the node.
func speaksOf(p *corev1.Pod, node string) bool {
	if nodeWorkers.MatchString(p.Name) || strings.Contains(p.Name, node) {
		return true
	}
	for i := range p.Spec.Containers {
		c := &p.Spec.Containers[i]
		if strings.Contains(strings.Join(append(c.Args, c.Command...), " "), node) {
			return true
		}
		for _, e := range c.Env {
			if e.Value == node {
				return true
			}
		}
	}
	return false
}

func (x *exam) blockedBy(n *corev1.Node, p *corev1.Pod, b *policyv1.PodDisruptionBudget, refused *Evidence) Finding {
	r, w := ref("PodDisruptionBudget", b.Namespace, b.Name), x.podWorkload[podRef(p)]
	f := Finding{Cause: "PDBBlocksEviction", Object: r, links: links{affects: []cluster.Ref{w.ref, podRef(p), ref("Node", "", n.Name)}}}
	f.Message = x.say("PDBBlocksEviction.message", r.String(), w.ref.String(), n.Name)
	f.Fix = x.say("PDBBlocksEviction.fix", w.ref.String(), b.Name)
	f.Evidence = append(f.Evidence, field(r, "status.disruptionsAllowed", b.Status.DisruptionsAllowed))
	if refused != nil {
		f.Evidence = append(f.Evidence, *refused)
	}
	if v := b.Spec.MinAvailable; v != nil {
		f.Evidence = append(f.Evidence, field(r, "spec.minAvailable", v.String()))
	}
	if v := b.Spec.MaxUnavailable; v != nil {
		f.Evidence = append(f.Evidence, field(r, "spec.maxUnavailable", v.String()))
	}
	f.Evidence = append(f.Evidence, field(r, "status.currentHealthy", b.Status.CurrentHealthy),
		field(r, "status.desiredHealthy", b.Status.DesiredHealthy), field(ref("Node", "", n.Name), "spec.unschedulable", true))
	budgets := x.budgetsOf(p)
	switch {
	case len(budgets) > 1 && b.Status.DisruptionsAllowed > 0:
		other := budgets[0]
		if other == b {
			other = budgets[1]
		}
		f.Message = x.say("PDBBlocksEviction.two", r.String(), other.Name, w.ref.String(), n.Name)
		f.Fix = x.say("PDBBlocksEviction.fixTwo", b.Name, other.Name, w.ref.String())
	case b.Status.CurrentHealthy < b.Status.DesiredHealthy:
		f.Fix = x.say("PDBBlocksEviction.fixHealth", w.ref.String(), b.Name, number(b.Status.CurrentHealthy), number(b.Status.DesiredHealthy))
		f.links.needs = append(f.links.needs, w.ref)
	case w.ref.Kind == "Deployment" && w.desired <= b.Status.DesiredHealthy:
		f.Operation = scaleOperation(w.ref, b.Status.DesiredHealthy+1)
	}
	return f
}

// selectorFits says that labels meet a selector; one that cannot be read fits nothing.
func selectorFits(s *metav1.LabelSelector, labelled map[string]string) bool {
	selector, err := metav1.LabelSelectorAsSelector(s)
	return err == nil && selector.Matches(labels.Set(labelled))
}
