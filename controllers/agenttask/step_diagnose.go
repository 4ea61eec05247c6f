package agenttask

import (
	"cmp"
	"context"
	"errors"
	"slices"

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
	snapshot := &cluster.Snapshot{}
	report, err := diagnose.Investigate(ctx, reader, snapshot, p.question())
	if fault.Is(err, fault.PermissionDenied) {
		return p.forbidden(p.question().Namespace)
	}
	if err == nil {
		err = cmp.Or(ctx.Err(), p.cutOff(snapshot))
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

// essential are the lists without which nothing can be said of a namespace.
var essential = []string{"", "namespaces", "pods", "deployments", "statefulsets", "daemonsets", "replicasets", "jobs"}

// cutOff tells an API server that went away in the middle of the question from one that lacks something: a list of what the
// question is about that did not come is read again. When it is the last attempt, only what is essential is worth no
// answer; the rest is told as missing.
func (p *pass) cutOff(snapshot *cluster.Snapshot) error {
	last := p.task.Status.Retry != nil && p.task.Status.Retry.Count >= maxAttempts-1
	needed := diagnose.Start(p.question())
	for _, gap := range snapshot.Gaps {
		switch {
		case gap.Reason != cluster.GapUnavailable, gap.Want.What == cluster.WantCluster, !slices.Contains(needed, gap.Want):
		case last && !slices.Contains(essential, gap.Resource):
		default:
			return fault.New(fault.Retry, fault.Unavailable, "the API server went away while it was read", errors.New(gap.Resource+": "+gap.Detail))
		}
	}
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
