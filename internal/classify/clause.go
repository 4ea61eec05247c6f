package classify

import "strings"

// command is a clause that tells to change something.
type command struct {
	// named: it names its object. vague: its object could be anything. pronoun: it points at something said before.
	named, vague, pronoun bool
	// object: something concrete follows the verb. alone: the verb stands by itself.
	object bool
	// doubted: it ends in a question mark or comes with a "maybe".
	doubted bool
	// polite: it is wrapped in a courtesy.
	polite bool
	// first: nothing but courtesies comes before it.
	first bool
}

// saysWhat tells whether anything is said of the object.
func (c command) saysWhat() bool { return c.named || c.object || c.vague || c.pronoun }

// reading is what the clauses of a text say, before anything is decided.
type reading struct {
	tokens   []token
	commands []command
	// What was found, each a count of clauses.
	reads, questions, howTos, hypos, reported, negated, vague, infos, plans, statements int
	// conditions counts conditional clauses, ifNeeded the short forms such as "if necessary".
	conditions, ifNeeded, consents, hedges int
	// dry and safe: a dry run was asked for; changes were forbidden.
	dry, safe bool
	// asked: the text has a question mark.
	asked bool
	// shell is what a command line in the text would do.
	shell shellEffect
	text  string
}

// clause is a stretch of tokens with one verb.
type clause struct {
	from, to int
	// opener is the class of the word that joins it to the clause before, 0 for a new sentence or a comma.
	opener class
	// newSentence and colon say what stands before it.
	newSentence, colon bool
	asks               bool
	shield             *shield
}

// read cuts the text into sentences and clauses and notes what each says.
func (r *reading) read() {
	for from := 0; from < len(r.tokens); {
		to := from + 1
		for to < len(r.tokens) && r.tokens[to].before != breakSentence {
			to++
		}
		asks := r.tokens[to-1].asks
		r.asked = r.asked || asks
		r.sentence(from, to, asks)
		from = to
	}
}

func (r *reading) sentence(from, to int, asks bool) {
	shield := shieldNone
	opener, colon, begin := class(0), false, from
	if r.shellLine(from, to, asks) {
		return
	}
	for i := from; i <= to; i++ {
		joint := class(0)
		if i < to {
			joint = r.joint(i, to)
			if joint == 0 && (i == from || r.tokens[i].before == breakNone) {
				continue
			}
		}
		if i > begin {
			r.clause(clause{from: begin, to: i, opener: opener, newSentence: begin == from, colon: colon, asks: asks, shield: &shield})
			opener = 0
		}
		if i == to {
			return
		}
		begin, colon = i, r.tokens[i].before == breakColon
		if joint != 0 {
			begin, opener = i+1, joint
		}
	}
}

const joints = isAnd | isOr | isThen | isBut

// heads are the classes with which a clause can begin, so that "and" before them joins clauses and not names.
const heads = isChange | isVague | isRead | isNot | isNotOnly | isPolite | isAsk | isAux | isMake | isEnsure | isHow | isHypo |
	isHedge | isIf | isIfNeeded | isSafe | isDry | isThen | isSkip | isGo | isPlanVerb | isSaid

// joint returns the class of the token at i if it joins two clauses.
func (r *reading) joint(i, to int) class {
	t := &r.tokens[i]
	if !t.is(joints) || t.opaque || t.isTarget {
		return 0
	}
	if t.is(isThen|isBut) || i+1 < to && r.tokens[i+1].is(heads) {
		return t.class & joints
	}
	return 0
}

// clause notes what one clause says.
func (r *reading) clause(c clause) {
	r.inherit(c)
	at, polite, hedged := r.head(c)
	if at == c.to {
		r.courtesy(hedged)
		return
	}
	switch t := &r.tokens[at]; {
	case t.is(isNotOnly):
		return
	case t.is(isIf) && r.opensCondition(at, c):
		r.condition(at, c)
		return
	case r.mood(at, c), r.shielded(t, c):
	case r.opensQuestion(at, c):
		r.questions++
		*c.shield = shieldAsk
	default:
		doubted := hedged || c.asks && (!polite || r.obligesOnly(c.from, at))
		r.verb(at, c, command{doubted: doubted, polite: polite, first: c.newSentence && c.from == 0})
		return
	}
	r.tail(at+1, c)
}

// courtesy notes a clause without a head, which casts its doubt on the command before it: "restart web, maybe".
func (r *reading) courtesy(hedged bool) {
	if n := len(r.commands); hedged && n > 0 {
		r.commands[n-1].doubted = true
	}
}

// opensQuestion tells whether a head asks.
func (r *reading) opensQuestion(at int, c clause) bool {
	t := &r.tokens[at]
	return t.is(isAsk) || t.is(isAux) && !r.actsAsVerb(at, c) || t.is(isCause) && c.newSentence && contains(" who qui ", t.text)
}

// mood notes a head that says how the rest of the clause is meant, and tells whether it does.
func (r *reading) mood(at int, c clause) bool {
	t := &r.tokens[at]
	switch {
	case t.is(isNot) && t.is(isAux) && c.asks:
		return false // "doesn't web have a budget?"
	case t.is(isNot):
		r.negation(at, c)
	case t.is(isHow):
		r.howTos++
		*c.shield = shieldAdvice
	case t.is(isHypo) && r.wishesHealth(at, c):
		r.vague++
	case t.is(isHypo):
		r.hypos++
		*c.shield = shieldAdvice
	case t.is(isDry):
		r.dry = true
		r.plans++
		*c.shield = shieldAdvice
	case t.is(isIfNeeded):
		r.ifNeeded++
	default:
		return false
	}
	return true
}

// verb notes a clause whose head is a verb or a noun.
func (r *reading) verb(at int, c clause, cmd command) {
	t := &r.tokens[at]
	switch {
	case t.is(isEnsure):
		r.ensure(at, c, cmd)
	case t.is(isRead) && !r.readIsNoun(at, c):
		r.reads++
	case t.is(isVague):
		r.vagueWish(at, c, cmd)
	case t.is(isChange) && !r.verbIsNoun(at, c), !cmd.doubted && r.asksPolitely(at, c):
		r.change(at, c, cmd)
		return
	case t.is(isMake):
		r.make(at, c, cmd)
	case t.is(isPlanVerb), r.plansSomething(at, c):
		r.plans++
		*c.shield = shieldAdvice
	case t.is(isWant):
		r.want(at, c, cmd)
	default:
		r.statement(at, c, cmd)
	}
	r.tail(at+1, c)
}

// plansSomething tells the verb "plan" from the noun.
func (r *reading) plansSomething(at int, c clause) bool {
	return r.tokens[at].is(isPlan) && at+1 < c.to && !r.tokens[at+1].is(isOf|isBe|isPrep)
}

// asksPolitely tells whether the head is the verb of "would you mind restarting web".
func (r *reading) asksPolitely(at int, c clause) bool {
	t := &r.tokens[at]
	return t.is(isPart) && at > c.from && r.tokens[at-1].is(isPolite) && strings.HasSuffix(t.text, "ing")
}

// head skips the courtesies at the beginning of a clause.
func (r *reading) head(c clause) (at int, polite, hedged bool) {
	for at = c.from; at < c.to; at++ {
		switch t := &r.tokens[at]; {
		case t.opaque:
			return at, polite, hedged
		case t.is(isSafe):
			r.safe = true
		case t.is(isGo):
			r.consents++
		case t.is(isPolite) && !t.is(isChange|isRead):
			polite = true
		case t.is(isHedge):
			hedged = true
			r.hedges++
		case t.is(isSkip) && !t.is(isIf|isAsk|isNot):
		case t.is(isThen | isAnd | isBut):
		default:
			return at, polite, hedged
		}
	}
	return at, polite, hedged
}

// opensCondition tells a condition from a question: "when it is stuck, …" and "when was it restarted".
func (r *reading) opensCondition(at int, c clause) bool {
	t := &r.tokens[at]
	if !t.is(isAsk) {
		return true
	}
	return !c.asks && at+1 < c.to && !r.tokens[at+1].is(isAux)
}

// condition notes an if-clause. Without a comma the command follows the adjective: "if web is stuck restart it".
func (r *reading) condition(at int, c clause) {
	r.conditions++
	for i := at + 1; i < c.to; i++ {
		t := &r.tokens[i]
		switch {
		case t.is(isChange) && i > at+2 && r.tokens[i-1].is(isState) && !t.opaque:
			c.from = i
			r.change(i, c, command{doubted: c.asks})
			return
		case t.is(isVague) && i > at+2 && r.tokens[i-1].is(isState):
			r.vague++
			return
		case t.is(isChange|isPart) && c.asks:
			r.hypos++
			return
		}
	}
}

// negation notes "do not …": it forbids if a change follows, and says nothing otherwise ("I don't know").
func (r *reading) negation(at int, c clause) {
	for i := at + 1; i < c.to; i++ {
		t := &r.tokens[i]
		if t.is(isChange|isVague|isPart|isMake) || t.is(isIf) {
			r.negated++
			break
		}
		if t.is(isRead) {
			break
		}
	}
	*c.shield = shieldNot
}

// actsAsVerb tells an auxiliary at the head that asks nothing: "do a restart", "should be restarted".
func (r *reading) actsAsVerb(at int, c clause) bool {
	if at+1 >= c.to {
		return true
	}
	next := &r.tokens[at+1]
	if r.tokens[at].is(isMake) && at > c.from && r.tokens[at-1].is(isPolite) {
		return true
	}
	return next.text == "be" || r.tokens[at].is(isMake) && next.is(isDet|isDry)
}

// tail notes what the rest of a clause adds.
func (r *reading) tail(at int, c clause) {
	for i := at; i < c.to; i++ {
		t := &r.tokens[i]
		if t.opaque || t.isTarget || r.shades(t, c, i > c.from) {
			continue
		}
		switch {
		case t.is(isNot):
			r.negatedTail(i, c)
		case t.is(isIf), t.text == "whether":
			r.conditions++
			if r.mentionsChange(i+1, c) {
				*c.shield = shieldAdvice
			}
		case t.is(isSafe):
			r.safe = true
		case t.is(isDry):
			r.dry = true
		case t.is(isIfNeeded):
			r.ifNeeded++
		case t.is(isHedge):
			r.hedges++
		}
	}
}

// shades notes a word that changes how what follows it is meant, and tells whether it does.
func (r *reading) shades(t *token, c clause, inside bool) bool {
	switch {
	case t.is(isSafe | isDry | isIfNeeded):
		return false
	case t.is(isHow):
		r.howTos++
		*c.shield = shieldAdvice
	case *c.shield != shieldNone:
		return false
	case t.is(isHypo):
		*c.shield = shieldAdvice
		r.hypos++
	case inside && t.is(isSaid) && !t.is(isStop):
		*c.shield = shieldSaid
	default:
		return false
	}
	return true
}

// mentionsChange tells whether a change is spoken of from the token on.
func (r *reading) mentionsChange(from int, c clause) bool {
	for i := from; i < c.to; i++ {
		if t := &r.tokens[i]; t.is(isChange|isPart) && !t.isTarget && !t.opaque {
			return true
		}
	}
	return false
}

// negatedTail notes "… without restarting it".
func (r *reading) negatedTail(at int, c clause) {
	for i := at + 1; i < c.to && i < at+4; i++ {
		if r.tokens[i].is(isChange | isPart | isVague) {
			r.negated++
			return
		}
	}
}
