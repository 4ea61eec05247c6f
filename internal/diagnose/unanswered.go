package diagnose

import (
	"fmt"
	"slices"
	"strings"
)

// unanswered are the errors that what was asked about goes on reporting of what it calls, where nothing explains them. A
// question whether all is well is not answered by them: every log knows errors.
func (x *exam) unanswered() []*Finding {
	if x.seeds.whether || x.question.Text == "" {
		return nil
	}
	var out []*Finding
	for _, f := range x.findings {
		sure := slices.ContainsFunc(f.links.explains, func(s *symptom) bool { return s.kind == complaining && x.reportsErrors(s) })
		if f.links.echo && len(f.links.needs) > 0 && len(f.links.causedBy) == 0 && sure && x.distance(f.Object) >= 0 {
			out = append(out, f)
		}
	}
	return out
}

// reportsErrors says that the complaint of a symptom is an error, or an answer that only a gateway gives.
func (x *exam) reportsErrors(s *symptom) bool {
	if slices.ContainsFunc(x.hitsOf(s), func(h hit) bool { return h.sig == &gatewayLine }) {
		return true
	}
	c, ok := x.complaintIn(s.work, s.pod(), s.container)
	return ok && c.level == levelError
}

// missBehind says what would have explained an error that is reported of something called: the log of that.
func (x *exam) missBehind(f *Finding) {
	for _, n := range f.links.needs {
		x.miss(Missing{
			What: x.say("miss.behind", n.String()), Why: x.say("miss.behindWhy", f.Object.String()),
			Command: fmt.Sprintf("kubectl logs -n %s %s/%s --since=1h", n.Namespace, strings.ToLower(n.Kind), n.Name),
		})
	}
}

// tellUnanswered adds such errors to a report without a cause, and what is missing to explain them.
func (x *exam) tellUnanswered(r *Report) {
	for _, f := range x.unanswered() {
		x.missBehind(f)
		r.Chain = append(r.Chain, *f)
	}
}
