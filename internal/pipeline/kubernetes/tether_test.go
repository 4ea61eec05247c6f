package kubernetes_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// TestPlan_tethers: what keeps an object is not changed beside its content.
func TestPlan_tethers(t *testing.T) {
	const owned = `ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: nothere, uid: 11111111-1111-1111-1111-111111111111}]`
	held := strings.Replace(cfg, "namespace: NS", "namespace: NS, finalizers: [shop.example.com/keep]", 1)
	belonging := strings.Replace(cfg, "namespace: NS", "namespace: NS, "+owned, 1)
	tests := []struct {
		name, have, operation, words string
	}{
		{"an owner by a patch", claim, `patch: {target: {kind: pvc, name: precious}, patch: '{metadata: {` + owned + `}}'}`, "metadata.ownerReferences of PersistentVolumeClaim"},
		{"an owner by a JSON patch", cfg, `patch: {target: {kind: cm, name: cfg}, type: JSON, patch: '[{op: add, path: /metadata/ownerReferences, value: [{apiVersion: v1, kind: ConfigMap, name: a, uid: b}]}]'}`, "metadata.ownerReferences"},
		{"an owner by an apply", cfg, `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg, ` + owned + `}}}`, "metadata.ownerReferences"},
		{"an owner of something new", cfg, `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: fresh, ` + owned + `}}}`, "metadata.ownerReferences"},
		{"no owner any more", belonging, `patch: {target: {kind: cm, name: cfg}, patch: '{metadata: {ownerReferences: null}}'}`, "metadata.ownerReferences"},
		{"the owner that it has", belonging, `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg, ` + owned + `}, data: {extra: "1"}}}`, ""},
		{"something else of what is owned", belonging, `patch: {target: {kind: cm, name: cfg}, patch: '{data: {extra: "1"}}'}`, ""},
		{"no finalizers any more", held, `patch: {target: {kind: cm, name: cfg}, patch: '{metadata: {finalizers: null}}'}`, "metadata.finalizers"},
		{"one finalizer less", held, `patch: {target: {kind: cm, name: cfg}, type: Strategic, patch: '{metadata: {$deleteFromPrimitiveList/finalizers: [shop.example.com/keep]}}'}`, "metadata.finalizers"},
		{"one finalizer more", held, `patch: {target: {kind: cm, name: cfg}, patch: '{metadata: {finalizers: [shop.example.com/keep, shop.example.com/more]}}'}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			s.have(tt.have)
			_, err := s.Plan(t.Context(), s.request(tt.operation))
			var no *pipeline.Invalid
			if refused := errors.As(err, &no); refused != (tt.words != "") || !refused && err != nil {
				t.Fatalf("got %v", err)
			}
			if no != nil && (no.Reason != v1alpha1.PlannedInvalid || !strings.Contains(no.Message, tt.words)) {
				t.Errorf("got %s: %s", no.Reason, no.Message)
			}
		})
	}
}
