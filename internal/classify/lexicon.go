package classify

import (
	"slices"
	"strings"
	"sync"
)

// class is the set of parts that a word or phrase can play in a sentence.
type class uint64

const (
	isChange   class = 1 << iota // tells to change something concrete, in the form of a command
	isNoun                       // a change verb that is as often a noun: "the restart"
	isOpen                       // "open": a verb before "port", an adjective before "connections"
	isPart                       // a form of a change verb that is no command: "restarted", "deleting"
	isVague                      // wants something done and does not say what: "fix"
	isMake                       // says what to do only together with a result: "get … back up"
	isResult                     // such a result
	isEnsure                     // "make sure"
	isRead                       // tells to look or to explain
	isInfo                       // a thing one looks at: "logs", "status"
	isMeta                       // a noun that turns the verb before it into a noun: "restart count"
	isAsk                        // a question word
	isAux                        // a verb that opens a question: "is", "did"
	isHow                        // asks for a way to do something
	isHypo                       // asks what a change would do, or whether it is wise
	isHedge                      // "maybe", "I think"
	isPolite                     // wraps a request: "could you please"
	isWant                       // a wish whose verb comes later: "I want … restarted"
	isGo                         // consent: "go ahead"
	isSkip                       // says nothing: greetings, "now"
	isNot                        // negates the verb after it
	isNotOnly                    // "don't just": negates nothing
	isSafe                       // forbids every change
	isDry                        // asks for a dry run
	isPlan                       // "plan"
	isPlanVerb                   // asks for a proposal
	isIfNeeded                   // "if necessary"
	isIf                         // opens a condition
	isCause                      // opens a reason
	isSaid                       // reported speech
	isAnd                        // joins clauses or names
	isOr                         // joins alternatives
	isThen                       // opens the next step
	isBut                        // opens an objection
	isDet                        // a determiner
	isOf                         // "of"
	isIn                         // "in", before a namespace
	isFrom                       // "from"
	isPrep                       // another preposition
	isPron                       // a pronoun that can be an object
	isWho                        // a pronoun that is a subject
	isVagueObj                   // "stuff"
	isState                      // an adjective of ill or good health
	isBe                         // a verb of state
	isOps                        // a word of operations
	isKind                       // a kind of object
	isSoft                       // the name of well-known software
	isEnv                        // a common word that often names a namespace
	isNamed                      // "called"
	isStop                       // a common word
	isWord                       // a common word that is a name in every place of one
	isThing                      // a common word that is a name only behind a kind or a verb that takes a workload
	isDismiss                    // "ignore", of rules
	isPersona                    // "pretend", of a role to play
	isTopic                      // a word of a subject that is not operations
)

// classNames maps the words before a colon in the lists to classes.
var classNames = map[string]class{
	"change": isChange, "noun": isNoun, "open": isOpen, "part": isPart, "vague": isVague, "make": isMake,
	"result": isResult, "ensure": isEnsure, "read": isRead, "info": isInfo, "meta": isMeta, "ask": isAsk, "aux": isAux,
	"how": isHow, "hypo": isHypo, "hedge": isHedge, "polite": isPolite, "want": isWant, "go": isGo, "skip": isSkip,
	"not": isNot, "notonly": isNotOnly, "safe": isSafe, "dry": isDry, "plan": isPlan, "planverb": isPlanVerb,
	"ifneeded": isIfNeeded, "if": isIf, "cause": isCause, "said": isSaid, "and": isAnd, "or": isOr, "then": isThen,
	"but": isBut, "det": isDet, "of": isOf, "in": isIn, "from": isFrom, "prep": isPrep, "pron": isPron, "who": isWho,
	"vagueobj": isVagueObj, "state": isState, "be": isBe, "ops": isOps, "soft": isSoft, "env": isEnv, "named": isNamed,
	"stop": isStop, "word": isWord, "thing": isThing, "dismiss": isDismiss, "persona": isPersona,
}

// language is the set of languages that a word belongs to.
type language uint8

const (
	inEnglish language = 1 << iota
	inFrench
)

// word is what the lexicon knows about one word, or about one phrase.
type word struct {
	class class
	// accented is the class of the word when its last letter carries an accent: "redémarré" is not "redémarre".
	accented class
	kind     string
	topic    string
	language language
	phrases  []phrase
}

// phrase is the continuation of a phrase after its first word.
type phrase struct {
	rest  []string
	entry *word
}

// lexicon is the closed vocabulary.
type lexicon struct {
	words map[string]*word
	// near maps a correctable word, and each way to leave one letter out of it, to the words it may stand for.
	near map[string][]string
}

// vocabulary is built on first use.
var vocabulary = sync.OnceValue(buildLexicon)

func buildLexicon() *lexicon {
	l := &lexicon{words: make(map[string]*word, 1<<13), near: make(map[string][]string, 1<<13)}
	l.addList(english, inEnglish)
	l.addList(french, inFrench)
	l.addList(shared, 0)
	l.addList(nouns, 0)
	for _, w := range l.words {
		slices.SortStableFunc(w.phrases, func(a, b phrase) int { return len(b.rest) - len(a.rest) })
	}
	l.indexNear()
	return l
}

func (l *lexicon) addList(list string, lang language) {
	for line := range strings.Lines(list) {
		head, tail, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		l.addLine(strings.Fields(head), strings.Fields(tail), lang)
	}
}

func (l *lexicon) addLine(labels, words []string, lang language) {
	entry, forms := word{language: lang}, false
	switch labels[0] {
	case "kind":
		entry.class, entry.kind = isKind, labels[1]
	case topicLegal, topicMedical, topicFinancial, topicOther, topicForeign:
		entry.class, entry.topic = isTopic, labels[0]
	default:
		for _, label := range labels {
			forms = forms || label == "+forms"
			entry.class |= classNames[label]
		}
	}
	for _, text := range words {
		if !forms {
			l.add(text, entry)
			continue
		}
		for form, class := range inflect(text, entry.class, lang) {
			e := entry
			e.class, e.accented = class, 0
			if lang == inFrench && class&(isChange|isVague) != 0 && strings.HasSuffix(form, "e") {
				e.accented = isPart
			}
			l.add(form, e)
		}
	}
}

// add merges an entry into the lexicon. The underscores of text separate the words of a phrase.
func (l *lexicon) add(text string, entry word) {
	parts := expandPhrase(strings.Split(strings.TrimSuffix(text, "_"), "_"))
	first := l.words[parts[0]]
	if first == nil {
		first = &word{}
		l.words[parts[0]] = first
	}
	if entry.class != 0 && entry.class&^(isWord|isThing) == 0 && first.class&^(isWord|isThing) == 0 {
		return // unknown words stay unknown
	}
	if len(parts) == 1 {
		first.merge(entry)
		return
	}
	for i := range first.phrases {
		if slices.Equal(first.phrases[i].rest, parts[1:]) {
			first.phrases[i].entry.merge(entry)
			return
		}
	}
	for _, part := range parts[1:] {
		if l.words[part] == nil {
			l.words[part] = &word{}
		}
	}
	first.phrases = append(first.phrases, phrase{rest: parts[1:], entry: &entry})
}

func (w *word) merge(other word) {
	w.class |= other.class
	w.accented |= other.accented
	w.language |= other.language
	if other.kind != "" {
		w.kind = other.kind
	}
	if other.topic != "" {
		w.topic = other.topic
	}
}

// correctable are the words that a misspelt word may stand for.
const correctable = isChange | isVague | isRead | isInfo | isAsk | isKind | isPolite | isNot | isAux | isMeta

func (l *lexicon) indexNear() {
	for text, w := range l.words {
		if w.class&correctable == 0 || len(text) < 4 || !isAlpha(text) {
			continue
		}
		l.near[text] = append(l.near[text], text)
		for i := range text {
			left := text[:i] + text[i+1:]
			if list := l.near[left]; len(list) == 0 || list[len(list)-1] != text {
				l.near[left] = append(list, text)
			}
		}
	}
	for left, list := range l.near {
		slices.Sort(list)
		l.near[left] = slices.Compact(list)
	}
}

// correct returns the word of the vocabulary that text misspells by one letter, or "". A read-only meaning is preferred
// where several fit, so that a slip of the keyboard never turns a question into a command.
func (l *lexicon) correct(text string) string {
	if len(text) < 4 || len(text) > 24 || !isAlpha(text) {
		return ""
	}
	best := l.better("", text, l.near[text])
	var buf [24]byte
	for i := range len(text) {
		left := append(append(buf[:0], text[:i]...), text[i+1:]...)
		best = l.better(best, text, l.near[string(left)])
	}
	return best
}

func (l *lexicon) better(best, text string, candidates []string) string {
	for _, candidate := range candidates {
		change := l.words[candidate].class&(isChange|isVague) != 0
		if !slip(text, candidate, change) {
			continue
		}
		if best == "" || !change && l.words[best].class&(isChange|isVague) != 0 {
			best = candidate
		}
	}
	return best
}

// slip tells whether typed is candidate with one letter missing, added, doubled, swapped or, in longer words, wrong.
// Names often differ from a verb by a last letter ("deployer") or by one letter of four ("shop"): those are no slips.
func slip(typed, candidate string, change bool) bool {
	i := commonPrefix(typed, candidate)
	if i == 0 {
		return false
	}
	n := len(typed)
	switch len(candidate) - n {
	case 1:
		return typed[i:] == candidate[i+1:]
	case -1:
		appended := i == n-1 && typed[n-1] != typed[n-2]
		return typed[i+1:] == candidate[i:] && !appended
	case 0:
		return i < n && slipInside(typed[i:], candidate[i:], n >= 6 || n == 5 && !change)
	}
	return false
}

func commonPrefix(a, b string) int {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return i
}

// slipInside tells whether the first two letters are swapped, or, in a long word, the first is wrong.
func slipInside(typed, candidate string, long bool) bool {
	if len(typed) > 1 && typed[0] == candidate[1] && typed[1] == candidate[0] && typed[2:] == candidate[2:] {
		return true
	}
	return long && typed[1:] == candidate[1:]
}

func isAlpha(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return len(s) > 0
}
