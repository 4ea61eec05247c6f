// Package inventory answers simple questions about the objects of a snapshot: which there are, what one of them says,
// what refers to what, where a text occurs, which labels are in use, and what happened lately.
//
// It decides nothing and reads nothing: it is handed a snapshot and returns plain values, bounded in number and
// redacted. The value of a Secret is never among them, nor can a search be used to guess one: only redacted text is
// searched. The plugin's command objects calls it.
package inventory

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/eclusier/eclusier/internal/cluster"
)

// The most that an answer lists.
const (
	MaxItems  = 200
	MaxRecent = 50
)

// Page is the beginning of a list.
type Page[T any] struct {
	Items []T `json:"items"`
	// Total is how many there are, of which Items may be the first.
	Total int `json:"total"`
}

func pageOf[T any](list []T, most int) Page[T] {
	return Page[T]{Items: append([]T{}, list[:min(len(list), most)]...), Total: len(list)}
}

// Count is a name and how many objects have it.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Item is one object of a list.
type Item struct {
	cluster.Ref
	Created *time.Time `json:"created,omitempty"`
}

// Listing is the objects of a namespace or kind.
type Listing struct {
	// Kinds counts all objects, also those that Items no longer holds.
	Kinds []Count `json:"kinds"`
	Page[Item]
}

// Namespaces counts the objects of every namespace that was read.
func Namespaces(s *cluster.Snapshot) Page[Count] {
	counts := map[string]int{}
	for _, n := range s.Namespaces {
		counts[n.Name] += 0
	}
	for _, e := range entries(s) {
		if e.ref.Namespace != "" {
			counts[e.ref.Namespace]++
		}
	}
	list := sortedCounts(counts)
	slices.SortFunc(list, func(a, b Count) int { return cmp.Compare(a.Name, b.Name) })
	return pageOf(list, MaxItems)
}

// List lists the objects of a namespace and kind by kind and name. An empty namespace or kind means any; a kind may be
// written as people do, such as deploy or Pods.
func List(s *cluster.Snapshot, namespace, kind string) Listing {
	counts := map[string]int{}
	var items []Item
	for _, e := range entries(s) {
		if !e.within(namespace, kind) {
			continue
		}
		counts[e.ref.Kind]++
		items = append(items, Item{Ref: e.ref, Created: moment(e.object.GetCreationTimestamp().Time)})
	}
	slices.SortFunc(items, func(a, b Item) int { return compareRefs(a.Ref, b.Ref) })
	kinds := sortedCounts(counts)
	slices.SortFunc(kinds, func(a, b Count) int { return cmp.Compare(a.Name, b.Name) })
	return Listing{Kinds: kinds, Page: pageOf(items, MaxItems)}
}

// Labels counts the labels key=value in use that begin with a prefix, the most frequent first. A prefix may also be the
// beginning of a key behind its domain: "name" finds app.kubernetes.io/name.
func Labels(s *cluster.Snapshot, namespace, prefix string) Page[Count] {
	counts := map[string]int{}
	for _, e := range entries(s) {
		if !e.within(namespace, "") {
			continue
		}
		for key, value := range e.object.GetLabels() {
			label := key + "=" + value
			if _, short, found := strings.Cut(key, "/"); strings.HasPrefix(label, prefix) || found && strings.HasPrefix(short+"="+value, prefix) {
				counts[clean(label)]++
			}
		}
	}
	return pageOf(sortedCounts(counts), MaxItems)
}

// sortedCounts lists counts, the greatest first, equal ones by name.
func sortedCounts(counts map[string]int) []Count {
	list := make([]Count, 0, len(counts))
	for name, n := range counts {
		list = append(list, Count{Name: name, Count: n})
	}
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func compareRefs(a, b cluster.Ref) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
