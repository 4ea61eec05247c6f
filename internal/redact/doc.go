// Package redact takes secrets and unreadable characters out of text before a person, a model or a store sees it.
//
// Text is the only kind of text that status, prompts, chats and the audit log take, and String is the only way to
// make one: what was not redacted does not compile into them. A secret is replaced by [redacted] and what names it
// stays, so that "password=[redacted]" still says what was there. Redaction is a judgement from the outside: where
// text leaves it open whether something is a secret, it is taken out, unless people who diagnose need such text
// daily (digests, uids, object names, status words).
//
// The package does no I/O, knows no secret's value and is imported by everyone who shows text.
package redact
