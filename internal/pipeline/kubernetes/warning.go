package kubernetes

import (
	"context"
	"slices"
	"sync"
)

// warnings collects what the API server warns of while it serves a request: deprecated versions, pods that a security
// standard would refuse.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

type warningsKey struct{}

// collecting returns a context whose requests' warnings are collected.
func collecting(ctx context.Context) (context.Context, *warnings) {
	w := &warnings{}
	return context.WithValue(ctx, warningsKey{}, w), w
}

// sorted returns the warnings, each once.
func (w *warnings) sorted() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.texts)
	return slices.Compact(w.texts)
}

// warningHandler hands warnings to whoever collects them.
type warningHandler struct{}

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (warningHandler) HandleWarningHeaderWithContext(ctx context.Context, code int, _ string, text string) {
	w, ok := ctx.Value(warningsKey{}).(*warnings)
	if !ok || code != 299 || text == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = append(w.texts, text)
}
