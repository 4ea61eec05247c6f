package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyScan walks through the words of a text and looks at what follows those that announce a secret.
type keyScan struct {
	*scanner
	// previous is the word before the one looked at.
	previous span
	// named is what the last name=… of a name and value pair announced; it ended at namedAt.
	named   class
	namedAt int
	// lastValue is the last value=… of such a pair, whose name may come after it.
	lastValue span
}

// findKeyed hides what keys, flags and sentences announce as secret.
func findKeyed(sc *scanner) {
	scan := &keyScan{scanner: sc}
	s := sc.text
	for i := 0; i < len(s); {
		end := wordEnd(s, i)
		if end == i {
			_, n := utf8.DecodeRuneInString(s[i:])
			i += n
			continue
		}
		next := scan.word(i, end)
		scan.previous = span{i, end}
		i = max(next, end)
	}
}

// word looks at one word and returns where to go on.
func (ks *keyScan) word(from, to int) int {
	word := strings.TrimLeft(ks.text[from:to], "-.")
	key := strings.TrimRight(word, "-.")
	if key == "" {
		return to
	}
	c := classify(key)
	if phrase, end := ks.phrase(from, to, key); phrase != classNone {
		c, to = phrase, end
	}
	if c == classNone {
		return ks.pair(key, to)
	}
	if strings.EqualFold(key, "key") {
		ks.pair(key, to)
	}
	at, sep := ks.separator(from, to)
	switch {
	case sep == sepNone && len(word) < to-from && ks.isFlag(from):
		return ks.flagValue(to, c)
	case sep == sepNone:
		return ks.sentence(from, to, c)
	case sep == sepColon && from > 0 && ks.text[from-1] == '/':
		return to
	}
	return ks.assigned(at, from, c, sep)
}

// phrase recognises keys of several words: "api key", "mot de passe", "clé d'API", "phrase secrète".
func (ks *keyScan) phrase(from, to int, key string) (class, int) {
	rest := ks.text[to:min(len(ks.text), to+24)]
	switch strings.ToLower(key) {
	case "mot", "mots":
		if end := foldPrefix(rest, " de passe"); end > 0 {
			return classPassword, to + end
		}
	case "phrase":
		if end := foldPrefix(rest, " secrète", " secrete", " de passe"); end > 0 {
			return classPhrase, to + end
		}
	case "clé", "cle", "clef":
		if end := foldPrefix(rest, " d'api", " d’api", " api", " secrète", " secrete", " privée", " privee", " d'accès",
			" d’accès", " de chiffrement", "_api", "_secrete"); end > 0 {
			return classKey, to + end
		}
	case "key":
		if p := ks.previous; p.to > p.from && p.to+1 == from && ks.text[p.to] == ' ' &&
			keyQualifiers[strings.ToLower(ks.text[p.from:p.to])] {
			return classKey, to
		}
	}
	return classNone, to
}

// foldPrefix returns the length of the first of prefixes that s begins with in any case and that ends a word.
func foldPrefix(s string, prefixes ...string) int {
	for _, p := range prefixes {
		if len(s) >= len(p) && strings.EqualFold(s[:len(p)], p) && wordEnd(s, len(p)) == len(p) {
			return len(p)
		}
	}
	return 0
}

// separatorKind says what stands between a key and its value.
type separatorKind int

const (
	sepNone separatorKind = iota
	sepEqual
	sepColon
	// sepTag: the key is the name of an XML element.
	sepTag
)

// separator finds what separates the key text[from:to] from its value, and where the value starts.
func (ks *keyScan) separator(from, to int) (int, separatorKind) {
	s := ks.text
	if from > 0 && s[from-1] == '<' && to < len(s) && s[to] == '>' {
		return skipBlanks(s, to+1), sepTag
	}
	i := to
	for i < len(s) && i-to < 8 && (isQuote(s[i]) || s[i] == '\\' || s[i] == ']') {
		i++
	}
	i = skipBlanks(s, i)
	if i >= len(s) {
		return i, sepNone
	}
	rest := s[i:]
	switch {
	case strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, "://") || strings.HasPrefix(rest, "!="):
		return i, sepNone
	case strings.HasPrefix(rest, "=>"), strings.HasPrefix(rest, ":="), strings.HasPrefix(rest, "=="):
		return skipBlanks(s, i+2), sepEqual
	case rest[0] == '=':
		return skipBlanks(s, i+1), sepEqual
	case rest[0] == ':':
		at := skipBlanks(s, i+1)
		if at > i+1 || at >= len(s) || s[at] == '\n' {
			return at, sepColon
		}
		return at, sepEqual
	case strings.HasPrefix(rest, "->"):
		return skipBlanks(s, i+2), sepEqual
	}
	return i, sepNone
}

// assigned hides the value at i of a key of class c and returns where to go on.
func (ks *keyScan) assigned(i, keyFrom int, c class, sep separatorKind) int {
	s := ks.text
	if i >= len(s) {
		return i
	}
	i = skipTag(s, i)
	switch {
	case i >= len(s), strings.HasPrefix(s[i:], `\u00`):
		return i
	case sep == sepTag:
		to := i
		for to < len(s) && s[to] != '<' && s[to] != '\n' {
			to++
		}
		to = i + len(strings.TrimRight(s[i:to], " "))
		if judge(s[i:to], c, false) {
			ks.hide(i, to)
		}
		return to
	case sep == sepColon && (s[i] == '|' || s[i] == '>') && isBlockHeader(s, i):
		return ks.block(lineEnd(s, i), keyFrom, c)
	case sep == sepColon && s[i] == '\n':
		return ks.list(i, keyFrom, c)
	case s[i] == '[' && !strings.HasPrefix(s[i:], Mark):
		return ks.array(i, c)
	case s[i] == '{' && placeholderEnd(s, i) == i && !strings.HasPrefix(s[i:], "{S"):
		return i
	}
	v := valueAt(s, i)
	if !v.quoted && sep == sepColon {
		v = ks.widen(v, c)
	}
	text := s[v.from:v.to]
	if describesSize(s, v) || !judge(text, c, sep == sepColon && !v.quoted) || startsFormat(text) {
		return v.end
	}
	ks.hide(v.from, v.to)
	return v.end
}

// yamlTags precede a value in YAML.
var yamlTags = []string{"!!binary ", "!!str ", "!vault ", "!unsafe "}

// skipTag skips a YAML tag, or the letter before a string literal of Python, that precedes a value.
func skipTag(s string, i int) int {
	for _, tag := range yamlTags {
		if strings.HasPrefix(s[i:], tag) {
			return skipBlanks(s, i+len(tag))
		}
	}
	if i+1 < len(s) && strings.IndexByte("brufBRUF", s[i]) >= 0 && quoteAt(s, i+1) != "" {
		return i + 1
	}
	return i
}

// startsFormat tells whether an unquoted value continues beyond its first word in a way that other detectors know.
func startsFormat(v string) bool {
	return strings.HasPrefix(v, "-----BEGIN")
}

// describesSize tells whether the value is how kubectl describe shows that of a Secret: a number of bytes.
func describesSize(s string, v value) bool {
	rest := s[v.end:min(len(s), v.end+6)]
	return isDigits(s[v.from:v.to]) && (strings.HasPrefix(rest, " bytes") || strings.HasPrefix(rest, " byte"))
}

// maxPhrase bounds the length of an unquoted passphrase.
const maxPhrase = 512

// widen lengthens an unquoted value behind a colon to all words of a passphrase.
func (ks *keyScan) widen(v value, c class) value {
	s := ks.text
	if c != classPhrase && c != classPassword {
		return v
	}
	rest := s[v.to:lineEnd(s[:min(len(s), v.to+maxPhrase)], v.to)]
	if strings.ContainsAny(rest, "=:\"'{}[]()<>,;") || prose[strings.ToLower(s[v.from:v.to])] {
		return v
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 || len(fields) > 12 || c == classPassword && !plainWords(fields) {
		return v
	}
	v.to = v.to + len(strings.TrimRight(rest, " \t"))
	v.end = v.to
	return v
}

// plainWords tells whether the words could be those of a passphrase and are not those of a message.
func plainWords(fields []string) bool {
	for _, w := range fields {
		lower := strings.ToLower(w)
		if prose[lower] || status[lower] || absent[lower] {
			return false
		}
		for _, r := range w {
			if !unicode.IsLetter(r) && r != '-' {
				return false
			}
		}
	}
	return true
}

// isFlag tells whether the word at i is a command line flag: a dash behind a blank, a quote or a bracket.
func (ks *keyScan) isFlag(i int) bool {
	return ks.text[i] == '-' && (i == 0 || strings.IndexByte(" \t\n\"'[,(`", ks.text[i-1]) >= 0)
}

// flagValue hides the argument that follows a flag, also as the next item of a list.
func (ks *keyScan) flagValue(i int, c class) int {
	s := ks.text
	for i < len(s) && (isQuote(s[i]) || s[i] == ',' || s[i] == '\\') {
		i++
	}
	i = skipBlanks(s, i)
	if i < len(s) && s[i] == '\n' {
		item := skipBlanks(s, i+1)
		if !strings.HasPrefix(s[item:], "- ") {
			return i
		}
		i = skipBlanks(s, item+2)
	}
	if i >= len(s) || s[i] == '-' && (i+1 >= len(s) || s[i+1] == '-' || i+2 >= len(s) || s[i+2] == ' ') {
		return i
	}
	v := valueAt(s, i)
	text := s[v.from:v.to]
	if strings.HasPrefix(text, "id=") || !judge(text, c, true) {
		return v.end
	}
	ks.hide(v.from, v.to)
	return v.end
}

// maxPair bounds the text between a name and its value.
const maxPair = 240

// pair handles name and value given apart, as in {"name":"DB_PASSWORD","value":"…"}, and returns where to go on.
func (ks *keyScan) pair(key string, to int) int {
	switch lower := strings.ToLower(key); lower {
	case "name", "key", "variable":
		at, sep := ks.separator(to-len(key), to)
		if sep == sepNone || at >= len(ks.text) {
			return to
		}
		v := valueAt(ks.text, at)
		ks.named = classify(ks.text[v.from:min(v.to, v.from+maxKey)])
		ks.namedAt = v.end
		if l := ks.lastValue; ks.named != classNone && l.to > 0 && to-l.to < 80 &&
			!strings.ContainsAny(ks.text[l.to:to], "{}") && judge(ks.text[l.from:l.to], ks.named, false) {
			ks.hide(l.from, l.to)
			ks.named = classNone
		}
		ks.lastValue = span{}
		return v.end
	case "identified":
		return ks.identifiedBy(to)
	case "value", "val", "literal", "content":
		at, sep := ks.separator(to-len(key), to)
		if sep == sepNone || at >= len(ks.text) {
			return to
		}
		if strings.IndexByte("{[|>\n", ks.text[at]) >= 0 {
			return at
		}
		v := valueAt(ks.text, at)
		if ks.named != classNone && to-ks.namedAt < maxPair && !strings.ContainsAny(ks.text[ks.namedAt:to], "{}") {
			if judge(ks.text[v.from:v.to], ks.named, false) {
				ks.hide(v.from, v.to)
			}
			ks.named = classNone
			return v.end
		}
		ks.lastValue = v.span
	}
	return to
}
