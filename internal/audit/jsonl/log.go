package jsonl

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/redact"
)

// Log is an audit.Log. It may be used by several goroutines at once.
type Log struct {
	now  func() time.Time
	name string

	mu   sync.Mutex
	to   sink
	last link
}

var _ audit.Log = (*Log)(nil)

// sink is where lines go.
type sink interface {
	// prepare makes ready for a line after last, and returns the place after which it really comes.
	prepare(last link) (link, error)
	// write writes a line, and returns once it is durable.
	write(line []byte) error
	io.Closer
}

// Open opens the log in the file at path, which is made where it does not exist, and goes on with the chain in it. The
// path "-" is standard output.
func Open(path string, now func() time.Time) (*Log, error) {
	if path == "-" {
		return &Log{now: now, name: "standard output", to: stream{os.Stdout}}, nil
	}
	l := &Log{now: now, name: path, to: &file{path: path}}
	last, err := l.to.prepare(link{})
	if err != nil {
		_ = l.to.Close()
		return nil, fmt.Errorf("opening the audit log %s: %w", path, err)
	}
	l.last = last
	return l, nil
}

// Start records that the operator begins to write, as whom and on which machine, also where it then has nothing to do. On
// standard output it is the first line of a chain.
func (l *Log) Start(ctx context.Context, operator string) error {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("asking for the name of this machine: %w", err)
	}
	return l.Record(ctx, audit.Entry{Actor: operator, Action: audit.ActionStart, Outcome: audit.OutcomeSucceeded, Detail: redact.String("on " + host)})
}

// Record implements audit.Log. A log that cannot be written is a Retry fault.
func (l *Log) Record(ctx context.Context, e audit.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	last, err := l.to.prepare(l.last)
	if err != nil {
		return l.unwritten(err)
	}
	l.last = last
	text, next, err := last.next(l.now(), e)
	if err != nil {
		return err
	}
	if err := l.to.write(text); err != nil {
		return l.unwritten(err)
	}
	l.last = next
	return nil
}

func (l *Log) unwritten(err error) error {
	return fault.New(fault.Retry, fault.Unavailable, "the audit log cannot be written, and nothing is done without it", err).
		With("Make " + l.name + " writable, or make room on its volume.")
}

// Close closes the file. Nothing can be recorded afterwards.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Close()
}

// stream is an output that can only be written to.
type stream struct{ to io.Writer }

// prepare implements sink.
func (s stream) prepare(last link) (link, error) { return last, nil }

// write implements sink.
func (s stream) write(text []byte) error {
	_, err := s.to.Write(text)
	return err
}

// Close implements sink. The output belongs to the process.
func (s stream) Close() error { return nil }
