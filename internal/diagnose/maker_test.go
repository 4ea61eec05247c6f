package diagnose

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/cluster"
)

// wanting adds a workload that waits for a Secret which a custom resource orders, and the controller of that resource,
// in namespace operators under an account with a ClusterRole that may only read Secrets.
func wanting() (*world, *appsv1.Deployment, *corev1.Pod) {
	w := newWorld("operators")
	_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
		t.Spec.Containers[0].EnvFrom = []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "login"}}}}
	})
	waits(p, "api", "CreateContainerConfigError", `secret "login" not found`)
	w.Others = append(w.Others, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "things.example.org/v1", "kind": "Thing", "metadata": map[string]any{"namespace": "app", "name": "one"},
		"spec": map[string]any{"output": map[string]any{"secret": "login"}},
	}})
	operator, o := w.deployment("maker", func(t *corev1.PodTemplateSpec) { t.Spec.ServiceAccountName = "maker" })
	w.moved("operators", "maker")
	w.ServiceAccounts = append(w.ServiceAccounts, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "operators", Name: "maker"}})
	w.ClusterRoles = append(w.ClusterRoles, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "making"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"things.example.org"}, Resources: []string{"things"}, Verbs: []string{"get", "update"}},
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}},
	}})
	w.ClusterBindings = append(w.ClusterBindings, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "making"}, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "making"},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "operators", Name: "maker"}},
	})
	return w, operator, o
}

func TestAControllerThatMayNotMakeASecretIsWhyItIsAbsent(t *testing.T) {
	t.Parallel()
	w, _, o := wanting()
	w.writes(o, "maker", `{"level":"error","ts":"TIME","msg":"Reconciler error","error":"secrets is forbidden: User \"system:serviceaccount:operators:maker\" cannot create resource \"secrets\" in API group \"\" in the namespace \"app\""}`)
	w.check(t, expected{cause: "RBACForbidden", object: "ClusterRole/making", evidence: []string{"cannot create resource", `secret "login" not found`, "verbs: get"}, chain: []CauseID{"MissingSecret"}})
}

func TestARightThatLacksElsewhereDoesNotExplainAnAbsentSecret(t *testing.T) {
	t.Parallel()
	w, _, o := wanting()
	w.writes(o, "maker", `{"level":"error","ts":"TIME","error":"secrets is forbidden: User \"system:serviceaccount:operators:maker\" cannot create resource \"secrets\" in API group \"\" in the namespace \"elsewhere\""}`)
	w.check(t, expected{cause: "MissingSecret", object: "Secret/app/login"})
}

func TestAControllerThatIsScaledDownIsWhyASecretIsAbsent(t *testing.T) {
	t.Parallel()
	w, d, o := wanting()
	none := int32(0)
	d.Spec.Replicas = &none
	w.remove(o)
	w.check(t, expected{cause: "ScaledToZero", object: "Deployment/operators/maker", chain: []CauseID{"MissingSecret"}})
}

func TestTheLogOfTheControllerIsReadWhereASecretIsAbsent(t *testing.T) {
	t.Parallel()
	w, _, o := wanting()
	want := cluster.Want{What: cluster.WantLog, Namespace: "operators", Name: o.Name, Container: "maker"}
	if r := w.ask(t); !slices.Contains(r.Wants, want) {
		t.Errorf("does not ask for it: %+v", r.Wants)
	}
}

func TestASecretThatNobodyOrdersIsForPeopleToMake(t *testing.T) {
	t.Parallel()
	w, _, _ := wanting()
	w.Others = nil
	w.ClusterRoles[0].Rules = w.ClusterRoles[0].Rules[1:]
	r := w.ask(t)
	if len(r.RootCauses) != 1 || r.RootCauses[0].Cause != "MissingSecret" {
		t.Errorf("found %+v", r.RootCauses)
	}
	if slices.ContainsFunc(r.Wants, func(w cluster.Want) bool { return w.What == cluster.WantLog && w.Namespace == "operators" }) {
		t.Errorf("reads logs that have nothing to do with it: %+v", r.Wants)
	}
}
