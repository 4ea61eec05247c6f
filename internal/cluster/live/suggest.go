package live

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/cluster"
)

const (
	// maxSuggestions is how many objects Suggest returns; more would be a list, not a hint.
	maxSuggestions = 5
	// maxDistance is the number of typing mistakes beyond which two names are different names.
	maxDistance = 2
)

// suggestion is an object and how far its name is from what was asked for.
type suggestion struct {
	cluster.Found
	distance int
}

// Suggest returns objects near the query: of the same name and another kind, with a name a typing mistake away, or, for
// a workload's pods, beginning with the name. It looks at one page of each kind in the namespace asked about.
func (r *Reader) Suggest(ctx context.Context, query cluster.Query) ([]cluster.Found, error) {
	kinds, err := r.meant(cluster.Query{})
	if err != nil {
		return nil, err
	}
	if asked, err := r.meant(query); err == nil {
		kinds = slices.Concat(asked, filter(kinds, func(k kind) bool { return !slices.Contains(asked, k) }))
	}
	namespace := cmp.Or(query.Namespace, query.DefaultNamespace)
	near := make([][]suggestion, len(kinds))
	inParallel(r.options.Parallel, len(kinds), func(i int) {
		place := place{kind: kinds[i]}
		if kinds[i].namespaced {
			place.namespace = namespace
		}
		found, err := r.metadata(ctx, place, client.Limit(r.options.PageSize))
		if err != nil {
			return // what may not be read cannot be suggested; the search before has said so already
		}
		near[i] = nearest(found, query)
	})
	all := slices.Concat(near...)
	slices.SortStableFunc(all, func(a, b suggestion) int { return cmp.Compare(a.distance, b.distance) })
	var found []cluster.Found
	for _, s := range all[:min(len(all), maxSuggestions)] {
		found = append(found, s.Found)
	}
	return found, nil
}

func nearest(found []cluster.Found, query cluster.Query) []suggestion {
	var near []suggestion
	for _, f := range found {
		if distance, ok := distanceOf(f, query.Name); ok {
			near = append(near, suggestion{f, distance})
		}
	}
	return near
}

// distanceOf says how far an object is from a name, and whether that is near enough to be worth a hint.
func distanceOf(found cluster.Found, name string) (int, bool) {
	if found.Kind == "Pod" && strings.HasPrefix(found.Name, name+"-") {
		return maxDistance + 1, true
	}
	distance := editDistance(found.Name, name)
	return distance, distance <= min(maxDistance, len(name)/3)
}

// editDistance counts the letters to insert, remove, replace or swap with their neighbour to get from a to b. It stops
// counting beyond maxDistance.
func editDistance(a, b string) int {
	if len(a)-len(b) > maxDistance || len(b)-len(a) > maxDistance {
		return maxDistance + 1
	}
	before, last, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			current[j] = min(replace, last[j]+1, current[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, last, current = last, current, before
	}
	return last[len(b)]
}
