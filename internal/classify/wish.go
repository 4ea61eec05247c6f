package classify

import "strings"

// asking are the auxiliaries that open a question wherever they stand, before a pronoun.
const asking = " did does do is was has have are were "

// invertsInside tells whether a question begins inside a statement: "cronjob report in shop did it run".
func (r *reading) invertsInside(i int, c clause) bool {
	if i+1 >= c.to || !contains(asking, r.tokens[i].text) || r.tokens[i].isTarget {
		return false
	}
	return contains(" it they he she ", r.tokens[i+1].text) && r.hasTarget(c.from, clause{to: i})
}

// obligesOnly tells whether the courtesy before a verb says that something has to be done, which with a question mark
// asks whether it has: "faut redémarrer web ?".
func (r *reading) obligesOnly(from, at int) bool {
	for i := from; i < at; i++ {
		if t := &r.tokens[i]; t.is(isPolite) && contains(" il faut faudrait on nous we i you ", t.text) && obliges(r.text[t.start:t.end]) {
			return true
		}
	}
	return false
}

// obliges tells whether a phrase says that something has to be done.
func obliges(phrase string) bool {
	for _, word := range []string{"faut", "faudrait", "doit", "devons", "must", "have to", "need to"} {
		if strings.HasSuffix(strings.ToLower(phrase), word) {
			return true
		}
	}
	return false
}

// wishesHealth tells "can we get web healthy again", which wants web mended and does not say how, from a question
// whether something may be done.
func (r *reading) wishesHealth(at int, c clause) bool {
	phrase := strings.ToLower(r.text[r.tokens[at].start:r.tokens[at].end])
	if !hasAnyPrefix(phrase, "can we", "could we", "can i", "could i") || at+1 >= c.to || !contains(" get bring have ", r.tokens[at+1].text) {
		return false
	}
	for i := at + 2; i < c.to; i++ {
		if contains(" healthy ready up running working back ", r.tokens[i].text) && !r.tokens[i].isTarget {
			return r.hasTarget(at, c)
		}
	}
	return false
}

// repeats tells whether a vague wish wants done again what the text says its author did to something that it names:
// "I restarted web in shop and it helped; please do the same again".
func (r *reading) repeats(at int, c clause) bool {
	phrase := r.text[r.tokens[at].start:r.tokens[at].end]
	if !contains(again, joined.Replace(strings.ToLower(phrase))) || c.asks {
		return false
	}
	for i := 1; i < c.from; i++ {
		t, who := &r.tokens[i], &r.tokens[i-1]
		if t.is(isPart) && !t.isTarget && t.before == breakNone && r.didMyself(i, who) && r.tellsTarget(i+1) {
			return true
		}
	}
	return false
}

// again are the wishes for what was done before.
const again = " do_the_same do_that_again do_it_again do_it do_that do_this repeat refais refais_le fais_la_meme_chose "

// joined writes a phrase as the lists of words do.
var joined = strings.NewReplacer(" ", "_", "-", "_")

// didMyself tells whether the author is who did what the participle at i tells.
func (r *reading) didMyself(i int, who *token) bool {
	if contains(" i we ", who.text) {
		return true
	}
	return i > 1 && contains(" ai avons a ", who.text) && contains(" je nous on ", r.tokens[i-2].text)
}

// tellsTarget tells whether a target follows before the clause ends.
func (r *reading) tellsTarget(i int) bool {
	for ; i < len(r.tokens) && r.tokens[i].before == breakNone; i++ {
		if r.tokens[i].isTarget {
			return true
		}
	}
	return false
}

// setsAll tells whether a clause says what is to be set, and on what: "mets web à 4", "put the token into secret db".
func (r *reading) setsAll(at int, c clause) bool {
	return r.putsInto(at, c) || r.tokens[at].language == inFrench && r.namesValue(at+1, c) && r.hasTarget(at, c)
}

// putsInto tells "put the token into secret db", which says all that there is to do.
func (r *reading) putsInto(at int, c clause) bool {
	if !contains(" put mets mettez mettre ", r.tokens[at].text) {
		return false
	}
	for i := at + 2; i+1 < c.to; i++ {
		if !contains(" into in dans ", r.tokens[i].text) {
			continue
		}
		k := i + 1
		for k+1 < c.to && r.tokens[k].is(isDet) {
			k++
		}
		if holds := r.tokens[k].kind; (holds == "Secret" || holds == "ConfigMap") && k+1 < c.to && r.tokens[k+1].isTarget {
			return true
		}
	}
	return false
}
