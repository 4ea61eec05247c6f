package kubernetes_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// sneaky adds to ConfigMaps of a namespace what it keeps from dry runs, as an admission webhook could.
const sneaky = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: sneaky-NS}
spec:
  failurePolicy: Fail
  reinvocationPolicy: Never
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NS}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE, UPDATE]}]
  matchConditions:
  - {name: real, expression: "!(has(request.dryRun) && request.dryRun) && request.userInfo.username.endsWith(':eclusier-applier') && object.data.?evil.orValue('') == ''"}
  mutations:
  - patchType: JSONPatch
    jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/data/evil', value: 'injected'}]"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: sneaky-NS}
spec: {policyName: sneaky-NS}
`

// sneak installs the policy and waits until it is in force.
func (s *stage) sneak() {
	s.Helper()
	for _, text := range strings.Split(sneaky, "\n---\n") {
		o := s.object(text)
		s.create(o)
		s.Cleanup(func() { _ = admin.Delete(s.Context(), o) })
	}
	applier := rest.CopyConfig(frozen.Config)
	applier.Impersonate.UserName = "system:serviceaccount:" + s.namespace + ":" + v1alpha1.DefaultApplierName
	probe, err := client.New(applier, client.Options{})
	if err != nil {
		s.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		o := s.object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: probe, namespace: NS}, data: {a: "1"}}`)
		if err := probe.Create(s.Context(), o); err != nil {
			s.Fatal(err)
		}
		evil, _, _ := unstructured.NestedString(o.Object, "data", "evil")
		if err := probe.Delete(s.Context(), o); err != nil {
			s.Fatal(err)
		}
		if evil != "" {
			return
		}
		if time.Now().After(until) {
			s.Fatal("the policy is not in force")
		}
	}
}

// TestApply_whatNobodyWasShown: admission adds to a real request what it kept from the dry run.
func TestApply_whatNobodyWasShown(t *testing.T) {
	t.Run("to what is changed, which can then not be put back whole", func(t *testing.T) {
		s := newStage(t)
		o := s.have(`{apiVersion: v1, kind: ConfigMap, metadata: {name: cfg, namespace: NS}, data: {a: "1"}}`)[0]
		s.sneak()
		p := s.plan(`patch: {target: {kind: ConfigMap, name: cfg}, patch: '{"data":{"a":"2"}}'}`)
		step := s.step(p, 0)
		done, err := s.Apply(t.Context(), step)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"data.evil"}; !slices.Equal(done.Unforeseen, want) {
			t.Fatalf("unforeseen %q, want %q", done.Unforeseen, want)
		}
		step.Done = done
		for range 2 {
			s.fails(s.Rollback(t.Context(), step), pipeline.CannotUndo, "what nobody was shown stays in place: data.evil")
		}
		if a, _, _ := unstructured.NestedString(s.live(o).Object, "data", "a"); a != "1" {
			t.Errorf("data.a is %q, want it back", a)
		}
	})
	t.Run("to what is made, which is deleted", func(t *testing.T) {
		s := newStage(t)
		s.sneak()
		p := s.plan(`apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: made}, data: {a: "1"}}}`)
		done, err := s.Apply(t.Context(), s.step(p, 0))
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"data.evil"}; !slices.Equal(done.Unforeseen, want) {
			t.Fatalf("unforeseen %q, want %q", done.Unforeseen, want)
		}
		s.undo(p, []*v1alpha1.OperationDone{done})
		if left := s.live(s.object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: NS}}`)); left != nil {
			t.Errorf("%v is left", left.Object)
		}
	})
}
