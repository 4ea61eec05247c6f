package live

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// remember is how long a list is kept for other questions.
const remember = 5 * time.Second

// memory keeps the lists that were read for an account. A list answers every question of the same account that was asked
// before the reading began: many questions asked at once cost the API server one reading, and no answer ever rests on
// something older than its question.
type memory struct {
	mu    sync.Mutex
	lists map[listed]reading
}

// listed is what was listed, and as whom.
type listed struct{ account, resource, selection string }

// reading is one list as it was read. Its objects are shared and never modified.
type reading struct {
	began     time.Time
	objects   []client.Object
	truncated bool
}

// recall returns the last reading if it began at or after the moment of the question, and not too long before now.
func (m *memory) recall(what listed, asked, now time.Time) (reading, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last, ok := m.lists[what]
	return last, ok && !last.began.Before(asked) && now.Sub(last.began) < remember
}

// keep remembers a reading, and forgets it again in time: a namespace can be large.
func (m *memory) keep(what listed, read reading) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lists == nil {
		m.lists = map[listed]reading{}
	}
	m.lists[what] = read
	time.AfterFunc(remember, func() { m.forget(what, read.began) })
}

func (m *memory) forget(what listed, began time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lists[what].began.Equal(began) {
		delete(m.lists, what)
	}
}
