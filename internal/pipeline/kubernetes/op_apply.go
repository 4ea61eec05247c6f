package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/eclusier/eclusier/internal/change"
)

// dropped are the fields of a manifest that only the API server writes: manifests that were read from a cluster have them.
var dropped = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields", "selfLink"}

// buildApply makes a server-side apply, or a creation where there is no object. A creation is not an apply: it must fail
// where somebody else has made the object in between.
func buildApply(_ context.Context, _ *planning, it *item) error {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(it.manifest)}
	object.SetNamespace(it.object.Namespace)
	var left []string
	if _, ok := object.Object["status"]; ok {
		delete(object.Object, "status")
		left = append(left, "status")
	}
	metadata, _ := object.Object["metadata"].(map[string]any)
	for _, field := range dropped {
		if value, ok := metadata[field]; ok {
			delete(metadata, field)
			if value != nil {
				left = append(left, "metadata."+field)
			}
		}
	}
	if len(left) > 0 {
		it.note("left out of the manifest, since only the API server writes it: %s", strings.Join(left, ", "))
	}
	body, err := json.Marshal(object.Object)
	if err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	it.effect.Request = change.Request{Kind: change.RequestApply, Body: body, FieldManager: fieldManager, Force: it.effect.Request.Force}
	it.summary = "apply " + name(it.object)
	if it.live == nil {
		it.effect.Request.Kind = change.RequestCreate
		it.summary = "create " + name(it.object)
	}
	return nil
}

// fieldOwners returns the fields that a server-side apply would take over, by the manager that owns them; empty where the
// error is another one.
func fieldOwners(err error) map[string][]string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	owners := map[string][]string{}
	for _, cause := range status.Status().Details.Causes {
		if cause.Type != metav1.CauseTypeFieldManagerConflict {
			continue
		}
		_, rest, _ := strings.Cut(cause.Message, `"`)
		owner, _, _ := strings.Cut(rest, `"`)
		owners[owner] = append(owners[owner], strings.TrimPrefix(cause.Field, "."))
	}
	return owners
}

// takeOver forces the apply where the fields were last set by people's own tools or by eclusier, and says so; another
// owner would set them again, so that the plan would show what does not last.
func (it *item) takeOver(owners map[string][]string) error {
	var said []string
	foreign := false
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		fields := owners[owner]
		slices.Sort(fields)
		said = append(said, fmt.Sprintf("%s owns %s", owner, strings.Join(fields, ", ")))
		foreign = foreign || !yielding(owner)
	}
	if foreign {
		return it.invalid("%s has fields of other owners: %s; leave them out of the manifest, change them where that owner takes them from, or use patch",
			name(it.object), strings.Join(said, "; "))
	}
	it.effect.Request.Force = true
	it.note("takes fields over that were set by hand: %s", strings.Join(said, "; "))
	return nil
}

// yielding says whether a field manager does not set its fields again by itself: kubectl in people's hands, which names
// itself after its command, and eclusier.
func yielding(manager string) bool {
	return manager == fieldManager || manager == "kubectl" || strings.HasPrefix(manager, "kubectl-") || manager == "before-first-apply"
}
