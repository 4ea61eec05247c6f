package classify

// The words for a place that is the whole cluster.
const (
	everyPlace    = " everywhere partout cluster-wide clusterwide "
	wholes        = " whole entire tout toute full "
	throughout    = " in across on over within throughout inside of for dans sur de du au "
	everyOne      = " all every each any tous toutes chaque "
	allNamespaces = " -A --all-namespaces --all-namespaces=true "
)

// asksWholeCluster tells whether a text speaks of the whole cluster: "in the cluster", "all namespaces", "partout".
func asksWholeCluster(text string, tokens []token) bool {
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.opaque, t.quoted, t.isTarget:
		case contains(everyPlace, t.text), contains(allNamespaces, text[t.start:t.end]), meansCluster(tokens, i), meansEveryNamespace(tokens, i):
			return true
		}
	}
	return false
}

// meansCluster tells whether "the cluster" behind a preposition, and nothing of the cluster, stands at i.
func meansCluster(tokens []token, i int) bool {
	if !contains(" cluster grappe ", tokens[i].text) || i+1 < len(tokens) && qualifiesMore(&tokens[i+1]) {
		return false
	}
	for j := i - 1; j >= 0 && tokens[j+1].before == breakNone; j-- {
		t := &tokens[j]
		switch {
		case contains(wholes, t.text), contains(throughout, t.text):
			return true
		case !t.is(isDet):
			return false
		}
	}
	return false
}

// qualifiesMore tells whether a word makes a part of the cluster of the one before it: "the cluster autoscaler".
func qualifiesMore(t *token) bool {
	return t.before == breakNone && (t.isTarget || t.class == 0 || t.is(isKind|isOps|isInfo|isMeta) && !t.is(isPrep|isBe|isState))
}

// meansEveryNamespace tells whether "all namespaces" stands at i.
func meansEveryNamespace(tokens []token, i int) bool {
	if tokens[i].kind != "Namespace" {
		return false
	}
	for j := i - 1; j >= 0 && j >= i-3 && tokens[j+1].before == breakNone; j-- {
		if contains(everyOne, tokens[j].text) {
			return true
		}
	}
	return false
}
