package kubernetes

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/change"
)

// deleteBuilder deletes the object.
func deleteBuilder(propagation metav1.DeletionPropagation) func(context.Context, *planning, *item) error {
	return func(_ context.Context, _ *planning, it *item) error {
		if it.live.GetDeletionTimestamp() != nil {
			return it.invalid("%s is being deleted already", name(it.object))
		}
		if finalizers := it.live.GetFinalizers(); len(finalizers) > 0 {
			it.note("it stays until its finalizers are done: %s", strings.Join(finalizers, ", "))
		}
		it.effect.Request = change.Request{Kind: change.RequestDelete, FieldManager: fieldManager,
			Propagation: string(orDefault(propagation, metav1.DeletePropagationBackground))}
		it.summary = "delete " + name(it.object)
		return nil
	}
}
