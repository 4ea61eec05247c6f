package diagnose

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// missFor says what would have explained a symptom that nothing explains.
func (x *exam) missFor(s *symptom) {
	why := x.say("miss.logWhy", x.describe(s))
	p := s.pod()
	if p == nil {
		x.miss(Missing{What: x.say("miss.events"), Why: why, Command: fmt.Sprintf("kubectl get events -n %s --field-selector involvedObject.name=%s", s.work.namespace(), s.work.ref.Name)})
		return
	}
	t := termination(s.status())
	if s.container != "" {
		x.missLogs(p, s.container, t, why)
	}
	if e := x.lastEvent([]cluster.Ref{podRef(p)}); e == nil || !e.Warning {
		x.miss(Missing{What: x.say("miss.events"), Why: x.say("miss.eventsWhy"), Command: fmt.Sprintf("kubectl get events -n %s --field-selector involvedObject.name=%s", p.Namespace, p.Name)})
	}
	if t == nil || t.ExitCode != 137 && t.ExitCode != 143 {
		return
	}
	x.miss(Missing{What: x.say("miss.metrics"), Why: x.say("miss.metricsWhy", strconv.Itoa(int(t.ExitCode))), Command: fmt.Sprintf("kubectl top pod -n %s %s --containers", p.Namespace, p.Name)})
	x.miss(Missing{What: x.say("miss.kernel", p.Spec.NodeName), Why: x.say("miss.kernelWhy"), Command: fmt.Sprintf("kubectl debug node/%s -it --image=busybox -- chroot /host journalctl -k", p.Spec.NodeName)})
	x.miss(Missing{What: x.say("miss.audit"), Why: x.say("miss.auditWhy")})
}

// missLogs says which logs of a container would tell more; t is how it last ended, nil if it never did.
func (x *exam) missLogs(p *corev1.Pod, container string, t *corev1.ContainerStateTerminated, why string) {
	logs := fmt.Sprintf("kubectl logs -n %s %s -c %s", p.Namespace, p.Name, container)
	here := x.hasLog(p.Namespace, p.Name, container, false)
	switch {
	case t == nil && !here:
		x.miss(Missing{What: x.say("miss.log", container), Why: why, Command: logs})
	case t != nil:
		if !x.hasLog(p.Namespace, p.Name, container, true) {
			x.miss(Missing{What: x.say("miss.previousLog", container), Why: why, Command: logs + " --previous"})
		}
		if t.Message == "" && here {
			x.miss(Missing{What: x.say("miss.output", container), Why: x.say("miss.outputWhy", strconv.Itoa(int(t.ExitCode))), Command: logs + " -f"})
		}
	}
}

func (x *exam) miss(m Missing) {
	if !slices.Contains(x.missing, m) {
		x.missing = append(x.missing, m)
	}
}

// unreadLog recognises what the kubelet answers in place of a log that it no longer has.
var unreadLog = regexp.MustCompile(`^\s*(?:unable to retrieve container logs for \S+|failed to try resolving symlinks in path \S+.*|failed to open log file .*|(?:Error from server[^:]*: |error: )?previous terminated container .* not found|rpc error: code = NotFound desc = .*)\s*$`)

func (x *exam) hasLog(namespace, pod, container string, previous bool) bool {
	return slices.ContainsFunc(x.logs[ref("Pod", namespace, pod)], func(l *cluster.Log) bool {
		return l.Container == container && l.Previous == previous && !unreadLog.MatchString(l.Text)
	})
}

// gapsThatMatter are the gaps without which nothing sure can be said of what was asked: a namespace or its pods that
// could not be read, or what was cut off.
func (x *exam) gapsThatMatter() []Missing {
	return x.gapsAs(x.matters)
}

// otherGaps are further gaps worth telling: files of a dump that could not be read and, where no cause is known,
// whatever may not be read.
func (x *exam) otherGaps(v Verdict) []Missing {
	const most = 10
	out := x.gapsAs(func(g cluster.Gap) bool {
		return g.Resource == "files" || v == Inconclusive && g.Reason == cluster.GapForbidden && !x.matters(g)
	})
	return out[:min(len(out), most)]
}

func (x *exam) gapsAs(keep func(cluster.Gap) bool) []Missing {
	var out []Missing
	for _, g := range x.gaps {
		if !keep(g) {
			continue
		}
		m := Missing{What: x.say("miss.gap", gapName(g)), Command: gapCommand(g)}
		if g.Reason == cluster.GapForbidden {
			m.Why = x.say("miss.gapForbidden", g.Detail)
		} else {
			m.Why = x.say("miss.gapOther", string(g.Reason)+" "+g.Detail)
		}
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

func (x *exam) matters(g cluster.Gap) bool {
	switch g.Resource {
	case "", "pods", "deployments", "statefulsets", "daemonsets", "jobs", "replicasets", "events":
	default:
		return false
	}
	if g.Reason == cluster.GapNotInDump || g.Reason == cluster.GapNotFound || g.Want.What != cluster.WantNamespace {
		return false
	}
	if len(x.seeds.refs) == 0 {
		return len(x.seeds.namespaces) == 0 || slices.Contains(x.seeds.namespaces, g.Want.Namespace)
	}
	return slices.ContainsFunc(x.seeds.refs, func(r cluster.Ref) bool { return r.Namespace == g.Want.Namespace })
}

func gapName(g cluster.Gap) string {
	name := g.Resource
	if name == "" {
		name = string(g.Want.What)
	}
	if g.Want.Namespace != "" {
		name += " -n " + g.Want.Namespace
	}
	return name
}

func gapCommand(g cluster.Gap) string {
	if g.Resource == "files" {
		return ""
	}
	resource := g.Resource
	if resource == "" {
		resource = "all"
	}
	if g.Want.Namespace == "" {
		return "kubectl get " + resource
	}
	if g.Reason == cluster.GapForbidden {
		return fmt.Sprintf("kubectl auth can-i list %s -n %s", resource, g.Want.Namespace)
	}
	return fmt.Sprintf("kubectl get %s -n %s", resource, g.Want.Namespace)
}

// unseenTargets are the named objects that the snapshot does not hold.
func (x *exam) unseenTargets() []Missing {
	var out []Missing
	for _, r := range x.seeds.refs {
		if x.exists(r) || x.workloads[r] != nil || !x.asked(wantObject(r)) {
			continue
		}
		command := fmt.Sprintf("kubectl get %s %s", r.Kind, r.Name)
		if r.Namespace != "" {
			command += " -n " + r.Namespace
		}
		out = append(out, Missing{What: x.say("miss.target", r.String()), Why: x.say("miss.targetWhy"), Command: command})
	}
	return out
}
