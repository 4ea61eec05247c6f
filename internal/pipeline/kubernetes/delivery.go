package kubernetes

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// delivered refuses an object that Argo CD or Flux would bring back to what its repository says, unless the change wants
// it all the same, and notes who else may set it.
func (s *planning) delivered(it *item, o *unstructured.Unstructured) error {
	if keeper := keeperOf(o); keeper != "" {
		if s.change.Spec.Delivery != v1alpha1.DeliveryDirect {
			return invalid(v1alpha1.PlannedManagedByGitOps,
				"%s: %s is managed by %s, which would revert the change: change it in its repository, or set spec.delivery to Direct", it.op.name, name(it.object), keeper)
		}
		it.note("managed by %s, which may revert the change", keeper)
	}
	if release := o.GetAnnotations()["meta.helm.sh/release-name"]; release != "" {
		it.note("belongs to the Helm release %s, whose next upgrade may revert the change", release)
	}
	if owner := controller(o); owner != "" && it.op.name != "delete" {
		it.note("controlled by %s, which may revert the change", owner)
	}
	return nil
}

// fluxOwners are the labels that Flux' controllers put on what they apply, without their ending.
var fluxOwners = []struct{ prefix, kind string }{
	{"kustomize.toolkit.fluxcd.io", "Kustomization"},
	{"helm.toolkit.fluxcd.io", "HelmRelease"},
}

// keeperOf says which GitOps controller keeps an object as its repository says; empty where none does.
func keeperOf(o *unstructured.Unstructured) string {
	if keeper := fluxOf(o); keeper != "" {
		return keeper
	}
	return argoOf(o)
}

func fluxOf(o *unstructured.Unstructured) string {
	labels, annotations := o.GetLabels(), o.GetAnnotations()
	for _, flux := range fluxOwners {
		owner, reconcile := labels[flux.prefix+"/name"], flux.prefix+"/reconcile"
		if owner == "" || strings.EqualFold(annotations[reconcile], "disabled") || strings.EqualFold(labels[reconcile], "disabled") {
			continue
		}
		if namespace := labels[flux.prefix+"/namespace"]; namespace != "" {
			owner = namespace + "/" + owner
		}
		return fmt.Sprintf("Flux (%s %s)", flux.kind, owner)
	}
	return ""
}

func argoOf(o *unstructured.Unstructured) string {
	labels := o.GetLabels()
	application, _, _ := strings.Cut(o.GetAnnotations()["argocd.argoproj.io/tracking-id"], ":")
	application = orDefault(application, labels["argocd.argoproj.io/instance"])
	// Argo CD's default label is a common one: only together with its field manager does it say who keeps the object.
	byArgo := func(entry metav1.ManagedFieldsEntry) bool {
		return strings.HasPrefix(entry.Manager, "argocd-") && entry.Subresource == ""
	}
	if application == "" && slices.ContainsFunc(o.GetManagedFields(), byArgo) {
		application = orDefault(labels["app.kubernetes.io/instance"], "unknown")
	}
	if application == "" {
		return ""
	}
	return fmt.Sprintf("Argo CD (application %s)", application)
}
