package classify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isWordByte tells whether the byte can stand inside a word: letters, digits, what names, paths, flags and assignments
// are made of, and every byte of a letter outside ASCII.
func isWordByte(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c >= utf8.RuneSelf:
		return true
	}
	return strings.IndexByte("-_./@=:%+'$*&#~", c) >= 0
}

// wordAt tells whether the byte at i belongs to a word. A colon does only inside one: "db-02:5432", not "web: why".
func (z *tokenizer) wordAt(i int) bool {
	if z.text[i] == ':' && (i+1 == len(z.text) || !isWordByte(z.text[i+1])) {
		return false
	}
	return isWordByte(z.text[i]) && !isTypographic(z.text[i:])
}

// isTypographic tells whether text begins with a dash, quote, space or dots beyond ASCII, which end a word.
func isTypographic(text string) bool {
	if text[0] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text)
	return r != '’' && r != utf8.RuneError && !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
}

// plain maps the accented letters of French, and a few neighbours, to plain ones.
var plain = map[rune]string{
	'à': "a", 'â': "a", 'ä': "a", 'á': "a", 'ç': "c", 'é': "e", 'è': "e", 'ê': "e", 'ë': "e", 'î': "i", 'ï': "i", 'í': "i",
	'ô': "o", 'ö': "o", 'ó': "o", 'ù': "u", 'û': "u", 'ü': "u", 'ú': "u", 'ÿ': "y", 'ñ': "n", 'œ': "oe", 'æ': "ae", '’': "'",
}

// fold appends raw in lower case and without accents. mixed says that a capital follows a lower-case letter, or that
// the word is all capitals in a text that is not; accent that the word ends in an accented e, in the plural or not.
func (z *tokenizer) fold(raw string) (mixed, accent bool) {
	var seen capitals
	for i := 0; i < len(raw); {
		c := raw[i]
		if c < utf8.RuneSelf {
			i++
			z.folded = append(z.folded, seen.lower(c))
			continue
		}
		r, size := utf8.DecodeRuneInString(raw[i:])
		i += size
		seen.letters++
		accent = z.foldRune(unicode.ToLower(r), raw[i:]) || accent
	}
	shout := seen.letters > 1 && seen.upper == seen.letters && !z.shouting
	return seen.inside || shout || seen.small && seen.upper > 1, accent
}

// foldRune appends a letter outside ASCII, and tells whether it is the accented e of a participle.
func (z *tokenizer) foldRune(r rune, rest string) bool {
	switch p, ok := plain[r]; {
	case ok:
		z.folded = append(z.folded, p...)
		return r == 'é' && endsParticiple(rest)
	case unicode.Is(unicode.Mn, r):
		return r == '\u0301' && endsParticiple(rest)
	}
	z.folded = utf8.AppendRune(z.folded, r)
	return false
}

// capitals notes how a word is written.
type capitals struct {
	upper, letters int
	// small: there is a lower-case letter; inside: a capital follows one.
	small, inside bool
}

// lower returns the letter in lower case, and notes its case.
func (s *capitals) lower(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z':
		s.inside = s.inside || s.small
		s.upper++
		s.letters++
		return c + 'a' - 'A'
	case c >= 'a' && c <= 'z':
		s.small = true
		s.letters++
	}
	return c
}

func endsParticiple(rest string) bool {
	return rest == "" || rest == "s"
}

// contractions are the short forms whose parts cannot be told from their spelling.
var contractions = map[string][]string{
	"can't": {"can", "not"}, "cannot": {"can", "not"}, "cant": {"can", "not"}, "won't": {"will", "not"}, "wont": {"will", "not"},
	"dont": {"do", "not"}, "doesnt": {"does", "not"}, "didnt": {"did", "not"}, "isnt": {"is", "not"}, "wasnt": {"was", "not"},
	"shouldnt": {"should", "not"}, "couldnt": {"could", "not"}, "wouldnt": {"would", "not"}, "let's": {"let", "us"}, "lets": {"let", "us"},
	"whats": {"what", "is"}, "wheres": {"where", "is"}, "hows": {"how", "is"}, "im": {"i", "am"}, "i'm": {"i", "am"}, "aujourd'hui": {"aujourd'hui"},
	"s'il": {"si", "il"}, "s'ils": {"si", "ils"}, "wanna": {"want", "to"}, "gonna": {"going", "to"}, "u": {"you"}, "ur": {"your"},
	"t'as": {"tu", "as"}, "chmod'd": {"chmod"}, "y'a": {"il", "y", "a"},
}

var englishEndings = map[string]string{"re": "are", "ve": "have", "ll": "will", "d": "would", "m": "am"}

var frenchElisions = map[string]string{
	"l": "le", "d": "de", "n": "ne", "s": "se", "j": "je", "c": "ce", "m": "me", "t": "te", "qu": "que", "lorsqu": "lorsque",
	"puisqu": "puisque", "jusqu": "jusque", "quelqu": "quelque",
}

// isBefore says which words take 's as a short "is".
const isBefore = " what who where when how it that there he she here why "

// expandWord yields the parts of a contracted, elided or hyphenated word, or the word itself.
func expandWord(text string, lex *lexicon, yield func(part string, possessive bool)) {
	if parts, ok := contractions[text]; ok {
		for _, part := range parts {
			yield(part, false)
		}
		return
	}
	if i := strings.IndexByte(text, '\''); i > 0 && i+1 < len(text) {
		expandApostrophe(text[:i], text[i+1:], lex, yield)
		return
	}
	if strings.IndexByte(text, '-') <= 0 || lex.words[text] != nil {
		yield(text, false)
		return
	}
	expandHyphen(text, lex, yield)
}

func expandApostrophe(head, tail string, lex *lexicon, yield func(string, bool)) {
	long, elided := frenchElisions[head]
	short, ending := englishEndings[tail]
	switch {
	case elided:
		yield(long, false)
		expandWord(tail, lex, yield)
	case tail == "s" && strings.Contains(isBefore, " "+head+" "):
		yield(head, false)
		yield("is", false)
	case tail == "s":
		yield(head, true)
	case ending:
		yield(head, false)
		yield(short, false)
	case tail == "t" && strings.HasSuffix(head, "n"):
		yield(head[:len(head)-1], false)
		yield("not", false)
	default:
		yield(head, false)
		yield(tail, false)
	}
}

// clitics are the pronouns that French joins to a verb with a hyphen.
const clitics = " tu vous il elle on nous ils elles je moi toi le la les ce y en lui leur t "

// expandHyphen splits a verb from the pronouns joined to it; every other hyphenated word stays whole.
func expandHyphen(text string, lex *lexicon, yield func(string, bool)) {
	head, tail, _ := strings.Cut(text, "-")
	known := lex.words[head] != nil
	for part := range strings.SplitSeq(tail, "-") {
		known = known && strings.Contains(clitics, " "+part+" ")
	}
	if !known {
		yield(text, false)
		return
	}
	for part := range strings.SplitSeq(text, "-") {
		yield(part, false)
	}
}

// expandPhrase expands each word of a phrase as a text's words are.
func expandPhrase(parts []string) []string {
	var out []string
	none := &lexicon{}
	for _, part := range parts {
		if !strings.Contains(part, "'") {
			out = append(out, part)
			continue
		}
		expandWord(part, none, func(p string, _ bool) { out = append(out, p) })
	}
	return out
}

// logLine returns the length of the line if it was pasted from a log or a code block.
func logLine(text string) int {
	n := strings.IndexByte(text, '\n')
	if n < 0 {
		n = len(text)
	}
	line := strings.TrimLeft(text[:n], " [")
	if len(line) < 8 {
		return 0
	}
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	switch {
	case digits(line[:4]) && (line[4] == '-' || line[4] == '/') && digits(line[5:7]):
	case strings.IndexByte("EWIF", line[0]) >= 0 && digits(line[1:5]):
	case hasAnyPrefix(line, "ERROR", "WARN", "INFO", "FATAL", "DEBUG", "panic:", "level=", "time=", "ts=", `{"`, "Traceback", "Caused by:", "Exception"):
	default:
		return 0
	}
	return n
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
