package guard

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// settleTime is how long policies that were put right are given to take effect in every API server, which look for what
// changed once a second. It holds one second more, since times are rounded down to whole ones.
const settleTime = 3 * time.Second

// Record says that a set of policies and bindings was seen in place, and from when on what they vouch for can be believed.
type Record struct {
	// Seen tells the set from every other; empty where nothing is recorded.
	Seen string
	// Since is by the clock of the API server.
	Since time.Time
}

// Memory keeps the last Record beyond the life of an operator.
type Memory interface {
	// Recall returns what is kept, an empty Record if nothing is.
	Recall(ctx context.Context) (Record, error)
	// Keep puts next in the place of former, and returns what is kept from now on. Where next has no time, it is set to
	// that of the API server, so much later.
	Keep(ctx context.Context, former, next Record, later time.Duration) (Record, error)
}

// Witness is a Guard that knows since when. It records each set of policies that it sees in place for the first time, and
// from then on recognises it: while the set is the same, none of it was ever changed, gone or replaced, not even for a
// moment in which no operator was running. A set that it does not know is believed from when it was recorded.
type Witness struct {
	guard  *Guard
	live   client.Reader
	memory Memory
	clock  clock.PassiveClock

	mu    sync.Mutex
	known Record
	// settled is by the operator's own clock, which only tells how long it has been.
	settled time.Time
}

// NewWitness has a guard remember. Live shows everything as it is now.
func NewWitness(guard *Guard, live client.Reader, memory Memory, passive clock.PassiveClock) *Witness {
	return &Witness{guard: guard, live: live, memory: memory, clock: passive}
}

// Check says what Guard.Check says, and since when without a gap. An error means that this is not known.
func (w *Witness) Check(ctx context.Context, reader client.Reader) (Verdict, error) {
	verdict, err := w.guard.Check(ctx, reader)
	if err != nil || !verdict.InPlace() {
		return verdict, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if verdict.seen != w.known.Seen {
		// A cache may show what was. What is recorded must be what is.
		if verdict, err = w.guard.Check(ctx, w.live); err != nil || !verdict.InPlace() {
			return verdict, err
		}
	}
	if verdict.seen != w.known.Seen {
		if err := w.learn(ctx, verdict); err != nil {
			return Verdict{}, err
		}
	}
	verdict.Since = w.known.Since
	verdict.Settling = max(w.settled.Sub(w.clock.Now()), 0)
	return verdict, nil
}

// learn finds out since when the policies of a verdict have been in place, and records it where that is not known.
func (w *Witness) learn(ctx context.Context, verdict Verdict) error {
	kept, err := w.memory.Recall(ctx)
	if err != nil {
		return err
	}
	if kept.Seen != verdict.seen {
		next := Record{Seen: verdict.seen}
		if kept.Seen == "" && verdict.untouched {
			next.Since = verdict.Since // as installed for the first time, they were never anything else
		}
		if kept, err = w.memory.Keep(ctx, kept, next, settleTime); err != nil {
			return err
		}
	}
	w.known, w.settled = kept, w.clock.Now()
	if !kept.Since.Equal(verdict.Since) {
		// How old the record is cannot be told without comparing two clocks. That it is settled by then can.
		w.settled = w.settled.Add(settleTime)
	}
	return nil
}
