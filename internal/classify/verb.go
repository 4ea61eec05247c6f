package classify

import "strings"

// verbIsNoun tells whether a change verb at the head of a clause is used as a noun or in a statement.
func (r *reading) verbIsNoun(at int, c clause) bool {
	if at+1 >= c.to {
		return false
	}
	t, next := &r.tokens[at], &r.tokens[at+1]
	switch {
	case next.isTarget, next.opaque:
		return false
	case t.is(isOpen):
		return next.is(isOf) || next.is(isOps|isInfo|isKind) && strings.HasSuffix(next.text, "s")
	case t.is(isNoun):
		return next.text == "of" || next.text == "in" || next.is(isBe|isAux|isAsk|isState) || next.is(isMeta) && !r.namesValue(at+2, c)
	}
	return t.language&inFrench != 0 && r.habitual(at+1, c)
}

// habitual tells the French verb that is said of something, and told to nobody: "redémarre en boucle".
func (r *reading) habitual(i int, c clause) bool {
	switch r.tokens[i].text {
	case "sans", "souvent", "toujours":
		return true
	case "en":
		return i+1 < c.to && r.tokens[i+1].text == "boucle"
	}
	return false
}

// readIsNoun tells a read word that is the noun of a statement: "the last search", "test of".
func (r *reading) readIsNoun(at int, c clause) bool {
	return at > c.from && r.tokens[at-1].is(isDet) && !r.tokens[at].is(isInfo)
}

// namesValue tells whether the clause sets something to a value: "to 1.2.3", "à 4".
func (r *reading) namesValue(at int, c clause) bool {
	for i := at; i+1 < c.to; i++ {
		switch r.tokens[i].text {
		case "to", "a", "vers", "at":
			if next := &r.tokens[i+1]; !next.isTarget && strings.ContainsAny(next.text, "0123456789") {
				return true
			}
		}
	}
	return false
}

// change notes a clause that tells to change something, with what it says about its object.
func (r *reading) change(at int, c clause, cmd command) {
	if r.asksForPlan(at, c) {
		r.dry = true
		r.plans++
		*c.shield = shieldAdvice
		r.tail(at+1, c)
		return
	}
	for i := at + 1; i < c.to; i++ {
		t := &r.tokens[i]
		if endsObject(t) {
			break
		}
		if where := t.isTarget && r.tokens[i-1].is(isIn); !where || cmd.saysWhat() {
			r.object(t, &cmd) // where it is says nothing of what it is
		}
	}
	// "web in shop: restart": the verb stands alone, and what it is about was just said.
	if !cmd.saysWhat() && (c.colon || cmd.polite && !c.newSentence) {
		cmd.named = r.hasTarget(0, clause{to: at})
	}
	r.commands = append(r.commands, cmd)
	for i := at; i < c.to; i++ {
		r.qualify(&r.tokens[i])
	}
}

// endsObject tells whether a word behind a command's verb begins something other than its object.
func endsObject(t *token) bool {
	return t.is(isIf|isIfNeeded|isCause|isNot|isSaid) && !t.isTarget && !t.is(isVagueObj)
}

// qualify notes a word that limits the command of its clause.
func (r *reading) qualify(t *token) {
	switch {
	case t.is(isSafe):
		r.safe = true
	case t.is(isDry):
		r.dry = true
	case t.is(isIfNeeded):
		r.ifNeeded++
	case t.is(isIf):
		r.conditions++
	}
}

// object notes what one word behind a command's verb says of its object.
func (r *reading) object(t *token, cmd *command) {
	switch {
	case t.isTarget:
		cmd.named = true
	case t.is(isVagueObj):
		cmd.vague = true
	case t.is(isHedge):
		cmd.doubted = true
	case t.is(isPron) && !t.is(isPrep|isDet):
		cmd.pronoun = true
	case isThingSaid(t):
		cmd.object = true
	case isFrenchObject(t):
		cmd.pronoun = true
	}
}

// isFrenchObject tells the pronouns that are articles too: "redémarre-le".
func isFrenchObject(t *token) bool {
	switch t.text {
	case "le", "la", "les":
		return true
	}
	return t.is(isDet) && t.is(isPron) && t.language&inFrench != 0
}

// isThingSaid tells whether a word behind a command's verb is something concrete.
func isThingSaid(t *token) bool {
	switch {
	case t.opaque, t.class == 0, t.is(isOps | isKind | isInfo | isSoft | isMeta | isPart | isChange | isPlan | isEnv | isRead):
		return true
	}
	return t.is(isStop) && !t.is(isDet|isPron|isPrep|isOf|isIn|isAnd|isSkip|isFrom|isAux|isBe|isThen|isResult|isState)
}

// running are the verbs whose object says whether anything would change.
const running = " run execute launch lance lancer lancez executez start do make generate create perform trigger "

// asksForPlan tells "run a plan", "start a dry run" from "run a playbook".
func (r *reading) asksForPlan(at int, c clause) bool {
	if !strings.Contains(running, " "+r.tokens[at].text+" ") {
		return false
	}
	for i := at + 1; i < c.to && i < at+5; i++ {
		t := &r.tokens[i]
		if t.is(isPlan|isDry) && !t.isTarget {
			return true
		}
		if t.is(isOf | isIn | isPrep) {
			return false
		}
	}
	return false
}

// vagueWish notes "fix web". With a value it is as concrete as any command: "fix the tag of web to 1.2".
func (r *reading) vagueWish(at int, c clause, cmd command) {
	switch {
	case (r.namesValue(at+1, c) || r.corrects(at, c)) && r.hasTarget(at, c):
		r.change(at, c, cmd)
	case r.repeats(at, c):
		cmd.named = true
		r.commands = append(r.commands, cmd)
	default:
		r.vague++
	}
}

func (r *reading) hasTarget(from int, c clause) bool {
	for i := from; i < c.to; i++ {
		if r.tokens[i].isTarget {
			return true
		}
	}
	return false
}

// make notes a clause whose verb needs a result to mean anything: "get web back up", "do a rollback of web".
func (r *reading) make(at int, c clause, cmd command) {
	if r.setsAll(at, c) {
		r.change(at, c, cmd)
		return
	}
	for i := at + 1; i < c.to; i++ {
		t := &r.tokens[i]
		switch {
		case t.isTarget, t.opaque:
		case t.is(isDry | isPlan):
			r.dry, r.plans = true, r.plans+1
			*c.shield = shieldAdvice
			return
		case t.is(isHow):
			return
		case i <= at+3 && t.is(isInfo|isAsk|isRead) && !t.is(isChange|isResult|isPart):
			r.reads++
			return
		case r.isResult(i, at):
			r.change(at, c, cmd)
			return
		}
	}
	r.vague++
}

// isResult tells whether the word at i says what the verb at the head is to bring about.
func (r *reading) isResult(i, at int) bool {
	t := &r.tokens[i]
	return t.is(isResult|isPart) || t.is(isChange) && t.is(isNoun) && i > at+1 || strings.IndexByte(t.text, '=') > 0
}

// statesOfRunning are the states that "make sure" asks for by changing what is not in them.
const statesOfRunning = " running runs run up tourne tournent demarre replicas replica replique repliques "

// ensure notes "make sure …": of a past change it is a check, of a state a wish.
func (r *reading) ensure(at int, c clause, cmd command) {
	for i := at + 1; i < c.to; i++ {
		t := &r.tokens[i]
		switch {
		case t.isTarget, t.opaque:
		case strings.Contains(statesOfRunning, " "+t.text+" "):
			r.change(at, c, cmd)
			return
		case t.is(isPart):
			r.reads++
			return
		case t.is(isNot):
			r.vague++
			return
		}
	}
	r.vague++
}

// want notes "I want web restarted" and "I need to know".
func (r *reading) want(at int, c clause, cmd command) {
	for i := at + 1; i < c.to; i++ {
		t := &r.tokens[i]
		switch {
		case t.isTarget, t.opaque:
		case t.is(isNot):
			return
		case t.is(isRead|isAsk|isInfo) && !t.is(isPart|isChange):
			r.reads++
			return
		case t.is(isPart | isChange):
			cmd.named = r.hasTarget(c.from, c)
			r.change(i, c, cmd)
			return
		}
	}
	r.statements++
}

// statement notes a clause without a verb of telling or asking at its head.
func (r *reading) statement(at int, c clause, cmd command) {
	sick, info := false, false
	for i := at; i < c.to; i++ {
		t := &r.tokens[i]
		switch {
		case t.opaque, t.isTarget:
		case r.turns(i, at, c, cmd):
			return
		case r.ails(i, c):
			sick = true
		case !sick:
			info = info || r.looksLikeInfo(i, at, c)
		}
	}
	r.conclude(at, c, sick, info)
}

// conclude notes what a statement amounts to.
func (r *reading) conclude(at int, c clause, sick, info bool) {
	switch {
	case info && !sick:
		r.infos++
	case c.asks && (sick || r.asksAny(at)):
		r.questions++
	default:
		r.statements++
	}
}

// asksAny tells a head such as "anything" or "no", which only asks where a question mark follows.
func (r *reading) asksAny(at int) bool {
	return strings.HasPrefix(r.tokens[at].text, "any") || r.tokens[at].is(isNot)
}

// ails tells whether the word at i tells of ill or good health: "web is down", "web crashed".
func (r *reading) ails(i int, c clause) bool {
	t := &r.tokens[i]
	switch {
	case t.is(isNot), t.is(isState|isBe) && !t.is(isInfo):
		return true
	}
	return t.is(isPart) && i > c.from && r.tokens[i-1].isTarget
}

// inverted are the subjects that French puts behind the verb of a question: "existe-t-il".
const inverted = " il elle ils elles on "

// turns tells whether the word at i makes something else of a statement, and notes it: a question ("web is slow, why"),
// hearsay ("he said …"), a wish ("web needs to be restarted").
func (r *reading) turns(i, at int, c clause, cmd command) bool {
	t, inside := &r.tokens[i], i > at
	wanted := inside && t.is(isWant)
	switch {
	case r.turnsToQuestion(i, at, c):
		r.questions++
	case t.is(isSaid) && (!t.is(isWant) || inside && i <= at+2):
		r.reported++
		*c.shield = shieldSaid
	case wanted && another(&r.tokens[at]):
		r.reported++
	case wanted && *c.shield == shieldNone:
		r.want(i, c, cmd)
	default:
		return false
	}
	return true
}

// turnsToQuestion tells whether a word makes a question of the statement that it stands in.
func (r *reading) turnsToQuestion(i, at int, c clause) bool {
	t, inside := &r.tokens[i], i > at
	if inside && r.invertsInside(i, c) {
		return true
	}
	if t.is(isAsk) && !t.is(isIf) {
		return inside || t.language&inFrench != 0
	}
	return c.asks && inside && strings.Contains(inverted, " "+t.text+" ")
}

// another tells whether a subject is someone else, whose wishes are not the requester's.
func another(t *token) bool {
	return t.is(isWho) && t.text != "i" && t.text != "we" && t.text != "je" && t.text != "nous" && t.text != "on"
}

// looksLikeInfo tells whether the word is a thing that people ask to see by naming it: "logs", "restart count".
func (r *reading) looksLikeInfo(i, at int, c clause) bool {
	t := &r.tokens[i]
	if t.is(isInfo) {
		return true
	}
	return i < at+4 && (t.is(isChange) && t.is(isNoun) || t.is(isPart)) && i+1 < c.to && (r.tokens[i+1].is(isMeta) || r.tokens[i+1].is(isInfo))
}
