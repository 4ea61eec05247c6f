package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// unnamable are the kinds of which no copy can be made under another name or in another namespace, and why.
var unnamable = map[string]string{
	"Namespace":                "a namespace cannot be renamed: everything in it would have to be made anew; make the new one with change create namespace, and move the objects with change move",
	"Node":                     "a node's name is the one that its kubelet registers",
	"PersistentVolumeClaim":    "the copy would be an empty volume, and deleting the old claim may destroy the data; restore a backup under the new name",
	"PersistentVolume":         "claims are bound to it by its name",
	"CustomResourceDefinition": "its name follows from its group and plural, and deleting it deletes every object of the kind",
	"APIService":               "its name follows from its group and version",
	"Secret":                   "Secrets are not changed through eclusier, and its values would lie open in the ChangeRequest",
}

// renameCommand makes the command rename.
func (g *proposal) renameCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rename KIND/NAME NEW-NAME",
		Short: "Make the object under another name, then delete the old one",
		Long: `Make the object under another name, then delete the old one: Kubernetes has no renaming. The copy is what the object is
now, without what the API server and controllers write: if it changes meanwhile, propose the change anew. Whatever refers
to the object by name is left as it is: kubectl eclusier objects refs KIND/NAME lists it. For a moment both exist.`,
		Args: exactly(2, 2, "KIND/NAME NEW-NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			at, err := g.site()
			if err != nil {
				return err
			}
			found, kind, err := at.one(c, args[0])
			if err != nil {
				return err
			}
			if args[1] == found.GetName() {
				return usage(c, "%s has this name already", args[0])
			}
			return g.replace(c, at, pair{kind: kind, old: found, namespace: found.GetNamespace(), name: args[1]})
		},
	}
}

// moveCommand makes the command move.
func (g *proposal) moveCommand() *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "move KIND/NAME --to NAMESPACE",
		Short: "Make the object in another namespace, then delete the old one",
		Long: `Make the object in another namespace, then delete the old one. The copy is what the object is now, without what the API
server and controllers write. What it refers to (ConfigMaps, Secrets, accounts) has to be there already.`,
		Args: exactly(1, 1, "KIND/NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if to == "" {
				return usage(c, "--to NAMESPACE is missing")
			}
			at, err := g.site()
			if err != nil {
				return err
			}
			found, kind, err := at.one(c, args[0])
			switch {
			case err != nil:
				return err
			case kind.Scope.Name() != meta.RESTScopeNameNamespace:
				return fmt.Errorf("%s is in no namespace, so it cannot be moved to another", args[0])
			case found.GetNamespace() == to:
				return usage(c, "%s is in this namespace already", args[0])
			}
			return g.replace(c, at, pair{kind: kind, old: found, namespace: to, name: found.GetName()})
		},
	}
	c.Flags().StringVar(&to, "to", "", "namespace to move the object to")
	return c
}

// pair is an object and the place and name of its copy.
type pair struct {
	kind            *meta.RESTMapping
	old             *unstructured.Unstructured
	namespace, name string
}

// replace proposes to apply the copy and then to delete the old object.
func (g *proposal) replace(c *cobra.Command, at *site, p pair) error {
	if err := copyable(p.old); err != nil {
		return err
	}
	kind := p.kind.GroupVersionKind
	there, err := at.get(c.Context(), kind, p.namespace, p.name)
	if err != nil {
		return err
	}
	if there != nil {
		return fmt.Errorf("%s exists already: it would be overwritten", object(kind.Kind, p.namespace, p.name))
	}
	made := copied(p.old)
	made.SetName(p.name)
	if p.namespace != p.old.GetNamespace() {
		made.SetNamespace(p.namespace)
		made.SetOwnerReferences(nil)
	}
	return g.submit(c, at, append(g.applied(made),
		v1alpha1.Operation{Delete: &v1alpha1.DeleteOperation{Target: targetOf(kind, p.old.GetNamespace(), p.old.GetName())}}))
}

// copyable says why no copy of an object can be made.
func copyable(o *unstructured.Unstructured) error {
	what := object(o.GetKind(), o.GetNamespace(), o.GetName())
	if why, found := unnamable[o.GetKind()]; found {
		return errors.New(what + ": " + why)
	}
	if o.GroupVersionKind().Group == v1alpha1.GroupVersion.Group {
		return errors.New(what + ": eclusier does not change its own objects")
	}
	if owner := metav1.GetControllerOf(o); owner != nil {
		return fmt.Errorf("%s belongs to %s %s, which would make it anew: change that instead", what, owner.Kind, owner.Name)
	}
	if claims, _, _ := unstructured.NestedSlice(o.Object, "spec", "volumeClaimTemplates"); len(claims) > 0 {
		return errors.New(what + ": its volumes are named after it, so that the copy would begin with empty ones")
	}
	return nil
}

// writtenBy are the fields of a kind that the API server or a controller fills in, and that a copy must not bring along.
var writtenBy = map[schema.GroupKind][][]string{
	{Kind: "Service"}: {{"spec", "clusterIP"}, {"spec", "clusterIPs"}, {"spec", "healthCheckNodePort"}},
	{Kind: "Pod"}:     {{"spec", "nodeName"}},
	{Group: "batch", Kind: "Job"}: {
		{"spec", "selector"},
		{"metadata", "labels", "controller-uid"}, {"metadata", "labels", "job-name"},
		{"metadata", "labels", "batch.kubernetes.io/controller-uid"}, {"metadata", "labels", "batch.kubernetes.io/job-name"},
		{"spec", "template", "metadata", "labels", "controller-uid"}, {"spec", "template", "metadata", "labels", "job-name"},
		{"spec", "template", "metadata", "labels", "batch.kubernetes.io/controller-uid"},
		{"spec", "template", "metadata", "labels", "batch.kubernetes.io/job-name"},
	},
	{Kind: "ServiceAccount"}: {{"secrets"}},
}

// copied is an object as somebody would write it who wants another one like it.
func copied(o *unstructured.Unstructured) *unstructured.Unstructured {
	o = o.DeepCopy()
	headless, _, _ := unstructured.NestedString(o.Object, "spec", "clusterIP")
	manual, _, _ := unstructured.NestedBool(o.Object, "spec", "manualSelector")
	for _, field := range writtenBy[o.GroupVersionKind().GroupKind()] {
		if headless == "None" && field[1] != "healthCheckNodePort" || manual {
			continue
		}
		unstructured.RemoveNestedField(o.Object, field...)
	}
	if ports, found, _ := unstructured.NestedSlice(o.Object, "spec", "ports"); found && o.GetKind() == "Service" {
		for _, port := range ports {
			if one, ok := port.(map[string]any); ok {
				delete(one, "nodePort")
			}
		}
		_ = unstructured.SetNestedSlice(o.Object, ports, "spec", "ports") // what was read as a list of objects is one
	}
	o.SetFinalizers(nil)
	return o
}
