package config_test

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestPeople_rights(t *testing.T) {
	grant(t, "asker", "eclusier-requester")
	checkAccess(t, "asker", []access{
		{verb: "create", group: "eclusier.io", resource: "agenttasks", namespace: "default", allowed: true, description: "asks"},
		{verb: "create", group: "eclusier.io", resource: "changerequests", namespace: "default", allowed: true, description: "wants something changed"},
		{verb: "patch", group: "eclusier.io", resource: "agenttasks", namespace: "default", allowed: true, description: "cancels"},
		{verb: "patch", group: "eclusier.io", resource: "agenttasks/status", namespace: "default", description: "writes no status"},
		{verb: "create", group: "eclusier.io", resource: "agenttasks", namespace: "kube-system", description: "asks nowhere else"},
		{verb: "get", group: "eclusier.io", resource: "approvals", namespace: "default", allowed: true, description: "sees who is asked"},
		{verb: "patch", group: "eclusier.io", resource: "approvals", namespace: "default", description: "answers nothing"},
		{verb: "approve", group: "eclusier.io", resource: "changeclasses", namespace: "default", object: "low", description: "agrees to nothing"},
		{verb: "create", group: "eclusier.io", resource: "changepolicies", description: "makes no rules"},
		{verb: "get", resource: "pods", namespace: "default", description: "gains nothing else by it"},
	})
	grant(t, "looker", "eclusier-viewer")
	checkAccess(t, "looker", []access{
		{verb: "list", group: "eclusier.io", resource: "agenttasks", namespace: "default", allowed: true, description: "reads answers"},
		{verb: "list", group: "eclusier.io", resource: "changerequests", namespace: "default", allowed: true, description: "follows changes"},
		{verb: "create", group: "eclusier.io", resource: "agenttasks", namespace: "default", description: "does not ask"},
		{verb: "patch", group: "eclusier.io", resource: "agenttasks", namespace: "default", description: "cancels nothing"},
		{verb: "patch", group: "eclusier.io", resource: "approvals", namespace: "default", description: "answers nothing"},
	})
}

func TestApprovers_rights(t *testing.T) {
	classes := []string{"low", "medium", "high", "critical"}
	for highest, role := range classes {
		user := "approver-" + role
		grant(t, user, "eclusier-approver-"+role)
		questions := []access{
			{verb: "patch", group: "eclusier.io", resource: "approvals", namespace: "default", allowed: true, description: "answers"},
			{verb: "get", group: "eclusier.io", resource: "changerequests", namespace: "default", allowed: true, description: "sees the change"},
			{verb: "create", group: "eclusier.io", resource: "changerequests", namespace: "default", description: "wants nothing"},
			{verb: "create", group: "eclusier.io", resource: "approvals", namespace: "default", description: "asks nobody"},
			{verb: "delete", group: "eclusier.io", resource: "approvals", namespace: "default", description: "removes no record"},
			{verb: "patch", group: "eclusier.io", resource: "approvals/status", namespace: "default", description: "writes no status"},
			{verb: "approve", group: "eclusier.io", resource: "changeclasses", namespace: "default", description: "agrees to no class without a name"},
			{verb: "approve", group: "eclusier.io", resource: "changeclasses", namespace: "kube-system", object: "low", description: "agrees to nothing elsewhere"},
		}
		for i, class := range classes {
			questions = append(questions, access{verb: "approve", group: "eclusier.io", resource: "changeclasses", namespace: "default",
				object: class, allowed: i <= highest, description: "about class " + class})
		}
		checkAccess(t, user, questions)
	}
}

func TestOwners_rights(t *testing.T) {
	c := admin(t)
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "policy-owners"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "eclusier-policy-owner"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "owner"}},
	}
	if err := c.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, c, binding) })
	awaitGrant(t, "owner", "eclusier-policy-owner")
	checkAccess(t, "owner", []access{
		{verb: "update", group: "eclusier.io", resource: "changepolicies", allowed: true, description: "makes rules"},
		{verb: "patch", group: "eclusier.io", resource: "changepolicies/status", description: "says of none that it can be used"},
		{verb: "patch", group: "eclusier.io", resource: "approvals", namespace: "default", description: "answers nothing"},
		{verb: "update", group: "admissionregistration.k8s.io", resource: "validatingadmissionpolicies", description: "weakens no guard"},
	})
	viewers := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "eclusier-system", Name: "snapshot-viewers"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "eclusier-snapshot-viewer"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "rewinder"}},
	}
	if err := c.Create(t.Context(), viewers); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, c, viewers) })
	checkAccess(t, "rewinder", []access{
		{verb: "list", resource: "secrets", namespace: "eclusier-system", allowed: true, description: "sees snapshots"},
		{verb: "delete", resource: "secrets", namespace: "eclusier-system", description: "removes none"},
		{verb: "list", resource: "secrets", namespace: "default", description: "sees no Secret of a tenant"},
	})
}

func TestAccounts_rights(t *testing.T) {
	openShop(t)
	none := []access{
		{verb: "get", resource: "secrets", namespace: "shop", description: "reads no Secret"},
		{verb: "patch", resource: "secrets", namespace: "shop", description: "patches no Secret, which would be reading it"},
		{verb: "create", resource: "secrets", namespace: "shop", description: "makes no Secret"},
		{verb: "create", resource: "pods/exec", namespace: "shop", description: "runs nothing in a pod"},
		{verb: "create", resource: "serviceaccounts/token", namespace: "shop", description: "makes no tokens"},
		{verb: "impersonate", resource: "serviceaccounts", namespace: "shop", object: "default", description: "acts as no other account"},
		{verb: "patch", group: "apps", resource: "deployments", namespace: "default", description: "is nobody elsewhere"},
		{verb: "create", group: "rbac.authorization.k8s.io", resource: "rolebindings", namespace: "shop", description: "grants nothing"},
		{verb: "create", group: "admissionregistration.k8s.io", resource: "validatingadmissionpolicies", description: "touches no admission policy"},
		{verb: "patch", group: "eclusier.io", resource: "approvals", namespace: "shop", description: "answers nothing"},
		{verb: "patch", resource: "nodes", description: "cordons no node"},
	}
	some := []access{
		{verb: "patch", group: "apps", resource: "deployments", namespace: "shop", allowed: true, description: "changes workloads"},
		{verb: "create", resource: "configmaps", namespace: "shop", allowed: true, description: "makes what is applied"},
		{verb: "patch", group: "apps", resource: "statefulsets/scale", namespace: "shop", allowed: true, description: "scales"},
		{verb: "delete", group: "batch", resource: "jobs", namespace: "shop", allowed: true, description: "deletes"},
		{verb: "list", group: "apps", resource: "replicasets", namespace: "shop", allowed: true, description: "sees former revisions"},
	}
	for _, account := range []string{"eclusier-planner", "eclusier-applier"} {
		checkAccess(t, "system:serviceaccount:shop:"+account, slices.Concat(none, some))
	}
}
