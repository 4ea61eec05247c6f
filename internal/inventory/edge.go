package inventory

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// Edge says that one object refers to another.
type Edge struct {
	From cluster.Ref `json:"from"`
	To   cluster.Ref `json:"to"`
	// Why is how: "owned by", "selects", or the field that refers.
	Why string `json:"why"`
}

// References is what an object refers to and what refers to it.
type References struct {
	Object cluster.Ref `json:"object"`
	// Owners is the chain of controllers above the object, the nearest first.
	Owners []cluster.Ref `json:"owners"`
	// To is what the object refers to, From what refers to the object.
	To   Page[Edge] `json:"to"`
	From Page[Edge] `json:"from"`
}

// Graph returns the references from and to the objects of a namespace; all, where it is empty.
func Graph(s *cluster.Snapshot, namespace string) Page[Edge] {
	var list []Edge
	for _, e := range edges(s) {
		if namespace == "" || e.From.Namespace == namespace || e.To.Namespace == namespace {
			list = append(list, e)
		}
	}
	return pageOf(list, MaxItems)
}

// RefersTo returns what one object refers to and what refers to it.
func RefersTo(s *cluster.Snapshot, object cluster.Ref) References {
	var to, from []Edge
	owner := map[cluster.Ref]cluster.Ref{}
	for _, e := range edges(s) {
		if e.From == object {
			to = append(to, e)
		}
		if e.To == object {
			from = append(from, e)
		}
		if _, has := owner[e.From]; e.Why == ownedBy && !has {
			owner[e.From] = e.To
		}
	}
	owners := []cluster.Ref{}
	for at, has := owner[object]; has && at != object && !slices.Contains(owners, at); at, has = owner[at] {
		owners = append(owners, at)
	}
	return References{Object: object, Owners: owners, To: pageOf(to, MaxItems), From: pageOf(from, MaxItems)}
}

const (
	ownedBy = "owned by"
	selects = "selects"
)

// graph collects edges.
type graph struct {
	snap  *cluster.Snapshot
	known map[cluster.Ref]bool
	// makers are the objects that say what pods look like.
	makers map[cluster.Ref]*maker
	list   []Edge
}

// edges returns all references, each once, by the names of the objects.
func edges(s *cluster.Snapshot) []Edge {
	all := entries(s)
	g := &graph{snap: s, known: map[cluster.Ref]bool{}, makers: makersOf(s)}
	for _, e := range all {
		g.known[e.ref] = true
	}
	for _, e := range all {
		g.owners(e)
	}
	g.pods()
	g.selectors()
	g.network()
	g.storage()
	g.access()
	slices.SortFunc(g.list, func(a, b Edge) int {
		return cmp.Or(compareRefs(a.From, b.From), compareRefs(a.To, b.To), cmp.Compare(a.Why, b.Why))
	})
	return slices.Compact(g.list)
}

// add adds a reference to an object that has a name.
func (g *graph) add(from, to cluster.Ref, why string) {
	if to.Name != "" {
		g.list = append(g.list, Edge{From: from, To: to, Why: why})
	}
}

// owners adds the owners of an object, its controller first.
func (g *graph) owners(e entry) {
	for _, o := range e.object.GetOwnerReferences() {
		g.add(e.ref, g.owner(e.ref.Namespace, o), ownedBy)
	}
}

// owner finds out whether an owner is in the namespace of what it owns or of the cluster.
func (g *graph) owner(namespace string, o metav1.OwnerReference) cluster.Ref {
	whole := cluster.Ref{Kind: o.Kind, Name: o.Name}
	if o.Kind == "Node" || g.known[whole] {
		return whole
	}
	return cluster.Ref{Kind: o.Kind, Namespace: namespace, Name: o.Name}
}
