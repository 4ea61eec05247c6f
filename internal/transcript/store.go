// Package transcript is the port behind which plans, snapshots and conversations are kept, outside the objects that they
// belong to: an object of the API server may not grow without bound.
//
// It also says how long things are kept (Spent). It decides nothing about changes: whoever owns what is kept says how it
// stands with it.
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

// Limits of one thing that is kept.
const (
	// MaxSize is how many bytes of content one key may have.
	MaxSize = 16 << 20
	// MaxHeld is how many objects one key may hold.
	MaxHeld = 500
)

// Reasons of the faults that a Store states beside those of package fault. They are condition reasons.
const (
	// Damaged: what is kept is not what was put. It cannot be read, and nothing can be restored from it.
	Damaged = "Damaged"
	// TooLarge: there is more of it than one key may have.
	TooLarge = "TooLarge"
)

// Key names one thing that is kept. Kind, UID and Revision tell it from every other; Namespace and Name are for people and
// for lists, since an object that is gone has no other name left.
type Key struct {
	Kind Kind
	// Namespace and Name are those of the object that it belongs to, UID its uid.
	Namespace string
	Name      string
	UID       string
	Revision  int32
}

// Object is an object of the cluster whose state is part of what is kept.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// Entry is one thing that is kept, without its content.
type Entry struct {
	Key
	// Ref is the name under which it is kept.
	Ref string
	// Digest is "sha256:" and the hexadecimal SHA-256 of the content.
	Digest string
	Made   time.Time
	// Size is that of the content, in bytes.
	Size int
	// Holds are the objects whose state is part of it.
	Holds []Object
}

// Store keeps things. It is exact: what was put is what is got, or nothing is. Its errors are faults, or classify as
// such.
type Store interface {
	// Put keeps content under the key, beside the objects that it holds, and returns its ref. Putting the same again
	// changes nothing. Putting something else replaces the whole: what is got in between is one or the other. Whoever
	// must have one content compares what he gets with what he consented to. Beyond the limits it is a Terminal fault,
	// TooLarge.
	Put(ctx context.Context, key Key, holds []Object, content []byte) (string, error)
	// Get returns what is kept under the key. A missing one is a Terminal fault, NotFound; a broken one is a Terminal
	// fault, Damaged.
	Get(ctx context.Context, key Key) ([]byte, error)
	// List returns what is kept for a namespace, of a kind, the newest first. The empty namespace means every one.
	List(ctx context.Context, kind Kind, namespace string) ([]Entry, error)
	// Drop removes what is kept under the key. Removing nothing is no error.
	Drop(ctx context.Context, key Key) error
	// Sweep removes what is spent, of every kind and namespace, and what interrupted writes left. It returns how many
	// entries it removed, also beside an error: one that cannot be removed does not keep the others.
	Sweep(ctx context.Context, standing func(Entry) Standing) (int, error)
}
