package cli

import (
	"encoding/json"
	"slices"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/answer"
	"github.com/eclusier/eclusier/internal/diagnose"
)

// story is what a diagnosis found, in one shape for the status of a task and for a report of the engine.
type story struct {
	roots, chain, independent []finding
	missing                   []missing
	looked                    []string
}

// finding is one fault or consequence.
type finding struct {
	id, cause, object, severity, message, fix, operation string
	absent                                               bool
	evidence                                             []evidence
	causedBy                                             []string
}

type evidence answer.Citation

type missing struct{ what, why, command string }

// object writes an object as people read it.
func object(kind, namespace, name string) string {
	if namespace == "" {
		return kind + " " + name
	}
	return kind + " " + namespace + "/" + name
}

// storyOfTask takes the story out of a task's status.
func storyOfTask(task *v1alpha1.AgentTask) story {
	var s story
	for i := range task.Status.Findings {
		f := &task.Status.Findings[i]
		one := finding{
			id: f.ID, cause: f.Cause, object: object(f.Object.Kind, f.Object.Namespace, f.Object.Name),
			severity: string(f.Severity), message: f.Message, fix: f.Fix, causedBy: f.CausedBy,
		}
		for _, e := range f.Evidence {
			one.evidence = append(one.evidence, evidence(answer.Cite(string(e.Kind), e.Source, e.Text)))
		}
		switch f.Role {
		case v1alpha1.RoleRootCause:
			s.roots = append(s.roots, one)
		case v1alpha1.RoleIndependent:
			s.independent = append(s.independent, one)
		default:
			s.chain = append(s.chain, one)
		}
	}
	for _, m := range task.Status.Missing {
		s.missing = append(s.missing, missing{m.What, m.Why, m.Command})
	}
	return s
}

// storyOfReport takes the story out of a report.
func storyOfReport(r *diagnose.Report) story {
	s := story{looked: slices.Clone(r.Looked)}
	s.roots, s.chain, s.independent = findings(r.RootCauses), findings(r.Chain), findings(r.Independent)
	for _, m := range r.Missing {
		s.missing = append(s.missing, missing{m.What, m.Why, m.Command})
	}
	return s
}

func findings(list []diagnose.Finding) []finding {
	var out []finding
	for i := range list {
		f := &list[i]
		one := finding{
			id: f.ID, cause: string(f.Cause), object: object(f.Object.Kind, f.Object.Namespace, f.Object.Name),
			severity: string(f.Severity), message: f.Message, fix: f.Fix, absent: f.Absent, causedBy: f.CausedBy,
		}
		if f.Operation != nil {
			if data, err := json.Marshal(f.Operation); err == nil {
				one.operation = string(data)
			}
		}
		for _, e := range f.Evidence {
			one.evidence = append(one.evidence, evidence(answer.Cite(string(e.Kind), e.Source, e.Text)))
		}
		out = append(out, one)
	}
	return out
}
