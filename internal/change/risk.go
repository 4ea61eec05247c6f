package change

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// manyObjects is the number of touched objects from which a change is a bulk change, of high impact by its size alone.
const manyObjects = 10

// What the guarded kinds decide.
const (
	whoMay       = "who may do what"
	whatAdmits   = "what the API server admits"
	whatServes   = "what the API server serves"
	whatTalks    = "what may talk to what"
	howMuch      = "how much may run"
	whatPreempts = "what gives way to what"
)

// guardedKinds are the kinds whose change alters who may do what, what may run, or what may talk to what.
var guardedKinds = map[string]string{
	"Role": whoMay, "RoleBinding": whoMay, "ClusterRole": whoMay, "ClusterRoleBinding": whoMay, "ServiceAccount": whoMay,
	"CertificateSigningRequest":      whoMay,
	"ValidatingWebhookConfiguration": whatAdmits, "MutatingWebhookConfiguration": whatAdmits,
	"ValidatingAdmissionPolicy": whatAdmits, "ValidatingAdmissionPolicyBinding": whatAdmits,
	"MutatingAdmissionPolicy": whatAdmits, "MutatingAdmissionPolicyBinding": whatAdmits,
	"APIService": whatServes, "CustomResourceDefinition": whatServes,
	"ResourceQuota": howMuch, "LimitRange": howMuch, "PriorityClass": whatPreempts,
}

// networkPolicy ends the names of the kinds, of Kubernetes and of network plugins, that decide what may talk to what.
const networkPolicy = "NetworkPolicy"

// grade is the impact of one effect, or of all of them, and the sentence that says why.
type grade struct {
	impact v1alpha1.Impact
	reason string
}

// Assess computes the risk of a plan from its effects and what is known of them, never from who asks or what a model
// says. The impact is the worst that any effect has for any reason; a plan can be undone if all of its effects can. What
// cannot be undone is named first, then the gravest reasons.
func Assess(p Plan, facts []RiskFacts) v1alpha1.Risk {
	risk := v1alpha1.Risk{Impact: v1alpha1.ImpactLow, Reversibility: v1alpha1.Reversible}
	var grades []grade
	touched := map[Object]bool{}
	for i, e := range p.Effects {
		if e.Verb == VerbNone {
			continue
		}
		touched[e.Object] = true
		var f RiskFacts
		if i < len(facts) {
			f = facts[i]
		} else {
			grades = append(grades, grade{v1alpha1.ImpactHigh, fmt.Sprintf("nothing is known of %s", name(e))})
		}
		grades = append(grades, gradesOf(e, f)...)
		if e.Inverse == nil || e.Destroys != "" || (e.Verb == VerbDelete && f.HoldsData) {
			risk.Reversibility = v1alpha1.Irreversible
			risk.Reasons = append(risk.Reasons, fmt.Sprintf("%s cannot be undone", name(e)))
		}
	}
	if len(touched) >= manyObjects {
		grades = append(grades, grade{v1alpha1.ImpactHigh, fmt.Sprintf("%d objects are touched at once", len(touched))})
	}
	slices.SortStableFunc(grades, func(a, b grade) int { return cmp.Compare(impactRank[b.impact], impactRank[a.impact]) })
	for _, g := range grades {
		risk.Impact = worse(risk.Impact, g.impact)
		risk.Reasons = append(risk.Reasons, g.reason)
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

// graders all grade every effect, from where and what it touches to what it does.
var graders = []func(Effect, RiskFacts) *grade{
	gradeSystem,
	gradeData,
	gradeLoss,
	gradeGuarded,
	gradePrivileged,
	gradeNotShown,
	gradeCode,
	gradeExposed,
	gradeSecret,
	gradeClusterScoped,
	gradeProduction,
	gradeReplicas,
	gradeOperation,
	gradeNotDryRun,
}

func gradesOf(e Effect, f RiskFacts) []grade {
	var grades []grade
	for _, g := range graders {
		if answer := g(e, f); answer != nil {
			grades = append(grades, *answer)
		}
	}
	return grades
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

// losses are the impact of what goes for good with an effect that is no deletion.
var losses = map[Loss]grade{
	LossClaims:  {v1alpha1.ImpactHigh, "%s lets volume claims be deleted with the data on them"},
	LossData:    {v1alpha1.ImpactHigh, "%s lets what it keeps be deleted or given away"},
	LossObject:  {v1alpha1.ImpactHigh, "%s lets it be ended or deleted"},
	LossPods:    {v1alpha1.ImpactHigh, "%s lets pods be deleted that nobody may make anew"},
	LossHistory: {v1alpha1.ImpactMedium, "%s lets finished runs or former revisions be deleted"},
}

func gradeLoss(e Effect, _ RiskFacts) *grade {
	if e.Destroys == "" {
		return nil
	}
	g, known := losses[e.Destroys]
	if !known {
		g = losses[LossData]
	}
	return &grade{g.impact, fmt.Sprintf(g.reason, "the change of "+name(e))}
}

func gradeGuarded(e Effect, _ RiskFacts) *grade {
	what, guarded := guardedKinds[e.Object.Kind]
	if strings.HasSuffix(e.Object.Kind, networkPolicy) {
		what, guarded = whatTalks, true
	}
	if !guarded {
		return nil
	}
	return &grade{v1alpha1.ImpactHigh, fmt.Sprintf("%s decides %s", name(e), what)}
}

func gradePrivileged(e Effect, f RiskFacts) *grade {
	if !f.Privileged {
		return nil
	}
	return &grade{v1alpha1.ImpactHigh, fmt.Sprintf("%s gives pods more rights than they have now, or than plain ones have", name(e))}
}

// gradeNotShown makes what people agree to unseen a matter for those who may agree to everything reversible.
func gradeNotShown(e Effect, f RiskFacts) *grade {
	if !f.NotShown {
		return nil
	}
	return &grade{v1alpha1.ImpactHigh, fmt.Sprintf("%s is set to something that the diff does not show", name(e))}
}

func gradeCode(e Effect, f RiskFacts) *grade {
	if !f.NewImage {
		return nil
	}
	return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s runs an image that it did not run before", name(e))}
}

func gradeExposed(e Effect, f RiskFacts) *grade {
	if !f.Exposed {
		return nil
	}
	return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s makes something reachable that was not", name(e))}
}

func gradeSecret(e Effect, f RiskFacts) *grade {
	if !f.NewSecret {
		return nil
	}
	return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s reads a Secret that it did not read before", name(e))}
}

// gradeClusterScoped leaves the two operations that are made for nodes to gradeOperation.
func gradeClusterScoped(e Effect, f RiskFacts) *grade {
	if !f.ClusterScoped || e.Operation == "cordon" || e.Operation == "uncordon" {
		return nil
	}
	return &grade{v1alpha1.ImpactHigh, fmt.Sprintf("%s concerns the whole cluster", name(e))}
}

// gradeProduction makes every change in production one of high impact, however small it is: none of them is ever made
// without a person's consent.
func gradeProduction(e Effect, f RiskFacts) *grade {
	if !f.Production {
		return nil
	}
	return &grade{v1alpha1.ImpactHigh, fmt.Sprintf("%s is in production", name(e))}
}

func gradeReplicas(e Effect, f RiskFacts) *grade {
	if f.ReplicasFrom == nil || f.ReplicasTo == nil {
		return nil
	}
	from, to := int64(*f.ReplicasFrom), int64(*f.ReplicasTo)
	what := fmt.Sprintf("%s goes from %d to %d replicas", name(e), from, to)
	switch {
	case to == 0 && from > 0:
		return &grade{v1alpha1.ImpactMedium, what + ": it stops serving"}
	case to*2 < from || to > max(from, 1)*3:
		return &grade{v1alpha1.ImpactMedium, what + ": a large step"}
	}
	return &grade{v1alpha1.ImpactLow, what}
}

// natures are the operations that have the same impact on every object that exists.
var natures = map[v1alpha1.OperationName]grade{
	"restart":  {v1alpha1.ImpactLow, "the pods of %s are replaced one after the other"},
	"setImage": {v1alpha1.ImpactMedium, "%s runs another version afterwards"},
	"undo":     {v1alpha1.ImpactMedium, "%s runs another version afterwards"},
	"cordon":   {v1alpha1.ImpactMedium, "%s takes no new pods any more"},
	"uncordon": {v1alpha1.ImpactLow, "%s takes new pods again"},
	"resume":   {v1alpha1.ImpactLow, "%s is let go on"},
}

// gradeOperation grades what the operation does by its nature.
func gradeOperation(e Effect, f RiskFacts) *grade {
	switch {
	case e.Verb == VerbDelete:
		return gradeDelete(e, f)
	case e.Verb == VerbCreate:
		return &grade{v1alpha1.ImpactLow, fmt.Sprintf("%s is new", name(e))}
	}
	if g, known := natures[e.Operation]; known {
		return &grade{g.impact, fmt.Sprintf(g.reason, name(e))}
	}
	switch {
	case e.Operation == "suspend":
		return gradeSuspend(e, f)
	case e.Operation == "scale" && f.ReplicasFrom != nil && f.ReplicasTo != nil:
		return nil
	}
	if f.Dependents > 0 {
		return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s has %d objects that follow it", name(e), f.Dependents)}
	}
	return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s changes while it is in use", name(e))}
}

func gradeDelete(e Effect, f RiskFacts) *grade {
	switch {
	case f.HoldsData:
		return nil
	case e.Inverse != nil && e.Inverse.Kind == RequestNone:
		return &grade{v1alpha1.ImpactLow, fmt.Sprintf("%s is deleted; its owner makes a new one", name(e))}
	case f.Dependents > 0 && e.Request.Propagation == string(metav1.DeletePropagationOrphan):
		return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s is deleted, and %d objects it owns go on without it", name(e), f.Dependents)}
	case f.Dependents > 0:
		return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s is deleted with %d objects it owns", name(e), f.Dependents)}
	}
	return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s is deleted", name(e))}
}

// gradeSuspend: a Job that is held loses the pods that it runs, a CronJob keeps its Jobs.
func gradeSuspend(e Effect, f RiskFacts) *grade {
	if e.Object.Kind == "Job" && f.Dependents > 0 {
		return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s is held, which ends the %d pods it runs", name(e), f.Dependents)}
	}
	return &grade{v1alpha1.ImpactLow, fmt.Sprintf("%s is held", name(e))}
}

func gradeNotDryRun(e Effect, _ RiskFacts) *grade {
	if e.NotDryRun == "" {
		return nil
	}
	return &grade{v1alpha1.ImpactMedium, fmt.Sprintf("%s could not be dry-run: %s", name(e), e.NotDryRun)}
}

func name(e Effect) string {
	if e.Object.Namespace == "" {
		return e.Object.Kind + " " + e.Object.Name
	}
	return e.Object.Kind + " " + e.Object.Namespace + "/" + e.Object.Name
}

// impactRank orders impacts.
var impactRank = map[v1alpha1.Impact]int{v1alpha1.ImpactLow: 0, v1alpha1.ImpactMedium: 1, v1alpha1.ImpactHigh: 2}

// worse is the graver of two impacts.
func worse(a, b v1alpha1.Impact) v1alpha1.Impact {
	if impactRank[b] > impactRank[a] {
		return b
	}
	return a
}

// classOf is the class of an impact, one higher where nothing can be undone.
func classOf(impact v1alpha1.Impact, reversibility v1alpha1.Reversibility) v1alpha1.Class {
	classes := []v1alpha1.Class{v1alpha1.ClassLow, v1alpha1.ClassMedium, v1alpha1.ClassHigh, v1alpha1.ClassCritical}
	i := impactRank[impact]
	if reversibility == v1alpha1.Irreversible {
		i++
	}
	return classes[i]
}
