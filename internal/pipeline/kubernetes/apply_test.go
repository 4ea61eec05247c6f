package kubernetes_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/pipeline"
)

func fieldOwner(name string) client.CreateOption { return client.FieldOwner(name) }

// fails wants a fault of that reason, with a message that holds the words.
func (s *stage) fails(err error, reason, words string) {
	s.Helper()
	if f := fault.Of(err); f == nil || f.Reason != reason || !strings.Contains(f.Message, words) {
		s.Errorf("got %v, want %s: %s", err, reason, words)
	}
}

// TestApply_afterOthers: between plan and effect somebody else is at the object.
func TestApply_afterOthers(t *testing.T) {
	scale := `scale: {target: {kind: Deployment, name: web}, replicas: 3}`
	tests := []struct {
		name, operation string
		meanwhile       func(s *stage, o *unstructured.Unstructured)
		reason          string
		words           string
	}{
		{"the status moves", scale, func(s *stage, o *unstructured.Unstructured) {
			live := s.live(o)
			_ = unstructured.SetNestedField(live.Object, int64(2), "status", "replicas")
			if err := admin.Status().Update(s.Context(), live); err != nil {
				s.Fatal(err)
			}
		}, "", ""},
		{"the controller counts a rollout", scale, func(s *stage, o *unstructured.Unstructured) {
			s.patch(o, `{"metadata":{"annotations":{"deployment.kubernetes.io/revision":"2"}}}`)
		}, "", ""},
		{"somebody scales", scale, func(s *stage, o *unstructured.Unstructured) { s.patch(o, `{"spec":{"replicas":7}}`) }, pipeline.ObjectChanged, "was changed since the plan"},
		{"somebody changes another field", scale, func(s *stage, o *unstructured.Unstructured) { s.patch(o, `{"spec":{"minReadySeconds":7}}`) }, pipeline.ObjectChanged, "was changed since the plan"},
		{"somebody deletes it", scale, func(s *stage, o *unstructured.Unstructured) { s.remove(o) }, pipeline.ObjectChanged, "was deleted since the plan"},
		{"somebody deletes it and makes it again", scale, func(s *stage, o *unstructured.Unstructured) { s.remove(o); s.have(web) }, pipeline.ObjectChanged, "made again"},
		{"somebody changes what is to be deleted", `delete: {target: {kind: Deployment, name: web}}`, func(s *stage, o *unstructured.Unstructured) { s.patch(o, `{"spec":{"replicas":7}}`) }, pipeline.ObjectChanged, "was changed"},
		{"somebody makes what is to be made", `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}}}`, func(s *stage, _ *unstructured.Unstructured) { s.have(cfg) }, pipeline.ObjectChanged, "was made by somebody else"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			o := s.have(web)[0]
			p := s.plan(tt.operation)
			tt.meanwhile(s, o)
			_, err := s.Apply(t.Context(), s.step(p, 0))
			if tt.reason == "" {
				if err != nil {
					t.Fatal(err)
				}
				if got := s.sight(p, 0); got != pipeline.SightDone {
					t.Errorf("it is %s", got)
				}
				return
			}
			s.fails(err, tt.reason, tt.words)
		})
	}
}

func (s *stage) remove(o *unstructured.Unstructured) {
	s.Helper()
	if err := admin.Delete(s.Context(), s.live(o)); err != nil {
		s.Fatal(err)
	}
}

func TestApply_waitsForWhatItReplaces(t *testing.T) {
	s := newStage(t)
	o := s.have(strings.Replace(cfg, "namespace: NS", "namespace: NS, finalizers: [example.com/hold]", 1))[0]
	p := s.plan(`delete: {target: {kind: cm, name: cfg}}`, `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {a: b}}}`)
	if !strings.Contains(strings.Join(p.View.Notes, "\n"), "example.com/hold") {
		t.Errorf("the finalizer is not told: %q", p.View.Notes)
	}
	if _, err := s.Apply(t.Context(), s.step(p, 0)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Apply(t.Context(), s.step(p, 1))
	s.fails(err, pipeline.AwaitingDependency, "still being deleted, held by example.com/hold")
	if fault.Of(err).Fate != fault.Wait {
		t.Errorf("got %s", fault.Of(err).Fate)
	}
	s.patch(o, `{"metadata":{"finalizers":null}}`)
	if _, err := s.Apply(t.Context(), s.step(p, 1)); err != nil {
		t.Error(err)
	}
}

// TestRollback_afterOthers: between effect and rollback somebody else is at the object.
func TestRollback_afterOthers(t *testing.T) {
	image := `setImage: {target: {kind: Deployment, name: web}, container: web, image: "web:2"}`
	tests := []struct {
		name, operation string
		meanwhile       func(s *stage, o *unstructured.Unstructured)
		reason          string
		words           string
	}{
		{"somebody scales", image, func(s *stage, o *unstructured.Unstructured) { s.patch(o, `{"spec":{"replicas":7}}`) }, "", ""},
		{"somebody sets another image", image, func(s *stage, o *unstructured.Unstructured) {
			s.patch(o, `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:9"},{"name":"log","image":"log:1"}]}}}}`)
		}, pipeline.ObjectChanged, "(spec.template.spec.containers[0].image): it is not overwritten"},
		{"somebody sets another number", `scale: {target: {kind: Deployment, name: web}, replicas: 3}`, func(s *stage, o *unstructured.Unstructured) { s.patch(o, `{"spec":{"replicas":7}}`) },
			pipeline.ObjectChanged, "(spec.replicas): it is not overwritten"},
		{"somebody deletes it", image, func(s *stage, o *unstructured.Unstructured) { s.remove(o) }, pipeline.ObjectChanged, "was deleted"},
		{"somebody makes again what was deleted", `delete: {target: {kind: Deployment, name: web}}`, func(s *stage, _ *unstructured.Unstructured) { s.have(web) }, pipeline.ObjectChanged, "made again by somebody else"},
		{"somebody deletes what was made", `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}}}`, func(s *stage, _ *unstructured.Unstructured) { s.remove(s.object(cfg)) }, "", ""},
		{"somebody replaces what was made", `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}}}`, func(s *stage, _ *unstructured.Unstructured) { s.remove(s.object(cfg)); s.have(cfg) }, "", ""},
		{"somebody fills the namespace that was made", `apply: {manifest: {apiVersion: v1, kind: Namespace, metadata: {name: NS-made}}}`, func(s *stage, _ *unstructured.Unstructured) {
			s.have(strings.Replace(front, "namespace: NS", "namespace: NS-made", 1))
		}, pipeline.ObjectChanged, "holds Service front"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			o := s.have(web)[0]
			p := s.plan(tt.operation)
			done := s.apply(p)
			tt.meanwhile(s, o)
			step := s.step(p, 0)
			step.Done = done[0]
			err := s.Rollback(t.Context(), step)
			if tt.reason == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			s.fails(err, tt.reason, tt.words)
		})
	}
}

func TestRollback_ofNothing(t *testing.T) {
	s := newStage(t)
	o := s.have(web)[0]
	for _, operation := range []string{
		`scale: {target: {kind: Deployment, name: web}, replicas: 3}`, `delete: {target: {kind: Deployment, name: web}}`,
		`apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}}}`,
	} {
		if err := s.Rollback(t.Context(), s.step(s.plan(operation), 0)); err != nil {
			t.Errorf("%s: %v", operation, err)
		}
	}
	if got := s.live(o); got.GetResourceVersion() != o.GetResourceVersion() {
		t.Error("something was sent")
	}
}

func TestRollback_impossible(t *testing.T) {
	s := newStage(t)
	s.have(`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: NS}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`)
	p := s.plan(`delete: {target: {kind: pvc, name: data}}`)
	if p.Plan.Effects[0].Inverse != nil || !p.View.Facts[0].HoldsData {
		t.Errorf("got %+v, %+v", p.Plan.Effects[0], p.View.Facts[0])
	}
	s.remove(s.object(`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: NS}}`))
	s.patch(s.object(`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: NS}}`), `{"metadata":{"finalizers":null}}`)
	s.fails(s.Rollback(t.Context(), s.step(p, 0)), pipeline.CannotUndo, "cannot be made again")
}

func TestInspect_foreign(t *testing.T) {
	s := newStage(t)
	o := s.have(web)[0]
	scale := s.plan(`scale: {target: {kind: Deployment, name: web}, replicas: 3}`)
	making := s.plan(`apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}}}`)
	deletion := s.plan(`delete: {target: {kind: Deployment, name: web}}`)
	s.patch(o, `{"spec":{"replicas":9}}`)
	s.have(cfg)
	for name, p := range map[string]*pipeline.Planned{"scale": scale, "making": making, "deletion": deletion} {
		if got := s.sight(p, 0); got != pipeline.SightForeign {
			t.Errorf("%s: %s", name, got)
		}
	}
	s.remove(o)
	if got := s.sight(scale, 0); got != pipeline.SightForeign {
		t.Errorf("a scale of what is gone: %s", got)
	}
	if got := s.sight(deletion, 0); got != pipeline.SightDone {
		t.Errorf("a deletion of what is gone: %s", got)
	}
}
