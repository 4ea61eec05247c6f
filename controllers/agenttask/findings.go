package agenttask

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/diagnose"
)

// findings writes a report's findings in the bounds of the API: root causes first, then what follows from them, then what
// has nothing to do with the question. A finding that plays several parts is listed once, under the first.
func findings(report *diagnose.Report) []v1alpha1.Finding {
	caused := map[string]bool{}
	for _, f := range report.Chain {
		for _, id := range f.CausedBy {
			caused[id] = true
		}
	}
	var all []v1alpha1.Finding
	listed := map[string]bool{}
	add := func(role v1alpha1.FindingRole, f diagnose.Finding) {
		if !listed[f.ID] && len(all) < v1alpha1.MaxFindings {
			listed[f.ID] = true
			all = append(all, finding(role, f))
		}
	}
	for _, f := range report.RootCauses {
		add(v1alpha1.RoleRootCause, f)
	}
	for _, f := range report.Chain {
		role := v1alpha1.RoleSymptom
		if caused[f.ID] {
			role = v1alpha1.RoleContributing
		}
		add(role, f)
	}
	for _, f := range report.Independent {
		add(v1alpha1.RoleIndependent, f)
	}
	return all
}

func finding(role v1alpha1.FindingRole, f diagnose.Finding) v1alpha1.Finding {
	written := v1alpha1.Finding{
		ID: f.ID, Cause: string(f.Cause), Role: role, Severity: v1alpha1.Severity(f.Severity),
		Object:   v1alpha1.ObjectReference{Kind: f.Object.Kind, Namespace: f.Object.Namespace, Name: f.Object.Name},
		Message:  cut(f.Message, v1alpha1.MaxStatusText),
		CausedBy: bounded(f.CausedBy, v1alpha1.MaxCausedBy),
		Fix:      cut(f.Fix, v1alpha1.MaxStatusText),
	}
	for _, e := range f.Evidence[:min(len(f.Evidence), v1alpha1.MaxEvidence)] {
		written.Evidence = append(written.Evidence, v1alpha1.Evidence{
			Kind:   v1alpha1.EvidenceKind(e.Kind),
			Source: cut(e.Source, v1alpha1.MaxEvidenceSource),
			Text:   cut(e.Text, v1alpha1.MaxEvidenceText),
		})
	}
	return written
}

func missing(all []diagnose.Missing) []v1alpha1.MissingEvidence {
	var written []v1alpha1.MissingEvidence
	for _, m := range all[:min(len(all), v1alpha1.MaxMissing)] {
		written = append(written, v1alpha1.MissingEvidence{
			What:    cut(m.What, v1alpha1.MaxStatusText),
			Why:     cut(m.Why, v1alpha1.MaxStatusText),
			Command: cut(m.Command, v1alpha1.MaxStatusText),
		})
	}
	return written
}

// canList is how the engine tells that a right is missing, as a question that its own account would answer.
var canList = regexp.MustCompile(`^kubectl auth can-i list (\S+) -n (\S+)$`)

// grouped puts all rights that the account lacks in one namespace into one entry, with the command that shows them and the
// one that grants them. The right to read Secrets stays apart: no role of ours grants it, and a person looks instead.
func (p *pass) grouped(all []diagnose.Missing) []diagnose.Missing {
	var grouped []diagnose.Missing
	at := map[string]int{}
	account := p.account()
	for _, m := range all {
		right := canList.FindStringSubmatch(m.Command)
		if right == nil {
			grouped = append(grouped, m)
			continue
		}
		resource, namespace := right[1], right[2]
		suffix := " -n " + namespace
		if resource == "secrets" {
			grouped = append(grouped, diagnose.Missing{What: resource + suffix, Why: p.say(saidSecretsUnread, account.Name), Command: "kubectl get secrets" + suffix})
			continue
		}
		if i, ok := at[namespace]; ok {
			grouped[i].What = strings.TrimSuffix(grouped[i].What, suffix) + ", " + resource + suffix
			continue
		}
		at[namespace] = len(grouped)
		grouped = append(grouped, diagnose.Missing{
			What:    resource + suffix,
			Why:     p.say(saidMayNotRead, account.Name, p.grantRead(namespace)),
			Command: "kubectl auth can-i --list" + suffix + " --as=system:serviceaccount:" + account.Namespace + ":" + account.Name,
		})
	}
	return grouped
}

// cut shortens text to at most limit characters, as the API server counts them, and marks the cut.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// bounded returns at most limit items.
func bounded(items []string, limit int) []string { return items[:min(len(items), limit)] }
