package diagnose

import (
	"cmp"
	"slices"

	"github.com/eclusier/eclusier/internal/cluster"
)

// link resolves what findings need: a finding at or behind an object that another one needs is its cause.
func (x *exam) link() {
	at := x.touchedBy()
	for _, f := range x.findings {
		causes := slices.Clone(f.links.causedBy)
		needs := f.links.needs
		if f.Absent {
			needs = append(slices.Clone(needs), f.Object)
		}
		for _, need := range needs {
			causes = append(causes, x.causesOf(f, need, at)...)
		}
		f.links.causedBy = nil
		for _, c := range causes {
			if c != f && !slices.Contains(f.links.causedBy, c) && !follows(c, f) {
				f.links.causedBy = append(f.links.causedBy, c)
			}
		}
	}
	x.forgetEchoes()
	for _, f := range x.findings {
		for _, c := range nearest(f.links.causedBy) {
			f.CausedBy = append(f.CausedBy, c.ID)
		}
	}
}

// forgetEchoes takes away causes that are only echoes of something unknown, until none is left.
func (x *exam) forgetEchoes() {
	for again := true; again; {
		again = false
		for _, f := range x.findings {
			n := len(f.links.causedBy)
			f.links.causedBy = slices.DeleteFunc(f.links.causedBy, func(c *Finding) bool { return c.links.echo && len(c.links.causedBy) == 0 })
			again = again || len(f.links.causedBy) < n
		}
	}
}

// nearest leaves out the causes of causes: what is told of them is told once.
func nearest(causes []*Finding) []*Finding {
	return slices.DeleteFunc(slices.Clone(causes), func(c *Finding) bool {
		return slices.ContainsFunc(causes, func(o *Finding) bool { return o != c && follows(o, c) })
	})
}

// touchedBy tells for each object the findings that lie at it or make it suffer.
func (x *exam) touchedBy() map[cluster.Ref][]*Finding {
	at := map[cluster.Ref][]*Finding{}
	for _, f := range x.findings {
		for _, r := range f.touches() {
			at[r] = append(at[r], f)
		}
	}
	return at
}

// touches are the objects that a finding lies at or makes suffer, each once.
func (f *Finding) touches() []cluster.Ref {
	out := []cluster.Ref{f.Object}
	for _, s := range f.links.explains {
		out = append(out, s.work.ref)
	}
	out = append(out, f.links.affects...)
	slices.SortFunc(out, compareRefs)
	return slices.Compact(out)
}

// causesOf are the findings at an object that f needs or, where there is none, at what that object depends on.
// Weak findings count only where there are no others; echoes count as long as something causes them.
func (x *exam) causesOf(f *Finding, need cluster.Ref, at map[cluster.Ref][]*Finding) []*Finding {
	var strong, weak, echoes []*Finding
	for _, g := range x.findingsWithin(need, at) {
		switch {
		case g == f || f.Absent && g.Object == f.Object:
		case g.links.echo:
			echoes = append(echoes, g)
		case g.links.weak:
			weak = append(weak, g)
		default:
			strong = append(strong, g)
		}
	}
	out := strong
	if len(out) == 0 {
		out = weak
	}
	out = append(out, echoes...)
	slices.SortFunc(out, func(a, b *Finding) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// findingsWithin are the findings at an object and at what it depends on, each once.
func (x *exam) findingsWithin(need cluster.Ref, at map[cluster.Ref][]*Finding) []*Finding {
	var out []*Finding
	seen := map[*Finding]bool{}
	for r := range x.reach(need) {
		for _, g := range at[r] {
			if !seen[g] {
				seen[g] = true
				out = append(out, g)
			}
		}
	}
	return out
}

// follows says that a finding follows from another, directly or through others.
func follows(f, from *Finding) bool {
	seen := map[*Finding]bool{}
	var walk func(*Finding) bool
	walk = func(g *Finding) bool {
		if g == from {
			return true
		}
		if seen[g] {
			return false
		}
		seen[g] = true
		return slices.ContainsFunc(g.links.causedBy, walk)
	}
	return walk(f)
}

// story is a root with everything that follows from it.
type story struct {
	root *Finding
	// effects are the findings that follow from the root, the root first.
	effects []*Finding
	// touched are all objects of the story.
	touched map[cluster.Ref]bool
	// distance is how far the story is from what was asked; -1 if it has nothing to do with it.
	distance int
	// resembles says that a name in the story looks like a word of the question.
	resembles bool
}

// stories groups the findings by their roots.
func (x *exam) stories() []*story {
	effects := map[*Finding][]*Finding{}
	for _, f := range x.findings {
		f.Impact = 1
		for _, c := range nearest(f.links.causedBy) {
			effects[c] = append(effects[c], f)
		}
	}
	var out []*story
	for _, f := range x.findings {
		if len(f.links.causedBy) > 0 || f.links.echo {
			continue
		}
		s := &story{root: f, touched: map[cluster.Ref]bool{}, distance: -1}
		told := map[*Finding]bool{}
		for next := []*Finding{f}; len(next) > 0; next = next[1:] {
			if !told[next[0]] {
				told[next[0]] = true
				s.effects = append(s.effects, next[0])
				next = append(next, effects[next[0]]...)
			}
		}
		x.measure(s)
		f.Impact = x.impact(s)
		out = append(out, s)
	}
	return out
}

func (x *exam) measure(s *story) {
	for _, e := range s.effects {
		for _, r := range e.touches() {
			s.touched[r] = true
			s.resembles = s.resembles || x.resembles(r.Name)
			if d := x.distance(r); d >= 0 && (s.distance < 0 || d < s.distance) {
				s.distance = d
			}
		}
	}
}

// impact counts the workloads that suffer in a story, and the services and ingresses that stand for them.
func (x *exam) impact(s *story) int {
	hurt := map[cluster.Ref]bool{}
	for r := range s.touched {
		if x.workloads[r] != nil {
			hurt[r] = true
			for _, service := range x.servicesOf[r] {
				hurt[service] = true
			}
		}
		if r.Kind == "Service" || r.Kind == "Ingress" {
			hurt[r] = true
		}
	}
	return max(len(hurt), 1)
}

// joinServices tells for each workload the services that select it.
func (x *exam) joinServices() map[cluster.Ref][]cluster.Ref {
	out := map[cluster.Ref][]cluster.Ref{}
	for _, s := range x.snap.Services {
		r := ref("Service", s.Namespace, s.Name)
		for _, w := range x.serviceNeeds(s) {
			out[w] = append(out[w], r)
		}
	}
	return out
}

// askedDistance returns a function that tells how far an object is from what was asked about: 0 for the object
// itself, more for what it depends on, -1 for what has nothing to do with it.
func (x *exam) askedDistance() func(cluster.Ref) int {
	distance := map[cluster.Ref]int{}
	for _, seed := range x.seeds.refs {
		x.spread(seed, distance)
	}
	return func(r cluster.Ref) int {
		if d, ok := distance[r]; ok {
			return d
		}
		if len(x.seeds.refs) > 0 {
			return -1
		}
		if len(x.seeds.namespaces) == 0 || slices.Contains(x.seeds.namespaces, r.Namespace) ||
			r.Kind == "Namespace" && slices.Contains(x.seeds.namespaces, r.Name) {
			return 0
		}
		return -1
	}
}

func (x *exam) spread(seed cluster.Ref, distance map[cluster.Ref]int) {
	next := []cluster.Ref{seed}
	if at, ok := distance[seed]; !ok || at > 0 {
		distance[seed] = 0
	}
	if seed.Kind == "Namespace" {
		for r := range x.objects {
			if r.Namespace == seed.Name {
				distance[r] = 0
			}
		}
	}
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		deps := x.needsOf(at)
		if w := x.workloads[at]; w != nil {
			deps = append(deps, x.calls(w)...)
			deps = append(deps, podRefs(w.pods)...)
		}
		for _, d := range deps {
			if known, ok := distance[d]; !ok || known > distance[at]+1 {
				distance[d] = distance[at] + 1
				next = append(next, d)
			}
		}
	}
}

var severities = map[Severity]int{Critical: 4, High: 3, Medium: 2, Low: 1}

// order sorts stories: what looks like the words of the question and is close to it first, then by harm.
func order(list []*story) {
	slices.SortStableFunc(list, func(a, b *story) int {
		return cmp.Or(
			boolCompare(a.resembles, b.resembles),
			cmp.Compare(min(a.distance, 3), min(b.distance, 3)),
			-cmp.Compare(severities[a.root.Severity], severities[b.root.Severity]),
			-cmp.Compare(a.root.Impact, b.root.Impact),
			a.root.links.since.Compare(b.root.links.since),
			cmp.Compare(a.root.ID, b.root.ID),
		)
	})
}

// boolCompare puts true first.
func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
