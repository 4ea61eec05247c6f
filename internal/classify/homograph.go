package classify

import "unicode/utf8"

// tellHomographs decides what a word means that tells to change in one language and to look in the other: "resume". An
// accent or a French text makes it a look; only English around it, or an object that can be resumed, a change.
func tellHomographs(text string, tokens []token) {
	for i := range tokens {
		t := &tokens[i]
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
