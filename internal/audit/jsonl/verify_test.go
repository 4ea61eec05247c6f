package jsonl_test

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/eclusier/eclusier/internal/audit/jsonl"
)

// written returns the lines of a log of n entries.
func written(t testing.TB, n int) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := open(t, path)
	for i := range n {
		record(t, log, string(rune('a'+i)))
	}
	return slices.Collect(strings.Lines(content(t, path)))
}

func TestVerify_findsEveryChangedByte(t *testing.T) {
	lines := written(t, 4)
	whole := []byte(strings.Join(lines, ""))
	untouched, err := jsonl.Verify(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(whole) - 1 {
		changed := bytes.Clone(whole)
		changed[i] ^= 1
		// The first line may be taken for one that was rotated away, and nothing follows the last: the summary tells.
		inside := i >= len(lines[0]) && i < len(whole)-len(lines[3])-1
		summary, err := jsonl.Verify(bytes.NewReader(changed))
		if err == nil && (inside || summary == untouched) {
			t.Errorf("byte %d (%q): got %+v", i, whole[i], summary)
		}
	}
}

func TestVerify(t *testing.T) {
	l := written(t, 4)
	other := written(t, 5)[4]
	begin := written(t, 1)[0]
	tests := []struct {
		name   string
		lines  []string
		want   jsonl.Summary
		broken int
		reason string
	}{
		{"nothing", nil, jsonl.Summary{}, 0, "there is nothing to find"},
		{"a whole log", l, jsonl.Summary{Lines: 4, First: 1, Last: 4, Chains: 1}, 0, "nothing was touched"},
		{"a log without its beginning", l[2:], jsonl.Summary{Lines: 2, First: 3, Last: 4, Chains: 1}, 0, "it may have been rotated away"},
		{"a log without its end", l[:2], jsonl.Summary{Lines: 2, First: 1, Last: 2, Chains: 1}, 0, "the chain cannot tell; the head does"},
		{"the end of a log without its newline", []string{l[0], strings.TrimSuffix(l[1], "\n")}, jsonl.Summary{Lines: 2, First: 1, Last: 2, Chains: 1}, 0,
			"it lacks nothing that counts"},
		{"half a line at the end", []string{l[0], l[1][:20]}, jsonl.Summary{Lines: 1, First: 1, Last: 1, Chains: 1, Foreign: 1}, 0, "it is being written"},
		{"two starts", []string{l[0], l[1], begin}, jsonl.Summary{Lines: 3, First: 1, Last: 1, Chains: 2}, 0, "standard output begins anew"},
		{"other lines in between", []string{"text\n", l[0], "\n", "{\"audit\":false}\n", l[1]}, jsonl.Summary{Lines: 2, First: 1, Last: 2, Chains: 1, Foreign: 3}, 0,
			"they were collected with it"},
		{"a line longer than any of the log", []string{l[0], strings.Repeat("x", 3<<20) + "\n", l[1]}, jsonl.Summary{Lines: 2, First: 1, Last: 2, Chains: 1, Foreign: 1}, 0,
			"it belongs to something else"},
		{"such a line at the end", []string{l[0], strings.Repeat("x", 3<<20)}, jsonl.Summary{Lines: 1, First: 1, Last: 1, Chains: 1, Foreign: 1}, 0,
			"it belongs to something else"},
		{"a line removed", []string{l[0], l[2], l[3]}, jsonl.Summary{Lines: 1, First: 1, Last: 1, Chains: 1}, 2, "the numbers have a gap"},
		{"two lines swapped", []string{l[0], l[2], l[1], l[3]}, jsonl.Summary{Lines: 1, First: 1, Last: 1, Chains: 1}, 2, "the numbers are out of order"},
		{"a line twice", []string{l[0], l[1], l[1]}, jsonl.Summary{Lines: 2, First: 1, Last: 2, Chains: 1}, 3, "a number comes twice"},
		{"a line changed", []string{l[0], strings.Replace(l[1], `"attempt":"b"`, `"attempt":"x"`, 1), l[2]}, jsonl.Summary{Lines: 2, First: 1, Last: 2, Chains: 1}, 3,
			"the next line has the hash of another"},
		{"a line of another log", []string{strings.Replace(l[3], `"attempt":"d"`, `"attempt":"x"`, 1), other}, jsonl.Summary{Lines: 1, First: 4, Last: 4, Chains: 1}, 2,
			"it follows another line"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := jsonl.Verify(strings.NewReader(strings.Join(tt.lines, "")))
			got.Head = ""
			if got != tt.want {
				t.Errorf("got %+v, want %+v: %s", got, tt.want, tt.reason)
			}
			var broken *jsonl.BrokenError
			switch {
			case tt.broken == 0 && err != nil:
				t.Errorf("got %v: %s", err, tt.reason)
			case tt.broken > 0 && (!errors.As(err, &broken) || broken.Line != tt.broken):
				t.Errorf("got %v, want it broken at line %d: %s", err, tt.broken, tt.reason)
			}
		})
	}
}

func TestVerify_doesNotTakeAFailureForTheEnd(t *testing.T) {
	failure := errors.New("the volume is gone")
	lines := strings.NewReader(strings.Join(written(t, 2), ""))
	if _, err := jsonl.Verify(io.MultiReader(lines, iotest.ErrReader(failure))); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
}

func FuzzVerify(f *testing.F) {
	lines := written(f, 3)
	f.Add([]byte(strings.Join(lines, "")))
	f.Add([]byte(lines[0] + lines[2]))
	f.Add([]byte("{\"audit\":true,\"sequence\":-1}\n\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := jsonl.Verify(bytes.NewReader(text))
		if s.Lines < s.Chains || s.Lines > 0 && s.Chains == 0 || (s.Head == "") != (s.Lines == 0) {
			t.Errorf("got %+v (%v)", s, err)
		}
	})
}
