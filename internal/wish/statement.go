package wish

import (
	"slices"
	"strings"

	"github.com/eclusier/eclusier/internal/classify"
)

// A clause that states something is a main clause: it has a subject of its own, and says of it what is the case. One that
// only tells when, how long or under which condition is none, although its words may be the same: "the migration is over"
// is a reason, "the moment the migration is over", "une fois la migration terminée" and "the migration being over" are
// conditions. Languages have few words that begin such clauses, and these are they.

// subordinating are the prepositions, conjunctions and adverbs that make what follows a circumstance of something else.
var subordinating = strings.Fields(`
about across after afterwards along alongside amid among any anytime around as assuming at barring before behind below besides between beyond by considering
depending despite directly during each even every except failing following for from given granted having if immediately in inside instead into
like likewise near next not of off on once only onto out outside over past pending per post prior provided providing regarding seeing subject
supposing than though through throughout till to toward towards under unless unlike until up upon via when whenever where whereas wherever whether while
whilst whatever whichever whoever with within without
apres aussitot autour avant avec chaque chez comme concernant contre dans dehors depuis devant ds durant en entre etant ayant excepte faute hormis hors jusque
jusqu lors lorsque malgre moyennant outre par parmi passe pendant pour pourvu prochaine prochain quand quant que quitte quoique sans sauf selon si
sinon sitot sous suite suivant sur tandis tant vers via voila`)

// times are the nouns that head a clause which tells when: "the minute it crashes", "le temps que ça passe".
var times = strings.Fields(`
moment moments instant minute minutes second seconds hour hours day days week time times duration period end start beginning completion
fois temps heure heures jour jours semaine duree periode fin debut occasion`)

// determiners are the words before a noun that is about to get a verb.
var determiners = strings.Fields("the a an our this that these those some le la les un une des du notre nos ce cet cette ces")

// holding are the verbs that make a participle a statement: "the disk has been swapped", "la base a été réparée".
var holding = append([]string{"has", "have", "had", "a", "ont", "avait", "ete", "been"}, being...)

// isMain tells whether the words up to an end are a main clause, as far as its words can tell.
func (r *reader) isMain(from, to int) bool {
	if r.subordinates(from, to) || r.isAbsolute(from, to) {
		return false
	}
	for i := from; i < min(from+3, to); i++ {
		if slices.Contains(times, r.words[i].Text) && (i == from || !isNumber(&r.words[i-1])) {
			return false
		}
	}
	return true
}

// subordinates tells whether the word at i makes a circumstance of the clause that it begins.
func (r *reader) subordinates(i, to int) bool {
	first := &r.words[i]
	switch first.Text {
	case "on":
		return !r.french
	case "a": // "à la fin", "a la prochaine panne"
		return strings.ToLower(first.Raw) != "a" || r.saysAt(i+1, to, "la le les partir chaque notre mon ce cette")
	case "des": // "dès la fin", "des que"
		return strings.HasSuffix(first.Raw, "ès") || r.saysAt(i+1, to, "que la le les lors leur")
	}
	return slices.Contains(subordinating, first.Text) || slices.Contains(subordinating, first.Plain)
}

// sequels are courtesies that are conjunctions where a clause follows them without a pause.
var sequels = []string{"now", "then", "immediately", "next", "first", "finally", "ensuite", "puis", "enfin", "maintenant", "immediatement"}

// isSequel tells whether the courtesies up to an index end in one of those.
func (r *reader) isSequel(from, to int) bool {
	return to > from && slices.Contains(sequels, r.words[to-1].Text)
}

// leadsOn tells whether the courtesies up to an index lead to a wish, or make a condition of a clause.
func (r *reader) leadsOn(from, to int) bool {
	return r.isSequel(from, to) || slices.ContainsFunc(r.words[from:to], func(w classify.Word) bool { return w.Wants })
}

// isReport tells whether the words up to an end report in a hurry that something has ended: "swap done". As people also put
// so when something is to happen ("backup done, restart web"), it is a reason only for what ends with it.
func (r *reader) isReport(from, to int) bool {
	held := func(w classify.Word) bool { return slices.Contains(holding, w.Text) || ails(w) }
	return slices.Contains(ended, r.words[to-1].Text) && !slices.ContainsFunc(r.words[from:to], held)
}

// lifts tells whether a verb ends what was only meant to last for a time.
func lifts(verb Verb) bool { return verb == Uncordon || verb == Resume }

// isAbsolute tells whether the words up to an end are a participle with a subject, and no verb: "the job being over", "la
// migration terminée". Without an article they are how people report in a hurry: "swap done".
func (r *reader) isAbsolute(from, to int) bool {
	words := r.words[from:to]
	gerund := func(w classify.Word) bool {
		return slices.Contains([]string{"being", "having", "etant", "ayant"}, w.Text)
	}
	if i := slices.IndexFunc(words, gerund); i >= 0 && (i == 0 || !slices.Contains(being, words[i-1].Text)) {
		return true
	}
	last := words[len(words)-1]
	participle := slices.Contains(ended, last.Text) || strings.HasSuffix(strings.TrimRight(last.Raw, "es"), "é")
	held := func(w classify.Word) bool { return slices.Contains(holding, w.Text) }
	return participle && slices.Contains(determiners, words[0].Text) && !slices.ContainsFunc(words[1:], held)
}

// saysAt tells whether the word at i, before an end, is one of some words.
func (r *reader) saysAt(i, to int, words string) bool {
	return i < to && slices.Contains(strings.Fields(words), r.words[i].Text)
}

// isWhole tells whether the word at i only says how much of the machine is hit: "it hammers the cluster", "il mange tout le
// cpu", "5xx all over".
func (r *reader) isWhole(i, from, to int) bool {
	switch r.words[i].Text {
	case "cluster":
		return i+1 == to && i > from+1 && r.saysAt(i-1, to, "the our whole le notre") && slices.ContainsFunc(r.words[from:i], ails)
	case "all", "tout", "toute":
		return r.saysAt(i+1, to, "over") || r.saysAt(i+1, to, "the le la") && slices.ContainsFunc(r.words[from:i], ails)
	}
	return false
}

// wellness are the ways to say that all is well again, which is a reason for what ends a precaution.
var wellness = []pattern{
	{anyOf("it all this ce tout"), anyOf("is est"), anyOf("good fine ok okay fixed repaired bon repare regle")},
	{anyOf("all tout"), anyOf("good fine ok bon")},
}

// suits tells whether the words up to an end are a reason for what a verb does, and for nothing else.
func (r *reader) suits(verb Verb, from, to int) bool {
	return lifts(verb) && r.isWell(from, to) || verb == Scale && r.longest(grammar().scarcities, from) == to
}

// isWell tells whether the words up to an end say that all is well, and nothing else.
func (r *reader) isWell(from, to int) bool {
	if r.saysAt(to-1, to, "again now maintenant") {
		to--
	}
	return slices.ContainsFunc(wellness, func(p pattern) bool { return len(p) == to-from && r.begins(p, from, to) })
}
