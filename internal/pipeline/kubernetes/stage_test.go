package kubernetes_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/config/policy"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
	"github.com/eclusier/eclusier/test/controlplane"
)

var (
	frozen *controlplane.Frozen
	admin  client.Client
)

func TestMain(m *testing.M) {
	os.Exit(controlplane.Run(m, func(f *controlplane.Frozen) {
		frozen = f
		var err error
		if admin, err = client.New(f.Config, client.Options{}); err != nil {
			panic(err)
		}
	}, controlplane.Install(holdPlanner)))
}

// holdPlanner installs the policies that refuse every real write of a planner: all that is planned here is planned under
// them.
func holdPlanner(ctx context.Context, f *controlplane.Frozen) error {
	c, err := client.New(f.Config, client.Options{})
	if err != nil {
		return err
	}
	for _, text := range strings.Split(policy.Checks(policy.DefaultOperator), policy.Separator) {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
			return err
		}
		if err := c.Create(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// stage is a namespace whose planner, applier and reader may do everything, and a pipeline.
type stage struct {
	testing.TB
	*kubernetes.Pipeline
	namespace string
	now       time.Time
}

var stages atomic.Int32

func newStage(t testing.TB) *stage {
	t.Helper()
	s := bareStage(t)
	for _, account := range []string{v1alpha1.DefaultPlannerName, v1alpha1.DefaultApplierName, v1alpha1.DefaultServiceAccountName} {
		s.create(&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: s.namespace + "-" + account},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: s.namespace, Name: account}},
		})
	}
	return s
}

// bareStage is a namespace whose planner and applier may do nothing.
func bareStage(t testing.TB) *stage {
	t.Helper()
	s := &stage{TB: t, namespace: fmt.Sprintf("stage-%d", stages.Add(1)), now: time.Now()}
	s.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}})
	s.create(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: v1alpha1.DefaultApplierName}})
	var err error
	s.Pipeline, err = kubernetes.New(kubernetes.Options{Config: frozen.Config, Now: func() time.Time { return s.now }, AllowLoopback: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stage) create(o client.Object, options ...client.CreateOption) {
	s.Helper()
	if err := admin.Create(s.Context(), o, options...); err != nil {
		s.Fatal(err)
	}
}

// object reads an object from YAML, with the stage's namespace for NS.
func (s *stage) object(text string) *unstructured.Unstructured {
	s.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(text, "NS", s.namespace)), &o.Object); err != nil {
		s.Fatal(err)
	}
	return o
}

// have makes objects as somebody with kubectl does, with their status.
func (s *stage) have(texts ...string) []*unstructured.Unstructured {
	s.Helper()
	var made []*unstructured.Unstructured
	for _, text := range texts {
		o := s.object(text)
		status, _, _ := unstructured.NestedMap(o.Object, "status")
		s.create(o, client.FieldOwner("kubectl-create"))
		if status != nil {
			_ = unstructured.SetNestedMap(o.Object, status, "status")
			if err := admin.Status().Update(s.Context(), o); err != nil {
				s.Fatal(err)
			}
		}
		made = append(made, o)
	}
	return made
}

// live reads an object again; nil where it is gone.
func (s *stage) live(o *unstructured.Unstructured) *unstructured.Unstructured {
	s.Helper()
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(o.GroupVersionKind())
	err := admin.Get(context.Background(), client.ObjectKeyFromObject(o), found)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		s.Fatal(err)
	}
	return found
}

func (s *stage) patch(o *unstructured.Unstructured, patch string) {
	s.Helper()
	if err := admin.Patch(s.Context(), s.live(o), client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner("somebody")); err != nil {
		s.Fatal(err)
	}
}

// request is a change of these operations.
func (s *stage) request(operations ...string) pipeline.Request {
	s.Helper()
	c := &v1alpha1.ChangeRequest{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "change", UID: "c0ffee",
		CreationTimestamp: metav1.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
	for _, text := range operations {
		var o v1alpha1.Operation
		if err := yaml.UnmarshalStrict([]byte(strings.ReplaceAll(text, "NS", s.namespace)), &o); err != nil {
			s.Fatal(err)
		}
		c.Spec.Kubernetes.Operations = append(c.Spec.Kubernetes.Operations, o)
	}
	return pipeline.Request{Change: c, Revision: 1, ExpiresAt: time.Date(2026, 1, 3, 3, 4, 5, 0, time.UTC)}
}

// plan plans the operations.
func (s *stage) plan(operations ...string) *pipeline.Planned {
	s.Helper()
	planned, err := s.Plan(s.Context(), s.request(operations...))
	if err != nil {
		s.Fatal(err)
	}
	return planned
}

func (s *stage) step(p *pipeline.Planned, index int) pipeline.Step {
	return pipeline.Step{Namespace: s.namespace, Plan: p.Plan, View: p.View, Index: index, Version: p.View.Versions[index]}
}

// apply makes every effect and returns the records.
func (s *stage) apply(p *pipeline.Planned) []*v1alpha1.OperationDone {
	s.Helper()
	var all []*v1alpha1.OperationDone
	for i := range p.Plan.Effects {
		done, err := s.Apply(s.Context(), s.step(p, i))
		if err != nil {
			s.Fatalf("operation %d: %v", i+1, err)
		}
		if len(done.Unforeseen) > 0 {
			s.Errorf("operation %d was stored otherwise than foreseen, in %q", i+1, done.Unforeseen)
		}
		all = append(all, done)
	}
	return all
}

// undo rolls every effect back, the last first.
func (s *stage) undo(p *pipeline.Planned, done []*v1alpha1.OperationDone) {
	s.Helper()
	for i := len(p.Plan.Effects) - 1; i >= 0; i-- {
		step := s.step(p, i)
		step.Done = done[i]
		if err := s.Rollback(s.Context(), step); err != nil {
			s.Fatalf("undoing operation %d: %v", i+1, err)
		}
	}
}

func (s *stage) sight(p *pipeline.Planned, index int) pipeline.Sight {
	s.Helper()
	seen, err := s.Inspect(s.Context(), s.step(p, index))
	if err != nil {
		s.Fatal(err)
	}
	return seen.Sight
}

func digest(t testing.TB, p *pipeline.Planned) string {
	t.Helper()
	d, err := p.Plan.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func normal(o *unstructured.Unstructured) map[string]any {
	if o == nil {
		return nil
	}
	return manifest.Normal(o)
}

func verbsOf(p *pipeline.Planned) []change.Verb {
	var all []change.Verb
	for _, e := range p.Plan.Effects {
		all = append(all, e.Verb)
	}
	return all
}

const web = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: NS, labels: {app: web}}, spec: {replicas: 2, selector: {matchLabels: {app: web}},
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}, {name: log, image: "log:1"}]}}}}`
