package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// loader replays one scenario.
type loader struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
	uids   *uids
	// props are objects that others cannot be created without and that the scenario lacks; they are removed again.
	props []*unstructured.Unstructured
}

// Load creates the objects of the scenario and writes their status. It stops at the first object that the API server
// refuses: a picture with a hole in it would mislead.
func (s *Scenario) Load(ctx context.Context, config *rest.Config) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	l := &loader{
		client: client,
		mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoveryClient)),
		uids:   newUIDs(s.Objects),
	}
	objects, guards := inOrder(s.Objects)
	if err := l.defineKinds(ctx, s.Objects); err != nil {
		return err
	}
	for _, step := range []func(context.Context, []*unstructured.Unstructured) error{
		l.addProps, l.createInTurn, l.writeStatus, l.removeProps, l.restoreNamespaceLabels, l.deleteEnding,
	} {
		if err := step(ctx, objects); err != nil {
			return err
		}
	}
	if err := l.createInTurn(ctx, guards); err != nil {
		return err
	}
	return l.writeStatus(ctx, guards)
}

// inOrder sorts the objects by rank and sets those apart that would refuse even a change of another's status.
func inOrder(all []*unstructured.Unstructured) (objects, guards []*unstructured.Unstructured) {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *unstructured.Unstructured) int { return rank(a) - rank(b) })
	first, _ := slices.BinarySearchFunc(sorted, guardRank, func(object *unstructured.Unstructured, r int) int { return rank(object) - r })
	return sorted[:first], sorted[first:]
}

// createInTurn creates the objects in their order, but owners before what they own.
func (l *loader) createInTurn(ctx context.Context, waiting []*unstructured.Unstructured) error {
	for len(waiting) > 0 {
		var later []*unstructured.Unstructured
		for _, object := range waiting {
			if l.uids.missing(object) {
				later = append(later, object)
				continue
			}
			if err := l.create(ctx, object); err != nil {
				return fmt.Errorf("creating %s: %w", keyOf(object), err)
			}
		}
		if len(later) == len(waiting) {
			return fmt.Errorf("creating %s: objects refer to one another in a circle", keyOf(later[0]))
		}
		waiting = later
	}
	return nil
}

func (l *loader) create(ctx context.Context, object *unstructured.Unstructured) error {
	prepared := prepare(object)
	l.uids.fill(prepared)
	resource, err := l.resource(prepared)
	if err != nil {
		return err
	}
	created, err := resource.Create(ctx, prepared, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		// The API server makes some objects itself.
		created, err = merge(ctx, resource, object.GetName(), prepared.Object)
	}
	if err != nil {
		return err
	}
	l.uids.given[keyOf(object)] = created.GetUID()
	return l.complete(ctx, resource, object)
}

// complete writes what an object cannot be created with.
func (l *loader) complete(ctx context.Context, resource dynamic.ResourceInterface, object *unstructured.Unstructured) error {
	var path []string
	var subresources []string
	switch object.GetKind() {
	case "Node":
		// Admission has tainted it as not ready.
		path = []string{"spec", "taints"}
	case "Pod":
		path, subresources = []string{"spec", "ephemeralContainers"}, []string{"ephemeralcontainers"}
	default:
		return nil
	}
	value, found, err := unstructured.NestedFieldCopy(object.Object, path...)
	if err != nil || (!found && object.GetKind() == "Pod") {
		return err
	}
	patch := map[string]any{}
	if err := unstructured.SetNestedField(patch, value, path...); err != nil {
		return err
	}
	_, err = merge(ctx, resource, object.GetName(), patch, subresources...)
	return err
}

// writeStatus writes the status of every object that has one.
func (l *loader) writeStatus(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		if object.GetKind() == "Namespace" && object.GetDeletionTimestamp() != nil {
			// Nothing can be created in a namespace that ends, so it does so last.
			continue
		}
		if err := l.writeStatusOf(ctx, object); err != nil {
			return fmt.Errorf("writing the status of %s: %w", keyOf(object), err)
		}
	}
	return nil
}

func (l *loader) writeStatusOf(ctx context.Context, object *unstructured.Unstructured) error {
	status, found, err := unstructured.NestedMap(object.Object, "status")
	if err != nil || !found || len(status) == 0 {
		return err
	}
	resource, err := l.resource(object)
	if err != nil {
		return err
	}
	live, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	observe(status, object.GetGeneration(), live.GetGeneration())
	// References in it are looked up as those of the object.
	filled := object.DeepCopy()
	filled.Object["status"] = status
	l.uids.fill(filled)
	live.Object["status"] = filled.Object["status"]
	_, err = resource.UpdateStatus(ctx, live, metav1.UpdateOptions{})
	return err
}

// restoreNamespaceLabels puts back the labels that would have refused pods that exist.
func (l *loader) restoreNamespaceLabels(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		if object.GetKind() != "Namespace" {
			continue
		}
		labels := map[string]any{}
		for name, value := range object.GetLabels() {
			if strings.HasPrefix(name, podSecurity) {
				labels[name] = value
			}
		}
		if len(labels) == 0 {
			continue
		}
		resource, err := l.resource(object)
		if err != nil {
			return err
		}
		if _, err := merge(ctx, resource, object.GetName(), map[string]any{"metadata": map[string]any{"labels": labels}}); err != nil {
			return fmt.Errorf("labelling %s: %w", keyOf(object), err)
		}
	}
	return nil
}

// deleteEnding deletes the objects that were being deleted, namespaces last.
func (l *loader) deleteEnding(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, namespaces := range []bool{false, true} {
		for _, object := range objects {
			if object.GetDeletionTimestamp() == nil || (object.GetKind() == "Namespace") != namespaces {
				continue
			}
			if err := l.end(ctx, object); err != nil {
				return fmt.Errorf("deleting %s: %w", keyOf(object), err)
			}
		}
	}
	return nil
}

func (l *loader) end(ctx context.Context, object *unstructured.Unstructured) error {
	node, _, _ := unstructured.NestedString(object.Object, "spec", "nodeName")
	kept := len(object.GetFinalizers()) > 0 || object.GetKind() == "Namespace" || (object.GetKind() == "Pod" && node != "")
	if !kept {
		return fmt.Errorf("nothing keeps it: it has neither a finalizer nor a node")
	}
	resource, err := l.resource(object)
	if err != nil {
		return err
	}
	options := metav1.DeleteOptions{GracePeriodSeconds: object.GetDeletionGracePeriodSeconds()}
	if options.GracePeriodSeconds != nil && *options.GracePeriodSeconds == 0 && len(object.GetFinalizers()) == 0 {
		// With no time left the API server would remove the pod at once.
		*options.GracePeriodSeconds = 1
	}
	if err := resource.Delete(ctx, object.GetName(), options); err != nil {
		return err
	}
	if object.GetKind() == "Namespace" {
		return l.writeStatusOf(ctx, object)
	}
	return nil
}

// resource is the way to the objects of the same kind and namespace.
func (l *loader) resource(object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := object.GroupVersionKind()
	mapping, err := l.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return l.client.Resource(mapping.Resource).Namespace(object.GetNamespace()), nil
	}
	return l.client.Resource(mapping.Resource), nil
}

func merge(ctx context.Context, resource dynamic.ResourceInterface, name string, patch map[string]any, subresources ...string) (*unstructured.Unstructured, error) {
	data, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	return resource.Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{}, subresources...)
}
