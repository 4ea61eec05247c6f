package answer

import (
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// The ids of the texts. Labels stand before what they name.
const (
	rootCause    = "root cause"
	independent  = "independent"
	fix          = "fix"
	consequences = "consequences"
	observed     = "observed"
	missing      = "missing"
	looked       = "looked"
	leftOut      = "left out"
)

var english = map[string]string{
	rootCause:    "Root cause:",
	independent:  "Not related, but also wrong:",
	fix:          "What to do:",
	consequences: "What follows from it:",
	observed:     "What was observed:",
	missing:      "Missing:",
	looked:       "Looked at:",
	leftOut:      "Parts left out for length: %d. The findings hold them all.",
}

var french = map[string]string{
	rootCause:    "Cause racine :",
	independent:  "Sans rapport, mais également en défaut :",
	fix:          "Que faire :",
	consequences: "Ce qui en découle :",
	observed:     "Ce qui a été observé :",
	missing:      "Il manque :",
	looked:       "Examiné :",
	leftOut:      "Parties omises faute de place : %d. Les constats les contiennent toutes.",
}

var (
	languages = []language.Tag{language.English, language.French}
	matcher   = language.NewMatcher(languages)
	messages  = newCatalogue()
)

func newCatalogue() *catalog.Builder {
	builder := catalog.NewBuilder(catalog.Fallback(language.English))
	for tag, texts := range map[language.Tag]map[string]string{language.English: english, language.French: french} {
		for id, text := range texts {
			if err := builder.SetString(tag, id, text); err != nil {
				panic(err) // a text that cannot be parsed is a programming error, which any test finds
			}
		}
	}
	return builder
}

// newPrinter prints in the language nearest to tag, English where none is near.
func newPrinter(tag language.Tag) *message.Printer {
	_, index, _ := matcher.Match(tag)
	return message.NewPrinter(languages[index], message.Catalog(messages))
}
