package diagnose

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/eclusier/eclusier/internal/cluster"
)

var nodeNotReady = cause{
	id: "NodeNotReady", severity: Critical,
	check: func(x *exam) {
		for _, n := range x.snap.Nodes {
			if c := nodeCondition(n, corev1.NodeReady); c != nil && c.Status != corev1.ConditionTrue {
				x.add(x.nodeDown(n, c))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"NodeNotReady.silent":    "Node %[1]s does not report any more since %[2]s",
			"NodeNotReady.message":   "Node %[1]s is not ready since %[2]s: %[3]s",
			"NodeNotReady.fixSilent": "Bring node %[1]s back (power, network, kubelet). If it is certain that it is off, delete it or give it the taint node.kubernetes.io/out-of-service, so that its volumes are released. No safe operation exists from here.",
			"NodeNotReady.fix":       "Look at the kubelet and the container runtime of node %[1]s. No safe operation exists from here.",
		},
		french: map[string]string{
			"NodeNotReady.silent":    "Le nœud %[1]s ne donne plus de nouvelles depuis %[2]s",
			"NodeNotReady.message":   "Le nœud %[1]s n'est pas prêt depuis %[2]s : %[3]s",
			"NodeNotReady.fixSilent": "Remettez le nœud %[1]s en service (alimentation, réseau, kubelet). S'il est certain qu'il est éteint, supprimez-le ou donnez-lui le taint node.kubernetes.io/out-of-service, pour que ses volumes soient libérés. Aucune opération sûre n'existe d'ici.",
			"NodeNotReady.fix":       "Examinez le kubelet et le moteur de conteneurs du nœud %[1]s. Aucune opération sûre n'existe d'ici.",
		},
	},
}

var nodeDiskPressure = pressureCause("NodeDiskPressure", corev1.NodeDiskPressure)

var nodeMemoryPressure = pressureCause("NodeMemoryPressure", corev1.NodeMemoryPressure)

var nodePIDPressure = pressureCause("NodePIDPressure", corev1.NodePIDPressure)

// pressures are what the conditions of pressure are about: the words of the kubelet's evictions, and of the answers.
var pressures = map[corev1.NodeConditionType]struct {
	evicts          *regexp.Regexp
	english, french string
}{
	corev1.NodeDiskPressure:   {regexp.MustCompile(`low on resource: (?:ephemeral-storage|(?:node|image|container)fs|inodes)`), "disk space", "d'espace disque"},
	corev1.NodeMemoryPressure: {regexp.MustCompile(`low on resource: (?:allocatable)?[mM]emory`), "memory", "de mémoire"},
	corev1.NodePIDPressure:    {regexp.MustCompile(`low on resource: pids?\b`), "process ids", "d'identifiants de processus"},
}

func pressureCause(id CauseID, t corev1.NodeConditionType) cause {
	p := pressures[t]
	return cause{
		id: id, severity: Critical,
		check: func(x *exam) {
			for _, n := range x.snap.Nodes {
				if x.underPressure(n, t) {
					x.add(x.pressed(id, n, t))
				}
			}
		},
		texts: texts{
			english: map[string]string{
				string(id) + ".message": "Node %[1]s runs out of " + p.english + " and evicts pods",
				string(id) + ".user":    "Node %[1]s runs out of " + p.english + " and evicts pods; %[2]s uses the most of it, as far as can be seen",
				string(id) + ".fix":     "Free " + p.english + " on node %[1]s or make it larger; the kubelet withdraws the taint by itself a few minutes later. No safe operation exists from here.",
				string(id) + ".fixUser": "Free " + p.english + " on node %[1]s: stop %[2]s and remove what it left; the kubelet withdraws the taint by itself a few minutes later.",
			},
			french: map[string]string{
				string(id) + ".message": "Le nœud %[1]s manque " + p.french + " et expulse des pods",
				string(id) + ".user":    "Le nœud %[1]s manque " + p.french + " et expulse des pods ; %[2]s en consomme le plus, pour autant qu'on puisse le voir",
				string(id) + ".fix":     "Libérez ou augmentez les ressources du nœud %[1]s, qui manque " + p.french + " ; le kubelet retire le taint de lui-même quelques minutes plus tard. Aucune opération sûre n'existe d'ici.",
				string(id) + ".fixUser": "Libérez les ressources du nœud %[1]s, qui manque " + p.french + " : arrêtez %[2]s et retirez ce qu'il a laissé ; le kubelet retire le taint de lui-même quelques minutes plus tard.",
			},
		},
	}
}

func nodeCondition(n *corev1.Node, t corev1.NodeConditionType) *corev1.NodeCondition {
	for i := range n.Status.Conditions {
		if n.Status.Conditions[i].Type == t {
			return &n.Status.Conditions[i]
		}
	}
	return nil
}

// nodeDown says since when a node is not ready. What happens on it, and to pods it should let go, follows from that.
func (x *exam) nodeDown(n *corev1.Node, c *corev1.NodeCondition) Finding {
	r := ref("Node", "", n.Name)
	since := moment(c.LastTransitionTime.Time)
	f := Finding{Cause: "NodeNotReady", Object: r, links: links{since: c.LastTransitionTime.Time}}
	if c.Status == corev1.ConditionUnknown {
		f.Message, f.Fix = x.say("NodeNotReady.silent", n.Name, since), x.say("NodeNotReady.fixSilent", n.Name)
	} else {
		f.Message, f.Fix = x.say("NodeNotReady.message", n.Name, since, c.Message), x.say("NodeNotReady.fix", n.Name)
	}
	f.Evidence = []Evidence{
		field(r, "status.conditions[Ready].status", c.Status),
		field(r, "status.conditions[Ready].reason", c.Reason),
		field(r, "status.conditions[Ready].message", c.Message),
	}
	if e := x.lastEvent([]cluster.Ref{r}, "NodeNotReady"); e != nil {
		f.Evidence = append(f.Evidence, event(e))
	}
	x.blameNode(&f, n, func(s *symptom) bool {
		return s.kind != crashing && s.kind != waiting && s.kind != restarted && s.kind != complaining
	})
	for _, p := range x.podsOnNode[n.Name] {
		if d := podCondition(p, corev1.DisruptionTarget); d != nil && d.Status == corev1.ConditionTrue {
			f.Evidence = append(f.Evidence, field(podRef(p), "status.conditions[DisruptionTarget].reason", d.Reason))
		}
	}
	return f
}

// blameNode makes a finding of a node explain the symptoms of pods on it, and affect the workloads of those pods.
func (x *exam) blameNode(f *Finding, n *corev1.Node, follows func(*symptom) bool) {
	on := func(p *corev1.Pod) bool { return p.Spec.NodeName == n.Name }
	for _, s := range x.symptoms {
		if s.explained() || !follows(s) || len(s.pods) == 0 || slices.ContainsFunc(s.pods, func(p *corev1.Pod) bool { return !on(p) }) {
			continue
		}
		f.links.explains = append(f.links.explains, s)
	}
	for _, p := range x.podsOnNode[n.Name] {
		if w := x.podWorkload[podRef(p)]; w != nil && !podReady(p) && !finished(p) {
			f.links.affects = append(f.links.affects, w.ref)
		}
	}
}

// pressureMemory is how long after the condition went away its evictions are still told.
const pressureMemory = crashMemory

// underPressure says that a node is under pressure, or evicted pods for it lately.
func (x *exam) underPressure(n *corev1.Node, t corev1.NodeConditionType) bool {
	if c := nodeCondition(n, t); c != nil && c.Status == corev1.ConditionTrue {
		return true
	}
	return slices.ContainsFunc(x.podsOnNode[n.Name], func(p *corev1.Pod) bool {
		return x.evictedFor(p, t) && x.now.Sub(x.endOf(p)) < pressureMemory
	})
}

// evictedFor says that a pod was thrown out because its node ran out of something.
func (x *exam) evictedFor(p *corev1.Pod, t corev1.NodeConditionType) bool {
	return p.Status.Reason == "Evicted" && lowOn(p.Status.Message, t)
}

func lowOn(message string, t corev1.NodeConditionType) bool {
	return pressures[t].evicts.MatchString(message)
}

func (x *exam) pressed(id CauseID, n *corev1.Node, t corev1.NodeConditionType) Finding {
	r := ref("Node", "", n.Name)
	x.want(cluster.Want{What: cluster.WantPodsOnNode, Name: n.Name})
	f := Finding{Cause: id, Object: r, Message: x.say(string(id)+".message", n.Name), Fix: x.say(string(id)+".fix", n.Name)}
	if c := nodeCondition(n, t); c != nil {
		path := "status.conditions[" + string(t) + "]."
		f.Evidence = append(f.Evidence, field(r, path+"status", c.Status), field(r, path+"reason", c.Reason), field(r, path+"message", c.Message))
		f.links.since = c.LastTransitionTime.Time
	}
	for _, reason := range []string{"EvictionThresholdMet", "FreeDiskSpaceFailed", "ImageGCFailed", "SystemOOM"} {
		if e := x.lastEvent([]cluster.Ref{r}, reason); e != nil && x.recent(e.Last, crashMemory) {
			f.Evidence = append(f.Evidence, event(e))
		}
	}
	x.blameNode(&f, n, func(s *symptom) bool {
		return s.kind == evicted && slices.ContainsFunc(s.pods, func(p *corev1.Pod) bool { return x.evictedFor(p, t) })
	})
	x.evictions(&f, n, t)
	if user := x.heavyUser(&f, n, t); user != nil {
		f.Message = x.say(string(id)+".user", n.Name, user.ref.String())
		f.Fix = x.say(string(id)+".fixUser", n.Name, user.ref.String())
		f.links.affects = append(f.links.affects, user.ref)
		if user.ref.Kind == "Deployment" && t == corev1.NodeDiskPressure {
			f.Operation = scaleOperation(user.ref, 0)
		}
	}
	return f
}

// evictions cites the pods that a node threw out. A pod that was made anew under the same name is told by its event
// alone; it counts where no other node is under the same pressure.
func (x *exam) evictions(f *Finding, n *corev1.Node, t corev1.NodeConditionType) {
	alone := !slices.ContainsFunc(x.snap.Nodes, func(o *corev1.Node) bool {
		c := nodeCondition(o, t)
		return o != n && c != nil && c.Status == corev1.ConditionTrue
	})
	told := 0
	for _, e := range x.snap.Events {
		if e.Reason != "Evicted" || e.About.Kind != "Pod" || !lowOn(e.Message, t) || !x.recent(e.Last, crashMemory) {
			continue
		}
		if node := x.nodeOf(e.About); node != n.Name && (!alone || node != "") {
			continue
		}
		f.links.affects = append(f.links.affects, e.About)
		if told++; told <= 3 {
			f.Evidence = append(f.Evidence, event(e))
		}
	}
}

// nodeOf is the node of a pod, "" where it has none or the pod is not known.
func (x *exam) nodeOf(pod cluster.Ref) string {
	if p := get[*corev1.Pod](x.index, "Pod", pod.Namespace, pod.Name); p != nil {
		return p.Spec.NodeName
	}
	return ""
}

// heavyUser is the workload that a log of the node, or the kubelet's eviction, names as the one that fills it.
func (x *exam) heavyUser(f *Finding, n *corev1.Node, t corev1.NodeConditionType) *workload {
	if t == corev1.NodeDiskPressure {
		return x.directoryFiller(f, n)
	}
	var user *workload
	var most resource.Quantity
	for _, p := range x.podsOnNode[n.Name] {
		if m := evictedUsage.FindStringSubmatch(p.Status.Message); m != nil && x.evictedFor(p, t) {
			if q, err := resource.ParseQuantity(m[1]); err == nil && q.Cmp(most) > 0 {
				user, most = x.podWorkload[podRef(p)], q
			}
		}
	}
	return user
}

// evictedUsage is the kubelet's word for what a container that it evicted was using.
var evictedUsage = regexp.MustCompile(`was using (\d+[A-Za-z]*), request is`)

// sizeWord is a size in a log line: 71.4GiB, 512 MB, 30G.
var sizeWord = regexp.MustCompile(`(?i)\b\d+(?:\.\d+)?\s?(?:[kmgt]i?b?|bytes)\b`)

// directoryFiller looks in the logs of a node's pods for the directory of a hostPath volume with a size beside it.
func (x *exam) directoryFiller(f *Finding, n *corev1.Node) *workload {
	owners := x.directories(n)
	for _, p := range x.podsOnNode[n.Name] {
		for _, c := range runningContainers(p) {
			if len(owners) > 0 {
				x.wantLogs(p, c, false)
			}
			for path, w := range owners {
				if l := x.findLine(podRef(p), c, strings.ToLower(path)); l != nil && sizeBeside(l.text, path) {
					f.Evidence = append(f.Evidence, l.cite(strings.Index(l.text, path)))
					return w
				}
			}
		}
	}
	return nil
}

// directories are the directories of a node that its pods write to, other than those of the system, and to whom they
// belong.
func (x *exam) directories(n *corev1.Node) map[string]*workload {
	owners := map[string]*workload{}
	for _, p := range x.podsOnNode[n.Name] {
		for _, v := range p.Spec.Volumes {
			if v.HostPath == nil || strings.Count(strings.Trim(v.HostPath.Path, "/"), "/") == 0 {
				continue
			}
			if w := x.podWorkload[podRef(p)]; w != nil {
				owners[strings.TrimSuffix(v.HostPath.Path, "/")] = w
				x.want(cluster.Want{What: cluster.WantNamespace, Namespace: p.Namespace})
			}
		}
	}
	return owners
}

// sizeBeside says that a size stands right before or after a path.
func sizeBeside(text, path string) bool {
	const near = 24
	at := strings.Index(text, path)
	if at < 0 {
		return false
	}
	after := at + len(path)
	return sizeWord.MatchString(text[after:min(len(text), after+near)]) || sizeWord.MatchString(text[max(0, at-near):at])
}
