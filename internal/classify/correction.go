package classify

import "strings"

// correcting are the verbs of vague wishes that become commands where the text says what is wrong and what is right.
const correcting = " fix correct rectify corriger corrige corrigez "

// corrects tells whether a clause, with the rest of its sentence, says what to put in the place of what: "corrige a en b
// dans la configmap", "fix the selector of service api: app must be api".
func (r *reading) corrects(at int, c clause) bool {
	if !strings.Contains(correcting, " "+r.tokens[at].text+" ") {
		return false
	}
	return r.rewrites(at, c) || r.namesPart(at, c) && (r.prescribes(at, c) || r.draws(at))
}

// rewrites tells whether one spelling is to become another, right behind the verb.
func (r *reading) rewrites(at int, c clause) bool {
	if at+3 >= c.to {
		return false
	}
	wrong, joint, right := &r.tokens[at+1], &r.tokens[at+2], &r.tokens[at+3]
	switch joint.text {
	case "en", "to", "into":
		return r.isLiteral(wrong) && r.isLiteral(right)
	}
	return false
}

// arrows are drawn from what is wrong to what is right.
var arrows = []string{"->", "=>", "→"}

// draws tells whether an arrow stands in the rest of the sentence: "fix the typo in configmap web: porrt -> port".
func (r *reading) draws(at int) bool {
	end := at
	for end+1 < len(r.tokens) && r.tokens[end+1].before != breakSentence {
		end++
	}
	said := r.text[r.tokens[at].end:r.tokens[end].end]
	for _, arrow := range arrows {
		if strings.Contains(said, arrow) {
			return true
		}
	}
	return false
}

// isLiteral tells whether a token is spelled like a value and not like a word: quoted, with a capital, a digit or a sign.
func (r *reading) isLiteral(t *token) bool {
	return t.quoted || t.mixedCase || strings.ContainsAny(r.text[t.start:t.end], "0123456789_-./=:")
}

// troubles are what people want fixed without knowing how.
const troubles = " problem problems issue issues error errors bug bugs crash crashes failure failures trouble mess outage latency slowness performance state status " +
	"timeout timeouts crashloop restart restarts connection connections loop lag delay delays 502s 503s 504s 500s redemarrages connexion connexions boucle " +
	"incident alert alerts cause probleme problemes erreur erreurs panne pannes etat lenteur latence souci soucis performances "

// namesPart tells whether a part of the target is to be corrected, and not the target or its trouble as a whole.
func (r *reading) namesPart(at int, c clause) bool {
	for i := at + 1; i < c.to && !r.tokens[i].isTarget; i++ {
		t := &r.tokens[i]
		switch {
		case strings.Contains(troubles, " "+t.text+" "), t.is(isVagueObj|isPron) && !t.is(isDet):
			return false
		case t.is(isDet | isOf | isIn | isPrep | isNot | isState | isSkip), t.is(isKind) && t.kind != "Host":
		case t.opaque, t.class == 0, t.is(isOps | isInfo | isMeta | isWord | isThing | isStop):
			return true
		}
	}
	return false
}

// prescribes tells whether the sentence says what must be, or what stands where it should not.
func (r *reading) prescribes(at int, c clause) bool {
	for i := at + 1; i+1 < len(r.tokens) && r.tokens[i+1].before != breakSentence; i++ {
		t, next := &r.tokens[i], &r.tokens[i+1]
		switch {
		case t.is(isWant):
			if r.isLiteral(next) || r.obliges(t) && r.isValue(next, &r.tokens[i-1]) {
				return true
			}
		case t.is(isNot) && i > c.from:
			if r.isLiteral(next) && r.isLiteral(&r.tokens[i-1]) {
				return true
			}
		}
	}
	return false
}

// isValue tells whether a word without the look of a value is what something is set to: "namespace must be shop".
func (r *reading) isValue(t, subject *token) bool {
	return t.isTarget || t.is(isEnv) || t.class == 0 && subject.is(isKind)
}

// obliges tells "must be" and its kin from "needs".
func (r *reading) obliges(t *token) bool {
	phrase := r.text[t.start:t.end]
	return t.is(isWant) && (strings.HasSuffix(phrase, " be") || strings.HasSuffix(phrase, "tre"))
}
