package kubernetes

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/eclusier/eclusier/internal/change"
)

// assess finds out what the risk of the effect rests on.
func (s *planning) assess(ctx context.Context, it *item) error {
	f := &it.facts
	f.ClusterScoped = !it.kind.namespaced
	f.System = system(it.object)
	f.HoldsData = it.effect.Verb == change.VerbDelete && (holdsData(it.live) || s.ownsClaims(ctx, it))
	it.compareRights()
	if err := s.assessStage(ctx, it); err != nil {
		return err
	}
	switch it.effect.Verb {
	case change.VerbNone:
		f.ReplicasFrom, f.ReplicasTo = nil, nil
		return nil
	case change.VerbCreate:
		return nil
	case change.VerbUpdate:
		it.compareReplicas()
	case change.VerbDelete:
	}
	f.Dependents = s.dependents(ctx, it)
	if f.ReplicasTo != nil {
		s.noteAutoscaler(ctx, it)
	}
	return nil
}

// maxListed bounds how many rights a note lists.
const maxListed = 10

// compareRights notes what the pods of the object may do, read and run that they may not now.
func (it *item) compareRights() {
	before, after := rightsOf(it.before), rightsOf(it.foreseen())
	it.facts.NewImage, it.facts.NewSecret = anew(before.images, after.images), anew(before.secrets, after.secrets)
	it.facts.Exposed = exposed(it.before, it.foreseen())
	wider := widened(before, after)
	if it.facts.Privileged = len(wider) > 0; !it.facts.Privileged {
		return
	}
	if len(wider) > maxListed {
		wider = append(wider[:maxListed-1:maxListed-1], fmt.Sprintf("and %d more", len(wider)-maxListed+1))
	}
	it.note("gives pods what they do not have now: %s", strings.Join(wider, ", "))
}

// assessStage finds out whether the object is in production, by its own labels or its namespace's.
func (s *planning) assessStage(ctx context.Context, it *item) error {
	it.facts.Production = stage(it.live) || stage(it.after) || stage(&unstructured.Unstructured{Object: it.manifest})
	if it.object.Namespace == "" {
		return nil
	}
	namespace, err := s.readNamespace(ctx, it.object.Namespace)
	if err != nil {
		return err
	}
	it.facts.Production = it.facts.Production || stage(namespace)
	return nil
}

// compareReplicas notes where another operation than a scale changes the number of replicas.
func (it *item) compareReplicas() {
	if it.facts.ReplicasTo != nil {
		return
	}
	from, had := replicasOf(it.live)
	to, has := replicasOf(&unstructured.Unstructured{Object: it.outcome})
	if had && has && from != to {
		it.facts.ReplicasFrom, it.facts.ReplicasTo = &from, &to
	}
}

// stage says whether an object is labelled as production.
func stage(o *unstructured.Unstructured) bool {
	return o != nil && o.Object != nil && change.Production(o.GetLabels())
}

// system says whether an object belongs to the cluster itself or to eclusier.
func system(o change.Object) bool {
	namespace := o.Namespace
	if o.Kind == "Namespace" {
		namespace = o.Name
	}
	return change.System(namespace, change.OwnNamespace)
}

// holdsData says whether a deletion destroys data.
func holdsData(o *unstructured.Unstructured) bool {
	kind := o.GroupVersionKind()
	return change.HoldsData(kind.Group, kind.Kind) || claimsGo(o)
}

// contents are the resources that are counted in a namespace.
var contents = []schema.GroupVersionResource{
	{Version: "v1", Resource: "pods"},
	{Version: "v1", Resource: "services"},
	{Version: "v1", Resource: "persistentvolumeclaims"},
	{Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "apps", Version: "v1", Resource: "statefulsets"},
	{Group: "apps", Version: "v1", Resource: "daemonsets"},
	{Group: "batch", Version: "v1", Resource: "jobs"},
	{Group: "batch", Version: "v1", Resource: "cronjobs"},
}

// dependents counts what an object holds or owns, as far as the planner may see it: what it may not see is not counted.
func (s *planning) dependents(ctx context.Context, it *item) int {
	switch it.object.Kind {
	case "Namespace":
		return s.countIn(ctx, s.client, it.object.Name)
	case "CustomResourceDefinition":
		return s.countInstances(ctx, it.live)
	case "Node":
		return count(ctx, s.client.Resource(contents[0]), "spec.nodeName="+it.object.Name)
	}
	if replicas, ok := replicasOf(it.live); ok {
		return int(replicas)
	}
	if scheduled, ok, _ := unstructured.NestedInt64(it.live.Object, "status", "currentNumberScheduled"); ok {
		return int(scheduled)
	}
	return 0
}

// countIn counts what runs in a namespace or keeps data in it.
func (p *Pipeline) countIn(ctx context.Context, c dynamic.Interface, namespace string) int {
	total := 0
	for _, resource := range contents {
		total += count(ctx, c.Resource(resource).Namespace(namespace), "")
	}
	return total
}

// countInstances counts the objects of a custom kind.
func (s *planning) countInstances(ctx context.Context, crd *unstructured.Unstructured) int {
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "plural")
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, v := range versions {
		fields, _ := v.(map[string]any)
		if served, _ := fields["served"].(bool); served {
			version, _ := fields["name"].(string)
			return count(ctx, s.client.Resource(schema.GroupVersionResource{Group: group, Version: version, Resource: plural}), "")
		}
	}
	return 0
}

// counted is how many objects one request counts at most; beyond it the API server says how many are left.
const counted = 250

// count counts objects; what cannot be listed counts as nothing.
func count(ctx context.Context, resource dynamic.ResourceInterface, fields string) int {
	list, err := resource.List(ctx, metav1.ListOptions{Limit: counted, FieldSelector: fields})
	if err != nil {
		return 0
	}
	total := len(list.Items)
	if left := list.GetRemainingItemCount(); left != nil {
		total += int(*left)
	}
	return total
}

// noteAutoscaler says where an autoscaler sets the number of replicas as well.
func (s *planning) noteAutoscaler(ctx context.Context, it *item) {
	resource := schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}
	list, err := s.client.Resource(resource).Namespace(it.object.Namespace).List(ctx, metav1.ListOptions{Limit: counted})
	if err != nil {
		it.note("whether an autoscaler sets its replicas as well is not known: %s", quote(fmt.Errorf("listing them: %w", err)))
		return
	}
	for i := range list.Items {
		kind, _, _ := unstructured.NestedString(list.Items[i].Object, "spec", "scaleTargetRef", "kind")
		target, _, _ := unstructured.NestedString(list.Items[i].Object, "spec", "scaleTargetRef", "name")
		if kind == it.object.Kind && target == it.object.Name {
			it.note("HorizontalPodAutoscaler %s sets its replicas as well and may set another number soon", list.Items[i].GetName())
		}
	}
}
