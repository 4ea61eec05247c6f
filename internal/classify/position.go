package classify

import "strings"

// Position wins over vocabulary: a word right before "in" and a namespace, right behind a kind, or as the object of a
// verb that takes workloads is a name, whatever it means elsewhere. What is never a name, there or anywhere, are the
// words that hold a sentence together and the things that operators ask about: "pods", "errors", "memory".

// placed tells whether the word at i, with a namespace behind it, is a name by its place: "seats in ticketing".
func (x *extractor) placed(i int) bool {
	t := &x.tokens[i]
	if !spelledAsName(t) || !x.located(i+1) && !x.owned(i) && !x.joined(i) && !(i+1 < len(x.tokens) && x.goesTo(i+1)) || x.afterTool(i) || x.last == i && i > 0 {
		return false
	}
	switch {
	case x.afterWorkloadVerb(i):
		return t.is(isWord|isThing|isEnv|isSoft) && !t.is(isKind) || t.class == 0 || isVerb(t)
	case isVerb(t) && !t.is(isWord):
		return t.is(isEnv) && (x.governedByVerb(i) || x.begins(i) && x.statesAfter(i+1))
	case t.is(isKind|isThing) || t.is(isOps|isInfo) && !t.is(isWord):
		return false
	case t.is(isWord|isEnv) || t.class == isTopic:
		return x.begins(i) || x.governedByVerb(i) || x.continues(i)
	}
	return false
}

// spelledAsName tells whether a word has the form of an object's name, and was not corrected to have it.
func spelledAsName(t *token) bool {
	return !t.opaque && !t.mixedCase && !t.corrected && isName(t.text) && t.text[0] >= 'a' && !isVersion(t.text)
}

// isVerb tells whether the lexicon knows the word as a verb that could be told.
func isVerb(t *token) bool {
	return t.is(isChange|isRead|isVague) && !t.is(isKind|isDet|isState)
}

// located tells whether "in" and a namespace stand at i.
func (x *extractor) located(i int) bool {
	if x.inNamespace(i) {
		return true
	}
	return i+1 < len(x.tokens) && x.tokens[i].is(isIn) && x.tokens[i].before == breakNone && x.wordAsPlace(i+1)
}

// belongs tells whether "de" and a namespace stand at i, as French puts it: "le pvc uploads de chat".
func (x *extractor) belongs(i int) bool {
	if i < 2 || i+1 >= len(x.tokens) || x.tokens[i].text != "de" || x.tokens[i].before != breakNone {
		return false
	}
	t := &x.tokens[i+1]
	return t.before == breakNone && couldBeNamespace(t) && (t.class == 0 && !looksOrdinary(t.text) || t.is(isEnv) || x.tokens[i-2].is(isKind) && x.wordAsPlace(i+1)) && x.endsPhrase(i+2)
}

// wordAsPlace tells whether the common word at i, right behind "in", can be a namespace.
func (x *extractor) wordAsPlace(i int) bool {
	t := &x.tokens[i]
	return t.is(isWord) && t.before == breakNone && !t.is(isKind|isDet|isState) && couldBeNamespace(t) &&
		!strings.Contains(adverbial, " "+t.text+" ") && x.endsPhrase(i+1)
}

// workloadVerbs are the verbs whose object is a workload, a service or a node, and hardly ever a thing inside one.
const workloadVerbs = " restart restarted restarting reboot bounce bounced scale scaled scaling redeploy redeployed relaunch recycle suspend resume rollback roll_back roll rolled " +
	"downgrade upgrade upgraded failover cordon drain redemarrer redemarre redemarrez relancer relance relancez rebooter scaler passe passer passez "

// afterWorkloadVerb tells whether the word at i is the object of a verb that takes workloads.
func (x *extractor) afterWorkloadVerb(i int) bool {
	if i == 0 || x.tokens[i].before != breakNone {
		return false
	}
	p := &x.tokens[i-1]
	return !p.isTarget && p.is(isChange|isPart) && strings.Contains(workloadVerbs, " "+p.text+" ")
}

// governing are the classes of the words that a name follows without an article.
const governors = isChange | isVague | isRead | isPart | isMake | isAux | isHypo | isHow | isIf | isPrep | isOf | isHedge | isThen | isCause | isBut

// governedByVerb tells whether the word before i leaves a name to follow it. In "to report" the word is a verb.
func (x *extractor) governedByVerb(i int) bool {
	if i == 0 || x.tokens[i].before != breakNone {
		return false
	}
	t, p := &x.tokens[i], &x.tokens[i-1]
	switch {
	case p.isTarget || p.opaque || p.is(isDet|isKind):
		return false
	case p.text == "to" && isVerb(t):
		return false
	case p.is(isAsk):
		return !strings.Contains(asksForNoun, " "+p.text+" ")
	}
	return p.is(governors)
}

// statesAfter tells whether "in" and its namespace at i close the clause or come before what is said of them.
func (x *extractor) statesAfter(i int) bool {
	j := i + 2
	if j >= len(x.tokens) || x.tokens[j].before != breakNone {
		return true
	}
	return x.tokens[j].is(isBe|isAux|isState|isNot|isWant) && !x.tokens[j].is(isPrep)
}

// behindKind tells whether the word at j, right behind a kind, is a name because a namespace or nothing else follows
// it: "service edge in press", "le pvc uploads de chat", "kubectl delete ds probe -n edge".
func (x *extractor) behindKind(j int, kind string) bool {
	t := &x.tokens[j]
	if !spelledAsName(t) || t.is(isKind|isDet|isIn|isOf|isState|isBe|isAux|isNot|isPron|isAsk) && !t.is(isWord) {
		return false
	}
	flagged := j+1 < len(x.tokens) && (x.tokens[j+1].text == "-n" || x.tokens[j+1].text == "--namespace")
	if !flagged && !x.located(j+1) && !x.belongs(j+1) {
		return false
	}
	switch {
	case flagged || t.class == 0:
		return true
	case t.is(isWord | isThing | isEnv):
		return !t.is(isThing) || kind == "ConfigMap" || kind == "Secret"
	case t.is(isPart):
		return strings.HasSuffix(t.text, "s") && !x.ofNoun(t.text)
	}
	return isVerb(t) && !t.is(isNoun|isInfo|isMeta|isBe)
}

// ofNoun tells whether the word is the plural of a verb that is as often a noun: "restarts".
func (x *extractor) ofNoun(text string) bool {
	w := x.lex.words[strings.TrimSuffix(text, "s")]
	return w != nil && w.class&isNoun != 0
}

// owned tells whether "de" and a namespace stand behind the object at i of a verb: "passe orders de retail à 6".
func (x *extractor) owned(i int) bool {
	return i > 0 && x.tokens[i-1].is(isChange|isMake) && x.belongs(i+1)
}

// joined tells whether the word at i is joined to one with a namespace behind it: "site and api in press".
func (x *extractor) joined(i int) bool {
	j := i + 2
	if j >= len(x.tokens) || !x.tokens[i+1].is(isAnd|isOr) || x.tokens[i+1].before != breakNone || !x.located(j+1) {
		return false
	}
	t := &x.tokens[j]
	return t.before == breakNone && spelledAsName(t) && (t.class == 0 || t.is(isWord|isEnv|isSoft) && !isVerb(t))
}

// behindThing tells whether a thing that operators ask about stands before the "in" before i: "errors in pay".
func (x *extractor) behindThing(i int) bool {
	return i > 1 && !x.tokens[i-2].isTarget && x.tokens[i-2].is(isKind|isOps|isInfo)
}

// telegram tells whether two unknown words and a change make up the clause that begins at i: "tracker fleet restart".
// Which of the words is the namespace, the text does not say: both are names.
func (x *extractor) telegram(i int) bool {
	if !x.begins(i) || i+2 >= len(x.tokens) || x.tokens[i+1].before != breakNone || x.tokens[i+2].before != breakNone {
		return false
	}
	first, second := &x.tokens[i], &x.tokens[i+1]
	known := (first.class|second.class)&^(isSoft|isEnv) != 0
	ends := i+3 == len(x.tokens) || x.tokens[i+3].before != breakNone
	return !known && spelledAsName(first) && spelledAsName(second) && x.tokens[i+2].is(isChange) && !x.tokens[i+2].is(isKind) && ends
}
