package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// value is where a key's value stands and how it was written.
type value struct {
	span
	// quoted: the span is what is between two quotes.
	quoted bool
	// end is where scanning goes on: after the closing quote, if any.
	end int
}

// maxQuoted bounds how far a closing quote is searched.
const maxQuoted = 64 << 10

// skipBlanks returns the position of the first byte at or after i that is no blank of the same line.
func skipBlanks(s string, i int) int {
	for i < len(s) {
		switch {
		case s[i] == ' ' || s[i] == '\t':
			i++
		case strings.HasPrefix(s[i:], "\u00a0"):
			i += len("\u00a0")
		case strings.HasPrefix(s[i:], "\u202f"):
			i += len("\u202f")
		default:
			return i
		}
	}
	return i
}

// isQuote tells whether c opens a quoted string.
func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// quoteAt returns the quote at i with the backslashes before it, empty if there is none.
func quoteAt(s string, i int) string {
	j := i
	for j < len(s) && s[j] == '\\' && j-i < 16 {
		j++
	}
	if j < len(s) && isQuote(s[j]) {
		return s[i : j+1]
	}
	return ""
}

// valueAt finds the extent of the value that starts at i.
func valueAt(s string, i int) value {
	if open := quoteAt(s, i); open != "" {
		from := i + len(open)
		if to := closingQuote(s, from, open); to >= 0 {
			return value{span: span{from, to}, quoted: true, end: to + len(open)}
		}
		to := lineEnd(s, from)
		return value{span: span{from, to}, end: to}
	}
	if to := placeholderEnd(s, i); to > i {
		return value{span: span{i, to}, end: to}
	}
	to := bareEnd(s, i)
	return value{span: span{i, to}, end: to}
}

// closingQuote returns where the quoted string that starts at from ends, -1 if it does not end on its line. A quote with
// as many backslashes before it as the opening one closes; one with more is part of the string.
func closingQuote(s string, from int, quote string) int {
	level, mark := len(quote)-1, quote[len(quote)-1]
	slashes := 0
	for i := from; i < min(len(s), from+maxQuoted) && s[i] != '\n'; i++ {
		switch s[i] {
		case '\\':
			slashes++
			continue
		case mark:
			if mark == '\'' && level+slashes == 0 && doubled(s, i) {
				i++
			} else if closesAt(level, slashes) {
				return i - min(slashes, level)
			}
		}
		slashes = 0
	}
	return -1
}

// closesAt tells whether a quote behind some backslashes closes a string whose opening one had level of them.
func closesAt(level, slashes int) bool {
	if level == 0 {
		return slashes%2 == 0
	}
	return slashes <= level
}

// doubled tells whether the two apostrophes at i stand for one within a string, as YAML and SQL write it.
func doubled(s string, i int) bool {
	return i+2 < len(s) && s[i+1] == '\'' && !closes(s, i+2)
}

// closes tells whether what is at i may follow a closing quote.
func closes(s string, i int) bool {
	if i >= len(s) {
		return true
	}
	return strings.IndexByte(" \t\n,;:)}]|&>\\\"'`.", s[i]) >= 0
}

// lineEnd returns the position of the next line feed, or the end of s.
func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s)
}

// bareWord is an unquoted value that is being measured.
type bareWord struct {
	text string
	from int
	// depth counts the brackets that it opened, quote is the quote that it opened.
	depth int
	quote byte
}

// bareEnd returns where an unquoted value ends: at a blank, at a quote that encloses the whole, at a separator before
// the next key, and before brackets that it did not open.
func bareEnd(s string, i int) int {
	w := bareWord{text: s, from: i}
	for i < len(s) {
		n := w.step(i)
		if n == 0 {
			break
		}
		i += n
	}
	if i < len(s) && isQuote(s[i]) {
		for i > w.from && s[i-1] == '\\' {
			i--
		}
	}
	return i
}

// step returns how many bytes at i belong to the value, 0 if it ends there.
func (w *bareWord) step(i int) int {
	switch c := w.text[i]; {
	case c >= utf8.RuneSelf:
		r, n := utf8.DecodeRuneInString(w.text[i:])
		return n * one(!unicode.IsSpace(r))
	case oneOf(c, " \t\n"):
		return 0
	case isQuote(c):
		return w.quoted(i)
	case oneOf(c, ",;&"):
		return one(c == '&' && !w.inForm() || !separates(w.text, i+1))
	case oneOf(c, "([{"):
		w.depth++
	case oneOf(c, ")]}"):
		return w.closing(i)
	case c == '<':
		return one(!strings.HasPrefix(w.text[i:], "</"))
	case c == '\\':
		return one(i == w.from || !spelledEnd(w.text, i))
	}
	return 1
}

// inForm tells whether the value may be one of a query or form, where & separates: it stands behind an equals sign.
func (w *bareWord) inForm() bool { return strings.HasSuffix(w.text[:w.from], "=") }

// quoted handles a quote in the value: it opens or closes a part of it, or ends it.
func (w *bareWord) quoted(i int) int {
	c := w.text[i]
	switch {
	case i == w.from:
	case c == w.quote:
		w.quote = 0
	case !ends(w.text, i+1):
		w.quote = c
	default:
		return 0
	}
	return 1
}

// closing handles a closing bracket: one that was opened in the value belongs to it, as does one within it.
func (w *bareWord) closing(i int) int {
	if w.depth > 0 {
		w.depth--
		return 1
	}
	return one(!ends(w.text, i+1))
}

// ends tells whether nothing but closing punctuation stands between i and a blank, the text's end or the next item.
func ends(s string, i int) bool {
	for from := i; i < min(len(s), from+16); i++ {
		switch {
		case oneOf(s[i], " \t\n|<>"):
			return true
		case s[i] == ',' && i+1 < len(s) && oneOf(s[i+1], "{[\"'"):
			return true
		case !oneOf(s[i], ")]}\"'`,;:.\\"):
			return false
		}
	}
	return true
}

// one returns 1 for true and 0 for false.
func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// oneOf tells whether c is one of the bytes of set.
func oneOf(c byte, set string) bool { return strings.IndexByte(set, c) >= 0 }

// spelledEnd tells whether the backslash at i begins a character that JSON spells out and that ends a value there: a
// line feed or tab before the next key, or one of the characters that HTML gives a meaning.
func spelledEnd(s string, i int) bool {
	if strings.HasPrefix(s[i:], `\u0026`) || strings.HasPrefix(s[i:], `\u003c`) {
		return true
	}
	return i+1 < len(s) && strings.IndexByte("nrt", s[i+1]) >= 0 && separates(s, i+2)
}

// separates tells whether a separator before i ends a value: the text ends there, or the next key begins.
func separates(s string, i int) bool {
	if i >= len(s) || oneOf(s[i], " \t\n") || oneOf(s[i], "\"'`\\)}]") && ends(s, i) {
		return true
	}
	for j := i; j < len(s) && j-i < 64; j++ {
		c := s[j]
		if c == '=' || c == ':' {
			return j > i
		}
		if !isWordByte(c) {
			return false
		}
	}
	return false
}

// placeholders are the brackets in which templates and redacting programs put what stands for a value.
var placeholders = []struct{ open, close string }{
	{"${{", "}}"}, {"${", "}"}, {"$(", ")"}, {"{{", "}}"}, {"%{", "}"}, {"%(", ")s"}, {"<", ">"}, {"[", "]"}, {"(", ")"},
}

// placeholderEnd returns where the bracketed placeholder at i ends, i if there is none.
func placeholderEnd(s string, i int) int {
	for _, p := range placeholders {
		if !strings.HasPrefix(s[i:], p.open) {
			continue
		}
		limit := lineEnd(s[:min(len(s), i+200)], i)
		if n := strings.Index(s[i+len(p.open):limit], p.close); n >= 0 {
			end := i + len(p.open) + n + len(p.close)
			if closes(s, end) || s[end] == '@' || s[end] == '/' {
				return end
			}
		}
		return i
	}
	return i
}

// isWordByte tells whether c may be part of a key. Bytes of letters beyond ASCII count.
func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
}

// wordEnd returns the end of the key that starts at i, i if there is none.
func wordEnd(s string, i int) int {
	for i < len(s) {
		if s[i] < utf8.RuneSelf {
			if !isWordByte(s[i]) {
				break
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) {
			break
		}
		i += n
	}
	return i
}
