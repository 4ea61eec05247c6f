package agenttask

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// arrivals remembers when this process first saw the tasks that are under way, since the API keeps times in whole seconds
// and many tasks take less. The zero value is empty.
type arrivals struct {
	mu sync.Mutex
	at map[types.UID]time.Time
}

// note remembers a task that is seen for the first time.
func (a *arrivals) note(task *v1alpha1.AgentTask, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.at == nil {
		a.at = map[types.UID]time.Time{}
	}
	if _, seen := a.at[task.UID]; !seen {
		a.at[task.UID] = now
	}
}

// forget drops a task that has gone.
func (a *arrivals) forget(task *v1alpha1.AgentTask) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.at, task.UID)
}

// leave drops a task that ended at a moment, and says how long it took: since it was seen, if that was in the second of its
// creation, and otherwise since its creation.
func (a *arrivals) leave(task *v1alpha1.AgentTask, ended time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	began := task.CreationTimestamp.Time
	if seen, ok := a.at[task.UID]; ok && seen.After(began) && seen.Before(began.Add(time.Second)) {
		began = seen
	}
	delete(a.at, task.UID)
	return max(ended.Sub(began), 0)
}
