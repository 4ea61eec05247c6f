package diagnose

import (
	"cmp"
	"slices"

	"github.com/eclusier/eclusier/internal/cluster"
)

// Diagnose finds the root causes of what was asked in a snapshot. It is pure and total, and its cost is linear in the
// objects of the snapshot.
func Diagnose(s *cluster.Snapshot, q Question) *Report {
	x := newExam(s, q)
	x.observe()
	for _, c := range allCauses {
		if c.check != nil {
			c.check(x)
		}
	}
	x.link()
	answers, others := x.sort(x.stories())
	r := &Report{
		RootCauses: []Finding{}, Chain: []Finding{}, Independent: []Finding{}, Missing: []Missing{},
		Looked: x.looked(),
	}
	x.fill(r, answers, others)
	x.judge(r)
	x.readNext()
	r.Wants = x.wants
	return r
}

// sort divides the stories into those that answer the question and those that are apart from it.
func (x *exam) sort(all []*story) (answers, others []*story) {
	for _, s := range all {
		switch {
		case s.root.links.onDemand && (len(s.effects) == 1 && !x.named(s.root) || toldElsewhere(s, all)):
		case s.distance >= 0:
			answers = append(answers, s)
		case !s.root.links.weak:
			others = append(others, s)
		}
	}
	order(answers)
	order(others)
	answers = strongest(answers)
	if len(answers) == 0 {
		answers, others = x.onAskedNode(others)
	}
	if len(answers) == 0 && x.seeds.mayWiden() && x.nothingOpen() {
		answers, others = x.widen(others)
	}
	return x.narrow(answers, others)
}

// strongest leaves weak stories out where there are others.
func strongest(list []*story) []*story {
	strong := func(s *story) bool { return !s.root.links.weak }
	if !slices.ContainsFunc(list, strong) {
		return list
	}
	return slices.DeleteFunc(list, func(s *story) bool { return !strong(s) })
}

// widen answers a question whose words name something healthy with what is wrong around it: people describe a
// failure by what they see of it.
func (x *exam) widen(others []*story) (answers, rest []*story) {
	for _, s := range others {
		near := false
		for r := range s.touched {
			near = near || slices.Contains(x.seeds.namespaces, r.Namespace)
		}
		if near {
			answers = append(answers, s)
		} else {
			rest = append(rest, s)
		}
	}
	x.widened = len(answers) > 0
	return answers, rest
}

// narrow keeps, of several stories about a whole namespace, those that look like the words of the question, if any do.
func (x *exam) narrow(answers, others []*story) ([]*story, []*story) {
	if len(x.seeds.refs) > 0 || !slices.ContainsFunc(answers, func(s *story) bool { return s.resembles }) {
		return answers, others
	}
	var kept []*story
	for _, s := range answers {
		if s.resembles {
			kept = append(kept, s)
		} else {
			others = append(others, s)
		}
	}
	return kept, others
}

func (x *exam) fill(r *Report, answers, others []*story) {
	inChain := map[*Finding]bool{}
	for _, s := range answers {
		r.RootCauses = append(r.RootCauses, *s.root)
		inChain[s.root] = true
	}
	for _, s := range answers {
		for _, e := range s.effects {
			if !inChain[e] {
				inChain[e] = true
				r.Chain = append(r.Chain, *e)
			}
		}
	}
	for _, s := range others {
		if !inChain[s.root] {
			r.Independent = append(r.Independent, *s.root)
		}
	}
}

// judge gives the verdict and says what is missing.
func (x *exam) judge(r *Report) {
	open := x.openSymptoms()
	gaps := x.gapsThatMatter()
	unseen, premises := x.unseenTargets(), x.unseenPremises()
	if len(r.RootCauses) == 0 {
		x.tellUnanswered(r)
	}
	switch {
	case len(r.RootCauses) > 0:
		r.Verdict = RootCauseFound
	case len(open) > 0 || len(gaps) > 0 || len(unseen) > 0 || len(premises) > 0 || len(x.missing) > 0:
		r.Verdict = Inconclusive
	default:
		r.Verdict = NoFaultFound
	}
	for _, s := range open {
		x.missFor(s)
	}
	x.missing = append(x.missing, unseen...)
	if r.Verdict == Inconclusive {
		x.missing = append(x.missing, premises...)
	}
	x.missing = append(x.missing, gaps...)
	x.missing = append(x.missing, x.otherGaps(r.Verdict)...)
	r.Missing = append(r.Missing, x.missing...)
	if r.Verdict != RootCauseFound {
		r.Chain = append(append(r.Chain, x.observations(open, r.Verdict)...), x.facts(r.Verdict)...)
	}
	r.Summary = x.summary(r)
}

// nothingOpen says that no symptom of what was asked about is without an explanation.
func (x *exam) nothingOpen() bool { return len(x.openSymptoms()) == 0 }

// openSymptoms are the symptoms of what was asked about that nothing explains.
func (x *exam) openSymptoms() []*symptom {
	var out []*symptom
	for _, s := range x.symptoms {
		if s.explained() || s.kind == complaining || x.distance(s.work.ref) != 0 && !x.coveredBySeed(s) {
			continue
		}
		if s.kind == restarted && !(x.seeds.past && len(x.seeds.refs) > 0) || s.kind == stalled && x.otherSymptom(s) {
			continue
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b *symptom) int {
		return cmp.Or(cmp.Compare(a.work.ref.String(), b.work.ref.String()), cmp.Compare(a.kind, b.kind))
	})
	return out
}

// coveredBySeed says that a symptom belongs to a workload that a named service, ingress, pod or autoscaler stands for.
func (x *exam) coveredBySeed(s *symptom) bool {
	return slices.ContainsFunc(x.seeds.refs, func(r cluster.Ref) bool {
		return r.Kind != "Node" && x.reach(r)[s.work.ref] && x.workloads[r] == nil
	})
}

// otherSymptom says that the workload of a stalled rollout shows by another symptom why it is stalled.
func (x *exam) otherSymptom(s *symptom) bool {
	return slices.ContainsFunc(x.symptomsOf[s.work], func(o *symptom) bool { return o != s && !o.weak() })
}

// named says that the question names the object of a finding, or something that resembles or depends on it. To ask
// about a whole namespace names nothing in it.
func (x *exam) named(f *Finding) bool {
	for _, seed := range x.seeds.refs {
		if seed.Kind != "Namespace" && x.reach(seed)[f.Object] {
			return true
		}
	}
	return x.distance(f.Object) >= 0 && x.resembles(f.Object.Name)
}

// toldElsewhere says that another root is about the same object and says more than a state that somebody may want.
func toldElsewhere(s *story, all []*story) bool {
	return slices.ContainsFunc(all, func(o *story) bool {
		return o != s && o.root.Object == s.root.Object && !o.root.links.onDemand
	})
}
