package diagnose

import (
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// serviceComplaint takes up complaints that no signature knows, after everything else has had its say.
var serviceComplaint = cause{
	id: "CrashDependencyRefused", severity: High,
	check: func(x *exam) { x.complain() },
	texts: texts{
		english: map[string]string{"CrashDependencyRefused.complaint": "Container %[1]s of %[2]s complains of %[3]s: %[4]s"},
		french:  map[string]string{"CrashDependencyRefused.complaint": "Le conteneur %[1]s de %[2]s se plaint de %[3]s : %[4]s"},
	},
}

// grievance is what a program that is well by its status says of something it calls, in words that no signature knows.
type grievance struct {
	hit
	// about are the Services that it complains of.
	about []cluster.Ref
}

// complaintWords stands for the lines of complaints.
var complaintWords = signature{name: "complaint about a service", cause: "CrashDependencyRefused", rank: dependency}

// changing are the parts of a line that differ each time that it is written.
var changing = regexp.MustCompile(`[\w.:+-]*\d[\w.:+-]*`)

// complaintIn finds in the log of a container that runs what it says at least twice, as a warning or an error, about
// a Service, and still says.
func (x *exam) complaintIn(w *workload, p *corev1.Pod, container string) (grievance, bool) {
	for _, l := range x.logsOf(podRef(p), container) {
		if l.Previous {
			continue
		}
		for _, h := range x.repeated(l) {
			if about := x.complainsOf(w, h); len(about) > 0 && x.stillComplains(l, h) {
				return grievance{h, about}, true
			}
		}
	}
	return grievance{}, false
}

// repeated are the warnings and errors that a log holds at least twice, apart from what changes in them.
func (x *exam) repeated(l *cluster.Log) []hit {
	var out []hit
	at := map[string]int{}
	for _, one := range x.lines(l) {
		if one.level != levelWarning && one.level != levelError {
			continue
		}
		shape := changing.ReplaceAllString(one.said(), "#")
		if i, again := at[shape]; again {
			out[i].count++
			out[i].last = one
			continue
		}
		at[shape] = len(out)
		out = append(out, hit{line: one, sig: &complaintWords, vars: map[string]string{}, count: 1, last: one})
	}
	return slices.DeleteFunc(out, func(h hit) bool { return h.count < 2 })
}

// complainsOf are the Services that a line speaks of. An error that names nothing is about the only Service that the
// program is configured to call.
func (x *exam) complainsOf(w *workload, h hit) []cluster.Ref {
	named := peersNamed(h)
	for _, p := range named {
		r, ok := x.calledName(p.host, w.namespace())
		if ok && !slices.Contains(x.servedBy(r), w) {
			return []cluster.Ref{r}
		}
	}
	if len(named) > 0 || h.level != levelError {
		return nil
	}
	if calls := x.calls(w); len(calls) == 1 {
		return calls
	}
	return nil
}

// calledName is the Service that a host is: one that the snapshot holds, or one of another namespace by its name.
func (x *exam) calledName(host, namespace string) (cluster.Ref, bool) {
	if s := x.service(host, namespace); s != nil {
		return ref("Service", s.Namespace, s.Name), true
	}
	r, ok := x.clusterName(host, namespace)
	return r, ok && r.Namespace != namespace
}

// complain adds what open complaints say. They are echoes: alone they prove nothing, and whatever is found at or behind
// what they are about causes them.
func (x *exam) complain() {
	x.explainUnready()
	for _, s := range x.open(complaining) {
		c, ok := x.complaintIn(s.work, s.pod(), s.container)
		if !ok {
			continue
		}
		if blocked := x.blockedCall(s, c.hit); blocked != nil {
			x.add(*blocked)
			continue
		}
		f := x.fromLog("CrashDependencyRefused", s, c.hit)
		f.links.echo, f.links.needs = true, c.about
		about := c.about[0].String()
		f.Message = x.say("CrashDependencyRefused.complaint", s.container, s.work.ref.String(), about, c.said())
		f.Fix = x.say("CrashDependencyRefused.fix", about, s.work.ref.String())
		x.findFeeders(f, s, c)
		x.add(*f)
	}
}

// explainUnready lets a readiness that fails for no known reason need what the program complains of.
func (x *exam) explainUnready() {
	for _, s := range x.symptoms {
		if s.kind != unready || s.pod() == nil {
			continue
		}
		for _, f := range s.by {
			if f.Cause != "ReadinessProbeFailing" || len(f.links.needs) > 0 {
				continue
			}
			if c, ok := x.complaintIn(s.work, s.pod(), s.container); ok {
				f.links.needs = c.about
				f.Evidence = distinct(append(f.Evidence, c.evidence()))
			}
		}
	}
}
