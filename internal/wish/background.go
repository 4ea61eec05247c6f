package wish

import (
	"slices"
	"strings"

	"github.com/eclusier/eclusier/internal/classify"
)

// The words of trouble, of time and of exceptions, beside those that the vocabulary marks.
var (
	troubles = []string{"down", "hangs", "hang", "crashes", "leaks", "leaking", "leak", "fails", "restarts", "stale", "slow", "oom", "oomkilled", "error", "errors",
		"timeout", "timeouts", "crashloop", "crashloopbackoff", "respond", "responding", "answer", "answering", "rame", "rament", "fuit", "plante", "plantent",
		"coince", "coincee", "gele", "sature", "hs", "mort", "morte", "fire", "dying", "dead", "wedged", "hosed", "jammed", "burning", "flooded", "hammering", "brule", "crame", "repond", "repondent", "erreur", "erreurs", "boucle", "panne", "redemarre", "redemarrent"}
	limits = []string{"later", "tonight", "tomorrow", "before", "after", "till", "until", "when", "whenever", "while", "at", "only", "except", "instead", "soon", "case", "once", "or", "otherwise", "monday",
		"tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "weekend", "midnight", "noon", "example", "joke", "drill",
		"demain", "soir", "nuit", "tard", "avant", "apres", "quand", "lorsque", "seulement", "sauf", "plutot", "ou", "sinon", "cas", "tant", "moins", "pourvu", "lundi", "mardi", "mercredi", "jeudi",
		"vendredi", "samedi", "dimanche", "midi", "minuit", "exemple", "exercice", "blague", "should", "were", "had", "supposing", "imagine", "suppose"}
)

// subjects are the pronouns that something is said of.
var subjects = []string{"it", "il", "elle", "ca", "this", "cela"}

// tellsTrouble tells whether the words up to an end only say that something is not well: "web in shop is stuck".
func (r *reader) tellsTrouble(from, to int) bool {
	if !r.harmless(from, to) || !r.isPlain(from, to) {
		return false
	}
	if !slices.ContainsFunc(r.words[from:to], ails) {
		return false
	}
	if slices.Contains(subjects, r.words[from].Text) {
		return to-from > 1
	}
	for _, topic := range r.names(from, Restart, "", 1) {
		if topic.end < to {
			return true
		}
	}
	return false
}

// explains tells whether the words from i on only say why something is wished, or what it is to bring about. An aim with a
// number in it would be a wish of its own.
func (r *reader) explains(i int) bool {
	if r.words[i].Before != classify.PauseNone && slices.Contains(subjects, r.words[i].Text) {
		return r.pause(i) == r.end && r.tellsTrouble(i, r.end)
	}
	cause, aim := r.longest(grammar().causes, i), r.longest(grammar().aims, i)
	from := max(cause, aim)
	if from == i || from == r.end || !r.harmless(from, r.end) {
		return false
	}
	return !slices.ContainsFunc(r.words[from:r.end], func(w classify.Word) bool {
		return w.Before != classify.PauseNone || aim > i && strings.ContainsAny(w.Plain, "0123456789")
	})
}

// harmless tells whether the words up to an end make nothing depend on anything, ask nothing and tell to do nothing.
func (r *reader) harmless(from, to int) bool {
	for i := from; i < to; i++ {
		w := &r.words[i]
		switch {
		case w.Opaque, w.Asks, w.Supposes, slices.Contains(limits, w.Text) && !r.isPast(i, from):
			return false
		case (w.Text == "encore" || w.Text == "again") && i > from: // "il plante encore"
		case w.Text == "else", w.Text == "everything":
			return false // there is more than is told
		case (w.Change || grammar().firsts[w.Text]) && !r.isTold(i, from):
			return false
		}
	}
	return true
}

// isPast tells whether a time is one since when something has been so, or a name: "since noon", "depuis hier soir", "black
// friday".
func (r *reader) isPast(i, from int) bool {
	for _, w := range r.words[max(from, i-2):i] {
		if w.Text == "since" || w.Text == "depuis" {
			return true
		}
	}
	return i > from && (r.words[i-1].Text == "black" || r.words[i-1].Text == "cyber")
}

// isTold tells whether the verb at i is no command: a noun ("the last deploy"), or what something does not do ("it does
// not start", "il ne démarre pas").
func (r *reader) isTold(i, from int) bool {
	before := func(n int, words ...string) bool {
		return i-n >= from && slices.Contains(words, r.words[i-n].Text)
	}
	switch {
	case r.words[i].Kind != "" || r.words[i].Noun:
		if before(1, "the", "a", "last", "latest", "new", "previous", "recent", "bad", "failed", "every", "each", "un", "le", "dernier", "nouveau", "chaque") {
			return true
		}
	case r.words[i].Quoted:
		return false
	}
	if r.isNoun(i, from) {
		return true
	}
	if before(1, "not") {
		return before(2, "does", "can", "will", "did", "could", "would") && before(3, "it", "which", "that", "they", "pods", "he")
	}
	if before(1, "ne") {
		return before(2, "il", "elle", "ca", "cela", "qui", "ils", "elles")
	}
	third := []string{"il", "elle", "ca", "qui", "ils", "elles"}
	return before(1, third...) || before(1, "se") && before(2, third...)
}

// isNoun tells whether the verb at i is a noun by what stands around it: "swap done", "security fix".
func (r *reader) isNoun(i, from int) bool {
	if i+1 < r.end && slices.Contains(ended, r.words[i+1].Text) {
		return true
	}
	return i > from && i+1 == r.pause(i) && slices.Contains(occasions, r.words[i].Text) && !r.words[i-1].Binding
}

// refusal says why a sentence is not understood.
func (r *reader) refusal(from int, asked bool) *InexpressibleError {
	words := r.words[from:r.end]
	first := func(fits func(classify.Word) bool) (string, bool) {
		i := slices.IndexFunc(words, fits)
		if i < 0 {
			return "", false
		}
		return words[i].Raw, true
	}
	if asked {
		return &InexpressibleError{Reason: Asked}
	}
	for _, depends := range []func(classify.Word) bool{
		func(w classify.Word) bool { return w.Supposes },
		func(w classify.Word) bool { return slices.Contains(limits, w.Text) },
	} {
		if word, ok := first(depends); ok {
			return &InexpressibleError{Conditional, word}
		}
	}
	if word, ok := first(func(w classify.Word) bool { return w.Negates }); ok {
		return &InexpressibleError{Negated, word}
	}
	if _, ok := first(func(w classify.Word) bool { return grammar().firsts[w.Text] || w.Text == "kubectl" }); !ok {
		return &InexpressibleError{Reason: NoOperation}
	}
	if r.placed {
		return &InexpressibleError{Reason: NoTarget}
	}
	if r.untagged != "" {
		return &InexpressibleError{TagNeeded, r.untagged}
	}
	if r.furthest >= r.end {
		return &InexpressibleError{Reason: Incomplete}
	}
	return &InexpressibleError{NotUnderstood, r.words[r.furthest].Raw}
}
