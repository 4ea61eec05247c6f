package cli

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// unasked is why an effect was not dry-run offline.
const unasked = "no cluster was asked"

// unplanned makes a plan of what the operations say by themselves. What only a cluster knows is left out.
func unplanned(request *v1alpha1.ChangeRequest, labels map[string]map[string]string) *pipeline.Planned {
	account := request.Spec.ServiceAccountName
	if account == "" {
		account = v1alpha1.DefaultApplierName
	}
	planned := &pipeline.Planned{Plan: change.Plan{
		ChangeUID: string(request.UID), Revision: 1, Checks: request.Spec.Checks, OnFailure: request.Spec.Rollback,
		ServiceAccount: request.Namespace + "/" + account,
	}}
	var said []string
	for i, o := range request.Spec.Kubernetes.Operations {
		e, facts := effectOf(o, request.Namespace)
		e.Index = i
		facts.Production = facts.Production || change.Production(labels[e.Object.Namespace])
		planned.Plan.Effects = append(planned.Plan.Effects, e)
		planned.View.Facts = append(planned.View.Facts, facts)
		said = append(said, describe(o).String())
	}
	planned.View.Summary = strings.Join(said, "; ")
	return planned
}

// effectOf is what an operation says about itself.
func effectOf(o v1alpha1.Operation, namespace string) (change.Effect, change.RiskFacts) {
	name, t := subjectOf(o)
	// That it can be undone is taken for granted: a plan would have said otherwise.
	e := change.Effect{
		Operation: name, Verb: change.VerbUpdate, NotDryRun: unasked, Inverse: &change.Request{},
		Object: change.Object{APIVersion: t.APIVersion, Kind: t.Kind, Namespace: t.Namespace, Name: t.Name},
	}
	var facts change.RiskFacts
	if o.Delete != nil {
		e.Verb = change.VerbDelete
	}
	if o.Apply != nil {
		facts.Production = change.Production(manifestOfApply(o).GetLabels())
	}
	place(&e.Object, &facts, namespace)
	return e, facts
}

// place completes an object by what Kubernetes' own kinds are known for.
func place(o *change.Object, facts *change.RiskFacts, namespace string) {
	version, _ := schema.ParseGroupVersion(o.APIVersion)
	if known, found := builtin[strings.ToLower(o.Kind)]; found && (o.APIVersion == "" || version.Group == known.group) {
		version = schema.GroupVersion{Group: known.group, Version: known.version}
		o.Kind, o.APIVersion = known.kind, version.String()
		facts.ClusterScoped = known.scope == meta.RESTScopeNameRoot
	}
	facts.HoldsData = change.HoldsData(version.Group, o.Kind)
	switch {
	case facts.ClusterScoped:
		o.Namespace = ""
		facts.System = o.Kind == "Namespace" && change.System(o.Name, change.OwnNamespace)
		return
	case o.Namespace == "":
		o.Namespace = namespace
	}
	facts.System = change.System(o.Namespace, change.OwnNamespace)
}
