package policy

import (
	"github.com/eclusier/eclusier/api/v1alpha1"
)

// peopleOf maps every name that any policy knows as an alias to one person. Names that two policies, or two aliases of
// one, connect are one person: to count people apart that somebody says are the same would loosen what he says.
func peopleOf(policies []v1alpha1.ChangePolicy) map[string]string {
	parent := map[string]string{}
	var root func(node string) string
	root = func(node string) string {
		above, known := parent[node]
		if !known || above == node {
			parent[node] = node
			return node
		}
		parent[node] = root(above)
		return parent[node]
	}
	people := map[string]string{}
	for _, p := range policies {
		for _, a := range p.Spec.Aliases {
			for _, u := range a.Usernames {
				people[u] = ""
				one, other := root("person:"+a.Person), root("name:"+u)
				parent[other] = one
			}
		}
	}
	for u := range people {
		people[u] = root("name:" + u)
	}
	return people
}
