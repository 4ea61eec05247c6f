package secrets

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/transcript"
)

// orphanAge is how old a chunk must be before it counts as left behind: longer than any Put goes on.
const orphanAge = time.Hour

// Sweep implements transcript.Store.
func (s *Store) Sweep(ctx context.Context, standing func(transcript.Entry) transcript.Standing) (int, error) {
	parts, err := s.list(ctx, client.HasLabels{kindLabel})
	if err != nil {
		return 0, fmt.Errorf("listing what is kept: %w", err)
	}
	heads := map[string]*metav1.PartialObjectMetadata{}
	var entries []transcript.Entry
	for i := range parts {
		if parts[i].Labels[partLabel] == partHead {
			heads[parts[i].Name] = &parts[i]
			entries = append(entries, entry(&parts[i]))
		}
	}
	var failed []error
	removed := 0
	for _, e := range transcript.Spent(entries, s.now(), standing) {
		if err := s.remove(ctx, heads[e.Ref]); err != nil {
			failed = append(failed, fmt.Errorf("removing %s: %w", e.Key, err))
			continue
		}
		delete(heads, e.Ref)
		removed++
	}
	failed = append(failed, s.removeChunks(ctx, parts, heads))
	return removed, errors.Join(failed...)
}

// removeChunks removes the chunks that no head names: those whose head is gone, and those that are left behind. Those of
// a Put that goes on are too young.
func (s *Store) removeChunks(ctx context.Context, parts []metav1.PartialObjectMetadata, heads map[string]*metav1.PartialObjectMetadata) error {
	named := map[string]bool{}
	for name, head := range heads {
		x, err := readIndex(head)
		if err != nil {
			continue
		}
		for i := range x.Chunks {
			named[chunkName(name, x.Packed, i)] = true
		}
	}
	var failed []error
	for i := range parts {
		part := &parts[i]
		old := s.now().Sub(part.CreationTimestamp.Time) > orphanAge
		if part.Labels[partLabel] != partChunk || named[part.Name] || !old {
			continue
		}
		if err := s.remove(ctx, part); err != nil {
			failed = append(failed, fmt.Errorf("removing the chunk %s: %w", part.Name, err))
		}
	}
	return errors.Join(failed...)
}
