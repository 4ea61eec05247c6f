package redact_test

import (
	"testing"

	"github.com/eclusier/eclusier/internal/redact"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "Aïe: élève №5, 日本語 — ok\n\tnext", "Aïe: élève №5, 日本語 — ok\n\tnext"},
		{"colours go", "\x1b[1;31mred\x1b[0m", "red"},
		{"colours with colons go", "\x1b[38:2::1:2:3mx\x1b[m", "x"},
		{"a title goes with its text", "\x1b]0;title\x07x", "x"},
		{"a link goes and its label stays", "\x1b]8;;http://e.example\x1b\\label\x1b]8;;\x1b\\", "label"},
		{"cursor movements go", "a\x1b[2K\x1b[1Gb\x1b7c\x1b(B", "abc"},
		{"a lone escape goes", "a\x1b", "a"},
		{"an unfinished title loses its introducer", "\x1b]0;no end\nnext", "0;no end\nnext"},
		{"C1 sequences go", "a\u009b31mb", "ab"},
		{"escapes that a JSON log spells out go", `\u001b[32minfo\u001b[0m \x1b[1mx\033[0m`, "info x"},
		{"backslashes without an escape stay", `C:\users\x1b \033 \u001bx`, `C:\users\x1b \033 \u001bx`},
		{"NUL, bell and backspace go", "a\x00b\x07c\bd\x7fe", "abcde"},
		{"line ends become line feeds", "a\r\nb\rc\u2028d\ve", "a\nb\nc\nd\ne"},
		{"zero-width characters go", "pass\u200bwo\u200drd\ufeff\u2060", "password"},
		{"direction marks go", "\u202eabc\u2066d\u200f", "abcd"},
		{"soft hyphens, tags and variation selectors go", "a\u00adb\U000e0041\ufe0fc", "abc"},
		{"bytes that are not UTF-8 become the replacement character", "a\xff\xfeb", "a\ufffd\ufffdb"},
		{"an escape before an escape goes alone, as on a terminal", "\x1b\x1b[0m[31mx", "[31mx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := redact.Clean(c.in); got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestString_joinsWhatEscapesSplit(t *testing.T) {
	for _, in := range []string{
		"pass\x1b[0mword=hun\x1b[1mter2xyz",
		"pass\u200bword=hun\u200bter2xyz",
		`pass\u001b[0mword=hun\u001b[1mter2xyz`,
	} {
		if got := redact.String(in).String(); got != "password=[redacted]" {
			t.Errorf("String(%q) = %q", in, got)
		}
	}
}
