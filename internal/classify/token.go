package classify

import (
	"strings"
	"unicode/utf8"
)

// Limits on what is looked at: a task says what it wants in its first lines.
const (
	maxBytes  = 16 << 10
	maxTokens = 512
	// maxQuotation is the length after which a quotation mark is taken for a stray one.
	maxQuotation = 2 << 10
)

// boundary is what separates a token from the one before it, weakest first.
type boundary uint8

const (
	breakNone boundary = iota
	breakComma
	breakColon
	breakSentence
)

// token is one word or known phrase of the text.
type token struct {
	// text is lower-cased and without accents; for a phrase, its first word.
	text string
	// class, kind and topic come from the lexicon; class is 0 for a word that it does not know.
	class class
	kind  string
	topic string
	// start and end are offsets into the text as given.
	start, end int
	before     boundary
	language   language
	// asks says that a question mark follows.
	asks bool
	// quoted says that the token stands in quotes; opaque that it is a whole quotation, a code block or a log line.
	quoted, opaque bool
	// mixedCase says that a capital stands inside the word, which no object's name has.
	mixedCase  bool
	possessive bool
	corrected  bool
	// isTarget is set on what was taken for a target's name.
	isTarget bool
}

func (t *token) is(c class) bool { return t.class&c != 0 }

// name marks the token as taken for a name, which says nothing else any more.
func (t *token) name() {
	t.isTarget = true
	t.class &= isKind | isSoft | isOps
}

// tokenizer cuts a text into tokens in one pass.
type tokenizer struct {
	lex    *lexicon
	text   string
	folded []byte
	tokens []token
	before boundary
	// shouting says that the text has no lower-case letter, so that capitals mean nothing.
	shouting bool
}

// tokenize cuts the text into words, knows them, and merges the phrases.
func tokenize(text string) []token {
	if len(text) > maxBytes {
		text = text[:maxBytes]
	}
	z := newTokenizer(text)
	z.scan()
	z.know()
	tokens := z.merge()
	tellHomographs(text, tokens)
	dropShortNames(tokens)
	return tokens
}

func newTokenizer(text string) *tokenizer {
	return &tokenizer{
		lex: vocabulary(), text: text, tokens: make([]token, 0, 16+len(text)/5), folded: make([]byte, 0, len(text)+16),
		before: breakSentence, shouting: strings.ToUpper(text) == text,
	}
}

func (z *tokenizer) scan() {
	lineStart := true
	for i := 0; i < len(z.text) && len(z.tokens) < maxTokens; {
		if lineStart {
			if n := logLine(z.text[i:]); n > 0 {
				i = z.addOpaque(i, i+n)
				continue
			}
		}
		c := z.text[i]
		lineStart = c == '\n' || lineStart && c == ' '
		if end := z.quotation(i); end > 0 {
			i = z.addQuoted(i, end)
			continue
		}
		if !z.wordAt(i) {
			i += z.separator(i)
			continue
		}
		end := i + 1
		for end < len(z.text) && z.wordAt(end) {
			end++
		}
		z.addWord(i, end, false)
		i = end
	}
}

// separator handles the byte or rune at i, which is not part of a word, and returns its length.
func (z *tokenizer) separator(i int) int {
	c := z.text[i]
	if c >= utf8.RuneSelf {
		_, size := utf8.DecodeRuneInString(z.text[i:])
		z.raise(separators[z.text[i:i+size]])
		return size
	}
	spaced := i+1 == len(z.text) || z.text[i+1] == ' ' || z.text[i+1] == '\n'
	switch c {
	case '?':
		if n := len(z.tokens); n > 0 {
			z.tokens[n-1].asks = true
		}
		z.raise(breakSentence)
	case '!', ';', '\n':
		z.raise(breakSentence)
	case ',':
		z.raise(breakComma)
	case '(', ')', '[', ']', '{', '}', '|':
		z.raise(breakColon)
	case ':', '>':
		if spaced {
			z.raise(breakColon)
		}
	}
	return 1
}

// separators are those beyond ASCII.
var separators = map[string]boundary{
	"—": breakColon, "–": breakColon, "…": breakSentence, "？": breakSentence, "。": breakSentence,
}

func (z *tokenizer) raise(b boundary) { z.before = max(z.before, b) }

// quotation returns the offset after the quotation that opens at i, or 0.
func (z *tokenizer) quotation(i int) int {
	rest := z.text[i:min(len(z.text), i+maxQuotation)]
	for _, q := range quotes {
		if !strings.HasPrefix(rest, q.open) {
			continue
		}
		if q.open == "'" && i > 0 && z.text[i-1] != ' ' && z.text[i-1] != '(' {
			return 0
		}
		n := strings.Index(rest[len(q.open):], q.close)
		if n <= 0 {
			return 0
		}
		if after := i + len(q.open) + n + len(q.close); q.open != "'" || after == len(z.text) || !isWordByte(z.text[after]) {
			return after
		}
		return 0
	}
	return 0
}

var quotes = []struct{ open, close string }{
	{"```", "```"}, {"`", "`"}, {`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"‘", "’"}, {"'", "'"},
}

func (z *tokenizer) addQuoted(start, end int) int {
	inner := strings.Trim(z.text[start:end], "`\"'“”„«»‘’ \u00a0\u202f\n")
	if inner == "" {
		return end
	}
	at := start + strings.Index(z.text[start:end], inner)
	if !strings.ContainsAny(inner, " \n\t") {
		z.addWord(at, at+len(inner), true)
		return end
	}
	if strings.TrimSpace(z.text[:start]) == "" && strings.Trim(z.text[end:], " .!\n") == "" {
		return at
	}
	z.addOpaque(at, at+len(inner))
	return end
}

func (z *tokenizer) addOpaque(start, end int) int {
	z.tokens = append(z.tokens, token{start: start, end: end, opaque: true, quoted: true, before: z.before})
	z.before = breakNone
	return end
}

// addWord adds the word text[start:end], cut at contractions and elisions.
func (z *tokenizer) addWord(start, end int, quoted bool) {
	raw := z.text[start:end]
	if !quoted {
		trimmed := strings.TrimRight(raw, ".'’-/")
		if strings.HasSuffix(raw, "...") || strings.HasSuffix(raw, ".") {
			defer func() { z.before = max(z.before, breakSentence) }()
		}
		raw = strings.TrimLeft(trimmed, "'’.=")
		start += len(trimmed) - len(raw)
		if raw == "" {
			if trimmed == "" && z.text[start] == '-' {
				z.before = max(z.before, breakColon)
			}
			return
		}
	}
	from := len(z.folded)
	mixed, accent := z.fold(raw)
	text := string(z.folded[from:])
	t := token{text: text, start: start, end: start + len(raw), quoted: quoted, mixedCase: mixed}
	if quoted {
		z.push(t, accent)
		return
	}
	expandWord(text, z.lex, func(part string, possessive bool) {
		t.text, t.possessive = part, possessive
		z.push(t, accent)
	})
}

func (z *tokenizer) push(t token, accent bool) {
	t.before = z.before
	z.before = breakNone
	if w := z.lex.words[t.text]; w != nil {
		t.class, t.kind, t.topic, t.language = w.class, w.kind, w.topic, w.language
		if accent && w.accented != 0 {
			t.class = t.class&^(isChange|isVague) | w.accented
		}
	}
	z.tokens = append(z.tokens, t)
}

// know corrects the misspelt words where no name is expected.
func (z *tokenizer) know() {
	for i := range z.tokens {
		t := &z.tokens[i]
		if t.class != 0 || t.quoted || t.mixedCase || z.lex.words[t.text] != nil {
			continue
		}
		right := z.lex.correct(t.text)
		if right == "" {
			continue
		}
		w := z.lex.words[right]
		if z.inNamePlace(i, w.class&(isKind|isInfo) != 0 && len(t.text) <= len(right)) {
			continue
		}
		t.text, t.class, t.kind, t.language, t.corrected = right, w.class, w.kind, w.language, true
	}
}

// inNamePlace tells whether the word at i stands where names do, so that it is no slip of the keyboard. What people list
// stands in some of these places too: "lgos in shop".
func (z *tokenizer) inNamePlace(i int, listed bool) bool {
	joined := i > 0 && z.tokens[i].before == breakNone
	switch {
	case joined && z.tokens[i-1].is(isKind|isIn|isOf|isNamed|isFrom):
		return true
	case listed:
		return false
	case i+1 < len(z.tokens) && z.tokens[i+1].is(isIn) && z.tokens[i+1].before == breakNone:
		return true
	}
	return joined && z.tokens[i-1].is(isChange) && !z.tokens[i-1].is(isNoun)
}

// merge joins the words of known phrases into one token each.
func (z *tokenizer) merge() []token {
	out := z.tokens[:0]
	for i := 0; i < len(z.tokens); {
		t := z.tokens[i]
		i++
		if w := z.lex.words[t.text]; w != nil && !t.quoted {
			if p := z.longest(w.phrases, i); p != nil {
				last := z.tokens[i+len(p.rest)-1]
				i += len(p.rest)
				t.class, t.kind, t.topic, t.language = p.entry.class, p.entry.kind, p.entry.topic, p.entry.language
				t.end, t.asks = last.end, last.asks
			}
		}
		out = append(out, t)
	}
	return out
}

func (z *tokenizer) longest(phrases []phrase, at int) *phrase {
next:
	for k := range phrases {
		p := &phrases[k]
		if at+len(p.rest) > len(z.tokens) {
			continue
		}
		for j, text := range p.rest {
			t := &z.tokens[at+j]
			if t.before != breakNone || t.text != text {
				continue next
			}
		}
		return p
	}
	return nil
}
