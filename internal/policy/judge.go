package policy

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

// judges are asked in turn by judge; the first verdict stands. They run from what forbids to what allows.
var judges = []func(v1alpha1.ChangePolicy, change.Plan, v1alpha1.Risk) *Verdict{
	unreadable,
	destructive,
	deny,
	notAllowed,
	forbiddenAccount,
	protected,
	matrix,
}

// judge is what one policy says.
func judge(policy v1alpha1.ChangePolicy, p change.Plan, risk v1alpha1.Risk) Verdict {
	for _, j := range judges {
		if v := j(policy, p, risk); v != nil {
			return *v
		}
	}
	return ask(policy, quorum(policy), fmt.Sprintf("consent for class %s", risk.Class))
}

func quorum(policy v1alpha1.ChangePolicy) int32 { return max(policy.Spec.Quorum, DefaultQuorum) }

// says names the policy, its generation and the rule.
func says(policy v1alpha1.ChangePolicy, what string) []string {
	return []string{fmt.Sprintf("%s@%d: %s", policy.Name, policy.Generation, what)}
}

func ask(policy v1alpha1.ChangePolicy, required int32, what string) Verdict {
	return Verdict{
		Verdict:   v1alpha1.PolicyApprovalRequired,
		Required:  required,
		DecidedBy: says(policy, fmt.Sprintf("%s (%d to agree)", what, required)),
	}
}

func refuse(policy v1alpha1.ChangePolicy, what string) *Verdict {
	return &Verdict{Verdict: v1alpha1.PolicyDenied, DecidedBy: says(policy, what)}
}

// unreadable denies everything where a part of the policy cannot be understood.
func unreadable(policy v1alpha1.ChangePolicy, _ change.Plan, _ v1alpha1.Risk) *Verdict {
	if err := Validate(policy); err != nil {
		return refuse(policy, "the policy cannot be read, so it denies everything until it is corrected: "+err.Error())
	}
	return nil
}

func destructive(policy v1alpha1.ChangePolicy, p change.Plan, _ v1alpha1.Risk) *Verdict {
	if policy.Spec.Destructive != v1alpha1.DestructiveForbid {
		return nil
	}
	for _, e := range p.Effects {
		if e.Verb == change.VerbDelete {
			return refuse(policy, "destructive: Forbid, and "+e.Object.Kind+" "+e.Object.Name+" would be deleted")
		}
	}
	return nil
}

func deny(policy v1alpha1.ChangePolicy, p change.Plan, _ v1alpha1.Risk) *Verdict {
	for _, rule := range policy.Spec.Deny {
		for _, e := range p.Effects {
			if ruleFits(rule, e) {
				return refuse(policy, fmt.Sprintf("deny rule %q fits %s of %s %s", rule.Name, e.Operation, e.Object.Kind, e.Object.Name))
			}
		}
	}
	return nil
}

// notAllowed wants every effect to fit at least one allow rule, where there are any.
func notAllowed(policy v1alpha1.ChangePolicy, p change.Plan, _ v1alpha1.Risk) *Verdict {
	if len(policy.Spec.Allow) == 0 {
		return nil
	}
	for _, e := range p.Effects {
		if !slices.ContainsFunc(policy.Spec.Allow, func(r v1alpha1.ChangeRule) bool { return ruleFits(r, e) }) {
			return refuse(policy, fmt.Sprintf("no allow rule fits %s of %s %s", e.Operation, e.Object.Kind, e.Object.Name))
		}
	}
	return nil
}

func ruleFits(rule v1alpha1.ChangeRule, e change.Effect) bool {
	if len(rule.Pipelines) > 0 && !slices.Contains(rule.Pipelines, v1alpha1.PipelineKubernetes) &&
		!slices.Contains(rule.Pipelines, v1alpha1.PipelineAuto) {
		return false
	}
	if len(rule.Operations) > 0 && !slices.Contains(rule.Operations, e.Operation) {
		return false
	}
	return len(rule.Kinds) == 0 || slices.ContainsFunc(rule.Kinds, func(k string) bool { return kindFits(k, e.Object) })
}

// kindFits compares "Kind", "Kind.group" or "*" with an object.
func kindFits(pattern string, o change.Object) bool {
	if pattern == "*" {
		return true
	}
	kind, group0, qualified := strings.Cut(pattern, ".")
	return strings.EqualFold(kind, o.Kind) && (!qualified || group0 == group(o.APIVersion))
}

func group(apiVersion string) string {
	g, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return g
}

func forbiddenAccount(policy v1alpha1.ChangePolicy, p change.Plan, _ v1alpha1.Risk) *Verdict {
	return account(policy.Spec.ServiceAccounts, fmt.Sprintf("%s@%d", policy.Name, policy.Generation), p)
}

// account denies a service account that is not among the allowed ones; without any, eclusier-applier alone is.
func account(allowed []string, who string, p change.Plan) *Verdict {
	if len(allowed) == 0 {
		allowed = []string{v1alpha1.DefaultApplierName}
	}
	_, name, _ := strings.Cut(p.ServiceAccount, "/")
	if slices.Contains(allowed, name) {
		return nil
	}
	return denied(fmt.Sprintf("%s: service account %q may not be used for changes, only %s", who, name, strings.Join(allowed, ", ")))
}

// protected wants two people where something protected is touched, whatever the risk.
func protected(policy v1alpha1.ChangePolicy, p change.Plan, _ v1alpha1.Risk) *Verdict {
	if policy.Spec.Protected == nil {
		return nil
	}
	for _, e := range p.Effects {
		if what := protectedBy(*policy.Spec.Protected, e.Object); what != "" {
			v := ask(policy, max(quorum(policy), protectedQuorum), what+" is protected")
			return &v
		}
	}
	return nil
}

func protectedBy(p v1alpha1.Protected, o change.Object) string {
	namespace := o.Namespace
	if o.Kind == "Namespace" {
		namespace = o.Name
	}
	if slices.Contains(p.Namespaces, namespace) {
		return "namespace " + namespace
	}
	for _, x := range p.Objects {
		if kindFits(x.Kind, o) && (x.Namespace == "" || x.Namespace == o.Namespace) && (x.Name == "" || x.Name == o.Name) {
			return o.Kind + " " + o.Name
		}
	}
	return ""
}

// matrix is the six cells, where the policy turns them on.
func matrix(policy v1alpha1.ChangePolicy, _ change.Plan, risk v1alpha1.Risk) *Verdict {
	if policy.Spec.Autonomy != v1alpha1.AutonomyMatrix {
		return nil
	}
	what := fmt.Sprintf("matrix cell %s impact, %s", strings.ToLower(string(risk.Impact)), strings.ToLower(string(risk.Reversibility)))
	answer := cell(policy.Spec.Matrix, risk)
	switch answer {
	case v1alpha1.AnswerDeny:
		return refuse(policy, what)
	case v1alpha1.AnswerDoubleApproval:
		v := ask(policy, max(quorum(policy), protectedQuorum), what)
		return &v
	case v1alpha1.AnswerAutonomous, v1alpha1.AnswerAutonomousThenReview:
		if risk.Impact == v1alpha1.ImpactHigh {
			v := ask(policy, quorum(policy), what+", which is never autonomous")
			return &v
		}
		return &Verdict{
			Verdict:          v1alpha1.PolicyAllowed,
			DecidedBy:        says(policy, what+" needs nobody's consent"),
			ReviewAfterwards: answer == v1alpha1.AnswerAutonomousThenReview,
		}
	}
	v := ask(policy, quorum(policy), what)
	return &v
}

// cell is the matrix's answer; an unset cell has the default that the field documents.
func cell(m *v1alpha1.RiskMatrix, risk v1alpha1.Risk) v1alpha1.MatrixAnswer {
	if m == nil {
		m = &v1alpha1.RiskMatrix{}
	}
	type key struct {
		impact        v1alpha1.Impact
		reversibility v1alpha1.Reversibility
	}
	cells := map[key][2]v1alpha1.MatrixAnswer{
		{v1alpha1.ImpactLow, v1alpha1.Reversible}:      {m.LowReversible, v1alpha1.AnswerAutonomous},
		{v1alpha1.ImpactLow, v1alpha1.Irreversible}:    {m.LowIrreversible, v1alpha1.AnswerAutonomous},
		{v1alpha1.ImpactMedium, v1alpha1.Reversible}:   {m.MediumReversible, v1alpha1.AnswerAutonomousThenReview},
		{v1alpha1.ImpactMedium, v1alpha1.Irreversible}: {m.MediumIrreversible, v1alpha1.AnswerApproval},
		{v1alpha1.ImpactHigh, v1alpha1.Reversible}:     {m.HighReversible, v1alpha1.AnswerApproval},
		{v1alpha1.ImpactHigh, v1alpha1.Irreversible}:   {m.HighIrreversible, v1alpha1.AnswerDoubleApproval},
	}
	answers, known := cells[key{risk.Impact, risk.Reversibility}]
	switch {
	case !known:
		return v1alpha1.AnswerDeny
	case answers[0] != "":
		return answers[0]
	}
	return answers[1]
}

// Validate says what of a policy cannot be understood: its selector, a schedule or a time zone.
func Validate(policy v1alpha1.ChangePolicy) error {
	if _, err := metav1.LabelSelectorAsSelector(&policy.Spec.NamespaceSelector); err != nil {
		return fmt.Errorf("spec.namespaceSelector: %w", err)
	}
	for _, w := range policy.Spec.Windows {
		if _, err := readWindow(w); err != nil {
			return fmt.Errorf("spec.windows[%s]: %w", w.Name, err)
		}
	}
	return nil
}
