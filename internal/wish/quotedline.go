package wish

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// toldLine is a text that ends in one command line of kubectl between backquotes, told to be run.
var toldLine = regexp.MustCompile("(?is)^[^`]*\\b(?:run|execute|exécute|exécuter|exécutez|executer|executez|lance|lancer|lancez)\\s*:?\\s*(`(kubectl [^`\n]+)`)(?:[\\s,]+(?:please|pls|plz|thanks|thx|stp|svp|merci))?[\\s.!]*$")

// untick takes the backquotes from a command line that the author tells to run: it is quoted to be exact, and nobody
// else's. Whether it is told, and not reported, the rest of the text has still to show.
func untick(text string) string {
	at := toldLine.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	return text[:at[2]] + text[at[4]:at[5]]
}

// patchText is the patch of a command line between quotes, which may hold blanks.
var patchText = regexp.MustCompile(`'(\{[^']*\})'`)

// closeUp takes the blanks from the patch of a command line, so that it is one word.
func closeUp(text string) string {
	if !strings.Contains(text, "kubectl ") {
		return text
	}
	return patchText.ReplaceAllStringFunc(text, func(patch string) string {
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(strings.Trim(patch, "'"))); err != nil || strings.ContainsAny(compact.String(), " \t\n") {
			return patch
		}
		return "'" + compact.String() + "'"
	})
}

// patchForm is the patch that sets one field which an operation sets, and nothing else.
var patchForm = regexp.MustCompile(`^\{"spec":\{(?:"suspend":(true|false)|"replicas":([0-9]{1,5}))\}\}$`)

// patches reads a patch as one of the operations.
func patches(text string, step *Step) bool {
	said := patchForm.FindStringSubmatch(text)
	switch {
	case said == nil:
		return false
	case said[1] == "true":
		step.Verb = Suspend
		return true
	case said[1] == "false":
		step.Verb = Resume
		return true
	}
	number, err := strconv.ParseInt(said[2], 10, 32)
	step.Verb, step.Change, step.Number = Scale, To, int32(number)
	return err == nil && number <= maxReplicas
}
