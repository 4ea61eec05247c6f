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
	if strings.EqualFold(key, "identified") {
		return ks.identifiedBy(to)
	}
	if c == classNone {
		return ks.pair(key, to)
	}
	if strings.EqualFold(key, "key") {
		ks.pair(key, to)
	}
	return ks.announced(from, to, c)
}

// announced looks at what follows the key text[from:to] of class c and returns where to go on.
func (ks *keyScan) announced(from, to int, c class) int {
	at, sep := ks.separator(from, to)
	switch {
	case strings.HasSuffix(ks.text[:from], "://"):
		return to // the user of an address
	case sep == sepNone && ks.isFlag(from):
		return ks.flagValue(to, c)
	case sep == sepNone:
		return ks.sentence(from, to, c)
	case sep == sepColon && from > 0 && ks.text[from-1] == '/':
		return to // the last part of a path, of which the text says something
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

// separators stand between a key and its value; those of sepNone only look like one. An earlier one wins.
var separators = []struct {
	text string
	kind separatorKind
}{
	{"::", sepNone}, {"://", sepNone}, {"!=", sepNone}, {"=>", sepEqual}, {":=", sepEqual}, {"==", sepEqual},
	{"->", sepEqual}, {"=", sepEqual}, {":", sepColon},
}

// skipClosers skips the quotes and brackets that a key may stand in.
func skipClosers(s string, i int) int {
	from := i
	for i < min(len(s), from+8) && oneOf(s[i], "\"'`\\]") {
		i++
	}
	return i
}

// separator finds what separates the key text[from:to] from its value, and where the value starts.
func (ks *keyScan) separator(from, to int) (int, separatorKind) {
	s := ks.text
	if from > 0 && s[from-1] == '<' && strings.HasPrefix(s[to:], ">") {
		return skipBlanks(s, to+1), sepTag
	}
	i := skipBlanks(s, skipClosers(s, to))
	for _, sep := range separators {
		if !strings.HasPrefix(s[i:], sep.text) {
			continue
		}
		behind := i + len(sep.text)
		at := skipBlanks(s, behind)
		switch {
		case sep.kind == sepNone:
			return i, sepNone
		case sep.kind == sepColon && at == behind && at < len(s) && s[at] != '\n':
			return at, sepEqual // as in {Password:x}: behind a colon without a blank stands no prose
		}
		return at, sep.kind
	}
	return i, sepNone
}

// assigned hides the value at i of a key of class c and returns where to go on.
func (ks *keyScan) assigned(i, keyFrom int, c class, sep separatorKind) int {
	s := ks.text
	i = skipTag(s, i)
	if i >= len(s) || strings.HasPrefix(s[i:], `\u00`) {
		return i
	}
	switch {
	case sep == sepTag:
		return ks.element(i, c)
	case sep == sepColon && isBlockHeader(s, i):
		return ks.block(lineEnd(s, i), keyFrom, c)
	case sep == sepColon && s[i] == '\n':
		return ks.list(i, keyFrom, c)
	case s[i] == '[' && !strings.HasPrefix(s[i:], Mark):
		return ks.array(i, c)
	case opensObject(s, i):
		return i
	}
	return ks.scalar(i, c, sep)
}

// opensObject tells whether the brace at i opens an object, whose members speak for themselves, rather than a template
// or the name of a hash as in {SSHA}.
func opensObject(s string, i int) bool {
	return s[i] == '{' && placeholderEnd(s, i) == i && !strings.HasPrefix(s[i:], "{S")
}

// element hides the text of an XML element that starts at i and returns where to go on.
func (ks *keyScan) element(i int, c class) int {
	s, to := ks.text, i
	for to < len(s) && !oneOf(s[to], "<\n") {
		to++
	}
	text := strings.TrimRight(s[i:to], " ")
	if !strings.HasPrefix(s[to:], "</") {
		return i // no element: the name of a value in angle brackets, as in a usage line
	}
	if judge(text, c, false) {
		ks.hide(i, i+len(text))
	}
	return to
}

// scalar hides the single value at i and returns where to go on.
func (ks *keyScan) scalar(i int, c class, sep separatorKind) int {
	s, v := ks.text, valueAt(ks.text, i)
	prose := sep == sepColon && !v.quoted
	if prose {
		v = ks.widen(v, c)
	}
	text := s[v.from:v.to]
	switch user, password, pair := strings.Cut(text, ":"); {
	case judge(text, c, prose):
		if !describesSize(s, v) && !strings.HasPrefix(text, "-----BEGIN") {
			ks.hide(v.from, v.to)
		}
	case c == classWeak && pair && wordEnd(user, 0) == len(user) && secretLike(password):
		ks.hide(v.to-len(password), v.to)
	}
	if next := skipBlanks(s, v.end); strings.HasPrefix(s[next:], "->") {
		return ks.scalar(skipBlanks(s, next+len("->")), c, sepEqual) // a plan: the old value and the new one
	}
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
	v.to += len(strings.TrimRight(rest, " \t"))
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
	i = ks.argumentAt(i)
	if i >= len(s) || s[i] == '\n' || isFlagAt(s[i:]) {
		return i
	}
	v := valueAt(s, i)
	if text := s[v.from:v.to]; !strings.HasPrefix(text, "id=") && judge(text, c, true) {
		ks.hide(v.from, v.to)
	}
	return v.end
}

// argumentAt returns where the argument behind i starts: behind blanks, behind the quotes and comma of a list in
// brackets, or as the next item of a list in lines; at the line's end if there is none.
func (ks *keyScan) argumentAt(i int) int {
	s := ks.text
	for i < len(s) && oneOf(s[i], "\"'`,\\") {
		i++
	}
	i = skipBlanks(s, i)
	if i < len(s) && s[i] == '\n' {
		if item := skipBlanks(s, i+1); strings.HasPrefix(s[item:], "- ") {
			return skipBlanks(s, item+2)
		}
	}
	return i
}

// isFlagAt tells whether s begins with a flag rather than with an argument.
func isFlagAt(s string) bool {
	return s[0] == '-' && (len(s) < 3 || s[1] == '-' || s[2] == ' ')
}

// maxPair bounds the text between a name and its value.
const maxPair = 240

// pair handles name and value given apart, as in {"name":"DB_PASSWORD","value":"…"}, and returns where to go on.
func (ks *keyScan) pair(key string, to int) int {
	part := pairParts[strings.ToLower(key)]
	if part == nil {
		return to
	}
	at, sep := ks.separator(to-len(key), to)
	if sep == sepNone || at >= len(ks.text) {
		return to
	}
	return part(ks, at, to)
}

// pairParts handle the parts of a pair by their keys. What they get is where the value starts and where the key ended.
var pairParts = map[string]func(ks *keyScan, at, to int) int{
	"name": (*keyScan).nameOfPair, "key": (*keyScan).nameOfPair, "variable": (*keyScan).nameOfPair,
	"value": (*keyScan).valueOfPair, "val": (*keyScan).valueOfPair, "literal": (*keyScan).valueOfPair, "content": (*keyScan).valueOfPair,
}

// nameOfPair notes what the name announces, and hides the value if it came first.
func (ks *keyScan) nameOfPair(at, to int) int {
	v := valueAt(ks.text, at)
	ks.named = classify(ks.text[v.from:min(v.to, v.from+maxKey)])
	ks.namedAt = v.end
	if last := ks.lastValue; ks.named != classNone && last.to > 0 && to-last.to < 80 && !strings.ContainsAny(ks.text[last.to:to], "{}") {
		ks.judgeAndHide(last, ks.named)
		ks.named = classNone
	}
	ks.lastValue = span{}
	return v.end
}

// valueOfPair hides the value if the name before it announced a secret, else notes it.
func (ks *keyScan) valueOfPair(at, to int) int {
	if oneOf(ks.text[at], "{[|>\n") {
		return at
	}
	v := valueAt(ks.text, at)
	if ks.named == classNone || to-ks.namedAt >= maxPair || strings.ContainsAny(ks.text[ks.namedAt:to], "{}") {
		ks.lastValue = v.span
		return to
	}
	ks.judgeAndHide(v.span, ks.named)
	ks.named = classNone
	return v.end
}

// judgeAndHide hides a value of a class if it is a secret.
func (sc *scanner) judgeAndHide(v span, c class) {
	if judge(sc.text[v.from:v.to], c, false) {
		sc.hide(v.from, v.to)
	}
}
