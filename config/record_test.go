package config_test

import (
	"context"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/config/policy"
	"github.com/eclusier/eclusier/test/controlplane"
)

func TestApproval_isMadeByTheOperator(t *testing.T) {
	operator, alone := as(t, policy.DefaultOperator), "Approvals are made by the operator alone"
	undecided := "an Approval begins undecided"
	cases := []struct {
		name string
		who  client.Client
		more fields
		want string
	}{
		{"undecided", operator, nil, ""},
		{"by a cluster administrator", admin(t), nil, alone},
		{"by an operator of another namespace", as(t, "system:serviceaccount:ops:eclusier-operator", "system:masters"), nil, alone},
		{"decided by someone else beforehand", admin(t), agreesWith(fields{"decidedBy": fields{"username": "bob"}}), alone},
		{"decided by the operator beforehand", operator, agreesWith(fields{"decidedBy": fields{"username": "bob"}}), undecided},
		{"refused by the operator beforehand", operator, fields{"decision": "Rejected"}, undecided},
		{"with a name beforehand", operator, fields{"decidedBy": fields{"username": "bob"}}, "set spec.decision to Approved or Rejected in the same request"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.who.Create(t.Context(), approval("made", tc.more), client.DryRunAll)
			if tc.want != "" {
				expectRefusal(t, err, tc.want)
			} else if err != nil {
				t.Fatalf("refused: %v", err)
			}
		})
	}
}

func TestApproval_metadataIsTheOperators(t *testing.T) {
	grant(t, "bob", "eclusier-approver-high")
	operators, labels := "metadata.ownerReferences and metadata.finalizers of an Approval are the operator's", "the labels eclusier.io/… of an Approval are the operator's"
	bob := person(t, "bob", "")
	cases := []struct {
		name  string
		who   client.Client
		patch string
		want  string
	}{
		{"the owner taken away", bob, `{"metadata":{"ownerReferences":null}}`, operators},
		{"the owner taken away with the decision", bob, `{"metadata":{"ownerReferences":null},"spec":{"decision":"Rejected"}}`, operators},
		{"the owner taken away by an administrator", admin(t), `{"metadata":{"ownerReferences":null}}`, operators},
		{"a finalizer", bob, `{"metadata":{"finalizers":["example.org/keep"]}}`, operators},
		{"the operator's label taken away", bob, `{"metadata":{"labels":{"eclusier.io/change":null}}}`, labels},
		{"all labels taken away", bob, `{"metadata":{"labels":null}}`, labels},
		{"the operator's label changed", bob, `{"metadata":{"labels":{"eclusier.io/change":"other"}}}`, labels},
		{"a label of the operator's kind", bob, `{"metadata":{"labels":{"eclusier.io/revision":"2"}}}`, labels},
		{"a label of one's own", bob, `{"metadata":{"labels":{"team":"sre"}}}`, ""},
		{"a note", bob, `{"metadata":{"annotations":{"example.org/ticket":"4711"}}}`, ""},
		{"the owner taken away by the garbage collector", as(t, collector, "system:masters"), `{"metadata":{"ownerReferences":null}}`, ""},
		{"a finalizer of the garbage collector", as(t, collector, "system:masters"), `{"metadata":{"finalizers":["foregroundDeletion"]}}`, ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.who.Patch(t.Context(), asked(t, nil), client.RawPatch(types.MergePatchType, []byte(tc.patch)), client.DryRunAll)
			if tc.want != "" {
				expectRefusal(t, err, tc.want)
			} else if err != nil {
				t.Fatalf("refused: %v", err)
			}
		})
	}
}

func TestApproval_isKept(t *testing.T) {
	kept := "an Approval is kept as long as its ChangeRequest, as the record of what was asked and decided: to say no, set " +
		"spec.decision to Rejected; to stop the change, set spec.cancel of ChangeRequest scale-web"
	orphan := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"ownerReferences":null}}`))
	cases := []struct {
		name   string
		who    client.Client
		before client.Patch
		want   string
	}{
		{"from a cluster administrator", admin(t), nil, kept},
		{"from a service account of some controller", as(t, "system:serviceaccount:kube-system:job-controller", "system:masters"), nil, kept},
		{"from a garbage collector elsewhere", as(t, "system:serviceaccount:shop:generic-garbage-collector", "system:masters"), nil, kept},
		{"not from the garbage collector", as(t, collector, "system:masters"), nil, ""},
		{"not from the end of its namespace", as(t, "system:serviceaccount:kube-system:namespace-controller", "system:masters"), nil, ""},
		{"not from controllers without accounts of their own", as(t, "system:kube-controller-manager", "system:masters"), nil, ""},
		{"not once it is left behind", admin(t), orphan, ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			object := asked(t, nil)
			if tc.before != nil {
				if err := as(t, collector, "system:masters").Patch(t.Context(), object, tc.before); err != nil {
					t.Fatal(err)
				}
			}
			err := tc.who.Delete(t.Context(), object, client.DryRunAll)
			if tc.want != "" {
				expectRefusal(t, err, tc.want)
			} else if err != nil {
				t.Fatalf("refused: %v", err)
			}
		})
	}
	t.Run("from one who removes all there are", func(t *testing.T) {
		object := asked(t, nil)
		expectRefusal(t, admin(t).DeleteAllOf(t.Context(), object.DeepCopy(), client.InNamespace("default")), kept)
	})
}

// TestStatus_isTheOperatorsAlone tries to write what only the operator may have seen, for each kind of the gate.
func TestStatus_isTheOperatorsAlone(t *testing.T) {
	grant(t, "bob", "eclusier-approver-critical")
	grant(t, "mallory", "admin")
	c := admin(t)
	changed := change("judged", wanting(nil))
	ruled := changePolicy("judged", fields{"namespaceSelector": fields{}})
	for _, object := range []client.Object{changed, ruled} {
		if err := c.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { remove(t, c, object) })
	}
	granted := `{"status":{"conditions":[{"type":"Granted","status":"True","reason":"Approved","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`
	kinds := []struct {
		object *unstructured.Unstructured
		patch  string
	}{
		{asked(t, nil), granted},
		{changed, `{"status":{"phase":"Succeeded"}}`},
		{ruled, `{"status":{"observedGeneration":1}}`},
	}
	cases := []struct {
		name string
		who  client.Client
		want string
	}{
		{"an approver", as(t, "bob"), "cannot patch resource"},
		{"the namespace's admin", as(t, "mallory"), "cannot patch resource"},
		{"a cluster administrator", admin(t), "the status is written by the operator (" + policy.DefaultOperator + ") alone"},
		{"the operator", as(t, policy.DefaultOperator), ""},
	}
	for _, kind := range kinds {
		for _, tc := range cases {
			t.Run(tc.name+" to "+kind.object.GetKind(), func(t *testing.T) {
				patch := client.RawPatch(types.MergePatchType, []byte(kind.patch))
				err := tc.who.Status().Patch(t.Context(), kind.object.DeepCopy(), patch)
				if tc.want != "" {
					expectRefusal(t, err, tc.want)
				} else if err != nil {
					t.Fatalf("refused: %v", err)
				}
			})
		}
	}
}

// TestRecord_goesWithItsOwners runs the real garbage collector and namespace controller over what the policies keep.
func TestRecord_goesWithItsOwners(t *testing.T) {
	live := controlplane.Live(t, "--nodes", "0")
	kubeconfig, err := os.ReadFile(live.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	server, err := install(t.Context(), live.Config, kubeconfig, "default")
	if err != nil {
		t.Fatal(err)
	}
	root, err := server.client("root", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	operator, err := server.client(policy.DefaultOperator)
	if err != nil {
		t.Fatal(err)
	}
	shop := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "goes"}}
	if err := root.Create(t.Context(), shop); err != nil {
		t.Fatal(err)
	}
	for _, propagation := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
		t.Run("with its change, "+string(propagation), func(t *testing.T) {
			owner, question := owned(t, root, operator, "goes")
			if err := root.Delete(t.Context(), owner, client.PropagationPolicy(propagation)); err != nil {
				t.Fatal(err)
			}
			awaitGone(t, root, question)
			awaitGone(t, root, owner)
		})
	}
	t.Run("the namespace's admins appoint the applier, and no approver", func(t *testing.T) { testAppointing(t, server, root) })
	t.Run("with its task, once the change has ended", func(t *testing.T) { testEndsFirst(t, root, operator) })
	t.Run("with its namespace, even while the change is carried out", func(t *testing.T) {
		owner, question := owned(t, root, operator, "goes")
		if err := operator.Status().Patch(t.Context(), owner, openAttempt()); err != nil {
			t.Fatal(err)
		}
		if err := root.Delete(t.Context(), shop); err != nil {
			t.Fatal(err)
		}
		awaitGone(t, root, question)
		awaitGone(t, root, owner)
	})
}

// testEndsFirst deletes the owner of a change that is being carried out: the garbage collector has to wait.
func testEndsFirst(t *testing.T, root, operator client.Client) {
	task := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "goes", Name: "asked"}}
	if err := root.Create(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	held := change("of-the-task", wanting(nil))
	held.SetNamespace("goes")
	held.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: task.Name, UID: task.UID}})
	if err := root.Create(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	if err := operator.Status().Patch(t.Context(), held, openAttempt()); err != nil {
		t.Fatal(err)
	}
	if err := root.Delete(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	// Another dependent of the same owner shows that the collector has come by.
	beside := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "goes", Name: "beside", OwnerReferences: held.GetOwnerReferences()}}
	if err := root.Create(t.Context(), beside); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, root, unstructuredOf(beside))
	if err := operator.Status().Patch(t.Context(), held, endedAttempt()); err != nil {
		t.Fatalf("it went with its task: %v", err)
	}
	if err := operator.Status().Patch(t.Context(), held, ending()); err != nil {
		t.Fatalf("it went with its task: %v", err)
	}
	awaitGone(t, root, held)
}

// unstructuredOf names a ConfigMap for a look whether it is gone.
func unstructuredOf(object *corev1.ConfigMap) *unstructured.Unstructured {
	named := &unstructured.Unstructured{}
	named.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	named.SetNamespace(object.Namespace)
	named.SetName(object.Name)
	return named
}

// owned are a change and one of its Approvals.
func owned(t *testing.T, root, operator client.Client, namespace string) (owner, question *unstructured.Unstructured) {
	t.Helper()
	owner = change("scale-web", wanting(nil))
	owner.SetNamespace(namespace)
	if err := root.Create(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	question = approval("scale-web-1-1", nil)
	question.SetNamespace(namespace)
	question.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, v1alpha1.GroupVersion.WithKind("ChangeRequest"))})
	if err := operator.Create(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	return owner, question
}

func awaitGone(t *testing.T, c client.Client, object *unstructured.Unstructured) {
	t.Helper()
	err := await(t.Context(), func(ctx context.Context) (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(object), object.DeepCopy())
		return apierrors.IsNotFound(err) || meta.IsNoMatchError(err), client.IgnoreNotFound(err)
	})
	if err != nil {
		t.Errorf("%s %s stays: %v", object.GetKind(), object.GetName(), err)
	}
}

// testAppointing binds roles as an admin of the namespace: RBAC lets nobody grant what he does not hold.
func testAppointing(t *testing.T, server *installed, root client.Client) {
	owner := roleBinding("owners", "admin", "owner")
	if err := root.Create(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	c, err := server.client("owner")
	if err != nil {
		t.Fatal(err)
	}
	err = await(t.Context(), func(ctx context.Context) (bool, error) {
		err := c.Create(ctx, roleBinding("", "eclusier-applier", "system:serviceaccount:goes:eclusier-applier"))
		return err == nil, ignoreForbidden(err)
	})
	if err != nil {
		t.Errorf("the applier's role holds more than the built-in role admin: %v", err)
	}
	if err := c.Create(t.Context(), roleBinding("", "eclusier-planner", "system:serviceaccount:goes:eclusier-planner")); err != nil {
		t.Errorf("the planner's role holds more than the built-in role admin: %v", err)
	}
	expectRefusal(t, c.Create(t.Context(), roleBinding("", "eclusier-approver-low", "owner")), "attempting to grant RBAC permissions not currently held")
}

func roleBinding(name, role, user string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "goes", Name: name, GenerateName: "bound-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	}
}
