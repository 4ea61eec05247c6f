package classify

import "strings"

// shortNames are the short names of kinds that are words of a language too, or hardly more than an abbreviation: they
// mean the kind in "no/worker-3" and in a command line only, or, unless they are words, before what has the form of
// a name: "cm app-settings". The short name of namespaces is what people say.
const (
	shortNames = " no po ds rs rc cm sa sc pc cj cr ing ep ev cs "
	shortWords = " no sa ing pc "
)

// dropShortNames takes the kind from the short names that stand in plain text.
func dropShortNames(tokens []token) {
	inLine := false
	for i := range tokens {
		t := &tokens[i]
		if t.before == breakSentence {
			inLine = false
		}
		if _, isTool := tools[t.text]; isTool && !t.opaque {
			inLine = true
		}
		if !inLine && t.is(isKind) && contains(shortNames, t.text) && isShort(t) && !leadsToName(tokens, i) {
			t.class, t.kind = t.class&^isKind|isStop, ""
		}
	}
}

// leadsToName tells whether a name that cannot be a word stands behind the short name at i.
func leadsToName(tokens []token, i int) bool {
	if contains(shortWords, tokens[i].text) || i+1 == len(tokens) || tokens[i+1].before != breakNone {
		return false
	}
	next := tokens[i+1].text
	return isName(next) && strings.IndexByte(next, '-') > 0
}

// isShort tells a short name from a phrase that begins with one.
func isShort(t *token) bool { return t.end-t.start == len(t.text) }

// isGenerated tells a name that a controller made, which a pod alone bears, from that of its workload: "web-0",
// "web-94577c8f4-65dl5", but not "web" and not "image-cache".
func isGenerated(name string) bool {
	rest, end := name[:strings.LastIndexByte(name, '-')+1], name[strings.LastIndexByte(name, '-')+1:]
	switch {
	case rest == "":
		return false
	case strings.Trim(end, "0123456789") == "":
		return true
	}
	drawn := strings.ContainsAny(end, "0123456789") || !strings.ContainsAny(end, "aeiouy")
	return len(end) == 5 && (drawn || strings.ContainsAny(rest, "0123456789"))
}

// destroying are the verbs that mean the pod itself, never its workload.
const destroying = " delete kill remove evict terminate destroy supprimer supprime supprimez tuer tue tuez effacer efface effacez detruire detruis evincer expulser "

// kindFor returns the kind that a name beside the word for a kind at i has: a pod with the name of its workload is meant
// as the workload, which a lookup finds by the bare name. What is to be destroyed keeps its kind: a command must not
// reach further than it says.
func (x *extractor) kindFor(kind, name string, at int) string {
	if kind != "Pod" || isGenerated(name) || x.afterTool(at) {
		return kind
	}
	for j := at; j > 0 && j > at-4 && x.tokens[j].before == breakNone; j-- {
		if contains(destroying, x.tokens[j-1].text) {
			return kind
		}
	}
	return ""
}

// containerOf reads "the cart container" and "le conteneur cart", said of the workload, at the word for containers.
func (x *extractor) containerOf(i int) bool {
	t, next := &x.tokens[i], x.joint(i+1)
	switch {
	case !t.is(isOps), !contains(" container containers conteneur conteneurs ", t.text), x.afterTool(i):
		return false
	case next.is(isOf), next.is(isIn) && x.word(i+2).is(isDet|isKind):
		return false
	case x.joint(i) != &nothing && x.determined(i-1) && x.namesContainer(i-1):
		x.take(i-1, Target{Name: x.tokens[i-1].text})
		x.following(i + 1)
		return true
	case next != &nothing && x.namesContainer(i+1) && !x.joint(i+2).is(isOf):
		x.take(i+1, Target{Name: next.text})
		x.following(i + 2)
		return true
	}
	return false
}

// namesContainer tells whether the word at i may be the name of a container.
func (x *extractor) namesContainer(i int) bool {
	t := &x.tokens[i]
	switch {
	case !spelledAsName(t):
		return false
	case t.class == 0:
		return !looksOrdinary(t.text) && t.text != "init"
	case contains(countable, t.text):
		return true
	}
	return t.is(isSoft|isEnv|isWord) && !t.is(notAsked|isStop)
}
