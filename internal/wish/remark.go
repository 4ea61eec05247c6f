package wish

import (
	"slices"
	"strings"

	"github.com/eclusier/eclusier/internal/classify"
)

// A remark is a clause of its own, before a wish or behind it, that says why or what else is the case: "prod is on fire,
// restart web", "cordon worker-3, the disk is dying". It is passed over only if it plainly states something, and nothing in
// it could take the wish back, put it off, correct it, quote it, or be another one.

// The words by which a remark states something.
var (
	// being are the verbs that say how something is.
	being = []string{"is", "are", "was", "est", "sont", "etait", "etaient"}
	// inverting are the verbs with which a question begins.
	inverting = []string{"is", "are", "was", "does", "did", "do", "has", "have", "had", "est", "sont"}
	// happened are the verbs that tell what has come about.
	happened = []string{"broke", "died", "crashed", "failed", "exploded", "fell", "hit", "ate", "filled", "fails", "leaks", "hangs", "keeps", "eats", "hammers", "floods", "spams", "burns",
		"explose", "deborde", "tombe", "crashe", "sature", "fuit", "bouffe", "mange", "spamme", "inonde", "plaignent", "complain",
		"went", "spiked", "jumped", "tripled", "climbed", "stopped", "flanche", "lache", "deconne", "tousse", "grimpe", "chauffe", "overheats", "flaps", "5xx", "4xx", "defectueuse", "defectueux", "defective", "faulty"}
	// ended are the words with which a statement without a verb ends: "swap done", "migration finie".
	ended = []string{"done", "over", "finished", "complete", "completed", "swapped", "replaced", "repaired", "patched", "renewed", "rotated", "renouvele", "renouvelee", "remplacee", "remplace", "reparee", "repare", "changee", "fini", "finie", "finis", "termine", "terminee", "passed", "passee", "passe"}
	// occasions are the nouns that tell the occasion of a wish: "black friday traffic".
	occasions = []string{"traffic", "trafic", "load", "peak", "pic", "spike", "incident", "outage", "panne", "surge", "sale", "sales", "soldes", "rush", "campaign", "campagne", "fix", "hotfix", "bugfix", "correctif", "cve"}
	// those and others are the subjects of which something is said, singular and plural; the wish itself may be what those
	// with a form of "to be" speak of.
	those  = []string{"it", "il", "elle", "ca", "this", "that", "ce", "cela", "which"}
	others = []string{"they", "we", "ils", "elles", "on"}
)

// governing are the words that take a wish back, put it off, correct it, or say whose or which it is. No remark holds one.
var governing = strings.Fields(`
mind minds nevermind cancel cancelled canceled forget wait waits waiting hold holding stop scratch kidding joking meant mean means sorry oops
actually rather correction wrong right correct better enough mistake typo against forbidden pending freeze frozen idea question title quote quoted
name names called named one ones other others same both all each every nothing version tag image container replica replicas revision namespace
cluster clusters already wish request command instruction instructions order task test hypothetical would could can may might will shall should must
depends depend approval permission next also then joke matter matters count counts target unhappy i me my you your he she who
attends attend attendons attendre attente laisse laissez laissons tomber annule annulee annulons pardon desole desolee faux fausse trompe interdit
finalement nom celui celle ceux celles autre autres meme memes tous toutes tout chaque deja titre citation serait devrait pourrait doit peut peux
faudra sera seront va vont fera rien conteneur replique repliques compte comptent contre bon bonne je moi tu vous toi ton ta tes vos votre
non first premier nobody personne good asking telling insisting posting
writing printing repeating reading suggesting follows labelled clear clair claire depend dependent verra voit voir abandonne abandonnons
another prefer preferred chose choose chosen picked decided opted approve approved allowed agreed prefere preferons choisi decide veut veulent voulait demande
demandee valide validee approuve accepte autorise dit presse urge nope nah nan nvm jk psych oups naan mattering`)

// healthy are the words of what needs no mending, unless they are negated.
var healthy = []string{"fine", "healthy", "works", "working", "recovered", "resolved", "solved", "fixed", "ok", "okay",
	"marche", "marchent", "remarche", "fonctionne", "fonctionnent", "repond", "repondent", "responds"}

// sources are what people quote from: a remark about one, ahead of a wish, may say whose wish it is.
var sources = strings.Fields(`
log logs message messages annotation annotations alert alerts alerte alertes ticket tickets bot button doc docs runbook playbook subject text texte email
mail comment comments commentaire note notes description label labels script prompt attacker attaquant output sortie journal sujet bouton consigne`)

// pause returns the index of the next word behind a comma or a stronger break, the end of the sentence if there is none.
func (r *reader) pause(from int) int {
	for i := from + 1; i < r.end; i++ {
		if r.words[i].Before >= classify.PauseComma {
			return i
		}
	}
	return r.end
}

// behindRemark returns the index behind the remark or courtesy at i, the end of the sentence if neither stands there. A
// colon may lead to what somebody else says: only plain trouble stands before one.
func (r *reader) behindRemark(i int) int {
	begin := r.skip(grammar().openers, i)
	if begin > i && begin < r.end && r.words[begin].Before >= classify.PauseComma {
		return begin
	}
	if r.leadsOn(i, begin) {
		return r.end
	}
	pause := r.pause(begin)
	switch {
	case begin == r.end || pause == r.end || r.quotesFrom(begin, pause):
	case r.tellsTrouble(begin, pause), r.words[pause].Before == classify.PauseComma && r.isRemark(begin, pause):
		r.notePlaces(begin, pause)
		r.reports = r.reports || r.isReport(begin, pause)
		return pause
	}
	return r.end
}

// quotesFrom tells whether the words up to an end may lead to what something or somebody else says.
func (r *reader) quotesFrom(from, to int) bool {
	if slices.Contains([]string{"this", "that", "these", "ceci", "cela", "suivant", "suivante"}, r.words[to-1].Text) {
		return true
	}
	return slices.ContainsFunc(r.words[from:to], func(w classify.Word) bool { return slices.Contains(sources, w.Text) })
}

// onlyRemarks tells whether nothing but remarks and courtesies follow from the pause at i to the end of the
// sentence, of which the last wish has a verb.
func (r *reader) onlyRemarks(i int, verb Verb) bool {
	for i < r.end {
		if r.words[i].Before == classify.PauseNone {
			return false
		}
		pause := r.pause(i)
		begin := r.skip(grammar().closers, i)
		if begin < pause && !r.suits(verb, begin, pause) && (!r.isRemark(begin, pause) || r.isReport(begin, pause) && !lifts(verb)) {
			return false
		}
		r.notePlaces(begin, pause)
		i = pause
	}
	return true
}

// onlyStates tells whether the sentence from an index on wishes nothing: each clause of it states something, or is polite.
func (r *reader) onlyStates(from int) bool {
	for from < r.end {
		pause := r.pause(from)
		begin := r.skip(grammar().openers, from)
		if begin > pause || r.isSequel(from, begin) {
			begin = from
		}
		if r.skip(grammar().closers, begin) < pause && !r.tellsTrouble(begin, pause) && !r.isRemark(begin, pause) {
			return false
		}
		from = pause
	}
	return true
}

// isRemark tells whether the words up to an end are a remark.
func (r *reader) isRemark(from, to int) bool {
	contrasts := func(w classify.Word) bool { return w.Text == "but" || w.Text == "mais" }
	if but := from + slices.IndexFunc(r.words[from:to], contrasts); but > from && but+1 < to {
		return slices.Contains(subjects, r.words[but+1].Text) && r.isRemark(from, but) && r.isRemark(but+1, to)
	}
	return to-from > 1 && r.harmless(from, to) && r.states(from, to) && r.isPlain(from, to)
}

// isPlain tells whether no word up to an end takes a wish back, puts it off, corrects it or tells whose it is.
func (r *reader) isPlain(from, to int) bool {
	if slices.Contains(inverting, r.words[from].Text) || !r.isMain(from, to) {
		return false
	}
	failing := false
	for i := from; i < to; i++ {
		if !r.isFailing(i, from, to) && r.governs(i, from, to) {
			return false
		}
		failing = failing || r.isFailing(i, from, to)
	}
	return failing || !slices.ContainsFunc(r.words[from:to], func(w classify.Word) bool { return slices.Contains(healthy, w.Text) })
}

// governs tells whether the word at i may have a say in what is wished.
func (r *reader) governs(i, from, to int) bool {
	w := &r.words[i]
	switch {
	case w.Asks, w.Reports, w.Wants, w.Negates, w.Kind == "Namespace":
		return true
	case w.Text == "went" && slices.Contains(others, r.words[from].Text): // "we went with api"
		return true
	case strings.ContainsAny(w.Plain, ":@="), isNumber(w) && !r.isMeasure(i, from, to):
		return true
	}
	if w.Bids && r.isBidden(i, from) {
		return true
	}
	return slices.Contains(governing, w.Text) && !r.isReady(i, from) && !r.isWhole(i, from, to)
}

// states tells whether the words up to an end plainly say that something is the case.
func (r *reader) states(from, to int) bool {
	words := r.words[from:to]
	last := words[len(words)-1].Text
	verb := slices.IndexFunc(words, func(w classify.Word) bool { return slices.Contains(being, w.Text) })
	switch first := words[0].Text; {
	case slices.ContainsFunc(words, ails), slices.Contains(others, first), r.isFailing(from, from, to):
		return true
	case slices.Contains(those, first) && verb == 1:
		return len(words) > 2 && (words[2].Text == "back" || strings.HasSuffix(words[2].Text, "ing"))
	case slices.Contains(those, first):
		return verb < 0 && slices.Contains(subjects, first)
	}
	return verb > 0 && verb < len(words)-1 || slices.Contains(ended, last) || slices.Contains(occasions, last)
}

// ails tells whether a word says that something is not well, or has come about.
func ails(w classify.Word) bool {
	return w.Ails || slices.Contains(troubles, w.Text) || slices.Contains(happened, w.Text)
}

// failings are the ways in which a clause begins that says what something does not do, a verb standing for any but one of
// being. Negations are the places of the words that negate.
var failings = []struct {
	begins    pattern
	negations []int
}{
	{pattern{anyOf("it they"), anyOf("does do did can could"), anyOf("not"), anyOf("")}, []int{1, 2}},
	{pattern{anyOf("il elle ca ils elles"), anyOf("ne"), anyOf(""), anyOf("pas plus")}, []int{1, 3}},
	{pattern{anyOf("il elle ca ils elles"), anyOf(""), anyOf("pas plus")}, []int{2}},
	{pattern{anyOf("il elle ca ils elles"), anyOf("le la les"), anyOf("a ont"), anyOf("pas"), anyOf("")}, []int{3}},
	{pattern{anyOf("il elle ca ils elles"), anyOf("ne"), anyOf("le la les"), anyOf("a ont"), anyOf("pas"), anyOf("")}, []int{1, 4}},
	{pattern{anyOf("nobody"), anyOf("uses")}, []int{0}},
	{pattern{anyOf("no"), anyOf("one"), anyOf("uses")}, []int{0, 1}},
	{pattern{anyOf("personne"), anyOf("se"), anyOf("en"), anyOf("sert")}, []int{0}},
	{pattern{anyOf("personne"), anyOf("ne"), anyOf("se"), anyOf("en"), anyOf("sert")}, []int{0, 1}},
	{pattern{anyOf("personne"), anyOf("le la les"), anyOf("utilise")}, []int{0}},
	{pattern{anyOf("personne"), anyOf("ne"), anyOf("le la les"), anyOf("utilise")}, []int{0, 1}},
}

// anyOf is a place for one of some words, or for any verb.
func anyOf(words string) symbol {
	s := symbol{}
	for word := range strings.FieldsSeq(words) {
		s.phrases = append(s.phrases, []string{word})
	}
	return s
}

// isFailing tells whether the word at i makes the negation of "it does not start" or "il ne démarre pas", which takes
// nothing back.
func (r *reader) isFailing(i, from, to int) bool {
	for _, f := range failings {
		if slices.Contains(f.negations, i-from) && r.begins(f.begins, from, to) {
			return true
		}
	}
	return false
}

// begins tells whether the words up to an end begin as a failing does.
func (r *reader) begins(p pattern, from, to int) bool {
	if to-from < len(p) {
		return false
	}
	for k, s := range p {
		text := r.words[from+k].Text
		fits := slices.ContainsFunc(s.phrases, func(phrase []string) bool { return phrase[0] == text })
		if !fits && (s.phrases != nil || slices.Contains(being, text)) {
			return false
		}
	}
	return true
}

// isReady tells whether the word at i is that of "we are good".
func (r *reader) isReady(i, from int) bool {
	return i == from+2 && (r.words[from].Text == "we" && r.words[i].Text == "good" || r.words[from].Text == "on" && r.words[i].Text == "bon")
}

// isBidden tells whether the verb at i is told to somebody.
func (r *reader) isBidden(i, from int) bool {
	return i == from || slices.Contains([]string{"to", "and", "then", "so", "just", "et", "puis", "de", "a", "donc", "pour"}, r.words[i-1].Text)
}

// isNumber tells whether a word may be a number.
func isNumber(w *classify.Word) bool {
	_, numeral := numerals[w.Plain]
	return numeral && w.Plain != "un" && w.Plain != "une" || strings.Trim(w.Plain, "0123456789.,%") == ""
}

// isMeasure tells whether the number at i counts something, or is what HTTP calls an error: "3000 req/s", "12 errors", "503".
func (r *reader) isMeasure(i, from, to int) bool {
	if code := r.words[i].Plain; i+1 == to && i > from && len(code) == 3 && (code[0] == '4' || code[0] == '5') {
		return slices.Contains([]string{"returns", "throws", "get", "gets", "got", "renvoie", "rend", "with", "en", "avec", "many", "of", "des", "les"}, r.words[i-1].Text)
	}
	return i+1 < to && r.words[i+1].Before == classify.PauseNone && !slices.Contains(being, r.words[i+1].Text) && !isNumber(&r.words[i+1])
}

// notePlaces notes that what is passed over says where something is, which may be where the wish is meant to be.
func (r *reader) notePlaces(from, to int) {
	for i := from; i+1 < to; i++ {
		at, where := &r.words[i], &r.words[i+1]
		if slices.Contains([]string{"in", "inside", "within", "dans", "ds"}, at.Text) && !where.Binding && classify.IsName(where.Plain) {
			r.elsewhere = true
		}
	}
}

// misplaced refuses to take an object for one of the task's namespace where a remark names another place.
func (r *reader) misplaced(steps []Step) *InexpressibleError {
	for _, step := range steps {
		if name := step.Target; r.elsewhere && name.Name != "" && name.Namespace == "" && !clusterScoped(name.Kind, step.Verb) {
			return &InexpressibleError{Reason: Ambiguous}
		}
	}
	return nil
}
