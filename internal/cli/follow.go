package cli

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// rewatch is how long to wait before a watch that broke off is opened again.
var rewatch = time.Second

// bounded is an object that comes to an end, which its condition Succeeded tells.
type bounded interface {
	client.Object
	GetConditions() []metav1.Condition
}

// listOf makes the list that a watch of the object's kind delivers.
func listOf(object bounded) client.ObjectList {
	if _, ok := object.(*v1alpha1.ChangeRequest); ok {
		return &v1alpha1.ChangeRequestList{}
	}
	return &v1alpha1.AgentTaskList{}
}

// succeeded tells whether a task has an answer, or a change its effect.
func succeeded(object bounded) bool {
	return meta.IsStatusConditionTrue(object.GetConditions(), v1alpha1.ConditionSucceeded)
}

// ended tells whether the root condition is decided.
func ended(object bounded) bool {
	root := meta.FindStatusCondition(object.GetConditions(), v1alpha1.ConditionSucceeded)
	return root != nil && root.Status != metav1.ConditionUnknown
}

// follow calls show with every state of the object that the API server reports, and returns it once it has ended. A watch
// that the server closes, as it does after some minutes, is opened again where it left off.
func follow(ctx context.Context, c client.WithWatch, object bounded, show func(bounded)) (bounded, error) {
	for {
		show(object)
		if ended(object) {
			return object, nil
		}
		latest, err := followOnce(ctx, c, object, show)
		if err != nil || ended(latest) {
			return latest, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(rewatch):
		}
		object = latest.DeepCopyObject().(bounded)
		if err := c.Get(ctx, client.ObjectKeyFromObject(latest), object); err != nil {
			return nil, err
		}
	}
}

// followOnce follows one watch to its end, and returns the last state seen.
func followOnce(ctx context.Context, c client.WithWatch, object bounded, show func(bounded)) (bounded, error) {
	changes, err := c.Watch(ctx, listOf(object), &client.ListOptions{
		Namespace:     object.GetNamespace(),
		FieldSelector: fields.OneTermEqualSelector("metadata.name", object.GetName()),
		Raw:           &metav1.ListOptions{ResourceVersion: object.GetResourceVersion()},
	})
	if err != nil {
		return nil, err
	}
	defer changes.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case change, open := <-changes.ResultChan():
			if !open || change.Type == watch.Error && apierrors.IsResourceExpired(apierrors.FromObject(change.Object)) {
				return object, nil
			}
			if change.Type == watch.Error {
				return nil, apierrors.FromObject(change.Object)
			}
			if change.Type == watch.Deleted {
				return nil, fmt.Errorf("%s %s was deleted before it had ended", kindOf(object), object.GetName())
			}
			if next, ok := change.Object.(bounded); ok {
				object = next
				show(object)
			}
			if ended(object) {
				return object, nil
			}
		}
	}
}

// kindOf names the kind of a bounded object: clients leave it out of what they read.
func kindOf(object bounded) string {
	if _, ok := object.(*v1alpha1.ChangeRequest); ok {
		return "ChangeRequest"
	}
	return "AgentTask"
}
