package classify

import "strings"

// What a question is about is named in few places: behind "wrong with" and its kin, behind a verb that something is done
// to ("reach", "empêche"), and before the verb of the question or of a clause. A word in such a place is a name unless
// the lexicon holds it for something else: who asks about an object that does not exist wants to hear so.

// askedAbout tells whether the word at i is what a question or a statement is about.
func (x *extractor) askedAbout(i int) bool {
	if !x.canBeAsked(i) || x.afterTool(i) {
		return false
	}
	from := x.phraseStart(i)
	return x.troubled(from, i) || x.undergoes(from, i) || x.predicated(from, i) || x.follows(i) || x.listed(i) || x.apposed(i) || x.alone(i)
}

// definite are the articles that leave an unknown word, or software, the name of one thing: "the frontend", "mon redis".
const definite = " the my our your le la mon ma notre votre "

// phraseStart returns the index of the article before the word at i, or i where none leaves it a name.
func (x *extractor) phraseStart(i int) int {
	t, p := &x.tokens[i], x.prior(i)
	if (t.class == 0 && !strings.HasSuffix(t.text, "s") || t.is(isSoft)) && contains(definite, p.text) {
		return i - 1
	}
	return i
}

// verbsBefore are the French verbs that a question puts before what it is about.
const verbsBefore = " tourne tournent utilise utilisent consomme consomment contient attend ecoute "

// follows tells whether such a verb stands before the word at i, which ends the question: "où tourne web".
func (x *extractor) follows(i int) bool {
	if x.prior(i) == &nothing || !contains(verbsBefore, x.lastWord(i-1)) || !x.rests(i+1) {
		return false
	}
	for j := i - 1; j >= 0 && x.tokens[j+1].before == breakNone; j-- {
		if x.tokens[j].is(isAsk) {
			return true
		}
	}
	return false
}

// listed tells whether the word at i goes on with a list that a target began: "what is wrong with web, api and cart".
func (x *extractor) listed(i int) bool {
	if i == 0 || !x.word(i-1).isTarget || x.tokens[i].before != breakComma {
		return false
	}
	return x.joint(i+1).is(isAnd|isOr) && x.word(i+2) != &nothing && x.canBeAsked(i+2)
}

// apposed tells whether the word at i names the software that the noun before it is: "la base redis".
func (x *extractor) apposed(i int) bool {
	return x.tokens[i].is(isSoft) && x.prior(i).is(isOps) && x.prior(i-1).is(isDet)
}

// alone tells whether the unknown word at i makes up the text, courtesies aside.
func (x *extractor) alone(i int) bool {
	if i != 0 || x.tokens[0].class != 0 || len(x.tokens[0].text) < 3 {
		return false
	}
	for j := 1; j < len(x.tokens); j++ {
		if !x.tokens[j].is(isPolite | isSkip) {
			return false
		}
	}
	return true
}

// notAsked are the classes of the words that are asked about themselves, or hold the question together.
const notAsked = isKind | isDet | isState | isBe | isAux | isNot | isPron | isAsk | isOps | isInfo | isThing | isPrep | isOf | isIn | isFrom |
	isAnd | isOr | isSkip | isWho | isVagueObj | isPart | isMeta | isPlan

// countable are the words that lose their article only as names: "why is user down". What comes without one anyway, as
// "memory" and "access" do, is asked about itself.
const countable = " user customer client colleague report result test tester stock inventory sync hello group team owner view vote profile script page link image document " +
	"contact product producer consumer member vendor worker import export message notice note rule question quote role site task topic token proxy scheduler operator webhook controller "

// canBeAsked tells whether the word at i may be a name in such a place.
func (x *extractor) canBeAsked(i int) bool {
	t := &x.tokens[i]
	switch {
	case t.is(isDet | isPron | isPrep | isOf | isIn | isAux | isAsk), !spelledAsName(t), x.compounds(i):
		return false
	case t.class == 0:
		return !looksOrdinary(t.text) && !isSubcommand(t.text)
	case t.is(isSoft|isEnv|isWord) && !t.is(notAsked):
		return true
	}
	return len(t.text) > 3 && (contains(countable, t.text) || x.countedAsOne(i))
}

// compounds tells whether the word at i only qualifies the noun behind it: "redis connections".
func (x *extractor) compounds(i int) bool {
	next := x.joint(i + 1)
	if contains(doings, next.text) && contains(doing, x.auxiliary(i)) {
		return false
	}
	return next.is(isKind|isOps|isInfo|isThing|isMeta) && !next.is(isChange|isRead|isPart|isState|isBe|isPrep|isStop)
}

// Words before "with", "to", "from" and "of" that something named follows.
const (
	troublesWith = " wrong up on off il problem problems issue issues trouble troubles matter happening happens happened cloche passe passer probleme problemes souci " +
		"soucis arrive deal doing coince foire deconne bug bugs panne erreur erreurs "
	happensTo    = " happened happens happen happening connect connects access get talk connection connections traffic "
	comesFrom    = " answer answers response responses reply replies error errors nothing alert alerts alarms timeouts 5xx 502s 503s 500s 504s "
	statesOf     = " reponse reponses panne pannes etat statut sante cause causes arret redemarrage redemarrages lenteur outage failure crash crashes state status health restarts downtime slowness "
	aboutTrouble = " complain complains complained complaining complaints alert alerts page pages plaignent plainte plaintes "
	undergone    = " reach reaches reached contact broke breaks break broken kills killed block blocks blocking prevents preventing prevent keeps keeping stops stopping " +
		"using uses calling causes causing makes making slows hurts joindre contacter atteindre empeche empechent bloque bloquent casse ralentit tue "
)

// troubled tells whether trouble with something, and a preposition, stand before the word at i.
func (x *extractor) troubled(from, i int) bool {
	p := x.prior(from)
	if p == &nothing || !x.rests(i+1) {
		return false
	}
	before := x.lastWord(from - 2)
	switch p.text {
	case "with", "avec":
		return contains(troublesWith, before)
	case "to":
		return contains(happensTo, before)
	case "from":
		return contains(comesFrom, before)
	case "of", "de", "d":
		return contains(statesOf, before) || x.ofThing(from-2, before)
	case "about":
		return contains(aboutTrouble, before)
	}
	return false
}

// measures are the nouns whose "of" takes what they count.
const measures = " number list amount rate set total share count lot queue batch series pair kind type nombre liste taux total file lot serie sorte "

// ofThing tells whether the noun at i is a thing that an object has: "the password of orders".
func (x *extractor) ofThing(i int, noun string) bool {
	t := x.word(i)
	return t.is(isOps|isInfo|isThing|isStop) && !t.isTarget && x.prior(i).is(isDet) && !contains(measures, noun)
}

// undergoes tells whether the word at i is what a verb of harm or of access is about: "who broke web".
func (x *extractor) undergoes(from, i int) bool {
	if x.prior(from) == &nothing || !contains(undergone, x.lastWord(from-1)) {
		return false
	}
	next := x.joint(i + 1)
	return x.rests(i+1) || next.is(isFrom|isOf|isPart|isState) || next.is(isChange) || next.text == "to"
}

// rests tells whether nothing that the word before i could qualify stands there.
func (x *extractor) rests(i int) bool {
	t := x.joint(i)
	return x.closed(i) || t.is(isAsk|isStop) && !t.is(isOps|isInfo|isThing|isWord)
}

// predicated tells whether the verb or the state that a sentence gives the word at i stands beside it: "why won't web
// start", "pourquoi web redémarre", "web has no pods".
func (x *extractor) predicated(from, i int) bool {
	next := x.joint(i + 1)
	switch {
	case x.asksHow(from, i):
		return true
	case next == &nothing:
		return x.begins(from) && x.word(i+1).is(isAsk) && x.word(i+1).before == breakColon
	case x.prior(from).isTarget:
		return false
	case next.is(isAnd | isOr):
		return x.pairs(from, i)
	case x.begins(from):
		return opensStatement(next)
	case isSaidOf(next):
		return x.opensSubject(from)
	}
	return x.doesNoun(from, next)
}

// doesNoun tells whether a word that is a noun elsewhere is the verb of a question about the word at i: "does web answer".
func (x *extractor) doesNoun(i int, next *token) bool {
	return (next.is(isStop) || contains(doings, next.text)) && contains(doing, x.auxiliary(i))
}

// pairs tells whether the word at i and one joined to it are what is asked about: "are web and api down".
func (x *extractor) pairs(from, i int) bool {
	verb := x.joint(i + 3)
	if verb == &nothing || x.joint(i+2) == &nothing || !x.canBeAsked(i+2) || !isSaidOf(verb) {
		return false
	}
	return x.opensSubject(from) || x.begins(from) && headVerb(verb)
}

// opensSubject tells whether an auxiliary or a question word before the word at i leads to the subject of a question.
func (x *extractor) opensSubject(i int) bool {
	return x.inverted(i) || contains(asksClause, x.lastWord(i-1)) && x.prior(i) != &nothing
}

// asksClause end the question words that a whole clause follows.
const asksClause = " why come pourquoi que qu si whether if "

// asksHow tells whether a question about how something is doing ends before the word at i: "comment va web".
func (x *extractor) asksHow(from, i int) bool {
	p := x.prior(from)
	return p.is(isAsk) && contains(" va vont porte fait font ", x.lastWord(from-1)) && x.rests(i+1)
}

// inverted tells whether the auxiliary of a question, negated or not, stands before the word at i.
func (x *extractor) inverted(i int) bool {
	return x.auxiliary(i) != ""
}

// auxiliary returns the auxiliary before the word at i, be it the end of a question word: "what does".
func (x *extractor) auxiliary(i int) string {
	p, last := x.prior(i), x.lastWord(i-1)
	if p.text == "not" {
		p, last = x.prior(i-1), x.lastWord(i-2)
	}
	switch {
	case p.isTarget:
		return ""
	case p.is(isAux), p.is(isAsk) && contains(" is are was were has have had do does did ", last):
		return last
	}
	return ""
}

// doing are the auxiliaries whose subject a verb follows, although it be a noun elsewhere: "does web answer".
const doing = " do does did can could will would should may might "

// doings are such verbs that are no common words else.
const doings = " log query request call answer "

// finite are verbs that open what a statement says of its first word.
const finite = " est sont etait etaient ne perd perdent refuse refusent prend renvoie renvoient retourne rejette throws gives returns needs takes uses drops loses rejects spits emits "

// isSaidOf tells whether a word can begin what is said of the one before it.
func isSaidOf(t *token) bool {
	switch {
	case t.is(isBe | isAux | isState | isNot | isPart | isChange | isIn | isWant):
		return true
	case t.is(isPrep | isOf | isFrom | isAnd | isOr | isDet | isThing | isOps | isKind | isInfo):
		return false
	}
	return t.is(isStop|isRead|isMake|isVague|isResult|isPron) || t.class == 0
}

// opensStatement tells whether a word, right behind the first of a clause, begins what the clause says of it.
func opensStatement(t *token) bool {
	return contains(finite, t.text) || isSaidOf(t) && headVerb(t) || t.is(isAsk) && t.text == "a"
}

// headVerb tells whether a word opens what a statement says of its first word.
func headVerb(t *token) bool {
	return t.is(isBe|isAux|isNot|isState|isWant|isMake|isResult) || t.is(isPart) && !t.is(isInfo)
}

// lastWord returns the last word of the token at i, which may be a phrase, or "".
func (x *extractor) lastWord(i int) string {
	t := x.word(i)
	if t == &nothing || t.opaque {
		return ""
	}
	text := x.text[t.start:min(t.end, len(x.text))]
	cut := strings.LastIndexAny(text, " -'\u00a0\n\t")
	if cut < 0 || t.before == breakNone && cut+1 == len(text) {
		return t.text
	}
	return strings.ToLower(text[cut+1:])
}

// contains tells whether a list, written with a space on both sides of each word, holds the word.
func contains(list, word string) bool {
	for word != "" {
		at := strings.Index(list, word)
		if at < 0 {
			return false
		}
		if at > 0 && list[at-1] == ' ' && at+len(word) < len(list) && list[at+len(word)] == ' ' {
			return true
		}
		list = list[at+len(word):]
	}
	return false
}
