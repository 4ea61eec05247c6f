package cli

import (
	"strings"
	"unicode/utf8"
)

// width is how wide what we write ourselves may be.
const width = 80

// paragraph prints a text in lines of at most width characters. The first line begins with indent and first, which may be
// painted, the others stand below the text.
func (p *printer) paragraph(indent, first, text string) {
	hang := indent + strings.Repeat(" ", utf8.RuneCountInString(unpainted(first)))
	for i, line := range wrap(text, width-len(hang)) {
		if i == 0 {
			p.line("%s%s%s", indent, first, line)
		} else {
			p.line("%s%s", hang, line)
		}
	}
}

// emphasis prints a text in lines of at most width characters, all of them in one colour.
func (p *printer) emphasis(indent, color, text string) {
	for _, line := range wrap(text, width-len(indent)) {
		p.line("%s%s", indent, p.paint(color, line))
	}
}

// wrap breaks a text between words. A word that is longer than a line stays whole, so that it can be copied.
func wrap(text string, most int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > most:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// unpainted takes the colours of paint out again.
func unpainted(text string) string {
	var plain strings.Builder
	for {
		before, after, found := strings.Cut(text, "\x1b[")
		plain.WriteString(before)
		if !found {
			return plain.String()
		}
		_, text, _ = strings.Cut(after, "m")
	}
}
