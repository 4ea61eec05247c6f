package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/config/policy"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/cli"
	"github.com/eclusier/eclusier/internal/transcript"
	"github.com/eclusier/eclusier/internal/transcript/secrets"
)

// create creates the objects of YAML documents; what is there already stays.
func (s *server) create(documents string) {
	s.t.Helper()
	for document := range strings.SplitSeq(documents, "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), object); err != nil {
			s.t.Fatal(err)
		}
		if err := s.tasks.Create(s.t.Context(), object); err != nil && !apierrors.IsAlreadyExists(err) {
			s.t.Fatal(err)
		}
	}
}

// bind gives a role of our own to a user in the namespace shop.
func (s *server) bind(role string, users ...string) {
	s.t.Helper()
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", GenerateName: "test-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
	}
	for _, user := range users {
		binding.Subjects = append(binding.Subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: "User", Name: user})
	}
	if err := s.tasks.Create(s.t.Context(), binding); err != nil {
		s.t.Fatal(err)
	}
}

// gated installs what the gate needs, without the stamps unless they are wanted, and returns the operator's client.
func (s *server) gated(stamps string) client.WithWatch {
	s.t.Helper()
	ctx := s.t.Context()
	for _, file := range []string{"requester.yaml", "approver.yaml"} {
		roles, err := os.ReadFile(filepath.Join("../../config/rbac", file))
		if err != nil {
			s.t.Fatal(err)
		}
		s.create(string(roles))
	}
	s.create("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: eclusier-system}")
	s.create(policy.Checks(policy.DefaultOperator))
	if stamps != "" {
		s.create(stamps)
	}
	s.create(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, namespace: eclusier-system, name: eclusier-operator}]`)
	s.bind("eclusier-requester", "dora", "eve", "bob")
	s.bind("eclusier-approver-medium", "bob", "dora")
	operator := s.as(policy.DefaultOperator)
	forged := theChange()
	forged.UID, forged.CreationTimestamp = "", metav1.Time{}
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		named, unnamed := forged.DeepCopy(), forged.DeepCopy()
		unnamed.Spec.RequestedBy = nil
		refused := apierrors.IsForbidden(s.tasks.Create(ctx, named, client.DryRunAll))
		if stamps == "" {
			return refused, nil
		}
		return s.tasks.Create(ctx, unnamed, client.DryRunAll) == nil && unnamed.Spec.RequestedBy != nil, nil
	})
	if err != nil {
		s.t.Fatalf("the policies are not in force: %v", err)
	}
	return operator
}

// as returns a client of somebody else.
func (s *server) as(user string) client.WithWatch {
	s.t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err != nil {
		s.t.Fatal(err)
	}
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	c, err := cli.NewClient(config)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// ask makes the plan of a change and the slots for it, as the operator would.
func (s *server) ask(operator client.Client, name string, slots int32) {
	s.t.Helper()
	ctx := s.t.Context()
	made := &v1alpha1.ChangeRequest{}
	if err := operator.Get(ctx, client.ObjectKey{Namespace: "shop", Name: name}, made); err != nil {
		s.t.Fatal(err)
	}
	waitingFor(made)
	if err := operator.Status().Update(ctx, made); err != nil {
		s.t.Fatal(err)
	}
	for n := range slots {
		one := slot(n + 1)
		one.Name = strings.Replace(one.Name, "mine", name, 1)
		one.Spec.ChangeRequestRef = v1alpha1.ChangeReference{Name: name, UID: string(made.UID)}
		one.Spec.RequestedBy = *made.Spec.RequestedBy
		one.Spec.Risk = made.Status.Plan.Risk
		one.Spec.ExpiresAt = metav1.NewTime(time.Now().Add(time.Hour).Truncate(time.Second))
		one.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1alpha1.GroupVersion.String(), Kind: "ChangeRequest", Name: name, UID: made.UID}}
		if err := operator.Create(ctx, one); err != nil {
			s.t.Fatal(err)
		}
	}
}

func TestStory_ofAChangeThatIsAgreedTo(t *testing.T) {
	for _, c := range []struct{ name, stamps string }{
		{"where the API server writes the names", policy.Stamps(policy.DefaultOperator)},
		{"where the client sends its name", ""},
	} {
		t.Run(c.name, func(t *testing.T) { agreement(t, c.stamps) })
	}
}

func agreement(t *testing.T, stamps string) {
	s := startServer(t)
	operator := s.gated(stamps)
	run := func(args ...string) result { return s.run(append(args, "-n", "shop")...) }
	got := run("change", "scale", "deployment/checkout", "--replicas", "3", "--reason", "the sale", "--name", "sale", "--as", "dora")
	if got.code != cli.ExitDone {
		t.Fatalf("change: exit code %d, %q", got.code, got.err)
	}
	s.ask(operator, "sale", 2)
	if got := run("review", "sale", "--as", "eve"); got.code != cli.ExitDone || !strings.Contains(got.out, "dora") || !strings.Contains(got.out, "+  replicas: 3") {
		t.Errorf("review: exit code %d, %q, %q", got.code, got.out, got.err)
	}
	for _, c := range []struct {
		who, want string
		args      []string
	}{
		{"dora", "error: you asked for this change, so somebody else has to decide: to withdraw it, set spec.cancel of ChangeRequest sale\n", nil},
		{"eve", "you may not write Approvals in namespace shop", nil},
		{"bob", "the plan is another one now", []string{"--digest", "sha256:77"}},
	} {
		got := run(append(c.args, "approve", "sale", "--yes", "--as", c.who)...)
		if got.code != cli.ExitTrouble || !strings.Contains(got.err, c.want) {
			t.Errorf("approve as %s: exit code %d, %q; want %q", c.who, got.code, got.err, c.want)
		}
	}
	s.bind("eclusier-approver-low", "eve")
	got = eventually(t, func() result { return run("approve", "sale", "--yes", "--as", "eve") }, "you may not decide about changes of class Medium in namespace shop")
	if got.code != cli.ExitTrouble || strings.Contains(got.err, "ValidatingAdmissionPolicy") {
		t.Errorf("approve without the class: exit code %d, %q", got.code, got.err)
	}
	if got := run("approve", "sale", "--yes", "--reason", "watched", "--as", "bob"); got.code != cli.ExitDone || !strings.Contains(got.out, "Agreed as bob: approval sale-1-1, class Medium") {
		t.Errorf("approve: exit code %d, %q, %q", got.code, got.out, got.err)
	}
	if got := run("approve", "sale", "--yes", "--as", "bob"); got.code != cli.ExitTrouble || !strings.Contains(got.err, "you have agreed already") {
		t.Errorf("approve twice: exit code %d, %q", got.code, got.err)
	}
	if got := run("reject", "apv/sale-1-2", "--reason", "no", "--as", "bob"); got.code != cli.ExitDone || !strings.Contains(got.out, "Refused as bob") {
		t.Errorf("reject: exit code %d, %q, %q", got.code, got.out, got.err)
	}
	for name, want := range map[string]v1alpha1.Decision{"sale-1-1": v1alpha1.DecisionApproved, "sale-1-2": v1alpha1.DecisionRejected} {
		a := &v1alpha1.Approval{}
		if err := s.tasks.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: name}, a); err != nil || a.Spec.Decision != want || a.Spec.DecidedBy.Username != "bob" || len(a.Spec.DecidedBy.Groups) == 0 {
			t.Errorf("%s: %v, %s", name, err, asJSON(t, a.Spec))
		}
	}
	if got := run("change", "restart", "deploy/web", "--reason", "x", "--not-before", "2h", "--deadline", "1h", "--as", "dora"); got.err == "" || !strings.Contains(got.err, "spec.notBefore must be before spec.deadline") || strings.Contains(got.err, "is invalid") {
		t.Errorf("refused by the type: exit code %d, %q", got.code, got.err)
	}
}

// eventually runs a command until it says something, since RBAC takes a moment to be known.
func eventually(t *testing.T, run func() result, says string) result {
	t.Helper()
	var last result
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		last = run()
		return strings.Contains(last.out+last.err, says), nil
	})
	if err != nil {
		t.Errorf("never says %q: exit code %d, %q, %q", says, last.code, last.out, last.err)
	}
	return last
}

func TestStory_ofOperationsThatAServerTakes(t *testing.T) {
	s := startServer(t)
	s.create("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}")
	stale := map[string]string{"app": "old"}
	for _, o := range []client.Object{configMap("web", nil), configMap("old-1", stale), configMap("old-2", stale), checkoutOf(2)} {
		if err := s.tasks.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"rename", "cm/web", "site"}, {"move", "cm/web", "--to", "default"}, {"delete", "cm", "-l", "app=old"},
		{"patch", "configmaps", "-l", "app=old", "-p", "data: {a: '2'}"}, {"restart", "deployments.apps/checkout"}, {"undo", "deploy/checkout", "--to-revision=2"},
		{"set", "image", "deploy/checkout", "checkout=r.example/checkout:2"}, {"create", "namespace", "data"}, {"cordon", "node-1"}, {"suspend", "cj/report"},
		{"delete", "pod", "a", "b", "--cascade=foreground"}, {"scale", "deploy/checkout", "--replicas=0", "--dry-run", "--rollback=never"},
	} {
		if got := s.run(append(append([]string{"change"}, args...), "--reason", "x", "-n", "shop")...); got.code != cli.ExitDone {
			t.Errorf("%v: exit code %d, %q", args, got.code, got.err)
		}
	}
	if got := s.run("change", "rename", "ns/shop", "store", "--reason", "x"); !strings.Contains(got.err, "a namespace cannot be renamed") {
		t.Errorf("rename of a namespace: %q", got.err)
	}
	if got := s.run("policy", "test", "-n", "shop", "-f", written(t, changeFile)); got.code != cli.ExitDone || !strings.Contains(got.out, "ApprovalRequired") || !strings.Contains(got.out, "from 2 to 3") {
		t.Errorf("policy test: exit code %d, %q, %q", got.code, got.out, got.err)
	}
	s.create(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: deployer}
rules:
- {apiGroups: [apps], resources: [deployments, deployments/scale], verbs: [get, list, patch, update]}
- {apiGroups: [""], resources: [namespaces], verbs: [get]}
- {apiGroups: [autoscaling], resources: [horizontalpodautoscalers], verbs: [list]}
- {apiGroups: [policy], resources: [poddisruptionbudgets], verbs: [list]}`)
	s.bind("deployer", "dora")
	trial := []string{"policy", "test", "-n", "shop", "-f", written(t, changeFile), "--as", "dora"}
	got := eventually(t, func() result { return s.run(append(trial, "--policies", written(t, policyFile))...) }, "from 2 to 3")
	if got.code != cli.ExitDone || !strings.Contains(got.out, "Allowed") {
		t.Errorf("policy test by someone who may only change what is in the namespace: exit code %d, %q, %q", got.code, got.out, got.err)
	}
	if got := s.run(trial...); got.code != cli.ExitTrouble || !strings.Contains(got.err, "judge by files with --policies") {
		t.Errorf("policy test by someone who may not list policies: exit code %d, %q, %q", got.code, got.out, got.err)
	}
}

// checkoutOf is a Deployment that a server takes.
func checkoutOf(replicas int32) *appsv1.Deployment {
	d := checkout(replicas, "1")
	d.UID, d.Generation = "", 0
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "checkout"}}
	d.Spec.Template.Labels = map[string]string{"app": "checkout"}
	return d
}

func TestStory_ofASnapshotThatIsRestored(t *testing.T) {
	s := startServer(t)
	ctx := t.Context()
	s.create("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: eclusier-system}")
	live := checkoutOf(2)
	if err := s.tasks.Create(ctx, live); err != nil {
		t.Fatal(err)
	}
	gone := configMap("gone", nil)
	if err := s.tasks.Create(ctx, gone); err != nil {
		t.Fatal(err)
	}
	bundle := change.Bundle{Plan: change.Plan{ChangeUID: "u1", Revision: 1}}
	entry := []transcript.Object{{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "checkout"}, {APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "gone"}}
	for _, o := range entry {
		was := &unstructured.Unstructured{}
		was.SetAPIVersion(o.APIVersion)
		was.SetKind(o.Kind)
		if err := s.tasks.Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Name}, was); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(was)
		if err != nil {
			t.Fatal(err)
		}
		bundle.View.Before = append(bundle.View.Before, data)
	}
	content, err := bundle.Encode()
	if err != nil {
		t.Fatal(err)
	}
	store := secrets.New(s.tasks, "eclusier-system", time.Now)
	if _, err := store.Put(ctx, transcript.Key{Kind: transcript.KindPlan, Namespace: "shop", Name: "sale", UID: "u1", Revision: 1}, entry, content); err != nil {
		t.Fatal(err)
	}
	live.Spec.Replicas = ptr.To(int32(7))
	live.Spec.Template.Spec.Containers = append(live.Spec.Template.Spec.Containers, corev1.Container{Name: "spy", Image: "spy:1"})
	if err := s.tasks.Update(ctx, live); err != nil {
		t.Fatal(err)
	}
	if err := s.tasks.Delete(ctx, gone); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) result { return s.run(append([]string{"snapshots", "-n", "shop"}, args...)...) }
	if got := run("ls", "deploy/checkout"); got.code != cli.ExitDone || !strings.Contains(got.out, "sale@1") {
		t.Errorf("ls: exit code %d, %q, %q", got.code, got.out, got.err)
	}
	if got := run("ls", "--as", "eve"); got.code != cli.ExitTrouble || !strings.Contains(got.err, "Role eclusier-snapshot-viewer") {
		t.Errorf("ls without the right to: exit code %d, %q", got.code, got.err)
	}
	got := run("diff", "sale")
	for _, want := range []string{"-  replicas: 7", "+  replicas: 2", "name: spy", "--- /dev/null"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("diff lacks %q: %q, %q", want, got.out, got.err)
		}
	}
	if got := run("restore", "sale", "--name", "back"); got.code != cli.ExitDone {
		t.Fatalf("restore: exit code %d, %q", got.code, got.err)
	}
	s.carryOut("back")
	if got := run("diff", "sale"); got.out != "Everything is as it was.\n" {
		t.Errorf("after the restoration: %q, %q", got.out, got.err)
	}
}

// carryOut does what a change wants, by the simplest means.
func (s *server) carryOut(name string) {
	s.t.Helper()
	ctx := s.t.Context()
	made := &v1alpha1.ChangeRequest{}
	if err := s.tasks.Get(ctx, client.ObjectKey{Namespace: "shop", Name: name}, made); err != nil {
		s.t.Fatal(err)
	}
	for _, o := range made.Spec.Kubernetes.Operations {
		object := &unstructured.Unstructured{}
		switch {
		case o.Apply != nil:
			if err := object.UnmarshalJSON(o.Apply.Manifest.Raw); err != nil {
				s.t.Fatal(err)
			}
			if err := s.tasks.Create(ctx, object); err != nil {
				s.t.Error(err)
			}
		case o.Patch != nil:
			object.SetAPIVersion(o.Patch.Target.APIVersion)
			object.SetKind(o.Patch.Target.Kind)
			object.SetNamespace(o.Patch.Target.Namespace)
			object.SetName(o.Patch.Target.Name)
			if err := s.tasks.Patch(ctx, object, client.RawPatch("application/merge-patch+json", []byte(o.Patch.Patch))); err != nil {
				s.t.Error(err)
			}
		}
	}
}
