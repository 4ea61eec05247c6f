package wish

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// toldLine is a text that ends in one command line of kubectl between backquotes, told to be run.
var toldLine = regexp.MustCompile("(?is)^[^`]*\\b(?:run|execute|exécute|exécuter|exécutez|executer|executez|lance|lancer|lancez)\\s*:?\\s*(`(kubectl [^`\n]+)`)[\\s.!]*$")

// untick takes the backquotes from a command line that the author tells to run: it is quoted to be exact, and nobody
// else's. Whether it is told, and not reported, the rest of the text has still to show.
func untick(text string) string {
	at := toldLine.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	return text[:at[2]] + text[at[4]:at[5]] + text[at[3]:]
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

// patch is all that a patch may say to be one of the operations.
type patch struct {
	Spec *struct {
		Suspend  *bool  `json:"suspend"`
		Replicas *int32 `json:"replicas"`
	} `json:"spec"`
}

// patches reads a patch that sets one field which an operation sets.
func patches(text string, step *Step) bool {
	var said patch
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&said); err != nil || decoder.InputOffset() != int64(len(text)) || said.Spec == nil {
		return false
	}
	switch suspend, replicas := said.Spec.Suspend, said.Spec.Replicas; {
	case suspend != nil && replicas != nil:
		return false
	case suspend != nil && *suspend:
		step.Verb = Suspend
	case suspend != nil:
		step.Verb = Resume
	case replicas != nil && *replicas >= 0 && *replicas <= maxReplicas:
		step.Verb, step.Change, step.Number = Scale, To, *replicas
	default:
		return false
	}
	return true
}
