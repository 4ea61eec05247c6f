package classify

import "unicode/utf8"

// tellHomographs decides what a word means that the languages use differently. The French "à" is no article. What tells
// to change in one language and to look in the other, as "resume" does, is a look with an accent or in a French text;
// only English around it, or an object that can be resumed, makes it a change.
func tellHomographs(text string, tokens []token) {
	for i := range tokens {
		t := &tokens[i]
		if t.text == "a" && hasAccent(text[t.start:t.end]) {
			t.class, t.language = isPrep|isStop, inFrench
			continue
		}
		if !t.is(isChange) || !t.is(isRead) || t.language != inEnglish|inFrench {
			continue
		}
		balance := languageBalance(tokens)
		resumable := i+1 < len(tokens) && tokens[i+1].is(isKind) && (tokens[i+1].kind == "CronJob" || tokens[i+1].kind == "Deployment")
		if !hasAccent(text[t.start:t.end]) && (balance > 0 || balance == 0 && resumable) {
			t.class &^= isRead | isInfo
		} else {
			t.class &^= isChange
		}
	}
}

func hasAccent(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}
