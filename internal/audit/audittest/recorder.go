// Package audittest holds what tests need of package audit: a log in memory. It is imported by tests alone.
package audittest

import (
	"context"
	"slices"
	"sync"

	"github.com/eclusier/eclusier/internal/audit"
)

// Recorder is an audit.Log that remembers. The zero value is empty and ready.
type Recorder struct {
	mu      sync.Mutex
	entries []audit.Entry
	failure error
}

var _ audit.Log = (*Recorder)(nil)

// Record implements audit.Log.
func (r *Recorder) Record(ctx context.Context, e audit.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure != nil {
		return r.failure
	}
	r.entries = append(r.entries, e)
	return nil
}

// Fail makes every Record from now on return err and write nothing; nil ends that.
func (r *Recorder) Fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failure = err
}

// Entries returns what was written, in order.
func (r *Recorder) Entries() []audit.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.entries)
}
