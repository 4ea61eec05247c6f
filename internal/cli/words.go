package cli

import (
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// word is a heading or label around an answer. It appears in the language of the answer.
type word string

const (
	wordQuestion    word = "Question"
	wordAskedBy     word = "Asked by"
	wordTakenFor    word = "Taken for"
	wordAbout       word = "About"
	wordChange      word = "Change"
	wordNoAnswer    word = "No answer: %s"
	wordRootCause   word = "Root cause"
	wordObserved    word = "Observed"
	wordIndependent word = "Other faults, not the cause"
	wordMissing     word = "Missing evidence"
	wordLooked      word = "Looked at: %s"
	wordAbsent      word = "does not exist"
	wordOperation   word = "as an operation: %s"
	wordAgo         word = "%s ago"
)

// french translates the words.
var french = map[word]string{
	wordQuestion:    "Question",
	wordAskedBy:     "Posée par",
	wordTakenFor:    "Comprise",
	wordAbout:       "Porte sur",
	wordChange:      "Changement",
	wordNoAnswer:    "Pas de réponse : %s",
	wordRootCause:   "Cause première",
	wordObserved:    "Constaté",
	wordIndependent: "Autres défauts, sans lien",
	wordMissing:     "Éléments manquants",
	wordLooked:      "Examiné : %s",
	wordAbsent:      "n'existe pas",
	wordOperation:   "en opération : %s",
	wordAgo:         "il y a %s",
}

// texts is the catalogue of the words.
var texts = func() catalog.Catalog {
	builder := catalog.NewBuilder(catalog.Fallback(language.English))
	for key, text := range french {
		if err := builder.SetString(language.French, string(key), text); err != nil {
			panic(err) // a word of ours that cannot be compiled
		}
	}
	return builder
}()

// vocabulary says words in one language.
type vocabulary struct{ printer *message.Printer }

// wordsOf returns the words of a language, English where it is unknown.
func wordsOf(tag string) vocabulary {
	parsed, err := language.Parse(tag)
	if err != nil {
		parsed = language.English
	}
	return vocabulary{message.NewPrinter(parsed, message.Catalog(texts))}
}

// say returns the word, with what it is to be said with.
func (v vocabulary) say(w word, with ...any) string { return v.printer.Sprintf(string(w), with...) }

// pad returns a label, padded to the width of its column.
func (v vocabulary) pad(w word) string {
	text := v.say(w)
	for utf8.RuneCountInString(text) < len("Porte sur ") {
		text += " "
	}
	return text
}
