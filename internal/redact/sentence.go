package redact

import (
	"strings"
)

// connectors stand between a word for a secret and the secret in a sentence.
var connectors = words(`is was are be to est était vaut sera à now`)

// speechless are the classes whose words are used in sentences without a secret behind them.
var speechless = map[class]bool{classObject: true, classWeak: true, classLoose: true, classSignature: true}

// maxHops bounds the words between the word for a secret and a connector, as in "password for user app is".
const maxHops = 8

// sentence looks at what follows a word for a secret without a separator, and returns where to go on.
func (ks *keyScan) sentence(from, to int, c class) int {
	s := ks.text
	i := skipBlanks(s, to)
	if speechless[c] || i == to || i >= len(s) || s[i] == '\n' {
		return to
	}
	if v := valueAt(s, i); ks.adjacent(from, to, c, v) {
		ks.hide(v.from, v.to)
		return v.end
	}
	return max(to, ks.behindConnector(i, c))
}

// behindConnector looks in the words from i on for a connector with a secret behind it, and returns where to go on, 0 if
// there is none.
func (ks *keyScan) behindConnector(i int, c class) int {
	s, connected, strange := ks.text, false, 0
	for range maxHops {
		if i >= len(s) || s[i] == '\n' {
			break
		}
		v := valueAt(s, i)
		text := s[v.from:v.to]
		if connected && said(text, c, strange) {
			ks.hide(v.from, v.to)
			return v.end
		}
		if connected = connects(text, c); !connected && endsSentence(text) {
			break
		}
		strange += one(!connected && !binders[strings.ToLower(text)])
		i = skipBlanks(s, v.end)
	}
	return 0
}

// said tells whether a value behind a connector is the secret. With many strange words before it, it must look like one
// by itself.
func said(v string, c class, strange int) bool {
	if !judge(v, c, true) {
		return false
	}
	return secretLike(v) || strange <= maxStrange && c != classToken && passwordLike(v)
}

// binders are the words of a sentence between the word for a secret and whose it is.
var binders = words(`for of the user account of on in to new old initial admin default set changed reset has been de du des
d l la le les pour utilisateur compte admin initial nouveau a été défini changé root`)

// maxStrange bounds the words that are no binders before a connector: with more of them the sentence tells of something
// else, and only what looks like a secret by itself is taken for one.
const maxStrange = 1

// connects tells whether a word stands between a word for a secret and the secret.
func connects(word string, c class) bool {
	if word == "=" || connectors[strings.ToLower(strings.TrimRight(word, ":"))] {
		return true
	}
	return c != classToken && strings.HasSuffix(word, ":") && !endsSentence(word)
}

// endsSentence tells whether no secret is to be expected behind a word: its punctuation ends what was said, or it
// announces another one.
func endsSentence(word string) bool {
	return strings.ContainsAny(word, "=;,.{}[]()") || hasHint(word[:min(len(word), maxKey)])
}

// The words before a word for a secret that say what follows it.
var (
	shellSetters = words("env setenv setx")
	sqlClauses   = words("by encrypted with set")
	redisOptions = words("requirepass masterauth")
)

// adjacent tells whether the value directly behind a word for a secret is the secret.
func (ks *keyScan) adjacent(from, to int, c class, v value) bool {
	text := ks.text[v.from:v.to]
	if !judge(text, c, true) || connectors[strings.ToLower(text)] {
		return false
	}
	before := ks.wordBefore(from)
	switch {
	case redisOptions[strings.ToLower(ks.text[from:to])]:
		return true
	case shellSetters[before]:
		return isUpperName(ks.text[from:to])
	case v.quoted && sqlClauses[before]:
		return true
	case c != classPassword && c != classPhrase:
		return len(text) >= 16 && secretLike(text)
	}
	return secretLike(text) || ks.netrc(from)
}

// wordBefore returns the word next to the one at from, in lower case.
func (ks *keyScan) wordBefore(from int) string {
	p := ks.previous
	if from-p.to > 2 {
		return ""
	}
	return strings.ToLower(ks.text[p.from:p.to])
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
