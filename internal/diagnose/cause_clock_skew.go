package diagnose

import (
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var clockSkew = cause{
	id: "ClockSkew", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.fromLog("ClockSkew", s, h)
		f.links.weak = false
		node, evidence := x.wrongClock(s)
		f.Evidence = append(f.Evidence, evidence...)
		if node == "" {
			return f
		}
		f.Object = ref("Node", "", node)
		f.links.affects = []cluster.Ref{s.work.ref}
		f.Message = x.say("ClockSkew.node", node, s.work.ref.String(), h.text[h.focus:])
		f.Fix = x.say("ClockSkew.fixNode", node)
		return f
	},
	texts: texts{
		english: map[string]string{
			"ClockSkew.message": "The clock of container %[1]s of %[2]s differs from that of what it talks to: %[3]s",
			"ClockSkew.node":    "The clock of node %[1]s is wrong, so pods of %[2]s on it judge valid tokens or certificates invalid: %[3]s",
			"ClockSkew.fix":     "Compare the clocks of the nodes on which %[2]s and what it talks to run, and repair the time synchronisation of the one that is off.",
			"ClockSkew.fixNode": "Repair the time synchronisation of node %[1]s; keep pods away from it meanwhile. Nothing in the cluster can set a clock.",
		},
		french: map[string]string{
			"ClockSkew.message": "L'horloge du conteneur %[1]s de %[2]s diffère de celle de son interlocuteur : %[3]s",
			"ClockSkew.node":    "L'horloge du nœud %[1]s est fausse, si bien que les pods de %[2]s qui s'y trouvent jugent invalides des jetons ou certificats valides : %[3]s",
			"ClockSkew.fix":     "Comparez les horloges des nœuds où tournent %[2]s et son interlocuteur, et réparez la synchronisation de celui qui dévie.",
			"ClockSkew.fixNode": "Réparez la synchronisation de l'heure du nœud %[1]s ; écartez-en les pods entre-temps. Rien dans le cluster ne peut régler une horloge.",
		},
	},
}

var (
	clockKeepers = regexp.MustCompile(`(?i)chron|ntp|time-?s|clock|problem-detector|node-exporter`)
	// clockConditions are what problem detectors call a condition of a node whose clock is off.
	clockConditions = regexp.MustCompile(`(?i)ntp|clock|time-?sync|chrony`)
	clockReport     = regexp.MustCompile(`(?i)clock wrong|no selectable sources|unsynchroni[sz]ed|not synchroni[sz]ed|clock skew|clock drift|offset exceeds|time jump|leap (?:status )?(?:not|un)`)
)

// wrongClock finds the node whose clock is off: the one on which all that complain run while others of the same
// workload do not, or the one of which a keeper of time says so.
func (x *exam) wrongClock(s *symptom) (string, []Evidence) {
	nodes := x.complainingNodes(s)
	for _, n := range nodes {
		x.want(cluster.Want{What: cluster.WantPodsOnNode, Name: n})
		for _, p := range x.podsOnNode[n] {
			if clockKeepers.MatchString(p.Name) {
				x.wantAllLogs(p)
			}
		}
	}
	for _, n := range nodes {
		if evidence := x.clockReports(n); len(evidence) > 0 {
			return n, append(evidence, field(podRef(s.pod()), "spec.nodeName", n))
		}
	}
	if len(nodes) == 1 && x.runsElsewhere(s.work, nodes[0]) {
		return nodes[0], []Evidence{field(podRef(s.pod()), "spec.nodeName", nodes[0])}
	}
	return "", nil
}

// complainingNodes are the nodes of the pods whose logs speak of a wrong clock.
func (x *exam) complainingNodes(s *symptom) []string {
	var out []string
	for _, p := range s.pods {
		speaks := false
		for _, l := range x.logsOf(podRef(p), s.container) {
			speaks = speaks || slices.ContainsFunc(x.hits(l), func(h hit) bool { return h.sig.cause == "ClockSkew" })
		}
		if n := p.Spec.NodeName; speaks && n != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func (x *exam) runsElsewhere(w *workload, node string) bool {
	for _, p := range w.pods {
		if p.Spec.NodeName != node && podReady(p) {
			return true
		}
	}
	return false
}

// clockLines cites at most two lines that keepers of time on a node log of its clock.
func (x *exam) clockLines(node string) []Evidence {
	var out []Evidence
	for _, p := range x.podsOnNode[node] {
		if !clockKeepers.MatchString(p.Name) {
			continue
		}
		for _, l := range x.logsOf(podRef(p), "") {
			for _, one := range x.lines(l) {
				if at := clockReport.FindStringIndex(one.text); at != nil && len(out) < 2 {
					out = append(out, one.cite(at[0]))
				}
			}
		}
	}
	return out
}

// clockReports cites what keepers of time on a node, its conditions and its events say of its clock.
func (x *exam) clockReports(node string) []Evidence {
	out := x.clockLines(node)
	if n := get[*corev1.Node](x.index, "Node", "", node); n != nil {
		for _, c := range n.Status.Conditions {
			if c.Status == corev1.ConditionTrue && clockConditions.MatchString(string(c.Type)) {
				out = append(out, field(ref("Node", "", node), "status.conditions["+string(c.Type)+"].message", c.Message))
			}
		}
	}
	for _, e := range x.events[ref("Node", "", node)] {
		if e.Warning && (clockReport.MatchString(e.Message) || clockConditions.MatchString(e.Reason)) {
			out = append(out, event(e))
		}
	}
	return out
}
