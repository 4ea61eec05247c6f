package classify

import (
	"cmp"
	"strings"
	"unicode"
)

// Reasons why a text is out of scope.
const (
	// ScopeNotCovered: general knowledge, creative writing, private life.
	ScopeNotCovered = "NotOperations"
	// ScopeLanguage: neither English nor French.
	ScopeLanguage = "UnsupportedLanguage"
	// ScopeAdvice: legal, medical or financial advice.
	ScopeAdvice = "RegulatedAdvice"
	// ScopeCircumvention: an attempt to talk eclusier out of its rules.
	ScopeCircumvention = "Circumvention"
)

// Topics of the lexicon.
const (
	topicLegal     = "legal"
	topicMedical   = "medical"
	topicFinancial = "financial"
	topicOther     = "other"
	topicForeign   = "foreign"
)

// outOfScope returns why a text is none of eclusier's business, "" if it may be. One word of operations or one target
// that a cluster could hold keeps a text in scope, except an attempt to get round the rules and another language.
func outOfScope(text string, tokens []token, hasTargets bool) string {
	if circumvents(tokens) {
		return ScopeCircumvention
	}
	seen, operations := takeTally(text, tokens)
	switch {
	case seen.foreign >= 2 && seen.foreign >= seen.known:
		return ScopeLanguage
	case operations:
		return ""
	case seen.letters > 0 && seen.letters >= seen.known && !hasTargets:
		return ScopeLanguage
	}
	return scopeOf[seen.topic]
}

// takeTally counts the words of a text, and tells whether one of them keeps it in scope.
func takeTally(text string, tokens []token) (seen tally, operations bool) {
	for i := range tokens {
		t := &tokens[i]
		operations = seen.count(t) || operations
		if t.class == 0 && !t.opaque && spelledElsewhere(text[t.start:t.end]) {
			seen.foreign++
		}
	}
	if strings.Contains(text[:min(len(text), maxBytes)], "¿") {
		seen.foreign += 2
	}
	return seen, operations
}

// spelledElsewhere tells whether a word has a letter that neither English nor French writes.
func spelledElsewhere(word string) bool {
	return hasAccent(word) && strings.ContainsAny(word, "áíóúñãõßäöåøìòłżźśąęőűčšžřě")
}

// tally counts what speaks for a text being out of scope, and the known words that speak against it.
type tally struct {
	topic                   string
	foreign, known, letters int
}

// count counts a word, and tells whether it keeps the text in scope by itself.
func (s *tally) count(t *token) bool {
	switch {
	case t.opaque, t.isTarget && t.class == 0:
	case t.is(isKind | isSoft), t.is(isOps) && !t.is(isTopic):
		return true
	case t.topic == topicForeign:
		s.foreign++
	case t.topic != "":
		s.topic = cmp.Or(s.topic, t.topic)
	case t.class != 0:
		s.known++
	case !isLatin(t.text):
		s.letters++
	}
	return false
}

// scopeOf says why the topics are out of scope.
var scopeOf = map[string]string{
	topicOther: ScopeNotCovered, topicLegal: ScopeAdvice, topicMedical: ScopeAdvice, topicFinancial: ScopeAdvice,
}

func isLatin(text string) bool {
	for _, r := range text {
		if r > 0x24f && unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) {
			return false
		}
	}
	return true
}

const (
	whose     = " your all previous prior above earlier the any these tes vos toutes tous les precedentes precedents ces la le tout approval "
	governing = " instructions instruction rules rule guidelines guideline policies policy prompt restrictions restriction safety safeguards guardrails guardrail consignes consigne regles regle directives approval approvals approbation approbations validation garde-fous limitations "
)

// circumvents finds "ignore your previous instructions" and its kin: a word of dismissal at the head of a request, and
// the rules dismissed within a few words of it.
func circumvents(tokens []token) bool {
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.opaque, t.quoted:
		case t.is(isPersona) && personaFollows(tokens, i):
			return true
		case t.is(isDismiss) && commands(tokens, i) && dismissesRules(tokens, i):
			return true
		}
	}
	return false
}

// dismissesRules tells whether the rules, and whose they are, stand within a few words of the dismissal at i.
func dismissesRules(tokens []token, i int) bool {
	owned := false
	for j := i + 1; j < len(tokens) && j <= i+5 && tokens[j].before == breakNone; j++ {
		owned = owned || strings.Contains(whose, " "+tokens[j].text+" ")
		if owned && strings.Contains(governing, " "+tokens[j].text+" ") {
			return true
		}
	}
	return false
}

// commands tells whether the word at i is told to the reader, rather than said of something: "ingress ignores the rule".
func commands(tokens []token, i int) bool {
	if i == 0 || tokens[i].before != breakNone {
		return true
	}
	return tokens[i-1].is(isAnd | isThen | isBut | isPolite | isSkip | isGo)
}

func personaFollows(tokens []token, i int) bool {
	if tokens[i].text == "jailbreak" || tokens[i].text == "jailbroken" {
		return true
	}
	if i+2 >= len(tokens) || !commands(tokens, i) {
		return false
	}
	next := tokens[i+1].text
	return next == "you" || next == "to" || next == "that" || next == "as"
}

// languageOf names the language that has more words of its own in the text.
func languageOf(tokens []token) string {
	if languageBalance(tokens) < 0 {
		return "fr"
	}
	return "en"
}

// languageBalance counts the words that only English has, less those that only French has.
func languageBalance(tokens []token) int {
	balance := 0
	for i := range tokens {
		switch tokens[i].language {
		case inEnglish:
			balance++
		case inFrench:
			balance--
		}
	}
	return balance
}
