// Package fault gives every error a fate: try again, wait for something, or stop.
//
// A Fault also carries the condition reason under which people will see it, one sentence for them, and what they can do
// about it. Errors of others are classified by type and status code, never by their text, which varies by version and
// language and may be written by an attacker. The package decides nothing about how often or how long to retry.
package fault

import (
	"errors"
	"time"
)

// Fate says what may follow an error.
type Fate string

const (
	// Retry: the same attempt may succeed later. Only these faults count for retries and circuit breakers.
	Retry Fate = "Retry"
	// Wait: something else must happen first, such as an operator coming back or a window opening.
	Wait Fate = "Wait"
	// Terminal: the same attempt will fail again.
	Terminal Fate = "Terminal"
)

// Reasons of the faults that classification yields. They are condition reasons.
const (
	// RateLimit: the other side asks for fewer requests (429).
	RateLimit = "RateLimit"
	// Timeout: no answer in time (408, 504, a deadline or a network time-out).
	Timeout = "Timeout"
	// Unavailable: the other side is overloaded or broken (5xx).
	Unavailable = "Unavailable"
	// ConnectionLost: the connection was refused, reset or closed half-way.
	ConnectionLost = "ConnectionLost"
	// Conflict: someone else changed the object in between (409), or a paged list outlived its token (410).
	Conflict = "Conflict"
	// Unexpected: an error of no known type.
	Unexpected = "Unexpected"
	// Interrupted: eclusier itself gave up, because it is being stopped.
	Interrupted = "Interrupted"
	// InvalidInput: the request is malformed or refused by validation (400, 413, 422 and other 4xx).
	InvalidInput = "InvalidInput"
	// CredentialsRejected: the identity is not known or its certificate is not accepted (401).
	CredentialsRejected = "CredentialsRejected"
	// PermissionDenied: the identity is known and may not do this (403).
	PermissionDenied = "PermissionDenied"
	// NotFound: the thing does not exist (404).
	NotFound = "NotFound"
	// AlreadyExists: something of this name exists already (409 with that status reason).
	AlreadyExists = "AlreadyExists"
	// PolicyViolation: a rule of the platform forbids it. Never derived, always stated by the code that checks the rule.
	PolicyViolation = "PolicyViolation"
)

// Fault is an error that knows its fate. The zero value is not useful: use New or Of.
type Fault struct {
	// Fate says what may follow.
	Fate Fate
	// Reason is the condition reason.
	Reason string
	// Message is one sentence for people. It holds no text of others, so that it needs no redaction.
	Message string
	// Remedies are commands or sentences that tell what to do, in order.
	Remedies []string
	// RetryAfter is how long the other side asked to be left alone; zero if it did not say.
	RetryAfter time.Duration

	cause error
}

// New makes a fault. The cause may be nil; it is for logs and errors.Is, not for people.
func New(fate Fate, reason, message string, cause error) *Fault {
	return &Fault{Fate: fate, Reason: reason, Message: message, cause: cause}
}

// With returns a copy of the fault with the remedies in place of its own.
func (f *Fault) With(remedies ...string) *Fault {
	changed := *f
	changed.Remedies = remedies
	return &changed
}

// Error prints reason, message and cause.
func (f *Fault) Error() string {
	text := f.Reason + ": " + f.Message
	if f.cause != nil {
		text += ": " + f.cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.cause }

// Is tells whether err is a fault with this reason, or classifies as one.
func Is(err error, reason string) bool {
	return err != nil && Of(err).Reason == reason
}

// IsRetry tells whether err may go away by itself.
func IsRetry(err error) bool {
	return err != nil && Of(err).Fate == Retry
}

// stated returns the fault that some code stated itself, if there is one in the chain.
func stated(err error) (*Fault, bool) {
	var f *Fault
	ok := errors.As(err, &f)
	return f, ok
}
