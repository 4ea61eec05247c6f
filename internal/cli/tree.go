package cli

import (
	"slices"
	"strings"
)

// printStory prints the findings as trees from root causes to symptoms, then other faults, then what is missing.
func printStory(p *printer, w vocabulary, s story) {
	t := &tree{printer: p, words: w, chain: s.chain, done: map[string]bool{}}
	t.section(wordRootCause, s.roots)
	var loose []finding
	for _, f := range s.chain {
		if !t.done[f.id] {
			loose = append(loose, f)
		}
	}
	t.section(wordObserved, loose)
	t.brief = true
	t.section(wordIndependent, s.independent)
	if len(s.missing) > 0 {
		p.line("")
		p.line("%s", p.paint(bold, w.say(wordMissing)))
		for _, m := range s.missing {
			p.line("  %s %s", p.sign("·", "-"), oneLine(strings.Join(nonEmpty(m.what, m.why), ": ")))
			if m.command != "" {
				p.line("    %s %s", p.sign("→", "->"), oneLine(m.command))
			}
		}
	}
	if len(s.looked) > 0 {
		p.line("")
		p.line("%s", p.paint(dim, w.say(wordLooked, oneLine(strings.Join(s.looked, ", ")))))
	}
}

// nonEmpty returns those of texts that are not empty.
func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

// tree prints findings below those that caused them.
type tree struct {
	*printer
	words vocabulary
	chain []finding
	// brief leaves the evidence out: of faults that were not asked about, what and where is enough.
	brief bool
	// done holds the ids that are printed already: a consequence of two causes is shown once, and circles end.
	done map[string]bool
}

// section prints findings under a heading, each with what follows from it.
func (t *tree) section(heading word, list []finding) {
	if len(list) == 0 {
		return
	}
	t.line("")
	t.line("%s", t.paint(bold, t.words.say(heading)))
	for i := range list {
		t.node(&list[i], "  ", "  ")
	}
}

// node prints one finding and, below it, its consequences. The first line begins with first, the others with rest.
func (t *tree) node(f *finding, first, rest string) {
	title := f.object
	if f.absent {
		title += " (" + t.words.say(wordAbsent) + ")"
	}
	color := yellow
	if f.severity == "Critical" || f.severity == "High" {
		color = red
	}
	t.line("%s%s  %s", first, t.paint(bold, oneLine(title)), t.paint(color, strings.Join(nonEmpty(f.cause, f.severity), ", ")))
	t.done[f.id] = f.id != ""
	children := t.consequences(f)
	bar := "  "
	if len(children) > 0 {
		bar = t.sign("│ ", "| ")
	}
	t.details(f, rest+bar)
	for i, child := range children {
		if i < len(children)-1 {
			t.node(child, rest+t.sign("├─ ", "|- "), rest+t.sign("│  ", "|  "))
		} else {
			t.node(child, rest+t.sign("└─ ", "`- "), rest+"   ")
		}
	}
}

// consequences returns what follows directly from a finding and is not printed yet, and marks it so that no other
// branch takes it.
func (t *tree) consequences(f *finding) []*finding {
	var list []*finding
	for i := range t.chain {
		c := &t.chain[i]
		if f.id != "" && slices.Contains(c.causedBy, f.id) && !t.done[c.id] {
			t.done[c.id] = c.id != ""
			list = append(list, c)
		}
	}
	return list
}

// details prints the message, the evidence and the remedy of a finding.
func (t *tree) details(f *finding, indent string) {
	if f.message != "" {
		t.line("%s%s", indent, oneLine(f.message))
	}
	cited := f.evidence
	if t.brief {
		cited = nil
	}
	for _, e := range cited {
		t.line("%s%s %s", indent, t.paint(dim, t.sign("·", "-")+" "+oneLine(e.Source)+":"), oneLine(e.Text))
	}
	if f.fix != "" {
		t.line("%s%s %s", indent, t.paint(green, t.sign("→", "->")), oneLine(f.fix))
	}
	if f.operation != "" {
		t.line("%s  %s", indent, t.paint(dim, t.words.say(wordOperation, safe(f.operation))))
	}
}
