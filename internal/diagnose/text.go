package diagnose

import (
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// texts holds the sentences of one cause or module: message id to sentence, in both languages. Arguments are numbered
// (%[1]s). Ports, exit codes and other numbers that are names are passed as strings: %d groups digits.
type texts struct {
	english map[string]string
	french  map[string]string
}

// languages are those that answers are given in; the first one is the fallback.
var languages = []language.Tag{language.English, language.French}

// messages is the catalogue of all texts.
var messages = newCatalogue()

func newCatalogue() *catalog.Builder {
	b := catalog.NewBuilder(catalog.Fallback(language.English))
	add := func(t texts) {
		for id, s := range t.english {
			must(b.SetString(language.English, id, s))
		}
		for id, s := range t.french {
			must(b.SetString(language.French, id, s))
		}
	}
	for _, t := range moduleTexts {
		add(t)
	}
	for _, c := range causes() {
		add(c.texts)
	}
	return b
}

// must stops the program for a text that cannot be parsed: a programming error, found by any test.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func newPrinter(tag language.Tag) *message.Printer {
	_, at, _ := language.NewMatcher(languages).Match(tag)
	return message.NewPrinter(languages[at], message.Catalog(messages))
}

// say makes a sentence of the catalogue. Untrusted words among the arguments are cleaned, bounded and redacted.
func (x *exam) say(id string, args ...any) string {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = word(s)
		}
	}
	return redacted(x.printer.Sprintf(message.Key(id, id), args...))
}

// word makes a piece of untrusted text fit for a sentence.
func word(s string) string {
	const most = 160
	s = oneLine(s)
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}
