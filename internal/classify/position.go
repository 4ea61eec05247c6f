package classify

import "strings"

// Position wins over vocabulary: a word right before "in" and a namespace, right behind a kind, or as the object of a
// verb that takes workloads is a name, whatever it means elsewhere. What is never a name, there or anywhere, are the
// words that hold a sentence together and the things that operators ask about: "pods", "errors", "memory".

// placed tells whether the word at i, with a namespace behind it, is a name by its place: "seats in ticketing".
func (x *extractor) placed(i int) bool {
	t := &x.tokens[i]
	switch {
	case !spelledAsName(t), x.last == i && i > 0, !x.hasPlace(i), x.afterTool(i):
		return false
	case x.afterWorkloadVerb(i):
		return isWorkloadName(t)
	case isVerb(t):
		return (t.is(isEnv) || t.is(isWord) && !t.is(isChange)) && (x.governedByVerb(i) || x.begins(i) && x.statesAfter(i+1))
	}
	return x.countedAsOne(i) || isNameByPlace(t) && x.opensName(i)
}

// opensName tells whether what stands before the word at i leaves the place of a name open to common words too.
func (x *extractor) opensName(i int) bool {
	return x.begins(i) || x.governedByVerb(i) || x.continues(i)
}

// singular are the verbs that a plural does not take.
const singular = " is was has does keeps est etait "

// countedAsOne tells whether the plural at i is spoken of as one thing, as only names are: "users in shop is down".
func (x *extractor) countedAsOne(i int) bool {
	t := &x.tokens[i]
	if !t.is(isThing) || t.is(isKind|isOps) || !strings.HasSuffix(t.text, "s") || strings.HasSuffix(t.text, "ss") {
		return false
	}
	verb := x.prior(i)
	if x.begins(i) {
		verb = x.joint(i + 3)
	}
	return strings.Contains(singular, " "+verb.text+" ")
}

// isWorkloadName tells whether a word can name the workload that a verb takes.
func isWorkloadName(t *token) bool {
	return t.class == 0 || isVerb(t) || t.is(isWord|isThing|isEnv|isSoft) && !t.is(isKind|isVagueObj|isSkip)
}

// isNameByPlace tells whether a word that is no verb is a name in every place of one.
func isNameByPlace(t *token) bool {
	if t.is(isKind | isThing) {
		return false
	}
	return t.is(isWord) || t.is(isEnv) && !t.is(isOps|isInfo) || t.class == isTopic
}

// hasPlace tells whether the text says where the word at i is.
func (x *extractor) hasPlace(i int) bool {
	return x.located(i+1) || x.owned(i) || x.joined(i) || x.goesTo(i+1)
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
	return x.inNamespace(i) || x.joint(i).is(isIn) && x.wordAsPlace(i+1)
}

// belongs tells whether "de" and a namespace stand at i, as French puts it: "le pvc uploads de chat".
func (x *extractor) belongs(i int) bool {
	t := x.joint(i + 1)
	if i < 2 || x.joint(i).text != "de" || !couldBeNamespace(t) || !x.endsPhrase(i+2) {
		return false
	}
	return t.class == 0 && !looksOrdinary(t.text) || t.is(isEnv) || x.tokens[i-2].is(isKind) && x.wordAsPlace(i+1)
}

// wordAsPlace tells whether the common word at i, right behind "in", can be a namespace.
func (x *extractor) wordAsPlace(i int) bool {
	t := x.joint(i)
	return t.is(isWord) && !t.is(isKind|isDet|isState) && couldBeNamespace(t) &&
		!strings.Contains(adverbial, " "+t.text+" ") && x.endsPhrase(i+1)
}

// workloadVerbs are the verbs whose object is a workload, a service or a node, and hardly ever a thing inside one.
const workloadVerbs = " restart restarted restarting reboot bounce bounced scale scaled scaling redeploy redeployed relaunch recycle suspend resume rollback roll_back roll rolled " +
	"downgrade upgrade upgraded failover cordon drain redemarrer redemarre redemarrez relancer relance relancez rebooter scaler passe passer passez "

// afterWorkloadVerb tells whether the word at i is the object of a verb that takes workloads.
func (x *extractor) afterWorkloadVerb(i int) bool {
	p := x.prior(i)
	return !p.isTarget && p.is(isChange|isPart) && strings.Contains(workloadVerbs, " "+p.text+" ")
}

// governors are the classes of the words that a name follows without an article.
const governors = isChange | isVague | isRead | isPart | isMake | isAux | isHypo | isHow | isIf | isPrep | isOf | isHedge | isThen | isCause | isBut

// governedByVerb tells whether the word before i leaves a name to follow it. In "to report" the word is a verb.
func (x *extractor) governedByVerb(i int) bool {
	p := x.prior(i)
	switch {
	case p == &nothing, p.isTarget, p.opaque, p.is(isDet), x.kindOf(i-1) != "", p.text == "to" && isVerb(&x.tokens[i]):
		return false
	case p.is(isAsk):
		return !strings.Contains(asksForNoun, " "+p.text+" ")
	}
	return p.is(governors) || p.text == "que" && p.is(isStop)
}

// statesAfter tells whether "in" and its namespace at i close the clause or come before what is said of them.
func (x *extractor) statesAfter(i int) bool {
	t := x.joint(i + 2)
	return t == &nothing || t.is(isBe|isAux|isState|isNot|isWant) && !t.is(isPrep)
}

// never are the classes of the words that are no names even behind a kind.
const never = isKind | isDet | isIn | isOf | isState | isBe | isAux | isNot | isPron | isAsk

// behindKind tells whether the word at j, right behind a kind, is a name because a namespace or nothing else follows
// it: "service edge in press", "le pvc uploads de chat", "kubectl delete ds probe -n edge".
func (x *extractor) behindKind(j int, kind string) bool {
	t, next := &x.tokens[j], x.word(j+1).text
	flagged := next == "-n" || next == "--namespace"
	switch {
	case !spelledAsName(t), t.is(never) && !t.is(isWord):
		return false
	case flagged, x.besideNamespace(j+1) && !x.besideNamespace(j):
		return true
	}
	return (x.located(j+1) || x.belongs(j+1)) && x.isPlainName(t, kind) || x.closesKind(j, kind)
}

// closesKind tells whether a noun that names things elsewhere stands behind one thing of a kind, and nothing behind it
// that it could qualify: "l'ingress site ne répond pas".
func (x *extractor) closesKind(j int, kind string) bool {
	t := &x.tokens[j]
	one := kind == "Ingress" || !strings.HasSuffix(x.tokens[j-1].text, "s")
	return one && kind != "Host" && t.is(isWord) && !t.is(isThing|isChange|isRead|isPart|isOps|isInfo|isSkip) && x.rests(j+1)
}

// isPlainName tells whether a word behind a kind, with a namespace behind it, is a name and no noun of its own.
func (x *extractor) isPlainName(t *token, kind string) bool {
	switch {
	case t.class == 0:
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
	t := x.joint(i + 2)
	if !x.joint(i+1).is(isAnd|isOr) || !x.located(i+3) || !spelledAsName(t) {
		return false
	}
	return t.class == 0 || t.is(isWord|isEnv|isSoft) && !isVerb(t)
}

// behindThing tells whether a thing that operators ask about stands before the "in" before i: "errors in pay".
func (x *extractor) behindThing(i int) bool {
	return i > 1 && !x.tokens[i-2].isTarget && x.tokens[i-2].is(isKind|isOps|isInfo)
}

// telegram tells whether two unknown words and a change make up the clause that begins at i: "tracker fleet restart".
// Which of the words is the namespace, the text does not say: both are names.
func (x *extractor) telegram(i int) bool {
	if i < 0 || !x.begins(i) || x.joint(i+3) != &nothing {
		return false
	}
	first, second, third := &x.tokens[i], x.joint(i+1), x.joint(i+2)
	known := (first.class|second.class)&^(isSoft|isEnv) != 0
	return !known && spelledAsName(first) && spelledAsName(second) && third.is(isChange) && !third.is(isKind)
}
