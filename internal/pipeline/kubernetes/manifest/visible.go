package manifest

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/eclusier/eclusier/internal/redact"
)

// visible returns a form in which every character can be seen: control characters, direction marks and what else shows
// nothing, or changes how other text is shown, is spelled out. Two forms that differ look different.
func visible(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[spell(key)] = visible(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = visible(value)
		}
		return out
	case string:
		return spell(v)
	}
	return v
}

// spelled begins a character that is spelled out; text that has it already is spelled out as well.
const spelled = "<U+"

// spell spells out what would not be seen: U+200B as <U+200B>.
func spell(s string) string {
	s = strings.ReplaceAll(s, spelled, spellRune('<')+spelled[1:])
	if strings.IndexFunc(s, hidden) >= 0 {
		var out strings.Builder
		for _, r := range s {
			if hidden(r) {
				out.WriteString(spellRune(r))
			} else {
				out.WriteRune(r)
			}
		}
		s = out.String()
	}
	if strings.Contains(s, `\`) && redact.Clean(s) != s {
		// A terminal escape that is itself spelled out, as in logs: cleaning would take it for one.
		s = strings.ReplaceAll(s, `\`, spellRune('\\'))
	}
	return s
}

func spellRune(r rune) string { return fmt.Sprintf(spelled+"%04X>", r) }

// hidden says whether a character cannot be seen as it is.
func hidden(r rune) bool {
	if r == '\n' || r == '\t' || r >= ' ' && r < unicode.MaxASCII {
		return false
	}
	return !unicode.IsPrint(r) || redact.Clean(string(r)) != string(r)
}
