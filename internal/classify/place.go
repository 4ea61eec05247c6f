package classify

import "strings"

// following reads the namespace after a name: "in shop", "in the shop namespace", "de shop", "/ shop".
func (x *extractor) following(i int) int {
	if i >= len(x.tokens) || len(x.targets) == 0 || x.tokens[i].before > breakColon {
		return i
	}
	target := &x.targets[len(x.targets)-1]
	t := &x.tokens[i]
	if !t.is(isIn|isOf|isFrom) && t.text != "on" && !x.goesTo(i) || t.before == breakComma || t.is(isOf) && x.located(i+2) {
		return i
	}
	if isClusterScoped(target.Kind) && target.Kind != "" {
		return i
	}
	ns, next := x.namespaceAt(i + 1)
	if ns == "" || !t.is(isIn) && next == i+2 && !x.tokens[i+1].is(isEnv) && x.tokens[i+1].class != 0 {
		return i
	}
	if target.Host == "" && target.Namespace == "" {
		target.Namespace = ns
	}
	x.setNamespace(ns)
	x.last = next
	return next
}

// deploying are the verbs whose "to" names a namespace.
const deploying = " deploy deploys deployed deploying redeploy release ship promote push publish roll_out install "

// goesTo tells whether "to" and the namespace of what is deployed stand at i: "deploy planner to staff".
func (x *extractor) goesTo(i int) bool {
	if x.tokens[i].text != "to" || i+1 >= len(x.tokens) || x.tokens[i+1].before != breakNone || !x.endsPhrase(i+2) {
		return false
	}
	t := &x.tokens[i+1]
	if t.class != 0 && !t.is(isEnv) && !x.wordAsPlace(i+1) || isVersion(t.text) || t.text == "" || t.text[len(t.text)-1] <= '9' {
		return false
	}
	for j := i - 1; j >= 0 && j >= i-6 && x.tokens[j+1].before == breakNone; j-- {
		if strings.Contains(deploying, " "+x.tokens[j].text+" ") {
			return true
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
	for i < len(x.tokens) && x.tokens[i].before == breakNone && x.tokens[i].is(isDet) && !x.tokens[i].quoted {
		i++
		determined = true
	}
	if i >= len(x.tokens) || x.tokens[i].before != breakNone {
		return "", i
	}
	if x.tokens[i].kind == "Namespace" {
		for i++; i < len(x.tokens) && x.tokens[i].is(isNamed); i++ {
		}
		if !x.canFollowKind(i) {
			return "", i
		}
		x.tokens[i].name()
		return x.tokens[i].text, i + 1
	}
	t := &x.tokens[i]
	named := i+1 < len(x.tokens) && x.tokens[i+1].kind == "Namespace" && x.tokens[i+1].before == breakNone
	if !couldBeNamespace(t) || !named && !x.isPlace(i, determined) {
		return "", i
	}
	t.name()
	if named {
		return t.text, i + 2
	}
	return t.text, i + 1
}

func couldBeNamespace(t *token) bool {
	return !t.opaque && !t.mixedCase && isName(t.text) && t.text[0] >= 'a' && !isRegion(t.text) && hostOf(t.text) == ""
}

// isPlace tells whether the word after "in" at i, without the word namespace beside it, is one. Software counts only
// right behind a name: "broker in kafka".
func (x *extractor) isPlace(i int, determined bool) bool {
	t := &x.tokens[i]
	behindName := x.last > 0 && x.last == i-1
	if (determined || t.class != 0 || !behindName) && x.qualifies(i) {
		return false
	}
	return t.quoted || t.class == 0 || t.is(isEnv) && x.endsPhrase(i+1) || t.is(isSoft) && !t.is(isKind) && behindName ||
		(behindName || x.behindThing(i)) && !determined && x.wordAsPlace(i)
}

// qualifies tells whether the word at i belongs to a noun behind it: "in the orders database", "in web pods".
func (x *extractor) qualifies(i int) bool {
	if i+1 >= len(x.tokens) || x.tokens[i+1].before != breakNone || x.tokens[i+1].isTarget {
		return false
	}
	next := &x.tokens[i+1]
	if next.is(isKind) {
		return !x.canFollowKind(i + 2)
	}
	return next.is(isOps|isInfo) && !next.is(isPrep|isBe|isState|isAux|isIf|isSkip|isRead|isChange|isStop)
}

// endsPhrase tells whether the token at i cannot belong to a noun before it.
func (x *extractor) endsPhrase(i int) bool {
	if i >= len(x.tokens) {
		return true
	}
	t := &x.tokens[i]
	if t.before != breakNone || t.text != "" && t.text[0] <= '9' || t.is(isPart) {
		return true
	}
	return !t.is(isInfo|isOps|isKind|isMeta|isPlan|isOf) && t.class != 0 || t.is(isPrep|isAnd)
}

// isRegion tells a cloud region such as eu-west-1.
func isRegion(s string) bool {
	parts := strings.Split(s, "-")
	return len(parts) == 3 && len(parts[0]) == 2 && isAlpha(parts[1]) && len(parts[2]) == 1
}
