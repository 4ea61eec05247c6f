package classify

import "unicode/utf8"

// tellHomographs decides what a word means that the languages use differently. The French "à" is no article. What tells
// to change in one language and to look in the other, as "resume" does, is a look with an accent or in a French text;
// only English around it, or an object that can be resumed, makes it a change.
func tellHomographs(text string, tokens []token) {
	for i := range tokens {
		t := &tokens[i]
		accented := hasAccent(text[t.start:t.end])
		switch {
		case t.text == "a" && accented:
			t.class, t.language = isPrep|isStop, inFrench
		case !t.is(isChange), !t.is(isRead), t.language != inEnglish|inFrench:
		case !accented && changes(tokens, i):
			t.class &^= isRead | isInfo
		default:
			t.class &^= isChange
		}
	}
}

// changes tells whether the words around a homograph make it a change.
func changes(tokens []token, i int) bool {
	balance := languageBalance(tokens)
	if balance != 0 || i+1 == len(tokens) {
		return balance > 0
	}
	return tokens[i+1].kind == "CronJob" || tokens[i+1].kind == "Deployment"
}

func hasAccent(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}
