package change

import (
	"fmt"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// manyObjects is the number of touched objects from which a change is a bulk change, of high impact by its size alone.
const manyObjects = 10

// guardedKinds are the kinds whose change alters who may do what, what may run, or what may talk to what.
var guardedKinds = map[string]string{
	"Role": "who may do what", "RoleBinding": "who may do what", "ClusterRole": "who may do what",
	"ClusterRoleBinding": "who may do what", "ServiceAccount": "who may do what",
	"NetworkPolicy":                  "what may talk to what",
	"ValidatingWebhookConfiguration": "what the API server admits", "MutatingWebhookConfiguration": "what the API server admits",
	"ValidatingAdmissionPolicy": "what the API server admits", "ValidatingAdmissionPolicyBinding": "what the API server admits",
	"MutatingAdmissionPolicy": "what the API server admits", "MutatingAdmissionPolicyBinding": "what the API server admits",
	"APIService": "what the API server serves", "CustomResourceDefinition": "what the API server serves",
	"ResourceQuota": "how much may run", "LimitRange": "how much may run", "PriorityClass": "what is preempted",
}

// grade is the impact of one effect and the sentence that says why.
type grade struct {
	impact v1alpha1.Impact
	reason string
}

// Assess computes the risk of a plan from its effects and what is known of them, never from who asks or what a model
// says. The impact is that of the worst effect; a plan can be undone if all of its effects can.
func Assess(p Plan, facts []RiskFacts) v1alpha1.Risk {
	risk := v1alpha1.Risk{Impact: v1alpha1.ImpactLow, Reversibility: v1alpha1.Reversible}
	touched := 0
	for i, e := range p.Effects {
		if e.Verb == VerbNone {
			continue
		}
		touched++
		var f RiskFacts
		if i < len(facts) {
			f = facts[i]
		}
		g := gradeOf(e, f)
		risk.Impact = worse(risk.Impact, g.impact)
		risk.Reasons = append(risk.Reasons, g.reason)
		if e.Inverse == nil || (e.Verb == VerbDelete && f.HoldsData) {
			risk.Reversibility = v1alpha1.Irreversible
			risk.Reasons = append(risk.Reasons, fmt.Sprintf("%s cannot be undone", name(e)))
		}
		if e.NotDryRun != "" {
			risk.Impact = worse(risk.Impact, v1alpha1.ImpactMedium)
			risk.Reasons = append(risk.Reasons, fmt.Sprintf("%s could not be dry-run: %s", name(e), e.NotDryRun))
		}
	}
	if touched >= manyObjects {
		risk.Impact = v1alpha1.ImpactHigh
		risk.Reasons = append(risk.Reasons, fmt.Sprintf("%d objects are touched at once", touched))
	}
	risk.Class = classOf(risk.Impact, risk.Reversibility)
	risk.Reasons = bound(risk.Reasons)
	return risk
}

// maxReasons and maxReason are the bounds of v1alpha1.Risk.
const (
	maxReasons = 20
	maxReason  = 512
)

func bound(reasons []string) []string {
	if len(reasons) > maxReasons {
		reasons = append(reasons[:maxReasons-1:maxReasons-1], fmt.Sprintf("and %d more reasons", len(reasons)-maxReasons+1))
	}
	for i, r := range reasons {
		if runes := []rune(r); len(runes) > maxReason {
			reasons[i] = string(runes[:maxReason-1]) + "…"
		}
	}
	return reasons
}

// graders are asked in turn, the gravest first; the first that answers grades the effect.
var graders = []func(Effect, RiskFacts) *grade{
	gradeSystem,
	gradeData,
	gradeGuarded,
	gradePrivileged,
	gradeClusterScoped,
	gradeReplicas,
	gradeProduction,
	gradeDelete,
	gradeOperation,
}

func gradeOf(e Effect, f RiskFacts) grade {
	for _, g := range graders {
		if answer := g(e, f); answer != nil {
			return *answer
		}
	}
	return grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s changes a running object", name(e))}
}

func gradeSystem(e Effect, f RiskFacts) *grade {
	if !f.System {
		return nil
	}
	return &grade{v1alpha1.ImpactHigh, fmt.Sprintf("%s is in a namespace that the cluster itself depends on", name(e))}
}

func gradeData(e Effect, f RiskFacts) *grade {
	if e.Verb != VerbDelete || !f.HoldsData {
		return nil
	}
	if f.Dependents > 0 {
		return &grade{v1alpha1.ImpactHigh, fmt.Sprintf("deleting %s takes %d objects in it along", name(e), f.Dependents)}
	}
	return &grade{v1alpha1.ImpactHigh, fmt.Sprintf("deleting %s destroys the data it holds", name(e))}
}

func gradeGuarded(e Effect, _ RiskFacts) *grade {
	what, guarded := guardedKinds[e.Object.Kind]
	if !guarded {
		return nil
	}
	return &grade{v1alpha1.ImpactHigh, fmt.Sprintf("%s decides %s", name(e), what)}
}

func gradePrivileged(e Effect, f RiskFacts) *grade {
	if !f.Privileged {
		return nil
	}
	return &grade{v1alpha1.ImpactHigh, fmt.Sprintf("%s gives pods more rights than they have now", name(e))}
}

func gradeClusterScoped(e Effect, f RiskFacts) *grade {
	switch {
	case !f.ClusterScoped:
		return nil
	case e.Operation == "cordon":
		return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s takes no new pods any more", name(e))}
	case e.Operation == "uncordon":
		return &grade{v1alpha1.ImpactLow, fmt.Sprintf("%s takes new pods again", name(e))}
	}
	return &grade{v1alpha1.ImpactHigh, fmt.Sprintf("%s concerns the whole cluster", name(e))}
}

func gradeReplicas(e Effect, f RiskFacts) *grade {
	if f.ReplicasFrom == nil || f.ReplicasTo == nil {
		return nil
	}
	from, to := *f.ReplicasFrom, *f.ReplicasTo
	what := fmt.Sprintf("%s goes from %d to %d replicas", name(e), from, to)
	switch {
	case to == 0 && from > 0 && f.Production:
		return &grade{v1alpha1.ImpactHigh, what + ": it stops serving, in production"}
	case to == 0 && from > 0:
		return &grade{v1alpha1.ImpactMedium, what + ": it stops serving"}
	case f.Production:
		return &grade{v1alpha1.ImpactMedium, what + ", in production"}
	case to*2 < from || to > from*3:
		return &grade{v1alpha1.ImpactMedium, what + ": a large step"}
	}
	return &grade{v1alpha1.ImpactLow, what}
}

func gradeProduction(e Effect, f RiskFacts) *grade {
	if !f.Production {
		return nil
	}
	if e.Verb == VerbDelete {
		return &grade{v1alpha1.ImpactHigh, fmt.Sprintf("%s is deleted in production", name(e))}
	}
	return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s is in production", name(e))}
}

func gradeDelete(e Effect, f RiskFacts) *grade {
	if e.Verb != VerbDelete {
		return nil
	}
	if e.Object.Kind == "Pod" {
		return &grade{v1alpha1.ImpactLow, fmt.Sprintf("%s is deleted; its owner makes a new one", name(e))}
	}
	if f.Dependents > 0 {
		return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s is deleted with %d objects it owns", name(e), f.Dependents)}
	}
	return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s is deleted", name(e))}
}

func gradeOperation(e Effect, f RiskFacts) *grade {
	switch e.Operation {
	case "restart":
		return &grade{v1alpha1.ImpactLow, fmt.Sprintf("the pods of %s are replaced one after the other", name(e))}
	case "setImage", "undo":
		return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s runs another version afterwards", name(e))}
	case "suspend", "resume":
		return &grade{v1alpha1.ImpactLow, fmt.Sprintf("%s is held or let go on", name(e))}
	}
	if e.Verb == VerbCreate {
		return &grade{v1alpha1.ImpactLow, fmt.Sprintf("%s is new", name(e))}
	}
	if f.Dependents > 0 {
		return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s has %d objects that follow it", name(e), f.Dependents)}
	}
	return nil
}

func name(e Effect) string {
	if e.Object.Namespace == "" {
		return e.Object.Kind + " " + e.Object.Name
	}
	return e.Object.Kind + " " + e.Object.Namespace + "/" + e.Object.Name
}

// worse is the graver of two impacts.
func worse(a, b v1alpha1.Impact) v1alpha1.Impact {
	rank := map[v1alpha1.Impact]int{v1alpha1.ImpactLow: 0, v1alpha1.ImpactMedium: 1, v1alpha1.ImpactHigh: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// classOf is the class of an impact, one higher where nothing can be undone.
func classOf(impact v1alpha1.Impact, reversibility v1alpha1.Reversibility) v1alpha1.Class {
	classes := []v1alpha1.Class{v1alpha1.ClassLow, v1alpha1.ClassMedium, v1alpha1.ClassHigh, v1alpha1.ClassCritical}
	i := map[v1alpha1.Impact]int{v1alpha1.ImpactLow: 0, v1alpha1.ImpactMedium: 1, v1alpha1.ImpactHigh: 2}[impact]
	if reversibility == v1alpha1.Irreversible {
		i++
	}
	return classes[i]
}
