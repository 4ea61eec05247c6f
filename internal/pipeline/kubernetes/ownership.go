package kubernetes

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	// custom says that an object of a kind that is not Kubernetes' own was touched.
	custom bool
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
		switch {
		case apierrors.IsForbidden(err) && !o.related(found.Group):
			return false, nil
		case err != nil:
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

// related says whether an object of a group could be what came of the change. Where it may not be read, that cannot be told
// of Kubernetes' own kinds, nor of any kind once the change touched a kind that is not; what others have built around the
// cluster, eclusier's own records among them, is no part of a Deployment.
func (o *ownership) related(group string) bool {
	return o.custom || ownGroup(group)
}

// ownGroup says whether a group is Kubernetes' own.
func ownGroup(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
}
