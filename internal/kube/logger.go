package kube

import (
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Logger puts the name of an object, and its correlation id where there is one, into every line that a controller logs about
// it, those of the work queue included. The kind is the key of the name. Correlation may be nil, and returns the empty text
// where the object is not known.
func Logger(base logr.Logger, controller, kind string, correlation func(types.NamespacedName) string) func(*reconcile.Request) logr.Logger {
	base = base.WithName(controller)
	return func(request *reconcile.Request) logr.Logger {
		if request == nil {
			return base
		}
		named := base.WithValues(kind, klog.KRef(request.Namespace, request.Name))
		if correlation == nil {
			return named
		}
		if id := correlation(request.NamespacedName); id != "" {
			return named.WithValues("correlationID", id)
		}
		return named
	}
}
