package diagnose

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestRBACForbidden(t *testing.T) {
	t.Parallel()
	const denied = `pods is forbidden: User "system:serviceaccount:app:bot" cannot list resource "pods" in API group "" in the namespace "app"`
	lists := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"}}}
	bind := func(w *world, subject rbacv1.Subject, role string, rules []rbacv1.PolicyRule) {
		w.RoleBindings = append(w.RoleBindings, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "bots"}, Subjects: []rbacv1.Subject{subject}, RoleRef: rbacv1.RoleRef{Kind: "Role", Name: role},
		})
		if rules != nil {
			w.Roles = append(w.Roles, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: role}, Rules: rules})
		}
	}
	bot := rbacv1.Subject{Kind: "ServiceAccount", Namespace: "app", Name: "bot"}
	for _, c := range []struct {
		name   string
		make   func(*world)
		object string
		cites  string
	}{
		{"nothing was ever granted", func(*world) {}, "ServiceAccount/app/bot", "no binding names"},
		{"the role lacks the verb", func(w *world) {
			bind(w, bot, "readers", []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}})
		}, "Role/app/readers", "verbs: get"},
		{"the role does not exist", func(w *world) { bind(w, bot, "readers", nil) }, "Role/app/readers", "does not exist"},
		{"the binding names the account of another namespace", func(w *world) {
			bind(w, rbacv1.Subject{Kind: "ServiceAccount", Namespace: "old", Name: "bot"}, "readers", lists)
		}, "RoleBinding/app/bots", "namespace: old"},
		{"the binding misspells the account", func(w *world) {
			bind(w, rbacv1.Subject{Kind: "ServiceAccount", Namespace: "app", Name: "bott"}, "readers", lists)
		}, "RoleBinding/app/bots", "name: bott"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.caller(denied, nil)
			c.make(w)
			w.check(t, expected{cause: "RBACForbidden", object: c.object, evidence: []string{"cannot list resource", c.cites}})
			if r := w.ask(t); r.RootCauses[0].Operation != nil {
				t.Error("proposes to grant a right by itself")
			}
		})
	}
}
