package diagnose

import (
	"fmt"
	"slices"
	"time"

	"golang.org/x/text/message"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/cluster"
)

// exam is one examination of one snapshot: what checks look at and report to.
type exam struct {
	*index
	now      time.Time
	question Question
	printer  *message.Printer
	causes   map[CauseID]*cause
	seeds    seeds

	symptoms  []*symptom
	symptomAt map[symptomKey]*symptom
	// symptomsOf are the symptoms of each workload.
	symptomsOf map[*workload][]*symptom
	// servicesOf are the services that select each workload.
	servicesOf map[cluster.Ref][]cluster.Ref
	findings   []*Finding
	findingAt  map[string]*Finding
	wants      []cluster.Want
	missing    []Missing

	lineMemo  map[*cluster.Log][]line
	hitMemo   map[*cluster.Log][]hit
	reachMemo map[cluster.Ref]map[cluster.Ref]bool
	callMemo  map[*workload][]cluster.Ref
	placed    map[*symptom]placement
	// customIn are the custom resources of each namespace.
	customIn map[string][]*unstructured.Unstructured
	// widened says that what was asked about is well and that the answer is what is wrong around it.
	widened  bool
	distance func(cluster.Ref) int
}

func newExam(s *cluster.Snapshot, q Question) *exam {
	x := &exam{
		index: newIndex(s), now: s.Now, question: q, printer: newPrinter(q.Language),
		symptomAt: map[symptomKey]*symptom{}, symptomsOf: map[*workload][]*symptom{}, findingAt: map[string]*Finding{},
		lineMemo: map[*cluster.Log][]line{}, hitMemo: map[*cluster.Log][]hit{},
		reachMemo: map[cluster.Ref]map[cluster.Ref]bool{}, callMemo: map[*workload][]cluster.Ref{}, placed: map[*symptom]placement{},
	}
	x.causes = causesByID
	x.seeds = x.readQuestion()
	x.distance = x.askedDistance()
	x.servicesOf = x.joinServices()
	return x
}

// links is what a finding knows of the causal graph.
type links struct {
	// explains are the symptoms that the finding accounts for.
	explains []*symptom
	// affects are further objects that suffer from it.
	affects []cluster.Ref
	// needs are what the finding depends on: a fault at or behind one of them causes it.
	needs []cluster.Ref
	// causedBy are findings that certainly cause it.
	causedBy []*Finding
	// weak findings count as a root only where nothing stronger answers the question.
	weak bool
	// echo findings are consequences; they are never a root.
	echo bool
	// onDemand findings are states that somebody may want (suspended, scaled to zero). They count only where the question
	// names them or something follows from them.
	onDemand bool
	since    time.Time
}

// add reports a finding. A second report of the same cause at the same object is merged into the first.
func (x *exam) add(f Finding) *Finding {
	f.ID = string(f.Cause) + ":" + f.Object.Path()
	known := x.findingAt[f.ID]
	if known == nil {
		known = &f
		x.findingAt[f.ID] = known
		x.findings = append(x.findings, known)
	} else {
		known.Evidence = append(known.Evidence, f.Evidence...)
		known.links.explains = append(known.links.explains, f.links.explains...)
		known.links.affects = append(known.links.affects, f.links.affects...)
		known.links.needs = append(known.links.needs, f.links.needs...)
		known.links.weak = known.links.weak && f.links.weak
	}
	if known.Severity == "" {
		known.Severity = x.severityOf(known.Cause)
	}
	for _, s := range f.links.explains {
		s.by = append(s.by, known)
		if known.links.since.IsZero() || s.since.Before(known.links.since) {
			known.links.since = s.since
		}
	}
	known.Evidence = distinct(known.Evidence)
	return known
}

func distinct(list []Evidence) []Evidence {
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(e Evidence) bool {
		key := string(e.Kind) + e.Text
		if e.Kind == FieldEvidence {
			key += e.Source
		}
		double := seen[key] || e.Text == ""
		seen[key] = true
		return double
	})
	if len(list) > maxEvidence {
		list = list[:maxEvidence]
	}
	return list
}

// want asks for something to be read before the next round.
func (x *exam) want(w cluster.Want) {
	if w.Name == "" && w.Namespace == "" && w.What != cluster.WantCluster && w.What != cluster.WantServices {
		return
	}
	if !x.asked(w) && !slices.Contains(x.wants, w) {
		x.wants = append(x.wants, w)
	}
}

// wantLogs asks for the logs of one container.
func (x *exam) wantLogs(p *corev1.Pod, container string, which ...bool) {
	for _, previous := range which {
		x.want(cluster.Want{What: cluster.WantLog, Namespace: p.Namespace, Name: p.Name, Container: container, Previous: previous})
	}
}

// open returns the symptoms of these kinds that nothing explains so far.
func (x *exam) open(kinds ...symptomKind) []*symptom {
	var out []*symptom
	for _, s := range x.symptoms {
		if !s.explained() && slices.Contains(kinds, s.kind) {
			out = append(out, s)
		}
	}
	return out
}

// recent says that something happened within d before now.
func (x *exam) recent(t time.Time, d time.Duration) bool {
	return !t.IsZero() && x.now.Sub(t) <= d
}

// lastEvent returns the last event about any of the objects with one of the reasons.
func (x *exam) lastEvent(about []cluster.Ref, reasons ...string) *cluster.Event {
	var last *cluster.Event
	for _, a := range about {
		for _, e := range x.events[a] {
			if (len(reasons) == 0 || slices.Contains(reasons, e.Reason)) && (last == nil || e.Last.After(last.Last)) {
				last = e
			}
		}
	}
	return last
}

func podRefs(pods []*corev1.Pod) []cluster.Ref {
	out := make([]cluster.Ref, 0, len(pods))
	for _, p := range pods {
		out = append(out, podRef(p))
	}
	return out
}

// containerField cites a field of a container in the workload's template, or in the pod where that is all there is.
func (x *exam) containerField(s *symptom, path string, value any) Evidence {
	group := "containers"
	if s.init {
		group = "initContainers"
	}
	prefix, at := "spec.template.spec.", s.work.ref
	switch {
	case at.Kind == "Pod":
		prefix = "spec."
	case s.work.meta == nil && s.pod() != nil:
		prefix, at = "spec.", podRef(s.pod())
	}
	return field(at, fmt.Sprintf("%s%s[%s].%s", prefix, group, s.container, path), value)
}

// statusField cites a field of a container's status in the example pod.
func (x *exam) statusField(s *symptom, path string, value any) Evidence {
	group := "containerStatuses"
	if s.init {
		group = "initContainerStatuses"
	}
	return field(podRef(s.pod()), fmt.Sprintf("status.%s[%s].%s", group, s.container, path), value)
}

// ending cites how a container ended last: exit code, reason and number of restarts.
func (x *exam) ending(s *symptom) []Evidence {
	c := s.status()
	t := termination(c)
	if t == nil {
		return nil
	}
	path := terminationPath(c)
	out := []Evidence{x.statusField(s, path+".exitCode", t.ExitCode)}
	if t.Reason != "" {
		out = append(out, x.statusField(s, path+".reason", t.Reason))
	}
	if t.Message != "" {
		out = append(out, x.statusField(s, path+".message", t.Message))
	}
	if c.RestartCount > 0 {
		out = append(out, x.statusField(s, "restartCount", c.RestartCount))
	}
	return out
}
