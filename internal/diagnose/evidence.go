package diagnose

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/redact"
)

const (
	// maxEvidenceRunes bounds one evidence text.
	maxEvidenceRunes = 400
	// maxEvidence bounds the evidence of one finding.
	maxEvidence = 12
	ellipsis    = " … "
)

// cite makes an Evidence: the only place where untrusted text becomes part of a report. focus is the byte of the text
// where the point lies; what is cut is cut elsewhere.
func cite(kind EvidenceKind, source, text string, focus int) Evidence {
	const most = 8 << 10
	if len(text) > most {
		from := runeStart(text, min(max(0, focus-most/2), len(text)-most))
		text, focus = text[from:runeStart(text, from+most)], focus-from
	}
	at := utf8.RuneCountInString(text[:runeStart(text, max(0, min(focus, len(text))))])
	return Evidence{Kind: kind, Source: oneLine(source), Text: bound(redacted(text), at)}
}

// redacted is text without secrets, control characters and line breaks.
func redacted(s string) string { return oneLine(redact.String(s).String()) }

// oneLine is text without control characters and line breaks; its inner spaces stay as they are.
func oneLine(s string) string {
	return strings.TrimSpace(lineBreaks.Replace(redact.Clean(s)))
}

var lineBreaks = strings.NewReplacer("\n", " ", "\t", " ")

// bound shortens a text to maxEvidenceRunes. It keeps the beginning and, of the rest, what surrounds the focus or,
// where the focus is at the beginning, the end: the cause of a wrapped error stands last.
func bound(s string, focus int) string {
	r := []rune(s)
	if len(r) <= maxEvidenceRunes {
		return s
	}
	const head = 90
	tail := maxEvidenceRunes - head - len([]rune(ellipsis))
	if focus < head {
		return string(r[:head]) + ellipsis + string(r[len(r)-tail:])
	}
	from := max(head, focus-tail/4)
	if from+tail >= len(r) {
		return string(r[:head]) + ellipsis + string(r[len(r)-tail:])
	}
	return string(r[:head]) + ellipsis + string(r[from:from+tail-2]) + " …"
}

func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// field cites a field of an object. The text is the last element of the path and its value, as YAML shows it. A dot
// that belongs to a name is written with a backslash before it.
func field(r cluster.Ref, path string, value any) Evidence {
	return cite(FieldEvidence, r.String()+" "+strings.ReplaceAll(path, `\.`, "."), fmt.Sprintf("%s: %v", lastElement(path), value), 0)
}

// lastElement is the last element of a path without its index; a dot after a backslash or in brackets does not divide.
func lastElement(path string) string {
	if at := strings.LastIndexByte(path, '['); at > 0 && strings.HasSuffix(path, "]") {
		path = path[:at]
	}
	from := 0
	depth := 0
	for i := range len(path) {
		switch {
		case path[i] == '[':
			depth++
		case path[i] == ']':
			depth--
		case path[i] == '.' && depth == 0 && path[max(i-1, 0)] != '\\':
			from = i + 1
		}
	}
	return strings.ReplaceAll(path[from:], `\.`, ".")
}

// event cites an event: its reason, how often it was seen, and its message.
func event(e *cluster.Event) Evidence {
	times := ""
	if e.Count > 1 {
		times = fmt.Sprintf(" (x%d)", e.Count)
	}
	return cite(EventEvidence, "Event about "+e.About.String(), e.Reason+times+": "+e.Message, 0)
}

// logSource names a line of a log.
func logSource(l *cluster.Log, line int) string {
	previous := ""
	if l.Previous {
		previous = " (previous)"
	}
	return fmt.Sprintf("log %s/%s/%s%s line %d", l.Pod.Namespace, l.Pod.Name, l.Container, previous, line)
}
