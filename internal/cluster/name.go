package cluster

import (
	"context"
	"slices"
	"strings"
)

// bareKinds are the kinds that people mean when they give a bare name. An earlier one wins over a later one: a
// Deployment, its Service and its ConfigMap of one name are one thing to a person, and the Deployment is what can be
// broken.
var bareKinds = []string{
	"Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job", "Pod", "Service", "Ingress", "Node", "Namespace",
	"PersistentVolumeClaim", "PersistentVolume", "HorizontalPodAutoscaler", "ConfigMap", "ReplicaSet", "NetworkPolicy",
	"PodDisruptionBudget", "ResourceQuota", "ServiceAccount", "StorageClass",
}

// BareKinds returns the kinds that a name without a kind may mean, the likeliest first.
func BareKinds() []string { return slices.Clone(bareKinds) }

// Prefer returns those of found that a person means who gave a bare name: the ones of the likeliest kind, so that what is
// left is ambiguous only if it is several of one kind. Kinds outside the order come last. The order of found is kept.
func Prefer(found []Found) []Found {
	best := len(bareKinds)
	for _, f := range found {
		best = min(best, rank(f.Kind))
	}
	var preferred []Found
	for _, f := range found {
		if rank(f.Kind) == best {
			preferred = append(preferred, f)
		}
	}
	return preferred
}

func rank(kind string) int {
	if i := slices.Index(bareKinds, kind); i >= 0 {
		return i
	}
	return len(bareKinds)
}

// Suggester is what a Reader may be as well: it names objects that somebody may have meant who named one that does not
// exist.
type Suggester interface {
	// Suggest returns at most five objects whose names are close to the query's, the closest first. What may not be
	// read is left out.
	Suggest(ctx context.Context, query Query) ([]Found, error)
}

// UnknownKindError says that the cluster serves no kind of this name.
type UnknownKindError struct {
	// Kind is the word that was asked for.
	Kind string
}

// Error prints the word.
func (e *UnknownKindError) Error() string { return "the cluster serves no kind " + e.Kind }

// UnseenError says that nothing was found, but that some places could not be looked at, so that the absence is no proof.
type UnseenError struct {
	// What lists the places, such as "nodes" or "other namespaces".
	What []string
}

// Error lists the places.
func (e *UnseenError) Error() string { return "may not look at " + strings.Join(e.What, ", ") }

// OfOtherNamespaces follows a resource among the places of an UnseenError that could not be looked at in the namespaces
// other than one's own.
const OfOtherNamespaces = " of other namespaces"

// Scoper is what a Reader may be as well: it knows which kinds belong to namespaces.
type Scoper interface {
	// Namespaced tells whether objects of the query's kind belong to a namespace; true where the kind is not known.
	Namespaced(query Query) bool
}
