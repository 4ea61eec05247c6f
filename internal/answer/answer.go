// Package answer writes the report of a diagnosis as text for people, in their language.
//
// It says nothing that the report does not say, and leaves nothing out that changes what a reader would do: the headline,
// each root cause with its evidence and its remedy, what led from there to the symptom, faults that have nothing to do
// with the question, what is missing, and what was looked at. The task controller and the command line call it.
package answer

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/eclusier/eclusier/internal/diagnose"
)

// maxHeadline is the longest headline, in characters: it has to fit into a line of a table.
const maxHeadline = 160

// Headline returns the report in one line.
func Headline(report *diagnose.Report) string {
	return shorten(strings.Join(strings.Fields(report.Summary), " "), maxHeadline)
}

// Render returns the report as text of at most limit bytes. Its first line is the headline. What does not fit is left
// out from the end, whole paragraphs at a time, and the text says so.
func Render(report *diagnose.Report, tag language.Tag, limit int) string {
	w := writer{printer: newPrinter(tag), limit: limit}
	w.begin(Headline(report))
	for _, finding := range report.RootCauses {
		w.add(w.finding(rootCause, finding))
	}
	w.add(w.chain(report))
	for _, missing := range report.Missing {
		w.add(w.missing(missing))
	}
	for _, finding := range report.Independent {
		w.add(w.finding(independent, finding))
	}
	if len(report.Looked) > 0 {
		w.add([]string{w.label(looked) + strings.Join(report.Looked, ", ")})
	}
	return w.end()
}

// writer puts paragraphs together within a limit.
type writer struct {
	printer *message.Printer
	limit   int
	text    strings.Builder
	left    int
}

func (w *writer) begin(headline string) { w.text.WriteString(headline) }

// add appends a paragraph, or counts it as left out if it does not fit; the note that says so always does.
func (w *writer) add(lines []string) {
	if len(lines) == 0 {
		return
	}
	paragraph := "\n\n" + strings.Join(lines, "\n")
	if w.left > 0 || w.text.Len()+len(paragraph)+len(w.leftOut(999)) > w.limit {
		w.left++
		return
	}
	w.text.WriteString(paragraph)
}

func (w *writer) end() string {
	if w.left > 0 {
		w.text.WriteString(w.leftOut(w.left))
	}
	return w.text.String()
}

func (w *writer) leftOut(n int) string { return "\n\n" + w.printer.Sprintf(leftOut, n) }

func (w *writer) label(id string) string { return w.printer.Sprintf(id) + " " }

// finding is a paragraph about one fault: what it is, how it is known, what to do.
func (w *writer) finding(label string, f diagnose.Finding) []string {
	lines := []string{w.label(label) + f.Message + " (" + string(f.Cause) + ", " + f.Object.String() + ")"}
	for _, evidence := range f.Evidence {
		cited := Cite(string(evidence.Kind), evidence.Source, evidence.Text)
		lines = append(lines, "  - "+cited.Source+": "+cited.Text)
	}
	if f.Fix != "" {
		lines = append(lines, "  "+w.label(fix)+f.Fix)
	}
	return lines
}

// chain is a paragraph about what leads from the root causes to what was asked about.
func (w *writer) chain(report *diagnose.Report) []string {
	if len(report.Chain) == 0 {
		return nil
	}
	title := consequences
	if report.Verdict != diagnose.RootCauseFound {
		title = observed
	}
	lines := []string{strings.TrimSpace(w.label(title))}
	for _, f := range report.Chain {
		lines = append(lines, "  - "+f.Object.String()+": "+f.Message)
	}
	return lines
}

func (w *writer) missing(m diagnose.Missing) []string {
	line := w.label(missing) + m.What
	if m.Why != "" {
		line += " (" + m.Why + ")"
	}
	if m.Command == "" {
		return []string{line}
	}
	return []string{line, "  $ " + m.Command}
}

// Citation is one piece of evidence as it is printed: where it is from, and what it says.
type Citation struct{ Source, Text string }

// Cite makes a piece of evidence fit to be printed. The text of a field repeats the last part of the path that its source
// ends in; printed beside each other, once is enough.
func Cite(kind, source, text string) Citation {
	at := strings.LastIndexByte(source, '.')
	name, _, found := strings.Cut(text, ": ")
	if kind != string(diagnose.FieldEvidence) || at < 0 || !found {
		return Citation{source, text}
	}
	last, _, _ := strings.Cut(source[at+1:], "[")
	if last != name {
		return Citation{source, text}
	}
	return Citation{source, text[len(name)+2:]}
}

// shorten cuts text to at most limit characters, between words where it can, and marks the cut.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	kept := string([]rune(text)[:limit-1])
	if at := strings.LastIndexByte(kept, ' '); at > len(kept)*3/4 {
		kept = kept[:at]
	}
	return strings.TrimRight(kept, " ,;:(") + "…"
}
