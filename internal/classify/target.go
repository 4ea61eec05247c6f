package classify

import (
	"slices"
	"strings"
)

// maxTargets bounds the targets of one text.
const maxTargets = 32

// extractor finds the targets of a text, from left to right.
type extractor struct {
	text      string
	tokens    []token
	lex       *lexicon
	targets   []Target
	namespace string
	// several says that the text names more than one namespace, so that none of them goes for all targets.
	several bool
	// weak are the indices of targets that are dropped where the text names a host: bare words in the place of a name.
	weak []int
	// hosts counts the hosts found; argo says that the text speaks of Argo CD.
	hosts int
	argo  bool
	// last is the index after the token last taken for a name.
	last int
}

// extract fills targets and namespace, and marks the tokens taken.
func (x *extractor) extract() {
	x.lex = vocabulary()
	x.argo = strings.Contains(x.text, "argo") || strings.Contains(x.text, "Argo")
	for i := 0; i < len(x.tokens) && len(x.targets) < maxTargets; {
		i = max(x.at(i), i+1)
	}
	x.settle()
}

// at looks at the token i and returns the index of the next to look at.
func (x *extractor) at(i int) int {
	t := &x.tokens[i]
	switch {
	case t.opaque:
		x.quotedLine(x.text[t.start:t.end])
	case t.isTarget:
	case x.flag(i):
		return i + 2
	case strings.IndexByte(t.text, '/') > 0:
		x.slashed(i)
	case x.host(i), x.commandArguments(i), x.toolArgument(i), x.containerOf(i):
	case t.is(isKind) && !t.quoted:
		return x.kindWord(i)
	case t.is(isIn) && !t.quoted:
		return x.place(i)
	case isChangeName(t.text):
		return x.take(i, Target{Kind: "ChangeRequest", Name: t.text})
	case x.standsAsName(i):
		return x.bare(i)
	}
	return i + 1
}

// flag reads "-n shop" and "--namespace=shop".
func (x *extractor) flag(i int) bool {
	text := x.tokens[i].text
	for _, flag := range []string{"--namespace=", "-n="} {
		if ns, ok := strings.CutPrefix(text, flag); ok && isName(ns) {
			x.setNamespace(ns)
			return false
		}
	}
	if text != "-n" && text != "--namespace" || i+1 == len(x.tokens) || !isName(x.tokens[i+1].text) {
		return false
	}
	x.tokens[i+1].isTarget = true
	x.setNamespace(x.tokens[i+1].text)
	return true
}

func (x *extractor) setNamespace(ns string) {
	if x.namespace == "" {
		x.namespace = ns
	}
	x.several = x.several || ns != x.namespace
}

// slashed reads "deploy/web", "deployment/shop/web" and "shop/web".
func (x *extractor) slashed(i int) {
	t := &x.tokens[i]
	parts := strings.Split(t.text, "/")
	first, last := parts[0], parts[len(parts)-1]
	if t.mixedCase || strings.ContainsAny(t.text, ":@=") || !isName(last) {
		return
	}
	kind := ""
	if w := x.lex.words[first]; w != nil {
		kind = w.kind
	}
	switch {
	case len(parts) == 3 && kind != "" && isName(parts[1]):
		x.take(i, Target{Kind: kind, Namespace: parts[1], Name: last})
		x.setNamespace(parts[1])
	case len(parts) != 2:
	case kind != "" && kind != "Host":
		x.take(i, Target{Kind: kind, Name: last})
		x.following(i + 1)
	case x.isNamespaced(first, last):
		x.take(i, Target{Namespace: first, Name: last})
		x.setNamespace(first)
	}
}

// isNamespaced tells "shop/web" from a path of common words.
func (x *extractor) isNamespaced(namespace, name string) bool {
	if !isName(namespace) || hostOf(namespace) != "" || !x.unknown(name) {
		return false
	}
	return x.unknown(namespace) || x.lex.words[namespace].class&isEnv != 0
}

func (x *extractor) unknown(text string) bool {
	w := x.lex.words[text]
	return w == nil || w.class == 0
}

// host reads a qualified host name or an address; a user before it only after "ssh".
func (x *extractor) host(i int) bool {
	t := &x.tokens[i]
	text := t.text
	if at := strings.IndexByte(text, '@'); at >= 0 {
		if i == 0 || x.tokens[i-1].text != "ssh" && x.tokens[i-1].text != "scp" {
			return false
		}
		text = text[at+1:]
	}
	if service, ok := strings.CutSuffix(text, ".svc.cluster.local"); ok || strings.HasSuffix(text, ".svc") {
		name, ns, found := strings.Cut(strings.TrimSuffix(service, ".svc"), ".")
		if found && isName(name) && isName(ns) {
			x.take(i, Target{Kind: "Service", Namespace: ns, Name: name})
			x.setNamespace(ns)
			return true
		}
	}
	host := hostOf(text)
	if host == "" {
		return false
	}
	x.take(i, Target{Host: host})
	x.hosts++
	return true
}

// kindWord reads "deployment web", "the web deployment", "pods web-0 and web-1".
func (x *extractor) kindWord(i int) int {
	kind := x.kindOf(i)
	if kind == "" {
		return i + 1
	}
	j := i + 1
	for x.introduces(j) {
		j++
	}
	if x.canFollowKind(j) || j == i+1 && x.verbAsName(i, kind) {
		return x.list(j, kind)
	}
	if !x.canPrecedeKind(i-1, kind) {
		return i + 1
	}
	name := x.tokens[i-1].text
	if strings.HasSuffix(x.tokens[i].text, "s") && kind != "DaemonSet" && kind != "Ingress" {
		if strings.IndexByte(name, '-') > 0 && !hasNameShape(name, x.lex) {
			return i + 1
		}
		kind = "" // the pods of an application bear other names than it
	}
	x.take(i-1, Target{Kind: x.kindFor(kind, name, i), Name: name})
	return x.following(i + 1)
}

// introduces tells whether the word at i, behind a kind, only leads to the name: "called".
func (x *extractor) introduces(i int) bool {
	t := x.word(i)
	return t.before <= breakColon && (t.is(isNamed) || strings.HasPrefix(t.text, "argo"))
}

// verbAsName tells whether a verb behind the kind at i is a name: "service account deployer in ci",
// "playbook patching".
func (x *extractor) verbAsName(i int, kind string) bool {
	if i+1 >= len(x.tokens) || x.tokens[i+1].before != breakNone || x.tokens[i+1].opaque {
		return false
	}
	t := &x.tokens[i+1]
	if kind == "Playbook" && x.namesPlaybook(i+1) {
		return true
	}
	return (x.inNamespace(i+2) || x.belongs(i+2)) && t.is(isChange|isRead) && !t.is(isNoun|isInfo|isMeta|isState|isBe) && !t.corrected && isName(t.text)
}

// namesPlaybook tells whether a verb right behind the word for playbooks is the name of one.
func (x *extractor) namesPlaybook(i int) bool {
	t := &x.tokens[i]
	return t.is(isPart|isChange|isEnv) && !t.is(isDet|isIn|isStop) && (x.closed(i+1) || x.word(i-2).text == "ansible")
}

// quotedLine reads the targets of a command line that the text quotes.
func (x *extractor) quotedLine(line string) {
	if !strings.HasPrefix(line, "kubectl ") {
		return
	}
	inner := extractor{text: line, tokens: tokenize(line)}
	inner.extract()
	if inner.namespace != "" {
		x.setNamespace(inner.namespace)
	}
	for _, t := range inner.targets {
		if !slices.Contains(x.targets, t) {
			x.targets = append(x.targets, t)
		}
	}
}

// kindOf returns the kind that the token means here: an application without Argo CD is just a word, and "deploy" may be
// a verb.
func (x *extractor) kindOf(i int) string {
	t := &x.tokens[i]
	switch {
	case t.kind == "Application" && !x.argo:
		return ""
	case t.is(isChange) && (i == 0 || t.before != breakNone || x.tokens[i-1].is(isPolite|isSkip|isGo|isAnd|isThen)):
		return ""
	}
	return t.kind
}

// canFollowKind tells whether the token is a name right after a kind.
func (x *extractor) canFollowKind(j int) bool {
	t := x.word(j)
	apart := t.before > breakNone && !(t.before == breakColon && t.quoted)
	switch {
	case apart, t.opaque, t.isTarget, t.mixedCase, !isName(t.text):
		return false
	case x.behindKind(j, x.tokens[j-1].kind):
		return true
	case t.quoted, x.isUnusual(j):
		return t.text[0] >= 'a' || strings.IndexByte(t.text, '-') > 0
	case t.is(isEnv|isSoft) && !t.is(isKind):
		return !t.is(isStop|isInfo|isRead|isChange|isState) || x.endsPhrase(j+1)
	}
	return false
}

// isUnusual tells whether the word at j is one that the lexicon does not know, and looks like none that it might.
func (x *extractor) isUnusual(j int) bool {
	t := &x.tokens[j]
	return t.class == 0 && !t.corrected && (!looksOrdinary(t.text) || x.endsPhrase(j+1))
}

// canPrecedeKind tells whether the token is a name right before a kind, as English puts it.
func (x *extractor) canPrecedeKind(j int, kind string) bool {
	t := x.word(j)
	_, isTool := tools[t.text]
	switch {
	case x.joint(j+1) == &nothing, t.opaque, t.isTarget, t.mixedCase, t.corrected, !isName(t.text), looksOrdinary(t.text):
		return false
	case t.quoted, t.class == 0:
		return t.text[0] >= 'a'
	case isTool, t.is(isKind | isDet | isPrep):
		return false
	case kind == "Playbook", kind == "Terraform":
		return x.determined(j) && t.is(isPart|isEnv|isOps|isChange)
	case t.is(isEnv), kind == "Pod" && contains(countable, t.text):
		return x.determined(j) || x.inverted(j)
	}
	return t.is(isSoft)
}

// determined tells whether an article, a command or a preposition stands before the word at j.
func (x *extractor) determined(j int) bool { return x.prior(j).is(isDet | isChange | isIn) }

// list takes the name at j and those joined to it by commas and "and".
func (x *extractor) list(j int, kind string) int {
	for {
		x.takeKind(j, kind)
		k := j + 1
		if k < len(x.tokens) && x.tokens[k].is(isAnd|isOr) && x.tokens[k].before <= breakComma {
			k++
		} else if k >= len(x.tokens) || x.tokens[k].before != breakComma {
			return x.following(k)
		}
		if k >= len(x.tokens) || x.tokens[k].class != 0 || !isName(x.tokens[k].text) || x.tokens[k].mixedCase || x.tokens[k].opaque {
			return x.following(j + 1)
		}
		j = k
	}
}

func (x *extractor) takeKind(j int, kind string) {
	name := x.tokens[j].text
	if kind == "Host" {
		if strings.IndexByte(name, '.') >= 0 {
			name = hostOf(name)
		}
		if name == "" {
			return
		}
		x.take(j, Target{Host: name})
		x.hosts++
		return
	}
	x.take(j, Target{Kind: x.kindFor(kind, name, j), Name: name})
}

// take records a target and marks its token.
func (x *extractor) take(i int, target Target) int {
	x.tokens[i].name()
	x.last = i + 1
	if target.Kind == "Namespace" {
		x.setNamespace(target.Name)
	}
	if !slices.Contains(x.targets, target) {
		x.targets = append(x.targets, target)
	}
	return i + 1
}
