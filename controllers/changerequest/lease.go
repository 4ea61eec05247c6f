package changerequest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/kube"
)

const (
	// holderLabel carries the uid of the change that holds a lease.
	holderLabel = "eclusier.io/change-uid"
	// holderAnnotation names that change, and objectAnnotation the object that the lease is for.
	holderAnnotation = "eclusier.io/change"
	objectAnnotation = "eclusier.io/object"
)

// takeTurn takes a lease on every object that the plan touches, so that two changes never touch one object at once. The
// names are taken in one order by everybody, so that no two changes hold what the other waits for. A lease of a change that
// has ended, or is gone, is taken over; while one that goes on holds it, the change waits.
func (p *pass) takeTurn(ctx context.Context, plan change.Plan) error {
	objects := map[string]string{}
	var names []string
	for _, e := range plan.Effects {
		if e.Verb == change.VerbNone {
			continue
		}
		object := describe(e.Object)
		sum := sha256.Sum256([]byte(e.Object.APIVersion + "/" + object))
		name := "eclusier-change-" + hex.EncodeToString(sum[:])[:32]
		if _, known := objects[name]; !known {
			objects[name] = object
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if err := p.takeLease(ctx, name, objects[name]); err != nil {
			return err
		}
	}
	return nil
}

// takeLease takes the lease of one object. One that the change holds already is kept.
func (p *pass) takeLease(ctx context.Context, name, object string) error {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: name}}
	p.claim(lease, object)
	err := p.Client.Create(ctx, lease, kube.FieldOwner)
	if err == nil {
		p.leases = append(p.leases, name)
		return nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	if err := p.Uncached.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: name}, lease); err != nil {
		return gone(err)
	}
	holder := ""
	if lease.Spec.HolderIdentity != nil {
		holder = *lease.Spec.HolderIdentity
	}
	if holder == string(p.change.UID) {
		p.leases = append(p.leases, name) // an earlier pass took it, and died or goes on
		return nil
	}
	// Queued before the other is looked at: it may end between the two.
	p.turns.await(holder, client.ObjectKeyFromObject(p.change))
	busy, err := p.underWay(ctx, lease.Annotations[holderAnnotation], holder)
	switch {
	case err != nil:
		return err
	case busy:
		return fault.New(fault.Wait, v1alpha1.AppliedAwaitingTurn, saidAwaitingTurn(object, lease.Annotations[holderAnnotation]), nil)
	}
	p.claim(lease, object)
	if err := p.Client.Update(ctx, lease, kube.FieldOwner); err != nil {
		return gone(err)
	}
	p.leases = append(p.leases, name)
	p.turns.wake(holder)
	return nil
}

// gone turns the sudden absence of a lease into a conflict: somebody let go of it in between, so the pass is made again.
func gone(err error) error {
	if apierrors.IsNotFound(err) {
		return fault.New(fault.Retry, fault.Conflict, "the lease was released in between", err)
	}
	return err
}

// claim writes the change into a lease.
func (p *pass) claim(lease *coordinationv1.Lease, object string) {
	holder, since := string(p.change.UID), metav1.NewMicroTime(p.now)
	lease.Labels = map[string]string{holderLabel: holder}
	lease.Annotations = map[string]string{holderAnnotation: p.change.Namespace + "/" + p.change.Name, objectAnnotation: object}
	lease.Spec.HolderIdentity, lease.Spec.AcquireTime = &holder, &since
}

// reclaim lets go of every lease whose change has ended or is gone: one that was deleted with its namespace let go of none.
func (r *Reconciler) reclaim(ctx context.Context) error {
	held := &coordinationv1.LeaseList{}
	if err := r.Uncached.List(ctx, held, client.InNamespace(r.Namespace), client.HasLabels{holderLabel}); err != nil {
		return err
	}
	for i := range held.Items {
		lease := &held.Items[i]
		holder := lease.Labels[holderLabel]
		busy, err := r.underWay(ctx, lease.Annotations[holderAnnotation], holder)
		if err != nil {
			return err
		}
		if busy {
			continue
		}
		// Taken over in the meantime, it is another's.
		seen := client.Preconditions{UID: &lease.UID, ResourceVersion: &lease.ResourceVersion}
		if err := r.Client.Delete(ctx, lease, seen); client.IgnoreNotFound(err) != nil && !apierrors.IsConflict(err) {
			return err
		}
		r.turns.wake(holder)
	}
	return nil
}

// underWay says whether the change of that name and uid has not ended.
func (r *Reconciler) underWay(ctx context.Context, name, uid string) (bool, error) {
	namespace, name, named := cut(name)
	if !named {
		return false, nil
	}
	other := &v1alpha1.ChangeRequest{}
	err := r.Uncached.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, other)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && string(other.UID) == uid && !finished(other), err
}

// release lets go of the leases that were taken in this pass.
func (p *pass) release(ctx context.Context) error {
	for _, name := range p.leases {
		if err := p.drop(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: name}}); err != nil {
			return err
		}
	}
	p.leases = nil
	p.turns.wake(string(p.change.UID))
	return nil
}

// releaseAll lets go of every lease that the change holds, whichever pass took it.
func (p *pass) releaseAll(ctx context.Context) error {
	held := &coordinationv1.LeaseList{}
	if err := p.Uncached.List(ctx, held, client.InNamespace(p.Namespace), client.MatchingLabels{holderLabel: string(p.change.UID)}); err != nil {
		return err
	}
	for i := range held.Items {
		seen := client.Preconditions{UID: &held.Items[i].UID, ResourceVersion: &held.Items[i].ResourceVersion}
		if err := p.drop(ctx, &held.Items[i], seen); err != nil {
			return err
		}
	}
	p.turns.wake(string(p.change.UID))
	return nil
}

func (p *pass) drop(ctx context.Context, lease *coordinationv1.Lease, options ...client.DeleteOption) error {
	return client.IgnoreNotFound(p.Client.Delete(ctx, lease, options...))
}

// turns remembers which changes wait for the objects of which other change, and wakes them. The zero value is empty. What
// it remembers dies with the process; whoever starts looks at every change that has not ended.
type turns struct {
	mu      sync.Mutex
	queue   workqueue.TypedRateLimitingInterface[reconcile.Request]
	waiting map[string]map[types.NamespacedName]bool
}

// attach gives it the work queue to wake changes through.
func (t *turns) attach(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = queue
	return nil
}

func (t *turns) await(holder string, who types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil {
		t.waiting = map[string]map[types.NamespacedName]bool{}
	}
	if t.waiting[holder] == nil {
		t.waiting[holder] = map[types.NamespacedName]bool{}
	}
	t.waiting[holder][who] = true
}

// wake has everybody who waits for the holder look again.
func (t *turns) wake(holder string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for who := range t.waiting[holder] {
		if t.queue != nil {
			t.queue.Add(reconcile.Request{NamespacedName: who})
		}
	}
	delete(t.waiting, holder)
}
