package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxEscape bounds a terminal escape sequence: a longer one is taken as text whose introducer was stray.
const maxEscape = 4096

// Clean removes what text can hold without showing it: terminal escapes (also spelled out, as JSON logs do), control
// characters, direction marks, zero-width and tag characters. Line ends become \n, bytes that are not UTF-8 become
// U+FFFD.
func Clean(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7f || c == '\\' {
			return clean(s, i)
		}
	}
	return s
}

// clean does the work of Clean for a text whose first from bytes need none.
func clean(s string, from int) string {
	var out strings.Builder
	out.Grow(len(s))
	out.WriteString(s[:from])
	for i := from; i < len(s); {
		if n := escapeLen(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch r {
		case '\n', '\t':
			out.WriteRune(r)
		case '\r':
			if !strings.HasPrefix(s[i:], "\n") {
				out.WriteByte('\n')
			}
		case '\v', '\f', 0x85, 0x2028, 0x2029:
			out.WriteByte('\n')
		default:
			if !invisible(r) {
				out.WriteRune(r)
			}
		}
	}
	return out.String()
}

// invisible tells whether a rune shows nothing, or changes how others are shown.
func invisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	switch {
	case r >= 0x80 && r < 0xa0, // C1 controls
		r == 0x034f, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, // joiners and fillers
		r >= 0x17b4 && r <= 0x17b5, r >= 0x180b && r <= 0x180f,
		r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff: // variation selectors, tags
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}

// spelledEscapes are the ways in which logs write the escape character out.
var spelledEscapes = []string{`\u001b`, `\u001B`, `\x1b`, `\x1B`, `\033`, `\e`}

// escapeLen returns the length of the terminal escape sequence at the start of s, 0 if there is none.
func escapeLen(s string) int {
	switch {
	case s[0] == 0x1b:
		return 1 + sequenceLen(s[1:])
	case strings.HasPrefix(s, "\u009b"):
		return 2 + csiLen(s[2:])
	case s[0] == '\\':
		for _, spelled := range spelledEscapes {
			rest, ok := strings.CutPrefix(s, spelled)
			if ok && strings.HasPrefix(rest, "[") {
				if n := csiLen(rest[1:]); n > 0 {
					return len(spelled) + 1 + n
				}
			}
		}
	}
	return 0
}

// sequenceLen returns the length of what follows an escape character and belongs to it.
func sequenceLen(s string) int {
	if s == "" {
		return 0
	}
	switch c := s[0]; {
	case c == '[':
		return 1 + csiLen(s[1:])
	case oneOf(c, "]PX^_"):
		return 1 + controlStringLen(s[1:])
	case within(c, ' ', '/'):
		return 2 * one(len(s) > 1 && within(s[1], '0', '~'))
	}
	return one(within(s[0], '0', '~'))
}

// within tells whether c is at least low and at most high.
func within(c, low, high byte) bool { return low <= c && c <= high }

// csiLen returns the length of a control sequence's parameters and final byte, 0 if it does not end.
func csiLen(s string) int {
	for i := 0; i < len(s) && i < 64; i++ {
		switch c := s[i]; {
		case c >= 0x40 && c < 0x7f:
			return i + 1
		case c < 0x20 || c > 0x3f:
			return 0
		}
	}
	return 0
}

// controlStringLen returns the length of an operating system command or the like up to its terminator, 0 if it has none.
func controlStringLen(s string) int {
	for i := 0; i < len(s) && i < maxEscape; i++ {
		switch {
		case s[i] == 0x07:
			return i + 1
		case s[i] == 0x1b:
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return 0
		case s[i] == '\n':
			return 0
		}
	}
	return 0
}
