package classify

// shield is a mood that a clause hands on to those joined to it: in "how do I stop and start web" both are asked about.
type shield uint8

const (
	shieldNone shield = iota
	shieldNot
	shieldAsk
	shieldAdvice
	shieldSaid
)

// inherit drops the shield where the clause does not continue the one before.
func (r *reading) inherit(c clause) {
	if c.newSentence || !c.continues(*c.shield) {
		*c.shield = shieldNone
	}
}

// continues tells whether a shield goes on into the clause.
func (c clause) continues(s shield) bool {
	switch s {
	case shieldNone:
	case shieldNot, shieldAsk:
		return c.opener == isOr || c.opener == isAnd
	case shieldSaid:
		if c.colon {
			return true // "the log says: restart web"
		}
		fallthrough
	case shieldAdvice:
		return c.opener != 0 && c.opener != isBut || c.asks && !c.colon
	}
	return false
}

// shielded tells whether a question, a negation or another's words govern the verb at the head, and notes it.
func (r *reading) shielded(t *token, c clause) bool {
	if *c.shield == shieldNone || !t.is(isChange|isVague|isMake|isEnsure|isWant) {
		return false
	}
	if *c.shield == shieldNot {
		r.negated++
	}
	return true
}
