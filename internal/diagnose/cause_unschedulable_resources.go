package diagnose

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/eclusier/eclusier/internal/cluster"
)

var unschedulableCPU = cause{
	id: "UnschedulableInsufficientCPU", severity: High,
	check: func(x *exam) {
		x.checkTooSmall(obstacleCPU, "UnschedulableInsufficientCPU", corev1.ResourceCPU)
	},
	texts: tooSmallTexts("UnschedulableInsufficientCPU", "CPU", "de CPU"),
}

var unschedulableMemory = cause{
	id: "UnschedulableInsufficientMemory", severity: High,
	check: func(x *exam) {
		x.checkTooSmall(obstacleMemory, "UnschedulableInsufficientMemory", corev1.ResourceMemory)
	},
	texts: tooSmallTexts("UnschedulableInsufficientMemory", "memory", "de mémoire"),
}

var unschedulableResource = cause{
	id: "UnschedulableInsufficientResource", severity: High,
	check: func(x *exam) {
		for _, p := range x.placements() {
			if p.decisive != obstacleResource {
				continue
			}
			w := p.symptom.work
			f := x.unplaced("UnschedulableInsufficientResource", w.ref, &p)
			what := ""
			for _, r := range p.refusals {
				if r.obstacle == obstacleResource {
					what = r.text
				}
			}
			f.Message = x.say("UnschedulableInsufficientResource.message", w.ref.String(), what)
			f.Fix = x.say("UnschedulableInsufficientResource.fix", w.ref.String())
			x.add(f)
		}
	},
	texts: texts{
		english: map[string]string{
			"UnschedulableInsufficientResource.message": "No node has room for the pods of %[1]s: %[2]s",
			"UnschedulableInsufficientResource.fix":     "Add a node that offers what %[1]s asks for, or let it ask for less. No safe change is known from here.",
		},
		french: map[string]string{
			"UnschedulableInsufficientResource.message": "Aucun nœud n'a de place pour les pods de %[1]s : %[2]s",
			"UnschedulableInsufficientResource.fix":     "Ajoutez un nœud qui offre ce que %[1]s demande, ou réduisez la demande. Aucun changement sûr n'est connu d'ici.",
		},
	},
}

func tooSmallTexts(id, english, french string) texts {
	return texts{
		english: map[string]string{
			id + ".message":  "No node has the " + english + " that %[1]s asks for (%[2]s for each pod)",
			id + ".too-big":  "Every pod of %[1]s asks for %[2]s of " + english + ", which is more than any node offers (%[3]s at most)",
			id + ".fix":      "Lower the " + english + " request of %[1]s (%[2]s) or add a node with room for it.",
			id + ".fixTaken": "Lower the " + english + " request of %[1]s (%[2]s), make room (%[3]s asks for the most, %[4]s on one node), or add a node.",
		},
		french: map[string]string{
			id + ".message":  "Aucun nœud n'a la quantité " + french + " que %[1]s demande (%[2]s par pod)",
			id + ".too-big":  "Chaque pod de %[1]s demande %[2]s " + french + ", plus que n'offre aucun nœud (%[3]s au plus)",
			id + ".fix":      "Réduisez la demande " + french + " de %[1]s (%[2]s) ou ajoutez un nœud qui a la place.",
			id + ".fixTaken": "Réduisez la demande " + french + " de %[1]s (%[2]s), faites de la place (%[3]s demande le plus, %[4]s sur un nœud), ou ajoutez un nœud.",
		},
	}
}

func (x *exam) checkTooSmall(o obstacle, id CauseID, name corev1.ResourceName) {
	for _, p := range x.placements() {
		if p.decisive == o {
			x.add(x.tooSmall(&p, id, name))
		}
	}
}

func (x *exam) tooSmall(p *placement, id CauseID, name corev1.ResourceName) Finding {
	w := p.symptom.work
	f := x.unplaced(id, w.ref, p)
	asked := requested(p.pod, name)
	largest := x.largestNode(p.pod, name)
	if asked.Cmp(largest) > 0 && !largest.IsZero() {
		f.Message = x.say(string(id)+".too-big", w.ref.String(), asked.String(), largest.String())
	} else {
		f.Message = x.say(string(id)+".message", w.ref.String(), asked.String())
	}
	f.Evidence = append(f.Evidence, requestEvidence(p.symptom.work, p.pod, name)...)
	for _, n := range x.snap.Nodes[:min(len(x.snap.Nodes), 3)] {
		if q, ok := n.Status.Allocatable[name]; ok {
			f.Evidence = append(f.Evidence, field(ref("Node", "", n.Name), "status.allocatable."+string(name), q.String()))
		}
	}
	if user, most := x.largestUser(w, name); user != nil {
		f.Fix = x.say(string(id)+".fixTaken", w.ref.String(), asked.String(), user.ref.String(), most.String())
		f.Evidence = append(f.Evidence, requestEvidence(user, user.pods[0], name)...)
	} else {
		f.Fix = x.say(string(id)+".fix", w.ref.String(), asked.String())
	}
	return f
}

// requestEvidence cites the requests of the containers of a pod.
func requestEvidence(w *workload, p *corev1.Pod, name corev1.ResourceName) []Evidence {
	prefix, r := "spec.template.spec.", w.ref
	if w.meta == nil || r.Kind == "Pod" {
		prefix, r = "spec.", podRef(p)
	}
	var out []Evidence
	for i := range p.Spec.Containers {
		c := &p.Spec.Containers[i]
		if q, ok := c.Resources.Requests[name]; ok {
			out = append(out, field(r, prefix+"containers["+c.Name+"].resources.requests."+string(name), q.String()))
		}
	}
	return out
}

// largestNode is the most of a resource that a node offers which the pod may use otherwise.
func (x *exam) largestNode(p *corev1.Pod, name corev1.ResourceName) resource.Quantity {
	var most resource.Quantity
	for _, n := range x.snap.Nodes {
		if q := n.Status.Allocatable[name]; q.Cmp(most) > 0 && fitsNode(p, n) && untolerated(p, n) == nil {
			most = q
		}
	}
	return most
}

// largestUser is the other workload whose pods ask for the most of a resource on one node.
func (x *exam) largestUser(w *workload, name corev1.ResourceName) (*workload, resource.Quantity) {
	type user struct {
		work *workload
		node string
	}
	sums := map[user]*resource.Quantity{}
	var order []user
	for _, n := range x.snap.Nodes {
		for _, p := range x.podsOnNode[n.Name] {
			other := x.podWorkload[podRef(p)]
			if other == nil || other == w || finished(p) {
				continue
			}
			u := user{other, n.Name}
			if sums[u] == nil {
				sums[u] = &resource.Quantity{}
				order = append(order, u)
			}
			sums[u].Add(requested(p, name))
		}
	}
	if len(order) == 0 {
		return nil, resource.Quantity{}
	}
	top := slices.MaxFunc(order, func(a, b user) int {
		return cmp.Or(sums[a].Cmp(*sums[b]), -cmp.Compare(a.work.ref.String(), b.work.ref.String()))
	})
	if sums[top].IsZero() {
		return nil, resource.Quantity{}
	}
	return top.work, *sums[top]
}

// nodeRefs are references to nodes.
func nodeRefs(nodes []*corev1.Node) []cluster.Ref {
	out := make([]cluster.Ref, 0, len(nodes))
	for _, n := range nodes {
		out = append(out, ref("Node", "", n.Name))
	}
	return out
}
