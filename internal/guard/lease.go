package guard

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/fault"
)

const (
	// leaseName is the name of the lease that keeps the record.
	leaseName = "eclusier-identity-guard"
	// seenAnnotation and sinceAnnotation carry it; without the latter, the lease's own age counts.
	seenAnnotation  = "eclusier.io/guard-seen"
	sinceAnnotation = "eclusier.io/guard-since"
	// laterAnnotation is how much later than the lease was created.
	laterAnnotation = "eclusier.io/guard-settles"
)

// Lease is a Memory in a Lease of the operator's namespace. It is created anew with each record, since the one time that
// the API server gives an object, whatever a client sends, is that of its creation.
type Lease struct {
	// Client reads without a cache.
	Client    client.Client
	Namespace string
}

// Recall is part of Memory.
func (l Lease) Recall(ctx context.Context) (Record, error) {
	record, _, err := l.read(ctx)
	return record, err
}

// Keep is part of Memory. Of two operators that keep at once, one is told to look again.
func (l Lease) Keep(ctx context.Context, former, next Record, later time.Duration) (Record, error) {
	kept, lease, err := l.read(ctx)
	if err != nil {
		return Record{}, err
	}
	if kept.Seen != former.Seen {
		return Record{}, raced(nil)
	}
	if lease != nil {
		same := client.Preconditions{UID: &lease.UID, ResourceVersion: &lease.ResourceVersion}
		if err := l.Client.Delete(ctx, lease, same); client.IgnoreNotFound(err) != nil {
			return Record{}, raced(err)
		}
	}
	lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: l.Namespace, Name: leaseName,
		Annotations: map[string]string{seenAnnotation: next.Seen, laterAnnotation: later.String()}}}
	if !next.Since.IsZero() {
		lease.Annotations[sinceAnnotation] = next.Since.UTC().Format(time.RFC3339)
	}
	if err := l.Client.Create(ctx, lease); err != nil {
		return Record{}, raced(err)
	}
	return recordOf(lease), nil
}

// read returns the record and the lease that keeps it, nil where there is none.
func (l Lease) read(ctx context.Context) (Record, *coordinationv1.Lease, error) {
	lease := &coordinationv1.Lease{}
	err := l.Client.Get(ctx, client.ObjectKey{Namespace: l.Namespace, Name: leaseName}, lease)
	switch {
	case apierrors.IsNotFound(err):
		return Record{}, nil, nil
	case err != nil:
		return Record{}, nil, fmt.Errorf("reading since when the admission policies are in place: %w", err)
	}
	return recordOf(lease), lease, nil
}

// recordOf reads the record out of a lease. One that cannot be read is of no policies that there are, and is replaced.
func recordOf(lease *coordinationv1.Lease) Record {
	seen, since := lease.Annotations[seenAnnotation], lease.Annotations[sinceAnnotation]
	if at, err := time.Parse(time.RFC3339, since); err == nil {
		return Record{Seen: seen, Since: at}
	}
	later, err := time.ParseDuration(lease.Annotations[laterAnnotation])
	if err != nil || since != "" || seen == "" {
		return Record{Seen: "unreadable"}
	}
	return Record{Seen: seen, Since: lease.CreationTimestamp.Add(later)}
}

// raced is the fault of whoever keeps at the same time as another.
func raced(err error) error {
	if err == nil || apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return fault.New(fault.Retry, fault.Conflict, "another operator is recording since when the admission policies are in place", err)
	}
	return fmt.Errorf("recording since when the admission policies are in place: %w", err)
}
