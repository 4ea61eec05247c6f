package classify

// Pause is what separates a word from the one before it, the weakest first.
type Pause uint8

const (
	// PauseNone: nothing but blanks.
	PauseNone = Pause(breakNone)
	// PauseComma: a comma.
	PauseComma = Pause(breakComma)
	// PauseColon: a colon, a dash or a bracket.
	PauseColon = Pause(breakColon)
	// PauseSentence: the end of a sentence or of a line.
	PauseSentence = Pause(breakSentence)
)

// Word is one word of a text, for those who read more of it than Classify does.
type Word struct {
	// Text is in lower case, without accents and, where a known word is misspelt by one letter, corrected. Plain is the same
	// without the correction.
	Text, Plain string
	// Raw is the word as it is written. The parts of a contraction share it.
	Raw string
	// Kind is the canonical kind that the word means, such as Deployment.
	Kind   string
	Before Pause
	// Asks says that a question mark follows.
	Asks bool
	// Quoted says that the word stands in quotes; Opaque that it is a whole quotation, a code block or a log line.
	Quoted, Opaque bool
	// Binding says that the word holds sentences together and names nothing: "the", "of", "when", "everything".
	Binding bool
	// Change says that the word tells to change something, in the form of a command; Noun that it is as often a noun.
	Change, Noun bool
	// Negates, Supposes and Ails say what the word adds: "not", "if" or "maybe", "down" or "stuck".
	Negates, Supposes, Ails bool
	// Known says that the vocabulary holds the word, so that it is no slip of the keyboard.
	Known bool
	// Reports says that the word tells what others say; Wants that it wishes, asks kindly or agrees; Bids that it tells to
	// look, or to do what is only vaguely said.
	Reports, Wants, Bids bool
}

// binding are the classes of words that name nothing.
const binding = isDet | isOf | isIn | isFrom | isPrep | isPron | isWho | isNot | isNotOnly | isAux | isIf | isIfNeeded | isAnd | isOr | isThen | isBut |
	isAsk | isHow | isHypo | isHedge | isCause | isVagueObj | isBe | isState | isSafe | isDry | isKind | isPolite | isGo

// supposing are the classes of words that make what is said depend on something, or doubt it.
const supposing = isIf | isIfNeeded | isHedge | isHypo | isHow | isBut | isDry | isSafe | isPersona | isDismiss

// MaxWords is how many words are looked at.
const MaxWords = maxTokens

// Words cuts a text into its words. Like Classify, it takes any bytes and looks at the first 16 KiB.
func Words(text string) []Word {
	if len(text) > maxBytes {
		text = text[:maxBytes]
	}
	z := newTokenizer(text)
	z.scan()
	words := make([]Word, len(z.tokens))
	for i := range z.tokens {
		words[i].Plain = z.tokens[i].text
	}
	z.know()
	for i := range z.tokens {
		t, w := &z.tokens[i], &words[i]
		w.Text, w.Raw, w.Kind = t.text, text[t.start:t.end], t.kind
		w.Before, w.Asks, w.Quoted, w.Opaque = Pause(t.before), t.asks, t.quoted, t.opaque
		w.Binding = t.is(binding) && !t.is(isWord|isEnv) && t.kind != "Application"
		w.Change, w.Noun = t.is(isChange|isVague), t.is(isNoun)
		w.Known = t.class != 0 || z.lex.words[t.text] != nil
		w.Reports, w.Wants, w.Bids = t.is(isSaid), t.is(isWant|isPolite|isGo), t.is(isRead|isVague|isMake|isEnsure|isPlanVerb)
		w.Negates, w.Supposes, w.Ails = t.is(isNot), t.is(supposing), t.is(isState)
	}
	return words
}

// KindOf returns the canonical kind that a word means, in the singular, in the plural or as a short name; "" if none.
func KindOf(word string) string {
	if w := vocabulary().words[word]; w != nil {
		return w.kind
	}
	return ""
}

// IsName tells whether a word has the form of an object's name and holds a letter.
func IsName(word string) bool { return isName(word) }
