package diagnose

import (
	"cmp"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/cluster"
)

// maxMakers is how many controllers are asked whether they should have made what is absent.
const maxMakers = 3

// orders are the custom resources of a namespace that name an object: what their controller should make.
func (x *exam) orders(absent cluster.Ref) []*unstructured.Unstructured {
	if x.customIn == nil {
		x.customIn = map[string][]*unstructured.Unstructured{}
		for _, o := range x.snap.Others {
			if ownGroup(o.GroupVersionKind().Group) {
				x.customIn[o.GetNamespace()] = append(x.customIn[o.GetNamespace()], o)
			}
		}
	}
	var out []*unstructured.Unstructured
	for _, o := range x.customIn[absent.Namespace] {
		if mentions(o.Object["spec"], absent.Name, 0) || mentions(o.Object["status"], absent.Name, 0) {
			out = append(out, o)
		}
	}
	return out
}

// ownGroup says that an API group is not one of Kubernetes.
func ownGroup(group string) bool {
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") || strings.HasSuffix(group, ".x-k8s.io")
}

// mentions says that one of the values of a structure is a name.
func mentions(v any, name string, depth int) bool {
	const deepest = 8
	if depth > deepest {
		return false
	}
	switch v := v.(type) {
	case string:
		return v == name
	case map[string]any:
		for _, one := range v {
			if mentions(one, name, depth+1) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(one any) bool { return mentions(one, name, depth+1) })
	}
	return false
}

// maker is an account under which a controller may make an object. Sure says that it handles a resource that orders it.
type maker struct {
	account cluster.Ref
	sure    bool
}

// makersOf are the accounts of the controllers that should have made an absent object, the likeliest first: those that
// handle the custom resource that names it, then those that handle custom resources and objects of its kind.
func (x *exam) makersOf(absent cluster.Ref) []maker {
	groups := map[string]bool{}
	for _, o := range x.orders(absent) {
		groups[o.GroupVersionKind().Group] = true
	}
	var out []maker
	for _, b := range x.bindings() {
		if b.ref.Namespace != "" && b.ref.Namespace != absent.Namespace || strings.HasPrefix(b.role.Name, "system:") {
			continue
		}
		handles, sure := x.handles(b.role, resources[absent.Kind], groups)
		if !handles && !sure {
			continue
		}
		for _, s := range b.subjects {
			one := maker{ref("ServiceAccount", s.Namespace, s.Name), sure}
			if s.Kind == rbacv1.ServiceAccountKind && !slices.ContainsFunc(out, func(m maker) bool { return m.account == one.account }) {
				out = append(out, one)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b maker) int {
		return cmp.Or(boolCompare(a.sure, b.sure), compareRefs(a.account, b.account))
	})
	return out[:min(len(out), maxMakers)]
}

// handles says that a role speaks of a kind of object beside custom resources, and whether of resources of the groups.
func (x *exam) handles(role cluster.Ref, resource string, groups map[string]bool) (handles, sure bool) {
	var rules []rbacv1.PolicyRule
	switch o := x.objects[role].(type) {
	case *rbacv1.Role:
		rules = o.Rules
	case *rbacv1.ClusterRole:
		rules = o.Rules
	}
	makes, custom := false, false
	for _, r := range rules {
		makes = makes || slices.Contains(r.Resources, resource)
		for _, g := range r.APIGroups {
			custom = custom || ownGroup(g)
			sure = sure || groups[g] && slices.ContainsFunc(r.Verbs, func(v string) bool { return v == "update" || v == "patch" || v == "*" })
		}
	}
	return makes && custom, sure
}

// runUnder are the workloads that run under an account.
func (x *exam) runUnder(account cluster.Ref) []*workload {
	var out []*workload
	for _, w := range x.workloadList {
		if w.namespace() == account.Namespace && w.template.Spec.ServiceAccountName == account.Name && w.ref.Kind != "Job" {
			out = append(out, w)
		}
	}
	return out
}

// orderedFrom lets the want of an object need the controller that surely should have made it, where that does not work, and cites what the
// resource that orders the object says of it.
func (x *exam) orderedFrom(f *Finding) {
	for _, o := range x.orders(f.Object) {
		f.Evidence = append(f.Evidence, certificateTrouble(o)...)
		f.links.affects = append(f.links.affects, ref(o.GetKind(), o.GetNamespace(), o.GetName()))
	}
	for _, m := range x.makersOf(f.Object) {
		if !m.sure {
			continue
		}
		for _, w := range x.runUnder(m.account) {
			ill := slices.ContainsFunc(x.symptomsOf[w], func(s *symptom) bool { return !s.weak() })
			if ill || w.desired == 0 {
				f.links.needs = append(f.links.needs, w.ref)
			}
		}
	}
}

// wantMakers reads the logs of the controllers that may have been kept from making what is absent.
func (x *exam) wantMakers() {
	for _, f := range x.findings {
		if !f.Absent || f.Object.Namespace == "" || !x.answers(f) && len(f.links.explains) == 0 {
			continue
		}
		for _, m := range x.makersOf(f.Object) {
			x.want(cluster.Want{What: cluster.WantNamespace, Namespace: m.account.Namespace})
			left := maxPodsPerSymptom
			for _, w := range x.runUnder(m.account) {
				left = x.wantRunningLogs(w, left)
			}
		}
	}
}

// keptFromMaking are the absent objects that somebody could not make for want of the right that a line names.
func (x *exam) keptFromMaking(h hit) []cluster.Ref {
	var out []cluster.Ref
	for _, f := range x.findings {
		sameNamespace := h.vars["namespace"] == "" || h.vars["namespace"] == f.Object.Namespace
		if f.Absent && h.vars["resource"] != "" && resources[f.Object.Kind] == h.vars["resource"] && sameNamespace {
			out = append(out, f.Object)
		}
	}
	return out
}
