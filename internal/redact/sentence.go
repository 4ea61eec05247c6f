package redact

import (
	"strings"
)

// connectors stand between a word for a secret and the secret in a sentence.
var connectors = words(`is was are be to est était vaut sera à now`)

// maxHops bounds the words between the word for a secret and a connector, as in "password for user app is".
const maxHops = 8

// sentence looks at what follows a word for a secret without a separator, and returns where to go on.
func (ks *keyScan) sentence(from, to int, c class) int {
	s := ks.text
	if c == classObject || c == classWeak || to >= len(s) {
		return to
	}
	i := skipBlanks(s, to)
	if i == to || i >= len(s) || s[i] == '\n' {
		return to
	}
	if v := valueAt(s, i); ks.adjacent(from, to, c, v) {
		ks.hide(v.from, v.to)
		return v.end
	}
	connected := false
	for range maxHops {
		if i >= len(s) || s[i] == '\n' {
			return to
		}
		v := valueAt(s, i)
		text := s[v.from:v.to]
		if connected && secretLike(text) && judge(text, c, true) {
			ks.hide(v.from, v.to)
			return v.end
		}
		word := strings.ToLower(strings.TrimRight(text, ":"))
		connected = connectors[word] || text == "=" || c != classToken && strings.HasSuffix(text, ":")
		if text != "=" && strings.ContainsAny(text, "=;,.{}[]()") || !connected && hasHint(text[:min(len(text), maxKey)]) {
			return to
		}
		i = skipBlanks(s, v.end)
	}
	return to
}

// adjacent tells whether the value directly behind a word for a secret is the secret.
func (ks *keyScan) adjacent(from, to int, c class, v value) bool {
	s := ks.text
	text := s[v.from:v.to]
	if !judge(text, c, true) || connectors[strings.ToLower(text)] {
		return false
	}
	before := ""
	if p := ks.previous; p.to > p.from && from-p.to <= 2 {
		before = strings.ToLower(s[p.from:p.to])
	}
	word := strings.ToLower(s[from:to])
	switch {
	case word == "requirepass" || word == "masterauth":
		return true
	case before == "env" || before == "setenv" || before == "setx":
		return isUpperName(s[from:to])
	case v.quoted && (before == "by" || before == "encrypted" || before == "with" || before == "set"):
		return true
	case c == classPassword && ks.netrc(from):
		return true
	case c == classPassword || c == classPhrase:
		return secretLike(text)
	}
	return len(text) >= 16 && secretLike(text)
}

// netrc tells whether the words before the offset are those of a .netrc entry.
func (ks *keyScan) netrc(from int) bool {
	line := ks.text[max(0, from-200):from]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return strings.Contains(line, "login ") && (strings.Contains(line, "machine ") || strings.HasPrefix(strings.TrimSpace(line), "login"))
}

// identifiedBy hides the literal of IDENTIFIED [WITH plugin] BY [PASSWORD] '…' and returns where to go on.
func (ks *keyScan) identifiedBy(to int) int {
	s := ks.text
	i := skipBlanks(s, to)
	for range 4 {
		if i >= len(s) || s[i] == '\n' {
			return to
		}
		if quoteAt(s, i) != "" {
			v := valueAt(s, i)
			if judge(s[v.from:v.to], classPassword, false) {
				ks.hide(v.from, v.to)
			}
			return v.end
		}
		end := wordEnd(s, i)
		if end == i {
			return to
		}
		i = skipBlanks(s, end)
	}
	return to
}
