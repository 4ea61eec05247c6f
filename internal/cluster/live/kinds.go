package live

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	discoverymemory "k8s.io/client-go/discovery/cached/memory"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/restmapper"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/fault"
)

// forget is how long an unknown kind is taken for unknown before the server is asked again.
const forget = 30 * time.Second

// kinds knows, for everybody who reads one API server, which kinds it serves and what they are called.
type kinds struct {
	cache  discovery.CachedDiscoveryInterface
	mapper *restmapper.DeferredDiscoveryRESTMapper
	now    func() time.Time

	mu    sync.Mutex
	asked time.Time
	words map[string][]kind
}

// kind is one kind in its preferred version.
type kind struct {
	schema.GroupVersionKind
	plural     string
	namespaced bool
}

func newKinds(found discovery.DiscoveryInterface, now func() time.Time) *kinds {
	cache := discoverymemory.NewMemCacheClient(found)
	return &kinds{cache: cache, mapper: restmapper.NewDeferredDiscoveryRESTMapper(cache), now: now}
}

// lookup returns the kinds that a word means: a kind, a resource or a short name in any case, with or without its group
// behind a dot. Kinds of Kubernetes itself win over kinds of the same name that somebody added.
func (k *kinds) lookup(word, apiVersion string) ([]kind, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := narrow(k.words[strings.ToLower(word)], apiVersion)
	if len(found) == 0 && k.now().Sub(k.asked) >= forget {
		if err := k.load(); err != nil {
			return nil, err
		}
		found = narrow(k.words[strings.ToLower(word)], apiVersion)
	}
	if len(found) == 0 || apiVersion != "" && !k.serves(apiVersion, found[0]) {
		return nil, &cluster.UnknownKindError{Kind: strings.TrimSpace(word + " " + apiVersion)}
	}
	return found, nil
}

// serves tells whether the API server serves a kind in that version, which need not be the preferred one. Where it does not
// say, the kind is taken for served.
func (k *kinds) serves(apiVersion string, one kind) bool {
	if apiVersion == one.GroupVersion().String() {
		return true
	}
	list, err := k.cache.ServerResourcesForGroupVersion(apiVersion)
	if err != nil {
		return !fault.Is(err, fault.NotFound) && !errors.Is(err, discoverymemory.ErrCacheNotFound)
	}
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Kind == one.Kind })
}

func narrow(found []kind, apiVersion string) []kind {
	group, _, named := strings.Cut(apiVersion, "/")
	if !named {
		group = ""
	}
	if apiVersion != "" {
		return filter(found, func(k kind) bool { return k.Group == group })
	}
	if builtIn := filter(found, kind.builtIn); len(builtIn) > 0 {
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

func (k kind) builtIn() bool { return clientgoscheme.Scheme.IsGroupRegistered(k.Group) }

// load asks the API server. A group that does not answer, such as metrics without their server, hides only itself.
func (k *kinds) load() error {
	k.cache.Invalidate()
	k.mapper.Reset()
	lists, err := k.cache.ServerPreferredResources()
	if err != nil && !(discovery.IsGroupDiscoveryFailedError(err) && len(lists) > 0) {
		return err
	}
	words := map[string][]kind{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, resource := range list.APIResources {
			if strings.Contains(resource.Name, "/") || !slices.Contains(resource.Verbs, "get") {
				continue
			}
			one := kind{GroupVersionKind: version.WithKind(resource.Kind), plural: resource.Name, namespaced: resource.Namespaced}
			for _, word := range wordsOf(one, resource.SingularName, resource.ShortNames) {
				words[word] = append(words[word], one)
			}
		}
	}
	k.words, k.asked = words, k.now()
	return nil
}

// wordsOf returns what people may call a kind, in lower case.
func wordsOf(k kind, singular string, short []string) []string {
	var words []string
	for _, word := range append([]string{k.Kind, k.plural, singular}, short...) {
		words = append(words, strings.ToLower(word), strings.ToLower(word+"."+k.Group))
	}
	slices.Sort(words)
	return slices.Compact(words)
}
