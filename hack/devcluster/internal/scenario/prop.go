package scenario

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

// addProps creates what admission insists on and the scenario does not hold: the service accounts and priority classes
// that pods name, and the namespaces that objects are in. Namespaces stay; the rest is removed once the pods are there,
// because that it is missing may be the point.
func (l *loader) addProps(ctx context.Context, objects []*unstructured.Unstructured) error {
	wanted := map[key]*unstructured.Unstructured{}
	want := func(apiVersion, kind, namespace, name string, fields map[string]any) {
		k := key{kind, namespace, name}
		if name == "" || l.uids.expected[k] || wanted[k] != nil {
			return
		}
		prop := &unstructured.Unstructured{Object: fields}
		prop.SetAPIVersion(apiVersion)
		prop.SetKind(kind)
		prop.SetNamespace(namespace)
		prop.SetName(name)
		wanted[k] = prop
	}
	for _, object := range objects {
		want("v1", "Namespace", "", object.GetNamespace(), map[string]any{})
		if object.GetKind() != "Pod" {
			continue
		}
		account, _, _ := unstructured.NestedString(object.Object, "spec", "serviceAccountName")
		if account == "" {
			account = "default"
		}
		want("v1", "ServiceAccount", object.GetNamespace(), account, map[string]any{})
		class, _, _ := unstructured.NestedString(object.Object, "spec", "priorityClassName")
		priority, _, _ := unstructured.NestedInt64(object.Object, "spec", "priority")
		preemption, found, _ := unstructured.NestedString(object.Object, "spec", "preemptionPolicy")
		fields := map[string]any{"value": priority}
		if found {
			fields["preemptionPolicy"] = preemption
		}
		want("scheduling.k8s.io/v1", "PriorityClass", "", class, fields)
	}
	for _, kind := range []string{"Namespace", "PriorityClass", "ServiceAccount"} {
		for k, prop := range wanted {
			if k.kind != kind {
				continue
			}
			if err := l.addProp(ctx, prop, objects); err != nil {
				return fmt.Errorf("creating %s, which the scenario needs: %w", k, err)
			}
		}
	}
	return nil
}

// addProp creates one; what it is to stand in may have to come first.
func (l *loader) addProp(ctx context.Context, prop *unstructured.Unstructured, objects []*unstructured.Unstructured) error {
	resource, err := l.resource(prop)
	if err != nil {
		return err
	}
	if err := l.ensureNamespace(ctx, prop.GetNamespace(), objects); err != nil {
		return err
	}
	_, err = resource.Create(ctx, prop, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	if err == nil && prop.GetKind() != "Namespace" {
		l.props = append(l.props, prop)
	}
	return err
}

// ensureNamespace creates a namespace of the scenario before its turn.
func (l *loader) ensureNamespace(ctx context.Context, name string, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		if object.GetKind() == "Namespace" && object.GetName() == name {
			return l.create(ctx, object)
		}
	}
	return nil
}

func (l *loader) removeProps(ctx context.Context, _ []*unstructured.Unstructured) error {
	for _, prop := range l.props {
		resource, err := l.resource(prop)
		if err != nil {
			return err
		}
		if err := resource.Delete(ctx, prop.GetName(), metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("removing %s: %w", keyOf(prop), err)
		}
	}
	return nil
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// defineKinds defines the kinds that the API server does not know and the scenario does not define, so that they take
// any content.
func (l *loader) defineKinds(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		if object.GetKind() == "CustomResourceDefinition" {
			if err := l.create(ctx, object); err != nil {
				return fmt.Errorf("creating %s: %w", keyOf(object), err)
			}
		}
	}
	l.mapper.Reset()
	for _, object := range objects {
		kind := object.GroupVersionKind()
		_, err := l.mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if meta.IsNoMatchError(err) {
			err = l.define(ctx, kind, object.GetNamespace() != "")
		}
		if err != nil {
			return fmt.Errorf("defining the kind of %s: %w", keyOf(object), err)
		}
	}
	return nil
}

func (l *loader) define(ctx context.Context, kind schema.GroupVersionKind, namespaced bool) error {
	plural, singular := meta.UnsafeGuessKindToResource(kind)
	scope := "Cluster"
	if namespaced {
		scope = "Namespaced"
	}
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": plural.Resource + "." + kind.Group},
		"spec": map[string]any{
			"group": kind.Group,
			"scope": scope,
			"names": map[string]any{"kind": kind.Kind, "plural": plural.Resource, "singular": singular.Resource},
			"versions": []any{map[string]any{
				"name": kind.Version, "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "x-kubernetes-preserve-unknown-fields": true,
				}},
			}},
		},
	}}
	if _, err := l.client.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) {
		l.mapper.Reset()
		_, err := l.mapper.RESTMapping(kind.GroupKind(), kind.Version)
		return err == nil, nil
	})
}
