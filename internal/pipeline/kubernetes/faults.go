package kubernetes

import (
	"context"
	"slices"
	"time"

	"golang.org/x/text/language"
	"k8s.io/apimachinery/pkg/types"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/diagnose"
)

// faultsBefore are the faults of the objects before the change, where a check wants no new ones.
func (s *planning) faultsBefore(ctx context.Context, plan change.Plan) ([]string, error) {
	wanted := slices.ContainsFunc(plan.Checks, func(c v1alpha1.Check) bool { return c.NoNewFaults != nil })
	if !wanted || s.readers == nil {
		return nil, nil
	}
	report, err := s.diagnose(ctx, s.namespace, plan)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, f := range report.RootCauses {
		found = append(found, fingerprint(f))
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// fingerprint identifies a fault by what it is and where, whatever the pods are called.
func fingerprint(f diagnose.Finding) string { return string(f.Cause) + " " + f.Object.Path() }

// diagnose asks what is wrong with the objects of a plan.
func (p *Pipeline) diagnose(ctx context.Context, namespace string, plan change.Plan) (*diagnose.Report, error) {
	if p.readers == nil {
		return nil, errNoReaders
	}
	reader, err := p.readers.ReaderFor(types.NamespacedName{Namespace: namespace, Name: v1alpha1.DefaultServiceAccountName}, p.now())
	if err != nil {
		return nil, err
	}
	question := diagnose.Question{Language: language.English}
	for _, i := range touched(plan) {
		e := plan.Effects[i]
		if e.Verb != change.VerbDelete {
			question.Targets = append(question.Targets, cluster.Ref{Kind: e.Object.Kind, Namespace: e.Object.Namespace, Name: e.Object.Name})
		}
	}
	if len(question.Targets) == 0 {
		return &diagnose.Report{Verdict: diagnose.NoFaultFound}, nil
	}
	return diagnose.Investigate(ctx, reader, &cluster.Snapshot{}, question)
}

// noNewFaults wants the diagnosis of the changed objects to find nothing that was not there before. A diagnosis that stays
// inconclusive, or cannot be made, is unknown once the time is over.
func (v *verifying) noNewFaults(ctx context.Context, soak, timeout time.Duration) result {
	if r := v.soaked(soak); r.outcome != v1alpha1.OutcomeSucceeded {
		return r
	}
	report, err := v.p.diagnose(ctx, v.Namespace, v.Plan)
	if err != nil {
		return unasked(err).within(v.now.Sub(v.settled)-soak, timeout)
	}
	for _, f := range report.RootCauses {
		if !slices.Contains(v.View.Faults, fingerprint(f)) {
			return fails("%s: %s", f.Object, quoteText(f.Message))
		}
	}
	if report.Verdict == diagnose.Inconclusive {
		r := open("the diagnosis is inconclusive: %s", quoteText(report.Summary))
		r.unasked = true
		return r.within(v.now.Sub(v.settled)-soak, timeout)
	}
	return holds()
}
