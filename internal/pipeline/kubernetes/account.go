package kubernetes

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

var serviceAccounts = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}

// accountUID returns the uid of a service account, written namespace/name. The API server impersonates what does not exist as
// readily as what does, so that an account which its owner has deleted would go on making changes. Where the operator may
// not look at the account, or nobody is impersonated, the uid is empty.
func (p *Pipeline) accountUID(ctx context.Context, account string) (string, error) {
	if p.asSelf {
		return "", nil
	}
	namespace, named, _ := strings.Cut(account, "/")
	found, err := p.own.Resource(serviceAccounts).Namespace(namespace).Get(ctx, named, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return "", invalid(v1alpha1.PlannedInvalid, "the service account %s, as which the change would be made, does not exist: kubectl create serviceaccount %s -n %s, and grant it what it may do",
			account, named, namespace)
	case apierrors.IsForbidden(err):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("reading the service account %s: %w", account, err)
	}
	return string(found.GetUID()), nil
}
