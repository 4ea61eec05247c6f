package classify

import "strings"

// following reads the namespace after a name: "in shop", "in the shop namespace", "de shop", "/ shop".
func (x *extractor) following(i int) int {
	if len(x.targets) == 0 {
		return i
	}
	if x.besideNamespace(i) {
		return x.besidePlace(i)
	}
	if !x.leadsToPlace(i) {
		return i
	}
	target, t := &x.targets[len(x.targets)-1], &x.tokens[i]
	if target.Kind != "" && isClusterScoped(target.Kind) {
		return i
	}
	ns, next := x.namespaceAt(i + 1)
	if ns == "" || !t.is(isIn) && next == i+2 && x.tokens[i+1].class != 0 {
		return i
	}
	if target.Host == "" && target.Namespace == "" {
		target.Namespace = ns
	}
	x.setNamespace(ns)
	x.last = next
	return next
}

// besideNamespace tells whether the word "namespace" and a name stand at i, behind a name: "deployment web, ns shop".
func (x *extractor) besideNamespace(i int) bool {
	t := x.word(i)
	return (t.text == "ns" || t.text == "namespace") && t.before <= breakComma && x.canFollowKind(i+1) && x.joint(i+1) != &nothing
}

// besidePlace reads such a namespace.
func (x *extractor) besidePlace(i int) int {
	ns, next := x.namespaceNamed(i + 1)
	if target := &x.targets[len(x.targets)-1]; takesNamespace(target) {
		target.Namespace = ns
	}
	x.setNamespace(ns)
	x.last = next
	return next
}

// leadsToPlace tells whether the word at i, behind a name, can lead to its namespace.
func (x *extractor) leadsToPlace(i int) bool {
	t := x.word(i)
	switch {
	case t.before > breakColon, t.before == breakComma:
		return false
	case t.is(isOf):
		return !x.located(i + 2)
	case t.is(isFrom) && strings.HasSuffix(x.joint(i+1).text, "ing"):
		return !contains(undergone, x.lastWord(i-2)) // what it is kept from doing
	}
	return t.is(isIn|isFrom) || t.text == "on" || x.goesTo(i)
}

// deploying are the verbs whose "to" names a namespace.
const deploying = " deploy deploys deployed deploying redeploy release ship promote push publish roll_out install "

// goesTo tells whether "to" and the namespace of what is deployed stand at i: "deploy planner to staff".
func (x *extractor) goesTo(i int) bool {
	t := x.joint(i + 1)
	if x.word(i).text != "to" || !couldBeNamespace(t) || isVersion(t.text) || t.text[len(t.text)-1] <= '9' {
		return false
	}
	for j := i; j > 0 && j > i-6 && x.tokens[j].before == breakNone; j-- {
		if strings.Contains(deploying, " "+x.tokens[j-1].text+" ") {
			return x.endsPhrase(i+2) && (t.class == 0 || t.is(isEnv) || x.wordAsPlace(i+1))
		}
	}
	return false
}

// place reads "in shop" where no name stands before it.
func (x *extractor) place(i int) int {
	if i+1 < len(x.tokens) && (x.located(i+2) && x.standsAsName(i+1) || x.belongs(i+2) && x.tokens[i+1].class == 0 && spelledAsName(&x.tokens[i+1])) {
		return x.bare(i + 1)
	}
	ns, next := x.namespaceAt(i + 1)
	if ns == "" {
		return i + 1
	}
	x.setNamespace(ns)
	x.last = next
	return next
}

// namespaceAt reads a namespace at i, with the words around it, and returns the index after it.
func (x *extractor) namespaceAt(i int) (string, int) {
	determined := false
	for x.joint(i).is(isDet) && !x.tokens[i].quoted {
		i++
		determined = true
	}
	t := x.joint(i)
	if t.kind == "Namespace" {
		return x.namespaceNamed(i + 1)
	}
	named := x.joint(i+1).kind == "Namespace"
	if t == &nothing || !couldBeNamespace(t) || !named && !x.isPlace(i, determined) {
		return "", i
	}
	t.name()
	if named {
		return t.text, i + 2
	}
	return t.text, i + 1
}

// namespaceNamed reads the name behind the word "namespace".
func (x *extractor) namespaceNamed(i int) (string, int) {
	for x.word(i).is(isNamed) {
		i++
	}
	if !x.canFollowKind(i) {
		return "", i
	}
	x.tokens[i].name()
	return x.tokens[i].text, i + 1
}

func couldBeNamespace(t *token) bool {
	return !t.opaque && !t.mixedCase && isName(t.text) && t.text[0] >= 'a' && !isRegion(t.text) && hostOf(t.text) == ""
}

// isPlace tells whether the word after "in" at i, without the word namespace beside it, is one. Software counts only
// right behind a name: "broker in kafka".
func (x *extractor) isPlace(i int, determined bool) bool {
	t := &x.tokens[i]
	behindName := x.last > 0 && x.last == i-1
	if firm := behindName && !determined && t.class == 0; !firm && x.qualifies(i) {
		return false
	}
	switch {
	case t.quoted, t.class == 0, t.is(isEnv) && x.endsPhrase(i+1):
		return true
	case t.is(isSoft) && !t.is(isKind):
		return behindName
	case behindName, x.behindThing(i):
		return !determined && x.wordAsPlace(i)
	}
	return false
}

// qualifies tells whether the word at i belongs to a noun behind it: "in the orders database", "in web pods".
func (x *extractor) qualifies(i int) bool {
	if i+1 >= len(x.tokens) || x.tokens[i+1].before != breakNone || x.tokens[i+1].isTarget {
		return false
	}
	next := &x.tokens[i+1]
	switch {
	case next.is(isKind):
		return !x.canFollowKind(i + 2)
	case strings.Contains(manners, " "+next.text+" "):
		return true
	}
	return next.is(isOps|isInfo) && !next.is(isPrep|isBe|isState|isAux|isIf|isSkip|isRead|isChange|isStop)
}

// manners are the nouns that make an adverb of "in" and the word before them: "in alphabetical order".
const manners = " order way mode manner fashion "

// endsPhrase tells whether the token at i cannot belong to a noun before it.
func (x *extractor) endsPhrase(i int) bool {
	if i >= len(x.tokens) {
		return true
	}
	t := &x.tokens[i]
	if t.before != breakNone || t.text != "" && t.text[0] <= '9' || t.is(isPart) {
		return true
	}
	if t.class == 0 {
		return looksOrdinary(t.text)
	}
	return !t.is(isInfo|isOps|isKind|isMeta|isPlan|isOf) || t.is(isPrep|isAnd)
}

// isRegion tells a cloud region such as eu-west-1.
func isRegion(s string) bool {
	parts := strings.Split(s, "-")
	return len(parts) == 3 && len(parts[0]) == 2 && isAlpha(parts[1]) && len(parts[2]) == 1
}
