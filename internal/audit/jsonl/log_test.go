package jsonl_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/audit/jsonl"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/redact"
)

var moment = time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.FixedZone("CET", 3600))

func now() time.Time { return moment }

func open(t testing.TB, path string) *jsonl.Log {
	t.Helper()
	log, err := jsonl.Open(path, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return log
}

func entry(attempt string) audit.Entry {
	return audit.Entry{Actor: "system:serviceaccount:shop:eclusier-applier", Action: audit.ActionApply, Outcome: audit.OutcomeBegun, Attempt: attempt}
}

func record(t testing.TB, log audit.Log, attempts ...string) {
	t.Helper()
	for _, a := range attempts {
		if err := log.Record(t.Context(), entry(a)); err != nil {
			t.Fatal(err)
		}
	}
}

func content(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// verify checks that the chain is whole, and returns the attempts of its lines.
func verify(t testing.TB, text string) (jsonl.Summary, []string) {
	t.Helper()
	summary, err := jsonl.Verify(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var attempts []string
	for l := range strings.Lines(text) {
		var e audit.Entry
		if json.Unmarshal([]byte(l), &e) == nil {
			attempts = append(attempts, e.Attempt)
		}
	}
	return summary, attempts
}

func TestLog_Record_writesALineThatSaysEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	err := open(t, path).Record(t.Context(), audit.Entry{
		CorrelationID: "corr-0123abcd",
		Actor:         "alice",
		Action:        audit.ActionConsent,
		Outcome:       audit.OutcomeDenied,
		Change:        audit.Object{APIVersion: "eclusier.io/v1alpha1", Kind: "ChangeRequest", Namespace: "shop", Name: "fix", UID: "u1"},
		Object:        audit.Object{APIVersion: "v1", Kind: "Node", Name: "worker-1"},
		Digest:        "sha256:00",
		Attempt:       "a1",
		Detail:        redact.String("password=hunter2hunter2 <\n>"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"audit":true,"sequence":1,"previous":"","time":"2026-11-30T11:00:00.123456789Z","correlationID":"corr-0123abcd","actor":"alice",` +
		`"action":"Consent","outcome":"Denied","change":{"apiVersion":"eclusier.io/v1alpha1","kind":"ChangeRequest","namespace":"shop","name":"fix","uid":"u1"},` +
		`"object":{"apiVersion":"v1","kind":"Node","name":"worker-1"},"digest":"sha256:00","attempt":"a1","detail":"password=[redacted] \u003c\n\u003e"}` + "\n"
	if got := content(t, path); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got the mode %v (%v), want that only its owner reads it", info.Mode(), err)
	}
}

func TestLog_goesOnWithTheChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	record(t, open(t, path), "a", "b")
	record(t, open(t, path), "c")
	summary, attempts := verify(t, content(t, path))
	if got := strings.Join(attempts, ""); got != "abc" || summary.Lines != 3 || summary.Chains != 1 || summary.Last != 3 || summary.Foreign != 0 {
		t.Errorf("got %s, %+v", got, summary)
	}
}

// TestLog_crash ends the process after every byte of a line.
func TestLog_crash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	record(t, open(t, path), "a", "b")
	whole := content(t, path)
	first := strings.Index(whole, "\n") + 1
	for cut := first; cut <= len(whole); cut++ {
		if err := os.WriteFile(path, []byte(whole[:cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		record(t, open(t, path), "c", "d")
		text := content(t, path)
		if !strings.HasPrefix(text, whole[:cut]) {
			t.Fatalf("cut at %d: what was written was changed", cut)
		}
		summary, attempts := verify(t, text)
		want, foreign := "acd", 1
		switch {
		case cut >= len(whole)-1:
			want, foreign = "abcd", 0
		case cut == first:
			foreign = 0
		}
		if got := strings.Join(attempts, ""); got != want || summary.Lines != len(want) || summary.Foreign != foreign || summary.Chains != 1 {
			t.Fatalf("cut at %d: got %s, %+v", cut, got, summary)
		}
	}
}

func TestLog_rotation(t *testing.T) {
	tests := []struct {
		name   string
		rotate func(t *testing.T, path string)
	}{
		{"by renaming", func(t *testing.T, path string) {
			if err := os.Rename(path, path+".1"); err != nil {
				t.Fatal(err)
			}
		}},
		{"by renaming, with a new file made", func(t *testing.T, path string) {
			if err := errors.Join(os.Rename(path, path+".1"), os.WriteFile(path, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}},
		{"by copying and truncating", func(t *testing.T, path string) {
			if err := errors.Join(os.WriteFile(path+".1", []byte(content(t, path)), 0o600), os.Truncate(path, 0)); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			log := open(t, path)
			record(t, log, "a", "b")
			tt.rotate(t, path)
			record(t, log, "c", "d")
			if _, attempts := verify(t, content(t, path+".1")); strings.Join(attempts, "") != "ab" {
				t.Errorf("the former file holds %v", attempts)
			}
			summary, attempts := verify(t, content(t, path))
			if strings.Join(attempts, "") != "cd" || summary.First != 3 {
				t.Errorf("the new file holds %v, %+v", attempts, summary)
			}
			if both, _ := verify(t, content(t, path+".1")+content(t, path)); both.Lines != 4 || both.Chains != 1 {
				t.Errorf("together they are %+v", both)
			}
		})
	}
}

func TestLog_severalWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	t.Run("of one log at once", func(t *testing.T) {
		log := open(t, path)
		var group sync.WaitGroup
		for i := range 20 {
			group.Go(func() {
				if err := log.Record(t.Context(), entry(fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if summary, _ := verify(t, content(t, path)); summary.Lines != 20 {
			t.Errorf("got %+v", summary)
		}
	})
	t.Run("of two logs in turn", func(t *testing.T) {
		one, other := open(t, path), open(t, path)
		for range 3 {
			record(t, one, "one")
			record(t, other, "other")
		}
		if summary, _ := verify(t, content(t, path)); summary.Lines != 26 || summary.Chains != 1 {
			t.Errorf("got %+v", summary)
		}
	})
}

func TestLog_showsThatLinesWereRemovedWhileItWasOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := open(t, path)
	record(t, log, "a")
	size := int64(len(content(t, path)))
	record(t, log, "b")
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	record(t, log, "c")
	_, err := jsonl.Verify(strings.NewReader(content(t, path)))
	var broken *jsonl.BrokenError
	if !errors.As(err, &broken) || broken.Line != 2 {
		t.Errorf("got %v, want that the chain is broken at line 2", err)
	}
}

func TestLog_addsToAFileOfSomethingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	t.Run("it begins a chain after little of it", func(t *testing.T) {
		if err := os.WriteFile(path, []byte("{\"level\":\"info\"}\nno end"), 0o600); err != nil {
			t.Fatal(err)
		}
		record(t, open(t, path), "a")
		if summary, _ := verify(t, content(t, path)); summary.Lines != 1 || summary.Foreign != 2 || summary.First != 1 {
			t.Errorf("got %+v", summary)
		}
	})
	t.Run("it finds its last line before much of it", func(t *testing.T) {
		log := open(t, path)
		file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = file.WriteString(strings.Repeat("another line\n", 1<<16))
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		record(t, log, "b")
		record(t, open(t, path), "c")
		if summary, _ := verify(t, content(t, path)); summary.Last != 3 || summary.Chains != 1 {
			t.Errorf("got %+v", summary)
		}
	})
	t.Run("it refuses a file that is all something else", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "app.log")
		if err := os.WriteFile(path, bytes.Repeat([]byte("another line\n"), 110<<20/13), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := jsonl.Open(path, now); err == nil {
			t.Error("it was opened")
		}
	})
}

func TestLog_Record_refuses(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	long := entry("long")
	long.Detail = redact.String(strings.Repeat("word ", 250<<10))
	tests := []struct {
		name   string
		ctx    context.Context
		entry  audit.Entry
		reason string
		retry  bool
	}{
		{"an entry that makes too long a line", t.Context(), long, jsonl.TooLarge, false},
		{"a pass that was cancelled", cancelled, entry("a"), fault.Interrupted, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			log := open(t, path)
			if err := log.Record(tt.ctx, tt.entry); !fault.Is(err, tt.reason) || fault.IsRetry(err) != tt.retry {
				t.Errorf("got %v, want %s", err, tt.reason)
			}
			if got := content(t, path); got != "" {
				t.Errorf("it wrote %q", got)
			}
			record(t, log, "after")
			if summary, _ := verify(t, content(t, path)); summary.Lines != 1 {
				t.Errorf("got %+v", summary)
			}
		})
	}
	t.Run("a log that is closed", func(t *testing.T) {
		log := open(t, filepath.Join(t.TempDir(), "audit.jsonl"))
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if err := log.Record(t.Context(), entry("a")); !fault.IsRetry(err) || len(fault.Of(err).Remedies) == 0 {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a folder that went away, until it is back", func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "logs")
		path := filepath.Join(folder, "audit.jsonl")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		log := open(t, path)
		record(t, log, "a")
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		if err := log.Record(t.Context(), entry("b")); !fault.Is(err, fault.Unavailable) || !fault.IsRetry(err) {
			t.Errorf("got %v", err)
		}
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		record(t, log, "c")
		if summary, _ := verify(t, content(t, path)); summary.First != 2 || summary.Lines != 1 {
			t.Errorf("got %+v", summary)
		}
	})
}

func TestOpen_refusesWhatIsNoFile(t *testing.T) {
	for name, path := range map[string]string{
		"a folder":             t.TempDir(),
		"a file in no folder":  filepath.Join(t.TempDir(), "none", "audit.jsonl"),
		"a file under another": filepath.Join(os.Args[0], "audit.jsonl"),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := jsonl.Open(path, now); err == nil {
				t.Error("it was opened")
			}
		})
	}
}

func TestOpen_standardOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stdout")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	former := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = former }()
	for _, start := range []string{"a", "b"} {
		log := open(t, "-")
		record(t, log, start, start)
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString("{\"level\":\"info\",\"msg\":\"Another line\"}\n"); err != nil {
			t.Fatal(err)
		}
	}
	if summary, _ := verify(t, content(t, path)); summary.Lines != 4 || summary.Chains != 2 || summary.Foreign != 2 {
		t.Errorf("got %+v", summary)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, "-").Record(t.Context(), entry("c")); !fault.IsRetry(err) {
		t.Errorf("writing to a closed output: %v", err)
	}
}

func BenchmarkLog_Record(b *testing.B) {
	log := open(b, filepath.Join(b.TempDir(), "audit.jsonl"))
	e := entry("a")
	for b.Loop() {
		if err := log.Record(b.Context(), e); err != nil {
			b.Fatal(err)
		}
	}
}
