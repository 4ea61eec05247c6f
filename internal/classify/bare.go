package classify

import "strings"

// standsAsName tells whether the token at i, no kind beside it, is in the place of a name.
func (x *extractor) standsAsName(i int) bool {
	t := &x.tokens[i]
	switch {
	case !spelledAsName(t):
		return false
	case t.quoted && t.class&^isStop == 0, x.subject(i), x.placed(i):
		return true
	case x.precedesKind(i):
		return false
	case x.askedAbout(i):
		return true
	case !nameable(t):
		return false
	case t.class == 0 && hasNameShape(t.text, x.lex):
		return !isRegion(t.text) && !isSubcommand(t.text) && !x.labelled(i)
	}
	return x.namedByContext(i)
}

// leftOpen tells whether what stands before the word at i leaves the place of a name open, which an unknown word needs not.
func (x *extractor) leftOpen(i int) bool {
	return !x.tokens[i].is(isEnv) || x.afterVerb(i) || x.begins(i) || x.continues(i)
}

// namedByContext tells whether the words around i make a name of a word that has not the shape of one.
func (x *extractor) namedByContext(i int) bool {
	t := &x.tokens[i]
	switch {
	case x.plan(i), x.telegram(i), x.telegram(i - 1):
		return true
	case x.inNamespace(i + 1):
		return (x.last != i || i == 0) && x.leftOpen(i)
	case x.afterTool(i), t.is(isEnv) && !x.envAsName(i):
		return false
	case t.possessive:
		return true
	}
	return !looksOrdinary(t.text) && (x.governed(i) || x.describes(i))
}

// labels are the words whose names are no objects of a cluster.
const labels = " group user groupe utilisateur branch branche tag "

// labelled tells whether the word at i is the name of such a thing: "group crew-dev".
func (x *extractor) labelled(i int) bool {
	return i > 0 && x.tokens[i].before == breakNone && strings.Contains(labels, " "+x.tokens[i-1].text+" ")
}

// nameable tells whether a word may be a name at all: one that the lexicon does not know, software, or a word that often
// serves as a name.
func nameable(t *token) bool {
	return t.class == 0 || t.is(isSoft|isEnv) && t.class&^(isSoft|isEnv|isOps|isStop) == 0
}

// precedesKind tells whether the word at i is left to the kind behind it: "the ledger-data pvc".
func (x *extractor) precedesKind(i int) bool {
	n := i + 1
	return n < len(x.tokens) && x.tokens[n].is(isKind) && x.tokens[n].before == breakNone && x.kindOf(n) != "" &&
		!x.canFollowKind(n+1) && x.canPrecedeKind(i, x.tokens[n].kind)
}

// subcommands are those of kubectl that read.
const subcommands = kubeReads + podVerbs

// isSubcommand tells whether a word is a program or a subcommand of kubectl.
func isSubcommand(text string) bool {
	_, isTool := tools[text]
	return isTool || strings.Contains(subcommands, " "+text+" ")
}

// envAsName tells whether a common word serves as a name although no namespace follows.
func (x *extractor) envAsName(i int) bool {
	return x.continues(i) || x.begins(i) && !x.tokens[i].is(isStop|isOps) && x.headsClause(i)
}

// subject tells whether a word that could be a verb is what a question is about: "did search restart".
func (x *extractor) subject(i int) bool {
	if i == 0 || i+1 >= len(x.tokens) || x.tokens[i].before != breakNone || x.tokens[i+1].before != breakNone {
		return false
	}
	t, next := &x.tokens[i], &x.tokens[i+1]
	return t.is(isEnv) && !t.is(isStop|isOps) && x.tokens[i-1].is(isAux) && next.is(isChange|isBe|isPart|isState) && !next.is(isDet|isOf)
}

// begins tells whether a clause begins at i.
func (x *extractor) begins(i int) bool { return i == 0 || x.tokens[i].before != breakNone }

// continues tells whether the word at i is joined to a target: "web and api".
func (x *extractor) continues(i int) bool {
	return i > 1 && x.tokens[i-1].is(isAnd|isOr) && x.tokens[i-2].isTarget && x.closed(i+1)
}

// describes tells whether the word at i says whose thing is meant: "show web logs".
func (x *extractor) describes(i int) bool {
	t := &x.tokens[i]
	if t.class != 0 || i == 0 || t.before != breakNone || i+1 >= len(x.tokens) || x.tokens[i+1].before != breakNone {
		return false
	}
	p, next := &x.tokens[i-1], &x.tokens[i+1]
	return p.is(isDet|isChange|isRead|isStop) && !p.isTarget && next.is(isInfo) && !next.is(isPrep) && x.closed(i+2)
}

// plan tells whether the word at i names a Terraform plan: "apply the vpc plan".
func (x *extractor) plan(i int) bool {
	if i == 0 || i+1 >= len(x.tokens) || x.tokens[i].class != 0 || x.tokens[i+1].before != breakNone {
		return false
	}
	return x.tokens[i+1].is(isPlan) && x.tokens[i-1].is(isDet|isChange)
}

// afterTool tells whether the word at i stands in a command line, or begins one.
func (x *extractor) afterTool(i int) bool {
	if _, isTool := tools[x.tokens[i].text]; isTool || x.tokens[0].text == "select" {
		return true
	}
	for j := i - 1; j >= 0 && x.tokens[j+1].before == breakNone; j-- {
		if _, ok := tools[x.tokens[j].text]; ok {
			return true
		}
	}
	return false
}

// inNamespace tells whether "in" and something that can be a namespace stand at i.
func (x *extractor) inNamespace(i int) bool {
	if !x.joint(i).is(isIn) || i+1 == len(x.tokens) {
		return false
	}
	j := i + 1
	for j+1 < len(x.tokens) && x.tokens[j].is(isDet) && !x.tokens[j].quoted {
		j++
	}
	next := &x.tokens[j]
	switch {
	case next.class == 0 && isName(next.text), next.is(isEnv | isSoft), next.quoted:
		return true
	}
	return next.kind == "Namespace" || x.word(j+1).kind == "Namespace"
}

// governed tells whether the words around i leave little but a name: a verb before it, a preposition, or its own verb
// behind it at the beginning of a clause.
func (x *extractor) governed(i int) bool {
	t, p := &x.tokens[i], x.prior(i)
	switch {
	case p == &nothing:
		return x.headsClause(i)
	case x.word(i+1).is(isOf) && x.located(i+3):
		return false // what it is of is the name: "the probe of site in press"
	case p.opaque, p.isTarget, p.quoted:
		return false
	case x.afterVerb(i):
		return true
	case p.is(isDet) && i > 1 && !t.is(isSoft):
		return !strings.Contains(indefinite, " "+p.text+" ") && x.afterVerb(i-1) && x.closed(i+1)
	}
	return x.continues(i)
}

// afterVerb tells whether the word before i governs a name.
func (x *extractor) afterVerb(i int) bool {
	t, p := &x.tokens[i], x.prior(i)
	switch {
	case p == &nothing, p.is(isKind), p.is(isSkip) && p.is(isResult):
		return false
	case t.is(isSoft):
		return p.is(isChange | isVague | isPart)
	case p.is(isAsk):
		return !strings.Contains(asksForNoun, " "+p.text+" ")
	case x.takesNoName(i):
		return false
	case p.is(isWant):
		return !x.closed(i + 1)
	}
	return p.is(isChange | isVague | isRead | isPart | isMake | isOf | isAux | isHypo | isHow | isNamed | isIf | isPrep | isFrom)
}

// sqlVerbs begin the statements whose "from" takes a table.
const sqlVerbs = " select delete insert "

// takesNoName tells whether the word before i, that could govern a name, does not here: "web is …", "pas de …", "on top".
func (x *extractor) takesNoName(i int) bool {
	p, next := x.prior(i), x.joint(i+1)
	switch {
	case p.is(isFrom):
		return strings.Contains(sqlVerbs, " "+x.tokens[0].text+" ")
	case p.is(isDet), p.text == "en":
		return true
	case p.is(isAux):
		return x.word(i - 2).isTarget
	case p.is(isOf):
		return strings.Contains(quantities, " "+x.word(i-2).text+" ")
	}
	return p.is(isPrep) && next.class == 0 && isAlpha(next.text)
}

// indefinite are the determiners that no name follows.
const indefinite = " any some all every each no another other your tout toute tous toutes chaque ton ta tes votre vos "

// quantities are the words whose "of" or "de" takes no name: "pas de limite", "in order of age".
const quantities = " peu beaucoup plus moins trop assez nombre combien tant pas ni manque order lack lot lots number kind sort type out ahead instead top front "

// asksForNoun are the question words that take a noun: what follows is no name.
const asksForNoun = " which what whose how quel quelle quels quelles combien sur dans de a avec on in from at to "

// headsClause tells whether the word at the head of a clause has its own verb behind it: "web is down".
func (x *extractor) headsClause(i int) bool {
	if i+1 >= len(x.tokens) || x.tokens[i].is(isSoft) || x.tokens[i+1].before != breakNone {
		return false
	}
	next := &x.tokens[i+1]
	return next.is(isBe|isAux|isState|isNot|isWant) || next.is(isIn)
}

// closed tells whether nothing that a word could qualify stands at i.
func (x *extractor) closed(i int) bool {
	if i >= len(x.tokens) || x.tokens[i].before != breakNone {
		return true
	}
	return x.tokens[i].is(isIn | isPrep | isBe | isAux | isAnd | isOr | isIf | isThen | isNot | isSkip | isState | isCause | isFrom | isOf | isResult)
}

// bare takes the word at i for a name of unknown kind. Common software, and words that only their place makes names,
// count for little beside a host.
func (x *extractor) bare(i int) int {
	t := &x.tokens[i]
	weak := !t.quoted && !hasNameShape(t.text, x.lex)
	before := len(x.targets)
	kind := ""
	if x.plan(i) {
		kind, weak = "Terraform", false
	}
	x.take(i, Target{Kind: kind, Name: t.text})
	if len(x.targets) > before && weak {
		x.weak = append(x.weak, before)
	}
	return x.following(i + 1)
}

// podVerbs and nodeVerbs are the kubectl subcommands whose bare argument has a known kind.
const (
	podVerbs  = " logs log exec attach port-forward "
	nodeVerbs = " cordon uncordon drain "
)

// commandArguments reads the bare argument of a kubectl subcommand: "kubectl -n shop logs web-0".
func (x *extractor) commandArguments(i int) bool {
	if !x.afterKubectl(i) {
		return false
	}
	t, kind := &x.tokens[i], x.argumentKind(i)
	if kind == "" || !spelledAsName(t) || t.class != 0 || x.tokens[i-1].text == "-c" {
		return false
	}
	x.take(i, Target{Kind: kind, Name: t.text})
	return true
}

// argumentKind returns the kind of the bare argument at i, which its subcommand says.
func (x *extractor) argumentKind(i int) string {
	for j := i - 1; j >= 0; j-- {
		text := x.tokens[j].text
		switch {
		case strings.Contains(podVerbs, " "+text+" "):
			return "Pod"
		case strings.Contains(nodeVerbs, " "+text+" "):
			return "Node"
		case text == "kubectl", x.tokens[j].is(isKind):
			return ""
		}
	}
	return ""
}

// afterKubectl tells whether the token stands in a kubectl line, before any "--" of its own.
func (x *extractor) afterKubectl(i int) bool {
	if _, isTool := tools[x.tokens[i].text]; isTool || x.tokens[0].text == "select" {
		return true
	}
	for j := i - 1; j >= 0 && x.tokens[j+1].before == breakNone; j-- {
		if x.tokens[j].text == "kubectl" {
			return true
		}
	}
	return false
}

// software tells whether a word is the name of well-known software.
func (x *extractor) software(name string) bool {
	w := x.lex.words[name]
	return w != nil && w.class&isSoft != 0
}

// settle drops the weak names beside a host, gives every target the only namespace of the text, and falls back to the
// namespace itself where nothing else is named.
func (x *extractor) settle() {
	if x.hosts > 0 {
		x.dropWeak()
		x.dropServedHosts()
	}
	if x.namespace == "" {
		return
	}
	for i := range x.targets {
		if t := &x.targets[i]; !x.several && takesNamespace(t) && t.Name != x.namespace {
			t.Namespace = x.namespace
		}
	}
	if len(x.targets) == 0 {
		x.targets = append(x.targets, Target{Kind: "Namespace", Name: x.namespace})
	}
}

// dropWeak drops the weak names.
func (x *extractor) dropWeak() {
	for k := len(x.weak) - 1; k >= 0; k-- {
		if i := x.weak[k]; x.targets[i].Namespace == "" || x.software(x.targets[i].Namespace) {
			x.targets = append(x.targets[:i], x.targets[i+1:]...)
		}
	}
}

// takesNamespace tells whether a target lacks a namespace that it can have.
func takesNamespace(t *Target) bool {
	return t.Namespace == "" && t.Host == "" && !isClusterScoped(t.Kind) && t.Kind != "ChangeRequest"
}
