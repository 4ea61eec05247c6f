package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	discoverymemory "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// site is where a change is to be made, seen with the caller's own rights. It asks the cluster only for what is needed.
type site struct {
	*command
	namespace string
	objects   client.WithWatch
	kinds     meta.RESTMapper
}

// site returns where the change is to be made. Where nothing is to be sent, -n is enough and no cluster is needed.
func (g *proposal) site() (*site, error) {
	if name := g.connection.namespaceFlag(); name != "" && g.dryRun == dryRunClient {
		return &site{command: g.command, namespace: name}, nil
	}
	return g.command.site()
}

func (cmd *command) site() (*site, error) {
	_, namespace, err := cmd.connection.config()
	if err != nil {
		return nil, err
	}
	return &site{command: cmd, namespace: namespace}, nil
}

// client returns the caller's client.
func (s *site) client() (client.WithWatch, error) {
	if s.objects != nil {
		return s.objects, nil
	}
	objects, _, err := s.tasks()
	s.objects = objects
	return objects, err
}

// unknownKindError is a kind that the API server does not serve.
type unknownKindError struct{ word string }

// Error says what can be asked.
func (e *unknownKindError) Error() string {
	return fmt.Sprintf("the API server has no kind %q: kubectl api-resources lists those it has", e.word)
}

// kind returns the kind that a word means: a kind, a resource or a short name, with or without its group behind a dot.
func (s *site) kind(word string) (*meta.RESTMapping, error) {
	if s.kinds == nil {
		config, _, err := s.connection.config()
		if err != nil {
			return nil, err
		}
		if s.kinds, err = s.Kinds(config); err != nil {
			return nil, err
		}
	}
	wanted := schema.ParseGroupResource(strings.ToLower(word))
	kind, err := s.kinds.KindFor(wanted.WithVersion(""))
	if meta.IsNoMatchError(err) {
		return nil, &unknownKindError{word: word}
	}
	if err != nil {
		return nil, err
	}
	return s.kinds.RESTMapping(kind.GroupKind(), kind.Version)
}

// NewKinds returns what an API server serves, by the names that people give it.
func NewKinds(config *rest.Config) (meta.RESTMapper, error) {
	asked, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	cached := discoverymemory.NewMemCacheClient(asked)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)
	return restmapper.NewShortcutExpander(mapper, cached, nil), nil
}

// get reads an object whole. An object that is not there is nil.
func (s *site) get(ctx context.Context, kind schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	objects, err := s.client()
	if err != nil {
		return nil, err
	}
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(kind)
	err = objects.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, found)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return found, err
}

// twin reads the object that a manifest speaks of; nil where there is none, as where its very kind is yet to be made.
func (s *site) twin(ctx context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	var unknown *unknownKindError
	named := o.GroupVersionKind()
	kind, err := s.kind(strings.TrimSuffix(named.Kind+"."+named.Group, "."))
	if errors.As(err, &unknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	namespace := o.GetNamespace()
	switch {
	case kind.Scope.Name() != meta.RESTScopeNameNamespace:
		namespace = ""
	case namespace == "":
		namespace = s.namespace
	}
	return s.get(ctx, named, namespace, o.GetName())
}

// selected returns the objects of a kind that a label selector fits, as targets.
func (s *site) selected(c *cobra.Command, word, selector string) ([]v1alpha1.OperationTarget, error) {
	wanted, err := labels.Parse(selector)
	if err != nil || wanted.Empty() {
		return nil, usage(c, "--selector %q: write KEY=VALUE, KEY!=VALUE, KEY or !KEY, with commas between", selector)
	}
	kind, err := s.kind(word)
	if err != nil {
		return nil, err
	}
	objects, err := s.client()
	if err != nil {
		return nil, err
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersionKind)
	options := &client.ListOptions{LabelSelector: wanted, Limit: maxOperations + 1}
	if kind.Scope.Name() == meta.RESTScopeNameNamespace {
		options.Namespace = s.namespace
	}
	if err := objects.List(c.Context(), list, options); err != nil {
		return nil, err
	}
	var targets []v1alpha1.OperationTarget
	for i := range list.Items {
		// What is being deleted already is nothing to change any more.
		if list.Items[i].DeletionTimestamp == nil {
			targets = append(targets, targetOf(kind.GroupVersionKind, "", list.Items[i].Name))
		}
	}
	switch what := kind.GroupVersionKind.Kind; {
	case len(list.Items) > maxOperations:
		return nil, fmt.Errorf("%s fits more than %d objects of kind %s: a change has at most %d operations, so narrow it", selector, maxOperations, what, maxOperations)
	case len(targets) == 0:
		return nil, fmt.Errorf("no %s%s has %s", what, where(options.Namespace), selector)
	}
	return targets, nil
}

// targetOf writes an object as a target.
func targetOf(kind schema.GroupVersionKind, namespace, name string) v1alpha1.OperationTarget {
	return v1alpha1.OperationTarget{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Namespace: namespace, Name: name}
}

// targets reads KIND/NAME..., KIND/NAMESPACE/NAME... or KIND NAME..., as kubectl does. With a selector, it reads a KIND.
func (s *site) targets(c *cobra.Command, args []string, selector string) ([]v1alpha1.OperationTarget, error) {
	if len(args) == 0 {
		return nil, usage(c, "KIND/NAME is missing")
	}
	if selector != "" {
		if len(args) > 1 || strings.Contains(args[0], "/") {
			return nil, usage(c, "--selector chooses the objects: give the KIND alone")
		}
		return s.selected(c, args[0], selector)
	}
	if kind := args[0]; !strings.Contains(kind, "/") && len(args) > 1 {
		args = slices.Clone(args[1:])
		for i := range args {
			args[i] = kind + "/" + args[i]
		}
	}
	var targets []v1alpha1.OperationTarget
	for _, text := range args {
		target, err := s.target(c, text)
		if err != nil {
			return nil, err
		}
		targets = append(targets, target)
	}
	return targets, nil
}

// target reads KIND/NAME or KIND/NAMESPACE/NAME. Only a kind that is written with its group has to be looked up.
func (s *site) target(c *cobra.Command, text string) (v1alpha1.OperationTarget, error) {
	kind, namespace, name, ok := splitTarget(text)
	if !ok || kind == "" {
		return v1alpha1.OperationTarget{}, usage(c, "%q: write the object as KIND/NAME or KIND/NAMESPACE/NAME", text)
	}
	if !strings.Contains(kind, ".") {
		return v1alpha1.OperationTarget{Kind: kind, Namespace: namespace, Name: name}, nil
	}
	found, err := s.kind(kind)
	if err != nil {
		return v1alpha1.OperationTarget{}, err
	}
	return targetOf(found.GroupVersionKind, namespace, name), nil
}

// one reads a single target and the object itself.
func (s *site) one(c *cobra.Command, text string) (*unstructured.Unstructured, *meta.RESTMapping, error) {
	word, namespace, name, ok := splitTarget(text)
	if !ok || word == "" {
		return nil, nil, usage(c, "%q: write the object as KIND/NAME", text)
	}
	kind, err := s.kind(word)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case kind.Scope.Name() != meta.RESTScopeNameNamespace:
		namespace = ""
	case namespace == "":
		namespace = s.namespace
	}
	found, err := s.get(c.Context(), kind.GroupVersionKind, namespace, name)
	if err == nil && found == nil {
		err = errors.New("there is no " + object(kind.GroupVersionKind.Kind, namespace, name))
	}
	return found, kind, err
}
