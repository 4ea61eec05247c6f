package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
)

// gate is a namespace that is open for changes, with the people of testdata/changes/people.yaml.
type gate struct {
	*testing.T
	namespace string
}

func openGate(t *testing.T, namespace string) *gate {
	t.Helper()
	openNamespace(t.Context(), t, namespace)
	g := &gate{T: t, namespace: namespace}
	people, err := os.ReadFile(filepath.Join("testdata", "changes", "people.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	g.has(string(people))
	return g
}

// in is the gate in another test of the same namespace.
func (g *gate) in(t *testing.T) *gate { return &gate{T: t, namespace: g.namespace} }

// has applies manifests to the namespace.
func (g *gate) has(manifests string) {
	g.Helper()
	if _, err := scene.kubectl.Feed(g.Context(), manifests, "apply", "--server-side", "-n", g.namespace, "-f", "-"); err != nil {
		g.Fatal(err)
	}
}

// person is somebody as whom requests are made.
type person struct {
	*local.Asker
	kubectl local.Kubectl
}

var people struct {
	sync.Mutex
	known map[string]*person
}

// as returns the person of a name.
func as(t *testing.T, name string) *person {
	t.Helper()
	people.Lock()
	defer people.Unlock()
	if p := people.known[name]; p != nil {
		return p
	}
	kubectl, err := scene.kubectl.As(name, filepath.Join(scene.dir, name+".kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	asker, err := local.NewAsker(t.Context(), kubectl.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	if people.known == nil {
		people.known = map[string]*person{}
	}
	people.known[name] = &person{Asker: asker, kubectl: kubectl}
	return people.known[name]
}

// wants has alice ask for a change, whose spec is YAML without a reason.
func (g *gate) wants(name, spec string) {
	g.Helper()
	wanted := &v1alpha1.ChangeRequest{ObjectMeta: metav1.ObjectMeta{Namespace: g.namespace, Name: name}}
	if err := yaml.UnmarshalStrict([]byte(spec), &wanted.Spec); err != nil {
		g.Fatalf("%v:\n%s", err, spec)
	}
	wanted.Spec.Reason = "to see what becomes of it"
	alice := as(g.T, "alice")
	g.until("created", func(context.Context) (bool, string) {
		err := alice.Create(g.Context(), wanted.DeepCopy())
		if err != nil && !apierrors.IsForbidden(err) { // the API server takes a moment to learn of a role
			g.Fatal(err)
		}
		return err == nil, fmt.Sprint(err)
	})
}

// operations are those of a spec, in YAML, one to a line.
func operations(lines ...string) string {
	return "kubernetes: {operations: [" + strings.Join(lines, ", ") + "]}\n"
}

// until waits until something is so. What look returns besides is said where it never is.
func (g *gate) until(what string, look func(context.Context) (bool, string)) {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), patience)
	defer cancel()
	for {
		so, is := look(ctx)
		if so {
			return
		}
		select {
		case <-ctx.Done():
			g.Fatalf("not %s: %s", what, is)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// becomes waits until a change is as wanted.
func (g *gate) becomes(name, what string, wanted func(*v1alpha1.ChangeRequest) bool) *v1alpha1.ChangeRequest {
	g.Helper()
	change := &v1alpha1.ChangeRequest{}
	g.until(name+" "+what, func(ctx context.Context) (bool, string) {
		if err := scene.asker.Get(ctx, client.ObjectKey{Namespace: g.namespace, Name: name}, change); err != nil {
			return false, err.Error()
		}
		status, _ := json.MarshalIndent(change.Status, "", " ")
		return wanted(change), string(status)
	})
	return change
}

// asks waits until somebody is asked something about a change, and returns the question.
func (g *gate) asks(name string, purpose v1alpha1.ApprovalPurpose) *v1alpha1.Approval {
	g.Helper()
	var question *v1alpha1.Approval
	g.becomes(name, "asks somebody", func(c *v1alpha1.ChangeRequest) bool {
		for _, slot := range c.Status.Approvals {
			live := &v1alpha1.Approval{}
			err := scene.asker.Get(g.Context(), client.ObjectKey{Namespace: g.namespace, Name: slot.Name}, live)
			if err == nil && slot.Purpose == purpose && live.Spec.Decision == v1alpha1.DecisionPending {
				question = live
			}
		}
		return question != nil && len(c.Status.ApproveWith) > 0
	})
	return question
}

// decides answers a question by a merge patch of its spec.
func (g *gate) decides(who string, question *v1alpha1.Approval, spec string) error {
	g.Helper()
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":`+spec+`}`))
	return as(g.T, who).Patch(g.Context(), question.DeepCopy(), patch)
}

func agreement(question *v1alpha1.Approval) string {
	return fmt.Sprintf(`{"decision":"Approved","acknowledgedDigest":%q}`, question.Spec.PlanDigest)
}

// agreed has bob agree to a change, as soon as people are asked.
func (g *gate) agreed(name string) {
	g.Helper()
	question := g.asks(name, v1alpha1.PurposeApply)
	if err := g.decides("bob", question, agreement(question)); err != nil {
		g.Fatal(err)
	}
}

// ends waits for the end of a change, which has to be this one, and holds it to what every end has in common.
func (g *gate) ends(name string, result v1alpha1.ChangeResult) *v1alpha1.ChangeRequest {
	g.Helper()
	c := g.becomes(name, "ended", func(c *v1alpha1.ChangeRequest) bool { return c.Status.Result != "" })
	if c.Status.Result != result {
		status, _ := json.MarshalIndent(c.Status, "", " ")
		g.Fatalf("%s ended as %s, want %s: %s", name, c.Status.Result, result, status)
	}
	good := result == v1alpha1.ResultSucceeded || result == v1alpha1.ResultPlanned
	root := said(c, v1alpha1.ConditionSucceeded)
	if (root.Status == metav1.ConditionTrue) != good || root.Message == "" || good != (c.Status.Failure == nil) {
		g.Errorf("it ended as %s and says %+v, failure %+v", result, root, c.Status.Failure)
	}
	if c.Status.CompletedAt == nil || len(c.Status.ApproveWith) > 0 || c.Status.Retry != nil {
		g.Errorf("something is left to do after the end: %+v", c.Status)
	}
	for _, attempt := range c.Status.Attempts {
		if attempt.Outcome == v1alpha1.OutcomeOpen || attempt.FinishedAt == nil {
			g.Errorf("attempt %s is open after the end", attempt.ID)
		}
	}
	leases := &coordinationv1.LeaseList{}
	err := scene.asker.List(g.Context(), leases, client.InNamespace(local.Namespace), client.MatchingLabels{"eclusier.io/change-uid": string(c.UID)})
	if err != nil || len(leases.Items) > 0 {
		g.Errorf("leases after the end: %v %v", leases.Items, err)
	}
	return c
}

func said(c *v1alpha1.ChangeRequest, condition string) metav1.Condition {
	if found := meta.FindStatusCondition(c.Status.Conditions, condition); found != nil {
		return *found
	}
	return metav1.Condition{}
}

// object reads one of the namespace, as kubectl calls it.
func (g *gate) object(kind, name string) map[string]any {
	g.Helper()
	text, err := scene.kubectl.Run(g.Context(), "get", kind, name, "-n", g.namespace, "-o", "json", "--ignore-not-found")
	if err != nil {
		g.Fatal(err)
	}
	object := map[string]any{}
	if text == "" {
		return object
	}
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		g.Fatal(err)
	}
	return object
}

// field is what an object has at a path, such as "spec.replicas"; empty where it has nothing.
func field(object map[string]any, path string) string {
	found, ok, err := unstructured.NestedFieldNoCopy(object, strings.Split(path, ".")...)
	if !ok || err != nil {
		return ""
	}
	return fmt.Sprint(found)
}

// ready waits until a workload has all it wants.
func (g *gate) ready(kind, name string) {
	g.Helper()
	if _, err := scene.kubectl.Run(g.Context(), "rollout", "status", kind, name, "-n", g.namespace, "--timeout=2m"); err != nil {
		g.Fatal(err)
	}
}

// deployment is the manifest of a Deployment of one container, whose registry has the images registry.example/app:1 and 2.
func deployment(name string, extra ...string) string {
	return fmt.Sprintf(`---
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: 1
%[2]s
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata:
      labels: {app: %[1]s}
      annotations: {devcluster.eclusier.io/images: "registry.example/app:1,registry.example/app:2"}
    spec:
      containers:
      - {name: app, image: "registry.example/app:1"}
`, name, strings.Join(extra, "\n"))
}
