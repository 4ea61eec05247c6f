package main

import (
	"fmt"
	"slices"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// part is one part of the shop: what ails it, how the demo sees that this has shown up, and what is asked.
type part struct {
	title     string
	workload  string
	showsUp   func(workload) bool
	questions []string
	want      expectation
}

// expectation is what the answer must say: the verdict and, unless nothing is wrong, the cause and the object to change.
type expectation struct {
	verdict v1alpha1.Verdict
	cause   string
	// objects are equally good to name, as Kind/name.
	objects []string
}

// parts are asked about in this order, each in English and in French.
var parts = []part{
	{
		title:     "an image tag with a typo",
		workload:  "web",
		showsUp:   waitsFor("ErrImagePull", "ImagePullBackOff"),
		questions: []string{"Why does web not start?", "Pourquoi web ne démarre-t-il pas ?"},
		want:      expectation{v1alpha1.VerdictRootCauseFound, "ImageNotFound", []string{"Deployment/web"}},
	},
	{
		title:     "a memory limit that is too small",
		workload:  "cart",
		showsUp:   workload.wasOOMKilled,
		questions: []string{"The cart keeps restarting, what is wrong with deployment cart?", "Pourquoi le déploiement cart redémarre-t-il sans cesse ?"},
		want:      expectation{v1alpha1.VerdictRootCauseFound, "OOMKilled", []string{"Deployment/cart"}},
	},
	{
		title:     "a ConfigMap key that does not exist",
		workload:  "orders",
		showsUp:   waitsFor("CreateContainerConfigError"),
		questions: []string{"why is orders stuck?", "Qu'est-ce qui empêche orders de démarrer ?"},
		want:      expectation{v1alpha1.VerdictRootCauseFound, "MissingConfigMap", []string{"Deployment/orders", "ConfigMap/orders-settings"}},
	},
	{
		title:     "a Service that selects other pods",
		workload:  "catalog",
		showsUp:   workload.isAvailable,
		questions: []string{"Nobody can reach the service catalog, why?", "Pourquoi le service catalog ne répond-il pas ?"},
		want:      expectation{v1alpha1.VerdictRootCauseFound, "SelectorMismatch", []string{"Service/catalog"}},
	},
	{
		title:     "something healthy",
		workload:  "payment",
		showsUp:   workload.isAvailable,
		questions: []string{"Is payment healthy?"},
		want:      expectation{verdict: v1alpha1.VerdictNoFaultFound},
	},
}

// judge returns what is wrong with the task's answer, or "" where it is right.
func (e expectation) judge(task *v1alpha1.AgentTask) string {
	if task.Status.Verdict != e.verdict {
		return fmt.Sprintf("the verdict is %q, expected %q", task.Status.Verdict, e.verdict)
	}
	named := 0
	for _, finding := range task.Status.Findings {
		if finding.Role != v1alpha1.RoleRootCause {
			continue
		}
		named++
		object := finding.Object.Kind + "/" + finding.Object.Name
		if finding.Cause != e.cause || !slices.Contains(e.objects, object) {
			return fmt.Sprintf("it blames %s for %s, expected %s of %v", object, finding.Cause, e.cause, e.objects)
		}
	}
	if e.cause != "" && named == 0 {
		return "it names no root cause"
	}
	return ""
}
