package wish

import (
	"strings"
	"sync"
)

// symbol is one place of a sentence: one of several words or phrases, or a slot with a rule of its own.
type symbol struct {
	phrases  [][]string
	slot     string
	optional bool
}

// pattern is a sentence as it is matched.
type pattern []symbol

// compiled is everything of sentences.go, ready to be matched.
type compiled struct {
	sentences, ellipses                                                         []sentence
	openers, asking, closers, joints, causes, aims, places, running, scarcities []pattern
	// literals are all words that stand for themselves, firsts those that a sentence begins with.
	literals, firsts map[string]bool
}

// sentence is a pattern and what it means.
type sentence struct {
	verb    Verb
	pattern pattern
}

var grammar = sync.OnceValue(func() *compiled {
	c := &compiled{literals: map[string]bool{}, firsts: map[string]bool{}}
	for _, verb := range []Verb{Restart, Scale, Undo, SetImage, Delete, Cordon, Uncordon, Suspend, Resume} {
		for _, p := range c.compile(sentences[verb]) {
			c.sentences = append(c.sentences, sentence{verb, p})
			for _, phrase := range p[0].phrases {
				c.firsts[phrase[0]] = true
			}
		}
	}
	for _, verb := range []Verb{Scale, SetImage, Undo} {
		for _, p := range c.compile(ellipses[verb]) {
			c.ellipses = append(c.ellipses, sentence{verb, p})
		}
	}
	c.openers, c.asking, c.closers = c.compile(openers), c.compile(asking), c.compile(closers)
	c.joints, c.causes, c.aims = c.compile(joints), c.compile(causes), c.compile(aims)
	c.places, c.running, c.scarcities = c.compile(places), c.compile(running), c.compile(scarcities)
	return c
})

// compile reads lines of sentences.
func (c *compiled) compile(lines string) []pattern {
	var all []pattern
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, c.line(synonyms.Replace(line)))
		}
	}
	return all
}

func (c *compiled) line(line string) pattern {
	var p pattern
	for field := range strings.FieldsSeq(line) {
		s := symbol{}
		if inner, ok := strings.CutPrefix(field, "["); ok {
			s.optional, field = true, strings.TrimSuffix(inner, "]")
		}
		if strings.HasPrefix(field, "<") {
			s.slot = field
			p = append(p, s)
			continue
		}
		for phrase := range strings.SplitSeq(field, "|") {
			words := strings.Split(phrase, "_")
			for _, word := range words {
				c.literals[word] = true
			}
			s.phrases = append(s.phrases, words)
		}
		p = append(p, s)
	}
	return p
}
