package diagnose

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	podresources "k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"github.com/eclusier/eclusier/internal/cluster"
)

// obstacle is a reason for which the scheduler passes nodes over.
type obstacle string

// The obstacles in the order in which the scheduler's filters look for them: a node that is passed over for a later one
// has passed the earlier ones.
const (
	obstacleCordon    obstacle = "cordon"
	obstacleTaint     obstacle = "taint"
	obstacleAffinity  obstacle = "affinity"
	obstaclePort      obstacle = "port"
	obstacleCPU       obstacle = "cpu"
	obstacleMemory    obstacle = "memory"
	obstacleResource  obstacle = "resource"
	obstacleVolume    obstacle = "volume"
	obstacleUnbound   obstacle = "unbound"
	obstacleInUse     obstacle = "inUse"
	obstacleSpread    obstacle = "spread"
	obstaclePodsApart obstacle = "pods"
)

// obstacleWords are the words of the scheduler's messages, the most special first.
var obstacleWords = []struct {
	words string
	is    obstacle
}{
	{"readwriteoncepod access mode", obstacleInUse},
	{"untolerated taint", obstacleTaint},
	{"were unschedulable", obstacleCordon},
	{"pod topology spread", obstacleSpread},
	{"pod affinity", obstaclePodsApart},
	{"pod anti-affinity", obstaclePodsApart},
	{"pods anti-affinity", obstaclePodsApart},
	{"pods affinity", obstaclePodsApart},
	{"persistentvolume's node affinity", obstacleVolume},
	{"volume node affinity conflict", obstacleVolume},
	{"available volume zone", obstacleVolume},
	{"available persistent volumes to bind", obstacleVolume},
	{"exceed max volume count", obstacleResource},
	{"node affinity", obstacleAffinity},
	{"node selector", obstacleAffinity},
	{"the requested node name", obstacleAffinity},
	{"free ports", obstaclePort},
	{"insufficient cpu", obstacleCPU},
	{"insufficient memory", obstacleMemory},
	{"insufficient ", obstacleResource},
	{"too many pods", obstacleResource},
	{"unbound immediate persistentvolumeclaims", obstacleUnbound},
	{"persistentvolumeclaim", obstacleUnbound},
}

// refusal is one part of the scheduler's message: so many nodes for such a reason.
type refusal struct {
	obstacle obstacle
	nodes    int
	text     string
}

// placement is why a pod has no node.
type placement struct {
	symptom  *symptom
	pod      *corev1.Pod
	message  string
	refusals []refusal
	// stand are the obstacles of each node, where nodes are known.
	stand map[string][]obstacle
	// decisive is the obstacle whose removal would let the pod run.
	decisive obstacle
}

var countedReason = regexp.MustCompile(`^(\d+) (.+)$`)

// readRefusals takes the scheduler's message apart: "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) had …".
// What it says of preemption is not about why the nodes do not fit.
func readRefusals(message string) []refusal {
	text, _, _ := strings.Cut(message, "preemption:")
	if _, after, found := strings.Cut(text, "are available:"); found {
		text = after
	}
	var out []refusal
	for _, part := range splitReasons(text) {
		r := refusal{text: part, nodes: 1}
		if m := countedReason.FindStringSubmatch(part); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				r.nodes, r.text = n, m[2]
			}
		}
		lower := strings.ToLower(r.text)
		for _, w := range obstacleWords {
			if strings.Contains(lower, w.words) {
				r.obstacle = w.is
				out = append(out, r)
				break
			}
		}
	}
	return out
}

// splitReasons splits at the commas and full stops that are not inside braces or quotes.
func splitReasons(text string) []string {
	var out []string
	depth, from, quoted := 0, 0, false
	cut := func(to int) {
		if part := strings.Trim(text[from:to], " .,"); part != "" {
			out = append(out, part)
		}
		from = to
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '{':
			depth++
		case c == '}':
			depth--
		case (c == ',' || c == '.') && depth <= 0 && !quoted && i+1 < len(text) && text[i+1] == ' ':
			cut(i)
		}
	}
	cut(len(text))
	return out
}

// placements finds out for every pod without a node what stands in its way.
func (x *exam) placements() []placement {
	var out []placement
	for _, s := range x.open(unscheduled) {
		p, known := x.placed[s]
		if !known {
			p = x.place(s)
			x.placed[s] = p
		}
		out = append(out, p)
	}
	return out
}

func (x *exam) place(s *symptom) placement {
	p := placement{symptom: s, pod: s.pod(), stand: map[string][]obstacle{}}
	if c := podCondition(p.pod, corev1.PodScheduled); c != nil {
		p.message = c.Message
	}
	if e := x.lastEvent([]cluster.Ref{podRef(p.pod)}, "FailedScheduling"); e != nil && len(readRefusals(p.message)) == 0 {
		p.message = e.Message
	}
	p.refusals = readRefusals(p.message)
	for _, n := range x.snap.Nodes {
		p.stand[n.Name] = x.obstaclesAt(p.pod, n)
	}
	p.decisive = p.decide()
	return p
}

// of counts the nodes that the scheduler passed over for an obstacle.
func (p *placement) of(o obstacle) int {
	n := 0
	for _, r := range p.refusals {
		if r.obstacle == o {
			n += r.nodes
		}
	}
	return n
}

// lateObstacles are found by the scheduler's last filters and cannot be seen on the node alone.
var lateObstacles = []obstacle{obstacleUnbound, obstacleInUse, obstaclePodsApart, obstacleSpread, obstacleVolume, obstaclePort}

// decide chooses the obstacle that matters. The nodes that came furthest through the filters are the nearest to fitting;
// where only taints and selectors are named, the nodes themselves tell which of them keeps the suitable ones away.
func (p *placement) decide() obstacle {
	for _, o := range lateObstacles {
		if p.of(o) > 0 {
			return o
		}
	}
	cpu, memory := p.of(obstacleCPU), p.of(obstacleMemory)
	switch {
	case cpu > 0 && cpu >= memory:
		return obstacleCPU
	case memory > 0:
		return obstacleMemory
	case p.of(obstacleResource) > 0:
		return obstacleResource
	}
	return p.decideEarly()
}

// decideEarly chooses between what keeps nodes away by itself: a taint or cordon on a node that would fit otherwise,
// or a selector that no node meets.
func (p *placement) decideEarly() obstacle {
	only := map[obstacle]int{}
	for _, found := range p.stand {
		if len(found) == 1 {
			only[found[0]]++
		}
	}
	for _, o := range []obstacle{obstacleCPU, obstacleMemory, obstacleTaint, obstacleCordon} {
		if only[o] > 0 && (o == obstacleTaint || o == obstacleCordon || len(p.refusals) == 0) {
			return o
		}
	}
	for _, o := range []obstacle{obstacleAffinity, obstacleTaint, obstacleCordon} {
		if p.of(o) > 0 || len(p.refusals) == 0 && only[o] > 0 {
			return o
		}
	}
	return ""
}

// obstaclesAt are the obstacles that can be seen on a node and a pod alone: cordon, taints, selector, size.
func (x *exam) obstaclesAt(p *corev1.Pod, n *corev1.Node) []obstacle {
	var out []obstacle
	if n.Spec.Unschedulable {
		out = append(out, obstacleCordon)
	} else if untolerated(p, n) != nil {
		out = append(out, obstacleTaint)
	}
	if !fitsNode(p, n) {
		out = append(out, obstacleAffinity)
	}
	for o, name := range map[obstacle]corev1.ResourceName{obstacleCPU: corev1.ResourceCPU, obstacleMemory: corev1.ResourceMemory} {
		if allocatable, ok := n.Status.Allocatable[name]; ok {
			if wanted := requested(p, name); wanted.Cmp(allocatable) > 0 {
				out = append(out, o)
			}
		}
	}
	return out
}

// untolerated is the first taint of a node that keeps a pod away, nil where there is none.
func untolerated(p *corev1.Pod, n *corev1.Node) *corev1.Taint {
	for i := range n.Spec.Taints {
		t := &n.Spec.Taints[i]
		if t.Effect == corev1.TaintEffectPreferNoSchedule || t.Key == corev1.TaintNodeUnschedulable && n.Spec.Unschedulable {
			continue
		}
		if !slices.ContainsFunc(p.Spec.Tolerations, func(o corev1.Toleration) bool { return o.ToleratesTaint(klog.Background(), t, false) }) {
			return t
		}
	}
	return nil
}

// conditionTaint says that a taint only repeats a condition of its node.
func conditionTaint(t *corev1.Taint) bool {
	return strings.HasPrefix(t.Key, "node.kubernetes.io/") && t.Key != corev1.TaintNodeUnschedulable
}

// fitsNode says that a node meets the selector and the required node affinity of a pod. One that cannot be read is taken
// for met: no claim is built on it.
func fitsNode(p *corev1.Pod, n *corev1.Node) bool {
	met, err := nodeaffinity.GetRequiredNodeAffinity(p).Match(n)
	return met || err != nil
}

// requested is what a pod asks of a resource.
func requested(p *corev1.Pod, name corev1.ResourceName) resource.Quantity {
	return podresources.PodRequests(p, podresources.PodResourcesOptions{})[name]
}

// placementEvidence cites what the scheduler said.
func (x *exam) placementEvidence(p *placement) []Evidence {
	var out []Evidence
	if c := podCondition(p.pod, corev1.PodScheduled); c != nil && c.Message != "" {
		out = append(out, field(podRef(p.pod), "status.conditions[PodScheduled].message", c.Message))
	}
	if e := x.lastEvent([]cluster.Ref{podRef(p.pod)}, "FailedScheduling"); e != nil {
		out = append(out, event(e))
	}
	return out
}

// sickNodes are the nodes that a pod could use if their own condition did not keep it away.
func (x *exam) sickNodes(p *placement) []cluster.Ref {
	var out []cluster.Ref
	for _, n := range x.snap.Nodes {
		if t := untolerated(p.pod, n); t != nil && conditionTaint(t) && fitsNode(p.pod, n) {
			out = append(out, ref("Node", "", n.Name))
		}
	}
	return out
}

// unplaced makes the finding of a placement: what was said, and the sick nodes that would have been suitable.
func (x *exam) unplaced(id CauseID, object cluster.Ref, p *placement) Finding {
	return Finding{
		Cause: id, Object: object, Evidence: x.placementEvidence(p),
		links: links{explains: []*symptom{p.symptom}, needs: x.sickNodes(p)},
	}
}
