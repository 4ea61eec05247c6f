package kubernetes

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

// forget is how long an unknown kind is taken for unknown before the API server is asked again.
const forget = 10 * time.Second

// kind is one kind in one version, as the API server serves it.
type kind struct {
	schema.GroupVersionKind
	plural     string
	namespaced bool
	scalable   bool
	preferred  bool
	verbs      metav1.Verbs
}

// object is the object of that kind and name.
func (k kind) object(namespace, name string) change.Object {
	if !k.namespaced {
		namespace = ""
	}
	return change.Object{APIVersion: k.GroupVersion().String(), Kind: k.Kind, Resource: k.plural, Namespace: namespace, Name: name}
}

// kinds knows which kinds the API server serves and what people call them.
type kinds struct {
	discovery discovery.DiscoveryInterface
	now       func() time.Time

	mu    sync.Mutex
	asked time.Time
	all   []kind
	words map[string][]kind
}

// named returns the kind that a target means.
func (k *kinds) named(word, apiVersion string) (kind, error) {
	found, err := k.find(func() []kind { return narrow(k.words[strings.ToLower(word)], apiVersion) })
	if err != nil {
		return kind{}, err
	}
	switch len(found) {
	case 0:
		return kind{}, invalid(v1alpha1.PlannedInvalid, "the cluster serves no kind %s; \"kubectl api-resources\" lists what it serves", strings.TrimSpace(word+" "+apiVersion))
	case 1:
		return found[0], nil
	}
	var versions []string
	for _, one := range found {
		versions = append(versions, one.GroupVersion().String())
	}
	return kind{}, invalid(v1alpha1.PlannedInvalid, "several groups serve the kind %s: set apiVersion to one of %s", word, strings.Join(versions, ", "))
}

// exact returns the kind of a manifest.
func (k *kinds) exact(gvk schema.GroupVersionKind) (kind, error) {
	found, err := k.find(func() []kind {
		return filter(k.all, func(one kind) bool { return one.GroupVersionKind == gvk })
	})
	if err != nil {
		return kind{}, err
	}
	if len(found) == 0 {
		return kind{}, invalid(v1alpha1.PlannedInvalid,
			"the cluster serves no kind %s of %s; if its CustomResourceDefinition is new, apply that in a change before this one", gvk.Kind, gvk.GroupVersion())
	}
	if one := found[0]; !slices.Contains(one.verbs, "patch") || !slices.Contains(one.verbs, "get") {
		return kind{}, invalid(v1alpha1.PlannedInvalid, "%s is not a kind of which objects are kept: it cannot be applied", gvk.Kind)
	}
	return found[0], nil
}

// find looks, and asks the API server once more where nothing is found.
func (k *kinds) find(look func() []kind) ([]kind, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := look()
	if len(found) > 0 || k.now().Sub(k.asked) < forget {
		return found, nil
	}
	if err := k.load(); err != nil {
		return nil, fmt.Errorf("asking which kinds the cluster serves: %w", err)
	}
	return look(), nil
}

func narrow(found []kind, apiVersion string) []kind {
	if apiVersion != "" {
		return filter(found, func(k kind) bool { return k.GroupVersion().String() == apiVersion })
	}
	found = filter(found, func(k kind) bool { return k.preferred })
	if builtIn := filter(found, func(k kind) bool { return clientgoscheme.Scheme.IsGroupRegistered(k.Group) }); len(builtIn) > 0 {
		return builtIn[:1]
	}
	return found
}

func filter(all []kind, keep func(kind) bool) []kind {
	var kept []kind
	for _, k := range all {
		if keep(k) {
			kept = append(kept, k)
		}
	}
	return kept
}

// load asks the API server. A group that does not answer, such as metrics without their server, hides only itself.
func (k *kinds) load() error {
	groups, lists, err := k.discovery.ServerGroupsAndResources()
	if err != nil && !(discovery.IsGroupDiscoveryFailedError(err) && len(lists) > 0) {
		return err
	}
	preferred := map[string]bool{}
	for _, group := range groups {
		preferred[group.PreferredVersion.GroupVersion] = true
	}
	k.all, k.words, k.asked = nil, map[string][]kind{}, k.now()
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, resource := range list.APIResources {
			if strings.Contains(resource.Name, "/") {
				continue
			}
			one := kind{GroupVersionKind: version.WithKind(resource.Kind), plural: resource.Name, namespaced: resource.Namespaced,
				preferred: preferred[list.GroupVersion], verbs: resource.Verbs}
			one.scalable = slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == resource.Name+"/scale" })
			k.all = append(k.all, one)
			for _, word := range wordsOf(one, resource) {
				k.words[word] = append(k.words[word], one)
			}
		}
	}
	return nil
}

// wordsOf returns what people may call a kind, in lower case.
func wordsOf(k kind, resource metav1.APIResource) []string {
	var words []string
	for _, word := range append([]string{k.Kind, k.plural, resource.SingularName}, resource.ShortNames...) {
		words = append(words, strings.ToLower(word))
	}
	slices.Sort(words)
	return slices.Compact(words)
}
