package redact

import (
	"strings"
)

// spelled are the characters that JSON writes as escapes and that separate keys and values, with what stands for them
// in the text that unspell returns: the character, padded with blanks on the side where they do no harm.
var spelled = []struct{ escape, plain string }{
	{`n`, " \n"}, {`r`, "  "}, {`t`, "  "},
	{`u003c`, "     <"}, {`u003C`, "     <"}, {`u003e`, ">     "}, {`u003E`, ">     "}, {`u0026`, "&     "},
	{`u003d`, "=     "}, {`u003D`, "=     "}, {`u0027`, "'     "}, {`u0022`, "\"     "},
}

// unspell returns text with the escapes of JSON turned into what they mean, each byte at its place, so that what is
// found in it is found in text; false if there is none. It is looked at besides the text, never shown.
func unspell(text string) (string, bool) {
	i := strings.IndexByte(text, '\\')
	if i < 0 {
		return text, false
	}
	var plain strings.Builder
	plain.Grow(len(text))
	plain.WriteString(text[:i])
	changed := false
next:
	for i < len(text) {
		from := i
		for i < len(text) && text[i] == '\\' {
			i++
		}
		if i > from {
			for _, s := range spelled {
				if strings.HasPrefix(text[i:], s.escape) {
					plain.WriteString(strings.Repeat(" ", i-from-1) + s.plain)
					i, changed = i+len(s.escape), true
					continue next
				}
			}
		}
		for i < len(text) && text[i] != '\\' {
			i++
		}
		plain.WriteString(text[from:i])
	}
	return plain.String(), changed
}
