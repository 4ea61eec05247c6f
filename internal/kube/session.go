package kube

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FieldOwner is the name under which the API server records the operator's writes.
const FieldOwner = client.FieldOwner("eclusier")

// Session remembers an object as it was read, and writes what changed of its status, once.
type Session struct {
	client client.StatusClient
	before client.Object
	object client.Object
}

// Open begins a session over an object just read. The object is then changed in place.
func Open(c client.StatusClient, object client.Object) *Session {
	return &Session{client: c, before: object.DeepCopyObject().(client.Object), object: object}
}

// Close writes the status if it differs from what was read, and says whether it did. The write is refused with a
// conflict if the object has changed since it was read, so that a pass over an old copy can undo nothing.
func (s *Session) Close(ctx context.Context) (bool, error) {
	changes, err := client.MergeFrom(s.before).Data(s.object)
	if err != nil {
		return false, fmt.Errorf("comparing the status: %w", err)
	}
	if string(changes) == "{}" {
		return false, nil
	}
	patch := client.MergeFromWithOptions(s.before, client.MergeFromWithOptimisticLock{})
	if err := s.client.Status().Patch(ctx, s.object, patch, FieldOwner); err != nil {
		return false, fmt.Errorf("writing the status: %w", err)
	}
	return true, nil
}
