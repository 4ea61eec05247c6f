package wish

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eclusier/eclusier/internal/classify"
)

// reader reads the words of one text.
type reader struct {
	words []classify.Word
	// end is the index after the sentence at hand, furthest that of the last word that was tried in vain.
	end, furthest int
	// untagged is an image without tag and digest that stands where an image is needed.
	untagged string
	// seen are the ways to read the wishes from a word to the end of the sentence.
	seen map[turn][][]Step
	// slips are the words of the sentences that a word may misspell, by its index.
	slips map[int][]string
	// french says that the text is in French, where some words are others than in English.
	french bool
	// placed says that the name of a place stands where an object is needed.
	placed bool
	// reports says that a remark ahead of the wish reports that something has ended.
	reports bool
	// elsewhere says that a remark was passed over that names a place.
	elsewhere bool
}

// turn is a place where a wish may begin, and what the wish before it does, so that it need not say so again.
type turn struct {
	at   int
	verb Verb
}

// found is one way to read the words up to end.
type found struct {
	end   int
	steps []Step
}

// text reads all sentences. Each is a wish, several of them, or says no more than what is wrong with something.
func (r *reader) text() ([]Step, *InexpressibleError) {
	r.unbracket()
	var steps []Step
	for from := 0; from < len(r.words); from = r.end {
		r.end = from + 1
		for r.end < len(r.words) && r.words[r.end].Before < classify.PauseSentence {
			r.end++
		}
		r.seen, r.furthest, r.untagged, r.placed, r.reports = map[turn][][]Step{}, from, "", false, false
		more, refusal := r.placedSentence(from)
		switch {
		case refusal == nil:
			steps = append(steps, more...)
		case r.onlyStates(from), r.isCourtesy(from):
		default:
			return nil, refusal
		}
	}
	if len(steps) == 0 {
		return nil, &InexpressibleError{Reason: NoOperation}
	}
	return steps, nil
}

// resuming are the words with which a wish goes on behind a bracket. With any other a remark may begin.
var resuming = []string{"to", "with", "by", "at", "from", "up", "down", "back", "and", "then", "a", "en", "vers", "par", "sur", "pour", "avec", "de", "et", "puis"}

// unbracket takes the brackets from around the places that interrupt a wish: "the image of web (ns shop) to …".
func (r *reader) unbracket() {
	r.end = len(r.words)
	for i := range r.words {
		if i == 0 || r.words[i].Before != classify.PauseColon {
			continue
		}
		for _, p := range r.places(i) {
			if p.end < r.end && r.words[p.end].Before == classify.PauseColon && slices.Contains(resuming, r.words[p.end].Text) {
				r.words[i].Before, r.words[p.end].Before = classify.PauseNone, classify.PauseNone
				break
			}
		}
	}
}

// placedSentence reads one sentence, and one that ends in where all of its wishes are meant: "restart web and scale it to 3,
// ns shop".
func (r *reader) placedSentence(from int) ([]Step, *InexpressibleError) {
	steps, refusal := r.sentence(from)
	end := r.end
	for i := from + 1; refusal != nil && i < end; i++ {
		if before := r.words[i].Before; before != classify.PauseComma && before != classify.PauseColon || r.saysAt(i, end, "of from de du") {
			continue
		}
		for _, p := range r.places(i) {
			if r.skip(grammar().closers, p.end) != end {
				continue
			}
			r.end, r.seen = i, map[turn][][]Step{}
			all, wrong := r.sentence(from)
			r.end, r.seen = end, map[turn][][]Step{}
			if wrong == nil && placeAll(all, p.namespace) {
				return all, nil
			}
		}
	}
	return steps, refusal
}

// placeAll gives a namespace to all steps that name their object, unless one has a namespace already or can have none.
func placeAll(steps []Step, namespace string) bool {
	placed := false
	for i := range steps {
		target := &steps[i].Target
		switch {
		case target.Name == "":
		case target.Namespace != "", clusterScoped(target.Kind, steps[i].Verb):
			return false
		default:
			target.Namespace, placed = namespace, true
		}
	}
	return placed
}

// sentence reads one sentence: wishes, behind courtesies, remarks, or what they are about.
func (r *reader) sentence(from int) ([]Step, *InexpressibleError) {
	asks, asked := r.words[r.end-1].Asks, false
	var ways [][]Step
	for begin := from; ; {
		wish, kindly := r.lead(begin)
		if asked = asked || kindly; !asks || kindly {
			ways = r.wishes(turn{at: wish})
		}
		if len(ways) == 0 && !asks {
			ways = r.behindTopic(begin)
		}
		if len(ways) > 0 {
			break
		}
		if begin = r.behindRemark(begin); begin == r.end {
			return nil, r.refusal(from, asks && !asked)
		}
	}
	return r.only(ways, from)
}

// only returns the only way to read the sentence from an index on, if its remarks are reasons for what it wishes.
func (r *reader) only(ways [][]Step, from int) ([]Step, *InexpressibleError) {
	switch {
	case len(ways) > 1:
		return nil, &InexpressibleError{Reason: Ambiguous}
	case r.reports && !slices.ContainsFunc(ways[0], func(s Step) bool { return lifts(s.Verb) }):
		r.fail(from)
		return nil, r.refusal(from, false)
	}
	return ways[0], nil
}

// lead returns the index after the courtesies at i, and whether they ask for what follows, so that a question mark is one
// of them.
func (r *reader) lead(i int) (at int, kindly bool) {
	i = r.skip(grammar().openers, i)
	at = r.longest(grammar().asking, i)
	return r.skip(grammar().openers, at), at > i
}

// behindTopic reads a sentence that first says what it is about: "web in shop is stuck, restart it", "web: restart".
func (r *reader) behindTopic(from int) [][]Step {
	pause := r.pause(from)
	if pause == r.end {
		return nil
	}
	for _, topic := range r.targets(from, Restart) {
		if topic.end != pause || len(topic.names) != 1 || topic.names[0].Name == "" {
			continue
		}
		ways := r.wishes(turn{at: pause})
		for _, steps := range ways {
			for i := range steps {
				if steps[i].Target.Name != "" {
					return nil
				}
				steps[i].Target = topic.names[0]
			}
		}
		return ways
	}
	return nil
}

// wishes returns the ways to read the words from a turn to the end of the sentence as one wish or several.
func (r *reader) wishes(t turn) [][]Step {
	if ways, ok := r.seen[t]; ok {
		return ways
	}
	r.seen[t] = nil // whatever comes back here has got nowhere
	var ways [][]Step
	for _, one := range r.wish(r.skip(grammar().openers, t.at), t.verb) {
		for _, rest := range r.rest(one.end, one.steps[len(one.steps)-1].Verb) {
			way := slices.Concat(one.steps, rest)
			shareNamespace(way)
			if !slices.ContainsFunc(ways, func(other []Step) bool { return slices.Equal(other, way) }) {
				ways = append(ways, way)
			}
		}
	}
	r.seen[t] = ways
	return ways
}

// rest returns the ways to read what follows a wish: nothing, a reason, remarks, or another wish.
func (r *reader) rest(i int, verb Verb) [][]Step {
	i = r.skip(grammar().closers, i)
	if i == r.end || r.explains(i) || r.onlyRemarks(i, verb) {
		return [][]Step{nil}
	}
	next := r.longest(grammar().joints, i)
	if next == i && r.words[i].Before == classify.PauseNone || next == r.end {
		r.fail(i)
		return nil
	}
	return r.wishes(turn{next, verb})
}

// wish returns the ways to read one wish at i, behind one with a verb that it may leave out.
func (r *reader) wish(i int, verb Verb) []found {
	if at := r.longest(grammar().running, i); r.isKubectl(at) {
		return r.commandLine(at)
	}
	var all []found
	known := grammar().sentences
	for _, s := range grammar().ellipses {
		if s.verb == verb {
			known = append(slices.Clip(known), s)
		}
	}
	for _, ahead := range append(r.places(i), place{end: i}) {
		for _, s := range known {
			r.match(s.pattern, ahead.end, draft{start: ahead.end, step: Step{Verb: s.verb, From: -1}}, func(end int, d draft) {
				for _, behind := range append(r.places(end), place{end: end}) {
					if said := ahead.namespace + behind.namespace; said == "" || d.lacksPlace() {
						all = append(all, found{behind.end, d.steps(ahead.namespace, behind.namespace)})
					}
				}
			})
		}
	}
	return all
}

// draft is a wish that is being read, from start on.
type draft struct {
	start int
	step  Step
	names []Name
}

// lacksPlace tells whether an object is named without its namespace, which may then be said before or behind the wish.
func (d draft) lacksPlace() bool {
	return slices.ContainsFunc(d.names, func(n Name) bool {
		return n.Name != "" && n.Namespace == "" && !clusterScoped(n.Kind, d.step.Verb)
	})
}

// steps makes one step for each object, in the namespace that the wish names before or behind it.
func (d draft) steps(before, behind string) []Step {
	var steps []Step
	for _, name := range d.names {
		step := d.step
		step.Target = name
		if name.Name != "" && name.Namespace == "" && !clusterScoped(name.Kind, step.Verb) {
			step.Target.Namespace = cmp.Or(before, behind)
		}
		steps = append(steps, step)
	}
	return steps
}

// match matches a pattern at i, and calls then with each way to do so.
func (r *reader) match(p pattern, i int, d draft, then func(int, draft)) {
	if len(p) == 0 {
		then(i, d)
		return
	}
	s, rest := p[0], p[1:]
	if s.optional {
		r.match(rest, i, d, then)
	}
	if s.slot != "" {
		r.fill(s.slot, i, d, func(end int, filled draft) { r.match(rest, end, filled, then) })
		return
	}
	for _, phrase := range s.phrases {
		if r.says(phrase, i, d.start) {
			r.match(rest, i+len(phrase), d, then)
		}
	}
}

// says tells whether the words at i are those of a phrase. A pause may stand before it only where it is the start.
func (r *reader) says(phrase []string, i, start int) bool {
	for k, text := range phrase {
		at := i + k
		if at >= r.end || !r.spoken(at, start) || !r.means(at, text) {
			r.fail(min(i, r.end))
			return false
		}
	}
	return true
}

// spoken tells whether the word at i stands for itself, joined to the one before it unless it is the start.
func (r *reader) spoken(i, start int) bool {
	w := &r.words[i]
	participle := strings.HasSuffix(w.Raw, "é") && w.Text != w.Raw
	return !w.Quoted && !participle && r.joined(i, start)
}

// joined tells whether nothing separates the word at i from the one before, or whether it is the start.
func (r *reader) joined(i, start int) bool {
	return i == start || r.words[i].Before == classify.PauseNone
}

func (r *reader) fail(i int) { r.furthest = max(r.furthest, i) }

// longest returns the index after the longest of some phrases at i, or i.
func (r *reader) longest(phrases []pattern, i int) int {
	longest, furthest := i, r.furthest
	for _, p := range phrases {
		r.match(p, i, draft{start: i}, func(end int, _ draft) { longest = max(longest, end) })
	}
	r.furthest = furthest // what need not be there is not missed
	return longest
}

// skip returns the index after all phrases at i that follow one another.
func (r *reader) skip(phrases []pattern, i int) int {
	for {
		end := r.longest(phrases, i)
		if end == i {
			return i
		}
		i = end
	}
}

// isCourtesy tells whether a sentence says nothing but "hello" or "thanks".
func (r *reader) isCourtesy(from int) bool {
	return r.skip(grammar().closers, r.skip(grammar().openers, from)) == r.end
}
