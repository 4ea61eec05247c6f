package kubernetes

import (
	"sync"
	"time"
)

// maxSettling bounds how many changes are remembered; one that is forgotten soaks once more.
const maxSettling = 1000

// settling remembers since when the objects of a change have been ready without a break. It is lost when the operator
// restarts, and then the change soaks once more: nothing is decided from it but how long to wait.
type settling struct {
	mu    sync.Mutex
	since map[string]time.Time
}

func newSettling() *settling { return &settling{since: map[string]time.Time{}} }

// ready notes that everything is ready and returns since when.
func (s *settling) ready(key string, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since, ok := s.since[key]; ok {
		return since
	}
	if len(s.since) >= maxSettling {
		clear(s.since)
	}
	s.since[key] = now
	return now
}

// forget notes that something is not ready, or that nobody will ask again.
func (s *settling) forget(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, key)
}
