package kubernetes

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// maxOwners bounds how far up owners are followed: a pod, its ReplicaSet, its Deployment, and what made that.
const maxOwners = 4

// ownership tells whether objects belong to those that a change has touched.
type ownership struct {
	*Pipeline
	client dynamic.Interface
	// changed are the touched objects, as kind/namespace/name; known what was found out.
	changed, known map[string]bool
}

// concerns says whether an event's object is a touched one, or is owned by one. An object that is gone is of the past: a
// pod that the change has replaced may well complain while it stops.
func (o *ownership) concerns(ctx context.Context, about corev1.ObjectReference) (bool, error) {
	key := about.Kind + "/" + about.Namespace + "/" + about.Name
	if o.changed[key] {
		return true, nil
	}
	if known, ok := o.known[key]; ok {
		return known, nil
	}
	concerned, err := o.owned(ctx, about.Namespace, about.APIVersion, about.Kind, about.Name)
	if err == nil {
		o.known[key] = concerned
	}
	return concerned, err
}

func (o *ownership) owned(ctx context.Context, namespace, apiVersion, kindName, named string) (bool, error) {
	for range maxOwners {
		found, err := o.kinds.named(kindName, apiVersion)
		if err != nil {
			return false, nil //nolint:nilerr // an event may speak of a kind that is not served any more
		}
		live, err := get(ctx, o.client, found.object(namespace, named))
		if err != nil {
			return false, err
		}
		if live == nil || live.GetDeletionTimestamp() != nil {
			return false, nil
		}
		owner := metav1.GetControllerOf(live)
		if owner == nil {
			return false, nil
		}
		if o.changed[owner.Kind+"/"+namespace+"/"+owner.Name] {
			return true, nil
		}
		apiVersion, kindName, named = owner.APIVersion, owner.Kind, owner.Name
	}
	return false, nil
}
