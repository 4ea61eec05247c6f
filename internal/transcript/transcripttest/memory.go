// Package transcripttest holds what tests need of package transcript: a Store in memory, and the contract that every
// Store keeps. It is imported by tests alone.
package transcripttest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/eclusier/eclusier/internal/transcript"
)

// Memory returns a Store that forgets everything with the test.
func Memory(now func() time.Time) transcript.Store {
	return &memory{now: now, kept: map[string]item{}}
}

type memory struct {
	now  func() time.Time
	mu   sync.Mutex
	kept map[string]item
}

type item struct {
	entry   transcript.Entry
	content []byte
}

func ref(key transcript.Key) string { return fmt.Sprintf("%s-%s-%d", key.Kind, key.UID, key.Revision) }

// Put implements transcript.Store.
func (m *memory) Put(ctx context.Context, key transcript.Key, holds []transcript.Object, content []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := transcript.Check(key, holds, content); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	name := ref(key)
	if there, ok := m.kept[name]; ok && bytes.Equal(there.content, content) && slices.Equal(there.entry.Holds, holds) {
		return name, nil
	}
	sum := sha256.Sum256(content)
	m.kept[name] = item{
		entry: transcript.Entry{
			Key:    key,
			Ref:    name,
			Digest: "sha256:" + hex.EncodeToString(sum[:]),
			Made:   m.now().UTC(),
			Size:   len(content),
			Holds:  slices.Clone(holds),
		},
		content: bytes.Clone(content),
	}
	return name, nil
}

// Get implements transcript.Store.
func (m *memory) Get(ctx context.Context, key transcript.Key) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := key.Check(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	there, ok := m.kept[ref(key)]
	if !ok {
		return nil, transcript.Missing(key)
	}
	return bytes.Clone(there.content), nil
}

// List implements transcript.Store.
func (m *memory) List(ctx context.Context, kind transcript.Kind, namespace string) ([]transcript.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var entries []transcript.Entry
	for _, e := range m.all() {
		if e.Kind == kind && (namespace == "" || e.Namespace == namespace) {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// Drop implements transcript.Store.
func (m *memory) Drop(ctx context.Context, key transcript.Key) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := key.Check(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.kept, ref(key))
	return nil
}

// Sweep implements transcript.Store.
func (m *memory) Sweep(ctx context.Context, standing func(transcript.Entry) transcript.Standing) (int, error) {
	removed := 0
	for _, e := range transcript.Spent(m.all(), m.now(), standing) {
		if err := m.Drop(ctx, e.Key); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

func (m *memory) all() []transcript.Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	var entries []transcript.Entry
	for _, i := range m.kept {
		entries = append(entries, i.entry)
	}
	transcript.Sort(entries)
	return entries
}
