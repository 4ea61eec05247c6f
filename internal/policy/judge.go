package policy

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

// refusals are asked in turn by judge; the first that refuses decides.
var refusals = []func(v1alpha1.ChangePolicy, change.Plan) *Verdict{
	unreadable,
	destructive,
	deny,
	notAllowed,
	forbiddenAccount,
}

// judge is what one policy says: what it refuses is refused, and of what it asks for besides, the strictest holds.
func judge(policy v1alpha1.ChangePolicy, p change.Plan, risk v1alpha1.Risk) Verdict {
	for _, refusal := range refusals {
		if v := refusal(policy, p); v != nil {
			return *v
		}
	}
	v := byRisk(policy, risk)
	if what := protected(policy, p); what != "" {
		return combine([]Verdict{ask(policy, max(quorum(policy), doubleQuorum), what+" is protected"), v})
	}
	return v
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
func unreadable(policy v1alpha1.ChangePolicy, _ change.Plan) *Verdict {
	if err := Validate(policy); err != nil {
		return refuse(policy, "the policy cannot be read, so it denies everything until it is corrected: "+err.Error())
	}
	return nil
}

func destructive(policy v1alpha1.ChangePolicy, p change.Plan) *Verdict {
	if policy.Spec.Destructive != v1alpha1.DestructiveForbid {
		return nil
	}
	for _, e := range p.Effects {
		if !e.Destructive() {
			continue
		}
		what := e.Object.Kind + " " + e.Object.Name
		if e.Verb == change.VerbDelete {
			return refuse(policy, "destructive: Forbid, and "+what+" would be deleted")
		}
		return refuse(policy, fmt.Sprintf("destructive: Forbid, and the change of %s lets something be deleted (%s)", what, strings.ToLower(string(e.Destroys))))
	}
	return nil
}

func deny(policy v1alpha1.ChangePolicy, p change.Plan) *Verdict {
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
func notAllowed(policy v1alpha1.ChangePolicy, p change.Plan) *Verdict {
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

// kindFits compares "Kind", "Kind.group" or "*" with an object. The name of the resource will do for the kind, since a
// rule that forbids "deployments" is not meant to forbid nothing.
func kindFits(pattern string, o change.Object) bool {
	if pattern == "*" {
		return true
	}
	kind, group0, qualified := strings.Cut(pattern, ".")
	named := strings.EqualFold(kind, o.Kind) || strings.EqualFold(kind, o.Resource)
	return named && (!qualified || group0 == group(o.APIVersion))
}

func group(apiVersion string) string {
	g, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return g
}

func forbiddenAccount(policy v1alpha1.ChangePolicy, p change.Plan) *Verdict {
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

// protected names what of the plan the policy protects; it is empty where it protects none of it.
func protected(policy v1alpha1.ChangePolicy, p change.Plan) string {
	if policy.Spec.Protected == nil {
		return ""
	}
	for _, e := range p.Effects {
		if what := protectedBy(*policy.Spec.Protected, e.Object); what != "" {
			return what
		}
	}
	return ""
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

// byRisk is what a policy asks for by the risk alone: by the six cells where it turns them on, otherwise its quorum.
func byRisk(policy v1alpha1.ChangePolicy, risk v1alpha1.Risk) Verdict {
	if policy.Spec.Autonomy != v1alpha1.AutonomyMatrix {
		return ask(policy, quorum(policy), fmt.Sprintf("consent for class %s", risk.Class))
	}
	what := fmt.Sprintf("matrix cell %s impact, %s", strings.ToLower(string(risk.Impact)), strings.ToLower(string(risk.Reversibility)))
	answer := cell(policy.Spec.Matrix, risk)
	switch answer {
	case v1alpha1.AnswerApproval:
		return ask(policy, quorum(policy), what)
	case v1alpha1.AnswerDoubleApproval:
		return ask(policy, max(quorum(policy), doubleQuorum), what)
	case v1alpha1.AnswerAutonomous, v1alpha1.AnswerAutonomousThenReview:
		if risk.Impact == v1alpha1.ImpactHigh {
			return ask(policy, quorum(policy), what+", which is never autonomous")
		}
		return Verdict{
			Verdict:          v1alpha1.PolicyAllowed,
			DecidedBy:        says(policy, what+" needs nobody's consent"),
			ReviewAfterwards: answer == v1alpha1.AnswerAutonomousThenReview,
		}
	default:
		return *refuse(policy, what)
	}
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
