// Package transcript is the port behind which plans, snapshots and conversations are kept, outside the objects that they
// belong to: an object of the API server may not grow without bound.
package transcript

import (
	"context"
	"time"
)

// Kind is what is kept.
type Kind string

const (
	// KindPlan is a plan with its view: exact, since it is executed.
	KindPlan Kind = "plan"
	// KindSnapshot is the objects of a change as they were before it: exact, since they are restored.
	KindSnapshot Kind = "snapshot"
)

// Key names one thing that is kept.
type Key struct {
	Kind Kind
	// Namespace and Name are those of the object that it belongs to, UID its uid.
	Namespace string
	Name      string
	UID       string
	Revision  int32
}

// Entry is one thing that is kept, without its content.
type Entry struct {
	Key
	// Ref is the name under which it is kept.
	Ref  string
	Made time.Time
	Size int
}

// Store keeps things. It is exact: what was put is what is got.
type Store interface {
	// Put keeps content under the key and returns its ref. Putting the same content again changes nothing.
	Put(ctx context.Context, key Key, content []byte) (string, error)
	// Get returns what is kept under the key. A missing or damaged one is a Terminal fault.
	Get(ctx context.Context, key Key) ([]byte, error)
	// List returns what is kept for a namespace, of a kind, the newest first.
	List(ctx context.Context, kind Kind, namespace string) ([]Entry, error)
	// Drop removes what is kept under the key. Removing nothing is no error.
	Drop(ctx context.Context, key Key) error
}
