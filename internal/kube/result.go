package kube

import (
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/eclusier/eclusier/internal/fault"
)

// conflictDelay is how long a pass waits for the cache to catch up with a write it did not know of.
const conflictDelay = 100 * time.Millisecond

// Result says what the work queue does after a pass that ended with err; wake is when the object wants to be looked at
// again without an error, zero for never. An object that is gone needs nothing more.
func Result(wake time.Duration, err error) (ctrl.Result, error) {
	if err == nil {
		return ctrl.Result{RequeueAfter: wake}, nil
	}
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, nil
	}
	f := fault.Of(err)
	switch {
	case f.Fate == fault.Wait:
		return ctrl.Result{RequeueAfter: wake}, nil
	case f.Reason == fault.Conflict:
		return ctrl.Result{RequeueAfter: Jitter(conflictDelay)}, nil
	case f.RetryAfter > 0:
		return ctrl.Result{RequeueAfter: Jitter(f.RetryAfter)}, nil
	case f.Fate == fault.Terminal:
		return ctrl.Result{}, reconcile.TerminalError(err)
	}
	return ctrl.Result{}, err
}

// Jitter stretches a delay by up to a half, so that what failed together is not tried again together; it never shortens
// it, since the other side may have asked for it.
func Jitter(delay time.Duration) time.Duration {
	if delay <= 0 {
		return 0
	}
	return delay + rand.N(delay/2+1) //nolint:gosec // spreading load needs no secret randomness
}
