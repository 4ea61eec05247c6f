package main

import (
	"errors"
	"testing"
)

func TestRefusal(t *testing.T) {
	for _, c := range []struct{ complaint, want, reason string }{
		{"exit status 1\nError from server (Forbidden): approvals \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: you asked for it",
			"you asked for it", "that is what the policy says to people"},
		{"exit status 1\nError from server (Forbidden): User \"dora\" cannot patch resource", "", "a lack of rights is another refusal than the one to show"},
	} {
		if got := refusal(errors.New(c.complaint)); got != c.want {
			t.Errorf("refusal(%q) = %q, want %q: %s", c.complaint, got, c.want, c.reason)
		}
	}
}

func TestScreen_diffLine(t *testing.T) {
	s := &screen{color: true}
	for _, c := range []struct{ line, want, reason string }{
		{"+  replicas: 3", "\x1b[32m+  replicas: 3\x1b[0m", "what comes is green"},
		{"-  replicas: 2", "\x1b[31m-  replicas: 2\x1b[0m", "what goes is red"},
		{"   replicas: 2", "   replicas: 2", "what stays is plain"},
		{"-1 is no diff", "-1 is no diff", "text may begin with a sign"},
	} {
		if got := s.diffLine(c.line); got != c.want {
			t.Errorf("diffLine(%q) = %q, want %q: %s", c.line, got, c.want, c.reason)
		}
	}
}
