package live

import (
	"context"
	"errors"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/fault"
)

// maxFound is how many objects Find returns.
const maxFound = 20

// Find returns every object that the query fits, reading metadata alone. It fails with an UnknownKindError, with an
// UnseenError where nothing was found but not everything could be looked at, and with a fault where nothing could.
func (r *Reader) Find(ctx context.Context, query cluster.Query) ([]cluster.Found, error) {
	kinds, err := r.meant(query)
	if err != nil {
		return nil, err
	}
	near := query.Namespace
	if near == "" {
		near = query.DefaultNamespace
	}
	seen := 0
	var unseen []string
	for _, places := range r.places(kinds, query, near) {
		found, hidden, err := r.search(ctx, places, query.Name)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			return found[:min(len(found), maxFound)], nil
		}
		seen += len(places) - len(hidden)
		unseen = append(unseen, hidden...)
	}
	switch {
	case seen == 0 && len(unseen) > 0:
		return nil, fault.New(fault.Terminal, fault.PermissionDenied, "the account may read nothing that was looked for", nil)
	case len(unseen) > 0:
		slices.Sort(unseen)
		return nil, &cluster.UnseenError{What: slices.Compact(unseen)}
	}
	return nil, nil
}

// place is one kind in one namespace; in all of them if namespace is empty and the kind is namespaced.
type place struct {
	kind
	namespace string
}

// places returns where to look: first in the namespace of the one who asks and among what has no namespace, then, if no
// namespace was named, everywhere else.
func (r *Reader) places(kinds []kind, query cluster.Query, near string) [][]place {
	var first, elsewhere []place
	for _, k := range kinds {
		switch {
		case !k.namespaced && query.Kind == "" && query.Namespace != "":
			// A bare name in a namespace means nothing that has no namespace.
		case !k.namespaced:
			first = append(first, place{kind: k})
		case near != "":
			first = append(first, place{kind: k, namespace: near})
		}
		if k.namespaced && query.Namespace == "" {
			elsewhere = append(elsewhere, place{kind: k})
		}
	}
	return [][]place{first, elsewhere}
}

// meant returns the kinds that a query may mean. For a bare name, kinds that the cluster does not serve are left out.
func (r *Reader) meant(query cluster.Query) ([]kind, error) {
	if query.Kind != "" {
		return r.kinds.lookup(query.Kind, query.APIVersion)
	}
	var kinds []kind
	for _, word := range cluster.BareKinds() {
		found, err := r.kinds.lookup(word, "")
		if unknown := (*cluster.UnknownKindError)(nil); errors.As(err, &unknown) {
			continue
		}
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, found...)
	}
	return kinds, nil
}

// search looks for a name in several places at once. It returns what it found, in the order of the places, and the names
// of those places that may not be looked at.
func (r *Reader) search(ctx context.Context, places []place, name string) (found []cluster.Found, hidden []string, err error) {
	results := make([][]cluster.Found, len(places))
	errs := make([]error, len(places))
	inParallel(r.options.Parallel, len(places), func(i int) {
		results[i], errs[i] = r.named(ctx, places[i], name)
	})
	for i, place := range places {
		switch f := fault.Of(errs[i]); {
		case f == nil:
			found = append(found, results[i]...)
		case f.Reason == fault.NotFound:
		case f.Reason == fault.PermissionDenied:
			hidden = append(hidden, place.String())
		default:
			return nil, nil, errs[i]
		}
	}
	return found, hidden, nil
}

// String names the place for people.
func (p place) String() string {
	if p.namespaced && p.namespace == "" {
		return p.plural + cluster.OfOtherNamespaces
	}
	return p.plural
}

// named returns the objects of one name in one place.
func (r *Reader) named(ctx context.Context, place place, name string) ([]cluster.Found, error) {
	if place.namespaced && place.namespace == "" {
		return r.metadata(ctx, place, client.MatchingFields{metav1.ObjectNameField: name}, client.Limit(maxFound))
	}
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(place.GroupVersionKind)
	key := client.ObjectKey{Namespace: place.namespace, Name: name}
	if strings.ContainsAny(name, "/%") {
		return nil, nil // no object can have such a name, and a path made of it would ask for something else
	}
	if err := r.get(ctx, key, object); err != nil {
		return nil, err
	}
	return []cluster.Found{foundOf(place.kind, object)}, nil
}

// metadata lists the metadata of the objects in one place, one page of them.
func (r *Reader) metadata(ctx context.Context, place place, options ...client.ListOption) ([]cluster.Found, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(place.GroupVersionKind)
	if err := r.page(ctx, list, append(options, client.InNamespace(place.namespace))); err != nil {
		return nil, err
	}
	var found []cluster.Found
	for i := range list.Items {
		found = append(found, foundOf(place.kind, &list.Items[i]))
	}
	return found, nil
}

func foundOf(k kind, object *metav1.PartialObjectMetadata) cluster.Found {
	return cluster.Found{
		Ref:        cluster.Ref{Kind: k.Kind, Namespace: object.Namespace, Name: object.Name},
		APIVersion: k.GroupVersion().String(),
		UID:        string(object.UID),
	}
}

// Namespaced tells whether objects of the query's kind belong to a namespace; true where the kind is not known.
func (r *Reader) Namespaced(query cluster.Query) bool {
	kinds, err := r.meant(query)
	return err != nil || kinds[0].namespaced
}

// unknownKind makes a fault of an unknown kind, so that it counts as something that does not exist.
func unknownKind(err error) error {
	var unknown *cluster.UnknownKindError
	if errors.As(err, &unknown) {
		return fault.New(fault.Terminal, fault.NotFound, "the cluster serves no such kind", err)
	}
	return err
}
