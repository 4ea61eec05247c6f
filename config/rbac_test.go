package config_test

import (
	"context"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/config/policy"
)

// access is one question to the API server: may this account do that?
type access struct {
	verb        string
	group       string
	resource    string // with /subresource where there is one
	namespace   string
	object      string
	allowed     bool
	description string
}

func TestOperator_rights(t *testing.T) {
	checkAccess(t, policy.DefaultOperator, []access{
		{verb: "watch", group: "eclusier.io", resource: "agenttasks", allowed: true, description: "sees every task"},
		{verb: "patch", group: "eclusier.io", resource: "agenttasks/status", namespace: "shop", allowed: true, description: "writes status"},
		{verb: "delete", group: "eclusier.io", resource: "agenttasks", namespace: "shop", allowed: true, description: "removes finished tasks"},
		{verb: "create", group: "eclusier.io", resource: "agenttasks", namespace: "shop", description: "asks nothing itself"},
		{verb: "impersonate", resource: "serviceaccounts", namespace: "shop", object: "eclusier-reader", allowed: true, description: "reads as the reader"},
		{verb: "impersonate", resource: "serviceaccounts", namespace: "shop", object: "eclusier-planner", allowed: true, description: "plans as the planner"},
		{verb: "impersonate", resource: "serviceaccounts", namespace: "shop", object: "eclusier-applier", allowed: true, description: "applies as the applier"},
		{verb: "impersonate", resource: "serviceaccounts", namespace: "shop", object: "default", description: "acts as no other account"},
		{verb: "impersonate", resource: "users", object: "alice", description: "acts as no person"},
		{verb: "impersonate", resource: "groups", object: "system:masters", description: "acts as no group"},
		{verb: "get", resource: "secrets", namespace: "shop", description: "reads no Secret of a tenant"},
		{verb: "create", resource: "secrets", namespace: "eclusier-system", allowed: true, description: "keeps plans in its own namespace"},
		{verb: "watch", resource: "secrets", namespace: "eclusier-system", description: "keeps no copy of them in memory"},
		{verb: "create", group: "eclusier.io", resource: "changerequests", namespace: "shop", allowed: true, description: "proposes changes for tasks"},
		{verb: "patch", group: "eclusier.io", resource: "changerequests", namespace: "shop", allowed: true, description: "cancels the change of a cancelled task"},
		{verb: "delete", group: "eclusier.io", resource: "changerequests", namespace: "shop", description: "removes no change"},
		{verb: "create", group: "eclusier.io", resource: "approvals", namespace: "shop", allowed: true, description: "asks people"},
		{verb: "patch", group: "eclusier.io", resource: "approvals", namespace: "shop", description: "answers for nobody"},
		{verb: "delete", group: "eclusier.io", resource: "approvals", namespace: "shop", description: "takes no question back"},
		{verb: "approve", group: "eclusier.io", resource: "changeclasses", namespace: "shop", object: "low", description: "may agree to nothing"},
		{verb: "patch", group: "eclusier.io", resource: "approvals/status", namespace: "shop", allowed: true, description: "says what a decision amounts to"},
		{verb: "patch", group: "eclusier.io", resource: "changepolicies/status", allowed: true, description: "says whether a policy can be used"},
		{verb: "patch", group: "eclusier.io", resource: "changepolicies", description: "makes no rules"},
		{verb: "create", group: "authorization.k8s.io", resource: "subjectaccessreviews", allowed: true, description: "asks whether people may still agree"},
		{verb: "list", resource: "namespaces", allowed: true, description: "knows the labels of namespaces"},
		{verb: "patch", resource: "namespaces", object: "shop", description: "labels no namespace"},
		{verb: "list", resource: "pods", namespace: "shop", description: "reads no pods as itself"},
		{verb: "update", group: "admissionregistration.k8s.io", resource: "validatingadmissionpolicies", description: "cannot weaken its own guard"},
		{verb: "list", group: "admissionregistration.k8s.io", resource: "validatingadmissionpolicies", allowed: true, description: "checks its guard"},
		{verb: "update", group: "coordination.k8s.io", resource: "leases", namespace: "eclusier-system", allowed: true, description: "elects a leader"},
		{verb: "delete", group: "coordination.k8s.io", resource: "leases", namespace: "eclusier-system", allowed: true, description: "frees what a change held"},
		{verb: "create", resource: "events", namespace: "eclusier-system", allowed: true, description: "tells of elections"},
		{verb: "create", resource: "events", namespace: "shop", description: "tells tenants through events.k8s.io alone"},
		{verb: "create", group: "events.k8s.io", resource: "events", namespace: "shop", allowed: true, description: "tells tenants what changed"},
		{verb: "create", group: "authentication.k8s.io", resource: "tokenreviews", description: "looks at nobody's token"},
		{verb: "update", group: "coordination.k8s.io", resource: "leases", namespace: "kube-system", description: "touches no other lease"},
	})
}

func TestOperator_readsAsTheReaderAlone(t *testing.T) {
	openShop(t)
	operator := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "eclusier-system", Name: "eclusier-operator"}}
	cases := []struct {
		name      string
		guise     rest.ImpersonationConfig
		namespace string
		allowed   bool
	}{
		{"as the reader of the namespace", rest.ImpersonationConfig{UserName: "system:serviceaccount:shop:eclusier-reader"}, "shop", true},
		{"as itself", rest.ImpersonationConfig{}, "shop", false},
		{"as the reader of another namespace", rest.ImpersonationConfig{UserName: "system:serviceaccount:default:eclusier-reader"}, "shop", false},
		{"as the reader, elsewhere", rest.ImpersonationConfig{UserName: "system:serviceaccount:shop:eclusier-reader"}, "kube-system", false},
		{"as another account of the namespace", rest.ImpersonationConfig{UserName: "system:serviceaccount:shop:default"}, "shop", false},
		{"as the reader in a powerful group", rest.ImpersonationConfig{
			UserName: "system:serviceaccount:shop:eclusier-reader", Groups: []string{"system:masters"}}, "shop", false},
		{"as an administrator", rest.ImpersonationConfig{UserName: "admin", Groups: []string{"system:masters"}}, "shop", false},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			config := withToken(t, operator)
			config.Impersonate = tc.guise
			c, err := client.New(config, client.Options{Scheme: cluster.scheme})
			if err != nil {
				t.Fatal(err)
			}
			err = c.List(t.Context(), &corev1.PodList{}, client.InNamespace(tc.namespace))
			if tc.allowed && err != nil {
				t.Errorf("refused: %v", err)
			}
			if !tc.allowed && !apierrors.IsForbidden(err) {
				t.Errorf("error = %v, want a refusal", err)
			}
		})
	}
}

func TestReader_rights(t *testing.T) {
	openShop(t)
	user := "system:serviceaccount:shop:eclusier-reader"
	checkAccess(t, user, []access{
		{verb: "list", resource: "pods", namespace: "shop", allowed: true, description: "sees pods"},
		{verb: "get", resource: "pods/log", namespace: "shop", allowed: true, description: "reads logs"},
		{verb: "get", resource: "namespaces", object: "shop", allowed: true, description: "sees its namespace"},
		{verb: "list", resource: "nodes", allowed: true, description: "sees nodes"},
		{verb: "list", resource: "events", namespace: "default", allowed: true, description: "sees events about nodes"},
		{verb: "list", resource: "pods", namespace: "default", description: "sees no pods where those events are"},
		{verb: "list", resource: "pods", namespace: "kube-system", description: "sees no pods elsewhere"},
		{verb: "get", resource: "secrets", namespace: "shop", description: "reads no Secret"},
		{verb: "list", resource: "secrets", namespace: "shop", description: "lists no Secrets"},
		{verb: "create", resource: "pods/exec", namespace: "shop", description: "runs nothing in a pod"},
		{verb: "get", resource: "pods/exec", namespace: "shop", description: "runs nothing in a pod through a web socket"},
		{verb: "get", resource: "pods/portforward", namespace: "shop", description: "forwards no port"},
		{verb: "get", resource: "pods/proxy", namespace: "shop", description: "speaks to no pod"},
		{verb: "get", resource: "services/proxy", namespace: "shop", description: "speaks to no service"},
		{verb: "get", resource: "nodes/proxy", description: "speaks to no kubelet"},
		{verb: "create", resource: "serviceaccounts/token", namespace: "shop", description: "makes no tokens"},
		{verb: "delete", resource: "pods", namespace: "shop", description: "removes nothing"},
		{verb: "patch", group: "apps", resource: "deployments", namespace: "shop", description: "changes nothing"},
		{verb: "update", group: "apps", resource: "deployments/scale", namespace: "shop", description: "scales nothing"},
		{verb: "create", group: "eclusier.io", resource: "agenttasks", namespace: "shop", description: "asks nothing"},
	})
}

// openShop makes the namespace shop and gives it its reader as config/tenant does.
func openShop(t *testing.T) {
	t.Helper()
	c, shop := admin(t), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	if err := c.Create(t.Context(), shop); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
	if err := cluster.kubectl(t.Context(), "apply", "-k", "tenant"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.kubectl(context.Background(), "delete", "-k", "tenant"); err != nil {
			t.Error(err)
		}
	})
}

func TestReader_rightsOfWholeCluster(t *testing.T) {
	openShop(t)
	if err := cluster.kubectl(t.Context(), "apply", "-k", "tenant/whole-cluster"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.kubectl(context.Background(), "delete", "-k", "tenant/whole-cluster"); err != nil {
			t.Error(err)
		}
	})
	checkAccess(t, "system:serviceaccount:shop:eclusier-reader", []access{
		{verb: "list", resource: "pods", namespace: "kube-system", allowed: true, description: "sees pods everywhere"},
		{verb: "list", resource: "services", allowed: true, description: "lists services of all namespaces at once"},
		{verb: "get", resource: "secrets", namespace: "kube-system", description: "reads no Secret anywhere"},
	})
}

func TestSamples(t *testing.T) {
	openShop(t)
	for _, folder := range []string{"samples", "samples/changes"} {
		if err := cluster.kubectl(t.Context(), "apply", "--dry-run=server", "-k", folder); err != nil {
			t.Error(err)
		}
	}
}

func checkAccess(t *testing.T, user string, questions []access) {
	t.Helper()
	c := admin(t)
	for _, q := range questions {
		t.Run(user+" "+q.description, func(t *testing.T) {
			resource, subresource, _ := strings.Cut(q.resource, "/")
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: user,
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Verb: q.verb, Group: q.group, Resource: resource, Subresource: subresource, Namespace: q.namespace, Name: q.object,
				},
			}}
			if err := c.Create(t.Context(), review); err != nil {
				t.Fatal(err)
			}
			if review.Status.Allowed != q.allowed {
				t.Errorf("%s %s: allowed = %t, want %t (%s)", q.verb, q.resource, review.Status.Allowed, q.allowed, review.Status.Reason)
			}
		})
	}
}
