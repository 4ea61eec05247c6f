package agenttask

import (
	"context"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/answer"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/diagnose"
	"github.com/eclusier/eclusier/internal/fault"
)

// diagnose looks at the targets as the task's account, and records the verdict, the findings and the answer.
func (p *pass) diagnose(ctx context.Context) error {
	reader, err := p.Readers.ReaderFor(p.account(), p.asked())
	if err != nil {
		return err
	}
	report, err := diagnose.Investigate(ctx, reader, &cluster.Snapshot{}, p.question())
	if fault.Is(err, fault.PermissionDenied) {
		return p.forbidden(p.question().Namespace)
	}
	if err != nil {
		return err
	}
	status := &p.task.Status
	status.Verdict = v1alpha1.Verdict(report.Verdict)
	status.Findings = findings(report)
	status.Missing = missing(report.Missing)
	status.Answer = answer.Render(report, p.language(), v1alpha1.MaxAnswerBytes)
	p.complete()
	return nil
}

// question is what the engine is asked: about the targets, which the prompt can narrow but not widen.
func (p *pass) question() diagnose.Question {
	question := diagnose.Question{Namespace: p.task.Namespace, Text: p.task.Spec.Prompt, Language: p.language()}
	for _, target := range p.task.Status.Targets {
		object := target.Object
		if object.Kind == "Namespace" {
			question.Namespace = object.Name
			if len(p.task.Status.Targets) == 1 {
				return question
			}
		}
		question.Targets = append(question.Targets, cluster.Ref{Kind: object.Kind, Namespace: object.Namespace, Name: object.Name})
	}
	return question
}
