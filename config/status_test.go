package config_test

import (
	"fmt"
	"strings"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// fullStatus is a status at every bound that the API has.
func fullStatus() v1alpha1.AgentTaskStatus {
	status := v1alpha1.AgentTaskStatus{
		Phase: v1alpha1.PhaseSucceeded,
		Classification: &v1alpha1.Classification{
			Intent: v1alpha1.ClassifiedDiagnostic, Confidence: v1alpha1.NewDecimal(0.93), Source: v1alpha1.SourceRule,
			Rules: repeated("question-word", v1alpha1.MaxRules), InScope: true, Language: "en",
		},
		Verdict:       v1alpha1.VerdictRootCauseFound,
		Answer:        strings.Repeat("a", v1alpha1.MaxAnswerBytes),
		Usage:         &v1alpha1.Usage{CostUSD: v1alpha1.NewDecimal(0)},
		Failure:       &v1alpha1.Failure{Type: "Cancelled", Message: text(v1alpha1.MaxStatusText), Remedies: repeated("Ask again", v1alpha1.MaxRemedies)},
		CorrelationID: "corr-0badcafe",
	}
	for range v1alpha1.MaxStatusTargets {
		status.Targets = append(status.Targets, v1alpha1.ResolvedTarget{
			Object: &v1alpha1.ObjectReference{Kind: "Deployment", Namespace: "shop", Name: "web", UID: "0"}, Source: v1alpha1.TargetFromPrompt,
		})
	}
	for i := range v1alpha1.MaxFindings {
		status.Findings = append(status.Findings, finding(fmt.Sprintf("finding-%d", i)))
	}
	for range v1alpha1.MaxMissing {
		status.Missing = append(status.Missing, v1alpha1.MissingEvidence{What: "a log", Why: text(v1alpha1.MaxStatusText), Command: "kubectl logs web"})
	}
	return status
}

func finding(id string) v1alpha1.Finding {
	finding := v1alpha1.Finding{
		ID: id, Cause: "ImageNotFound", Role: v1alpha1.RoleRootCause, Severity: v1alpha1.SeverityHigh,
		Object:  v1alpha1.ObjectReference{Kind: "Deployment", Namespace: "shop", Name: "web"},
		Message: text(v1alpha1.MaxStatusText), Fix: text(v1alpha1.MaxStatusText),
	}
	for range v1alpha1.MaxEvidence {
		finding.Evidence = append(finding.Evidence, v1alpha1.Evidence{
			Kind: v1alpha1.EvidenceLog, Source: text(v1alpha1.MaxEvidenceSource), Text: text(v1alpha1.MaxEvidenceText),
		})
	}
	for i := range v1alpha1.MaxCausedBy {
		finding.CausedBy = append(finding.CausedBy, fmt.Sprintf("finding-%d", i))
	}
	return finding
}

func text(length int) string { return strings.Repeat("é", length) }

func repeated(item string, times int) []string {
	items := make([]string, times)
	for i := range items {
		items[i] = item
	}
	return items
}
