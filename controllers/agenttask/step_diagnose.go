package agenttask

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

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
		err = cmp.Or(ctx.Err(), p.cutOff(snapshot), p.unread(snapshot))
	}
	if err != nil {
		return err
	}
	status := &p.task.Status
	status.Verdict = v1alpha1.Verdict(report.Verdict)
	status.Findings = findings(report)
	report.Missing = p.grouped(report.Missing)
	status.Missing = missing(report.Missing)
	status.Answer = p.answer(report)
	p.complete()
	return nil
}

// essential are the lists without which nothing can be said of a namespace.
var essential = append([]string{"", "namespaces"}, workloads...)

// workloads are the resources that run something.
var workloads = []string{"pods", "deployments", "statefulsets", "daemonsets", "replicasets", "jobs"}

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

// unread refuses a question about a namespace of which the account may read no workload: what is left to say would read
// like an answer.
func (p *pass) unread(snapshot *cluster.Snapshot) error {
	forbidden := map[string]int{}
	for _, gap := range snapshot.Gaps {
		if gap.Reason == cluster.GapForbidden && gap.Want.What == cluster.WantNamespace && slices.Contains(workloads, gap.Resource) {
			forbidden[gap.Want.Namespace]++
		}
	}
	for _, want := range diagnose.Start(p.question()) {
		if want.What == cluster.WantNamespace && forbidden[want.Namespace] == len(workloads) {
			return p.forbidden(want.Namespace)
		}
	}
	return nil
}

// answer is the report in words. Who asked about the whole cluster is told, right below the first line, that a part of it
// was looked at.
func (p *pass) answer(report *diagnose.Report) string {
	if !p.narrowed() {
		return answer.Render(report, p.language(), v1alpha1.MaxAnswerBytes)
	}
	note := "\n\n" + p.say(saidWholeCluster, p.task.Namespace)
	first, rest, _ := strings.Cut(answer.Render(report, p.language(), v1alpha1.MaxAnswerBytes-len(note)-1), "\n")
	return strings.TrimSpace(first + note + "\n" + rest)
}

// narrowed says that the prompt asks about the whole cluster, of which a task sees its namespace.
func (p *pass) narrowed() bool {
	targets := p.task.Status.Targets
	return len(targets) == 1 && targets[0].Source == v1alpha1.TargetFromNamespace && p.words().WholeCluster
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
