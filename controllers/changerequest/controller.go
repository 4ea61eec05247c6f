// Package changerequest takes ChangeRequests from the wish to its end: planned, judged, agreed to, applied, verified, and
// rolled back where that failed.
//
// A pass gathers facts (facts.go), asks the decision table of package change what is next, does that one thing (steps.go
// says which function does it), and writes the status once. The one exception is the record of an attempt, which is written
// before the attempt has any effect: of several operators only one gets it written, and whoever comes after a crash finds
// it and looks at the objects before doing anything.
//
// It decides from no condition but one (see unvouched). What it applies is the stored plan, byte for byte, and only while
// the digest of what is stored, of the status and of the Approvals are one and the same: the status alone proves nothing.
// Before it applies it asks everything anew, past its cache. It is the only writer of the status of Approvals, and never
// writes a decision. It never touches an object itself: the pipeline does, as the service account of the change.
package changerequest

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/telemetry"
	"github.com/eclusier/eclusier/internal/transcript"
)

// Guard says whether the API server vouches for who asks and who decides.
type Guard interface {
	Check(ctx context.Context, reader client.Reader) (guard.Verdict, error)
}

// Reconciler carries ChangeRequests out. All exported fields are needed.
type Reconciler struct {
	// Client reads from the cache, and writes.
	Client client.Client
	// Uncached reads what has to be true at the moment of applying, and leases.
	Uncached client.Reader
	Pipeline pipeline.Pipeline
	Plans    transcript.Store
	Audit    audit.Log
	Guard    Guard
	Events   kube.Events
	Metrics  *telemetry.Metrics
	Clock    clock.PassiveClock
	// Namespace is the operator's own, which holds the leases.
	Namespace string

	turns turns
}

// saveTime is how long the record of an effect may take to be stored once the operator is asked to end.
const saveTime = 10 * time.Second

// Reconcile makes one pass over one change.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	requested := &v1alpha1.ChangeRequest{}
	err := r.Client.Get(ctx, request.NamespacedName, requested)
	if apierrors.IsNotFound(err) {
		return kube.Result(0, r.reclaim(ctx))
	}
	if err != nil {
		return kube.Result(0, err)
	}
	if finished(requested) {
		return kube.Result(0, r.acknowledge(ctx, requested))
	}
	if !requested.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	p := r.begin(requested)
	if err := p.run(ctx); err != nil {
		return kube.Result(p.wake(), err)
	}
	if ctx.Err() != nil && !p.effected {
		return kube.Result(0, ctx.Err())
	}
	written, err := p.save(ctx)
	if err != nil {
		return kube.Result(0, err)
	}
	if written {
		p.announce(ctx)
	}
	return kube.Result(p.wake(), nil)
}

// save writes what the pass found out. What is known of an effect is stored even while the operator is being stopped.
func (p *pass) save(ctx context.Context) (bool, error) {
	if p.effected {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), saveTime)
		defer cancel()
	}
	p.conclude()
	return p.session.Close(ctx)
}

// acknowledge writes the generation of the spec into a finished change, so that kstatus does not wait for it.
func (r *Reconciler) acknowledge(ctx context.Context, requested *v1alpha1.ChangeRequest) error {
	session := kube.Open(r.Client, requested)
	requested.Status.ObservedGeneration = requested.Generation
	_, err := session.Close(ctx)
	return err
}

// finished tells from the facts whether a change has ended.
func finished(requested *v1alpha1.ChangeRequest) bool { return requested.Status.Result != "" }
