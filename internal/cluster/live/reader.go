package live

import (
	"context"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/fault"
)

// Reader reads one API server with the rights of one identity. It is safe for concurrent use.
type Reader struct {
	objects client.Reader
	logs    corev1client.PodsGetter
	kinds   *kinds
	options Options

	// memory is nil for a reader that reads everything anew.
	memory  *memory
	account string
	asked   time.Time
}

var (
	_ cluster.Reader    = (*Reader)(nil)
	_ cluster.Suggester = (*Reader)(nil)
	_ cluster.Scoper    = (*Reader)(nil)
)

// job is one request of a want, or one paged list.
type job struct {
	want     cluster.Want
	resource string
	run      func(context.Context) (outcome, error)
}

// outcome is what a job has read. store is called from one goroutine only, in the order of the jobs.
type outcome struct {
	store     func(*cluster.Snapshot)
	truncated bool
}

// Read serves the wants that into has not read yet, several requests at a time. If the API server answers none of them,
// or all of the first ones are forbidden, into stays as it is and the error says which.
func (r *Reader) Read(ctx context.Context, into *cluster.Snapshot, wants []cluster.Want) error {
	wants = unread(into, wants)
	var jobs []job
	for _, want := range wants {
		jobs = append(jobs, r.jobs(into, wants, want)...)
	}
	outcomes := make([]outcome, len(jobs))
	errs := make([]error, len(jobs))
	inParallel(r.options.Parallel, len(jobs), func(i int) {
		outcomes[i], errs[i] = jobs[i].run(ctx)
	})
	if err := nothingRead(into, jobs, errs); err != nil {
		return err
	}
	if into.Now.IsZero() {
		into.Now = r.options.Now()
	}
	for i, job := range jobs {
		r.keep(into, job, outcomes[i], errs[i])
	}
	into.Read = append(into.Read, wants...)
	return nil
}

// keep stores what a job has read, and a gap for what it has not.
func (r *Reader) keep(into *cluster.Snapshot, job job, read outcome, err error) {
	if read.store != nil {
		read.store(into)
	}
	gap := cluster.Gap{Want: job.want, Resource: job.resource}
	switch {
	case err != nil:
		gap.Reason, gap.Detail = gapReason(err), err.Error()
		if gap.Reason == cluster.GapUnavailable {
			gap.Detail = fault.Of(err).Message // how a connection broke is for logs, and names machines
		}
	case read.truncated:
		gap.Reason = cluster.GapTruncated
	default:
		return
	}
	into.Gaps = append(into.Gaps, gap)
}

// unread returns the wants that are neither read nor known to be impossible, each once.
func unread(s *cluster.Snapshot, wants []cluster.Want) []cluster.Want {
	var left []cluster.Want
	for _, want := range wants {
		if !slices.Contains(s.Read, want) && !slices.Contains(left, want) {
			left = append(left, want)
		}
	}
	return left
}

// nothingRead tells a cluster that cannot be read from one in which something is missing. Logs do not count: they come
// from the nodes, and a node that is away is something to report.
func nothingRead(into *cluster.Snapshot, jobs []job, errs []error) error {
	var first *fault.Fault
	for i, err := range errs {
		if jobs[i].want.What == cluster.WantLog {
			continue
		}
		if err == nil {
			return nil
		}
		f := fault.Of(err)
		if f.Reason == fault.NotFound {
			return nil
		}
		if first == nil || f.Fate != fault.Terminal && first.Fate == fault.Terminal {
			first = f
		}
	}
	if first == nil || first.Fate == fault.Terminal && len(into.Read) > 0 {
		return nil
	}
	return first
}

func gapReason(err error) cluster.GapReason {
	switch fault.Of(err).Reason {
	case fault.PermissionDenied, fault.CredentialsRejected:
		return cluster.GapForbidden
	case fault.NotFound:
		return cluster.GapNotFound
	}
	return cluster.GapUnavailable
}

// inParallel calls do for 0 to n-1, at most limit at a time, and returns when all are done.
func inParallel(limit, n int, do func(int)) {
	var all sync.WaitGroup
	slots := make(chan struct{}, limit)
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	all.Wait()
}

// bounded gives one request its time.
func (r *Reader) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, r.options.RequestTimeout)
}

// known tells which objects a snapshot holds already, so that two wants that overlap add nothing twice.
func known(held []metav1.Object) map[client.ObjectKey]bool {
	keys := make(map[client.ObjectKey]bool, len(held))
	for _, o := range held {
		keys[client.ObjectKey{Namespace: o.GetNamespace(), Name: o.GetName()}] = true
	}
	return keys
}
