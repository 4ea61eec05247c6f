// Package wish turns what a person asks to have changed into operations, without a model.
//
// It knows a closed table of sentences in English and French (sentences.go), their words misspelt by a letter or two, and
// kubectl's command lines for the same operations. A text is understood as a whole or not at all: every word of it has to
// have its place in one of those sentences, in a courtesy, in a reason, or in a clause of its own that plainly states
// something and has no say in what is wished (remark.go). What is negated, asked, supposed, quoted or
// dependent on anything is therefore not understood, and neither is what could mean two things. No name, number, image or
// revision is ever guessed.
//
// It is pure: Read looks at the text alone, Operations at the objects that the names were found to mean. The AgentTask
// controller calls both, and makes the ChangeRequest; nothing is applied because of what is read here.
package wish

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eclusier/eclusier/internal/classify"
)

// Verb is what is to be done.
type Verb string

// The verbs, one for each operation that can be told in a sentence.
const (
	Scale    Verb = "scale"
	Restart  Verb = "restart"
	SetImage Verb = "setImage"
	Undo     Verb = "undo"
	Delete   Verb = "delete"
	Cordon   Verb = "cordon"
	Uncordon Verb = "uncordon"
	Suspend  Verb = "suspend"
	Resume   Verb = "resume"
)

// Name is an object as the text names it. The zero value is an object that the text only points at, or leaves out.
type Name struct {
	// Kind is a canonical kind; empty where the text gives a bare name.
	Kind      string
	Namespace string
	Name      string
}

// Change says how the number of replicas changes.
type Change string

// Changes of the number of replicas.
const (
	To    Change = "to"
	Up    Change = "up"
	Down  Change = "down"
	Twice Change = "twice"
	Half  Change = "half"
)

// Step is one thing to do.
type Step struct {
	Verb   Verb
	Target Name
	// Change and Number belong to Scale; From is the number that the text says there is, -1 where it says none.
	Change       Change
	Number, From int32
	// Image and Container belong to SetImage; Container is empty where the text names none.
	Image, Container string
	// Revision belongs to Undo; 0 is the one before the current one.
	Revision int64
}

// Wish is what a text wants done, in order.
type Wish struct {
	Steps []Step
}

// maxSteps is how many operations a ChangeRequest holds.
const maxSteps = 20

// Names returns the objects that the text names, each once, in order.
func (w Wish) Names() []Name {
	var names []Name
	for _, step := range w.Steps {
		if step.Target.Name != "" && !slices.Contains(names, step.Target) {
			names = append(names, step.Target)
		}
	}
	return names
}

// Reason says why a wish cannot be expressed.
type Reason string

const (
	// NoOperation: nothing that the text wants done is one of the operations.
	NoOperation Reason = "NoOperation"
	// NotUnderstood: a word has no place in what is understood; Detail is the word.
	NotUnderstood Reason = "NotUnderstood"
	// Incomplete: the text ends before it has said what to do.
	Incomplete Reason = "Incomplete"
	// Ambiguous: the text can be read in two ways.
	Ambiguous Reason = "Ambiguous"
	// Conditional: it depends on something, or is doubted; Detail is the word that says so.
	Conditional Reason = "Conditional"
	// Negated: the text says what not to do; Detail is the word that does.
	Negated Reason = "Negated"
	// Asked: it is a question.
	Asked Reason = "Asked"
	// Quoted: it quotes what somebody or something says.
	Quoted Reason = "Quoted"
	// NoTarget: it does not say which object is meant.
	NoTarget Reason = "NoTarget"
	// OtherTarget: it names an object that spec.targets does not; Detail is the name.
	OtherTarget Reason = "OtherTarget"
	// OtherNamespace: the object is in a namespace that nobody named; Detail is the object.
	OtherNamespace Reason = "OtherNamespace"
	// KindNeeded: what is to be deleted has to be named by its kind; Detail is the name.
	KindNeeded Reason = "KindNeeded"
	// TooWide: what is to be deleted holds other objects, which have to be thought of; Detail is the object.
	TooWide Reason = "TooWide"
	// WrongKind: the operation does not exist for the object; Detail is both.
	WrongKind Reason = "WrongKind"
	// ReplicasUnknown: the new number depends on the current one, which is not known or does not fit; Detail is the object.
	ReplicasUnknown Reason = "ReplicasUnknown"
	// TagNeeded: the image has neither tag nor digest; Detail is the image.
	TagNeeded Reason = "TagNeeded"
	// SameTwice: the same is to be done to an object twice; Detail is the object.
	SameTwice Reason = "SameTwice"
	// TooLong: there are more words than are looked at.
	TooLong Reason = "TooLong"
	// TooMany: there are more operations than a change holds.
	TooMany Reason = "TooMany"
)

// InexpressibleError says why a wish cannot be expressed as operations.
type InexpressibleError struct {
	Reason Reason
	// Detail is what the reason is about, empty where there is nothing to name. It comes from the text.
	Detail string
}

// Error says it for logs.
func (e *InexpressibleError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("cannot be expressed: %s %s", e.Reason, e.Detail))
}

// Read reads a text. The error is an *InexpressibleError.
func Read(text string) (Wish, error) {
	text = closeUp(untick(text))
	words := classify.Words(text)
	if refusal := unsayable(text, words); refusal != nil {
		return Wish{}, refusal
	}
	r := reader{words: words, slips: map[int][]string{}, french: classify.Classify(text).Language == "fr"}
	steps, refusal := r.text()
	if refusal != nil {
		return Wish{}, refusal
	}
	shareNamespace(steps)
	if refusal := cmp.Or(r.misplaced(steps), pointOut(text, steps), contradicts(steps)); refusal != nil {
		return Wish{}, refusal
	}
	return Wish{Steps: steps}, nil
}

// unsayable refuses what is not the author's own word, and what is not looked at as a whole.
func unsayable(text string, words []classify.Word) *InexpressibleError {
	opaque := func(w classify.Word) bool { return w.Opaque }
	sign := strings.IndexFunc(text, func(r rune) bool { return unicode.Is(unicode.So, r) })
	switch {
	case whollyQuoted(text), slices.ContainsFunc(words, opaque), quotesLine(text):
		return &InexpressibleError{Reason: Quoted}
	case len(words) >= classify.MaxWords:
		return &InexpressibleError{Reason: TooLong}
	case sign >= 0: // it can turn what is said into its opposite
		r, _ := utf8.DecodeRuneInString(text[sign:])
		return &InexpressibleError{NotUnderstood, string(r)}
	}
	return nil
}

// quotesLine tells whether a line is marked as somebody else's, or as a remark.
func quotesLine(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, ">") || strings.HasPrefix(line, "//") {
			return true
		}
	}
	return false
}

// contradicts refuses more than a change holds, and the same operation twice on one object.
func contradicts(steps []Step) *InexpressibleError {
	if len(steps) > maxSteps {
		return &InexpressibleError{Reason: TooMany}
	}
	for i, step := range steps {
		for _, other := range steps[:i] {
			if other.Verb == step.Verb && other.Target == step.Target && other.Container == step.Container {
				return &InexpressibleError{SameTwice, step.Target.Name}
			}
		}
	}
	return nil
}

// whollyQuoted tells whether a text is nothing but a quotation of several words: it may be anybody's.
func whollyQuoted(text string) bool {
	text = strings.Trim(text, " \t\r\n.!")
	for _, q := range []struct{ open, end string }{{`"`, `"`}, {"`", "`"}, {"'", "'"}, {"“", "”"}, {"«", "»"}, {"„", "“"}, {"‘", "’"}} {
		if inner, ok := strings.CutPrefix(text, q.open); ok && strings.HasSuffix(inner, q.end) {
			return strings.Contains(strings.TrimSpace(strings.TrimSuffix(inner, q.end)), " ")
		}
	}
	return false
}

// shareNamespace gives the only namespace that the steps name to those that name none.
func shareNamespace(steps []Step) {
	namespace := ""
	for _, step := range steps {
		switch of := step.Target.Namespace; {
		case of == "", of == namespace:
		case namespace != "":
			return
		default:
			namespace = of
		}
	}
	for i := range steps {
		if target := &steps[i].Target; target.Name != "" && target.Namespace == "" && !clusterScoped(target.Kind, steps[i].Verb) {
			target.Namespace = namespace
		}
	}
}

// clusterScoped tells whether what a verb is about has no namespace.
func clusterScoped(kind string, verb Verb) bool {
	switch kind {
	case "Node", "Namespace", "PersistentVolume":
		return true
	}
	return verb == Cordon || verb == Uncordon
}

// pointOut gives the steps that only point at an object the one that was named last, if only one was, or else the only one
// that the text names anywhere: "web is stuck, restart it". Where there is none, spec.targets may say it.
func pointOut(text string, steps []Step) *InexpressibleError {
	for i := range steps {
		if steps[i].Target.Name != "" {
			continue
		}
		named := Wish{Steps: steps[:i]}.Names()
		if len(named) == 0 {
			named = mentioned(text, steps)
		}
		switch len(named) {
		case 0:
		case 1:
			steps[i].Target = named[0]
		default:
			return &InexpressibleError{Reason: NoTarget}
		}
	}
	return nil
}

// mentioned returns the objects that a text names, those of the steps included.
func mentioned(text string, steps []Step) []Name {
	named := Wish{Steps: steps}.Names()
	for _, t := range classify.Classify(text).Targets {
		known := func(n Name) bool { return n.Name == t.Name }
		if slices.Contains(troubles, t.Name) || slices.Contains(happened, t.Name) {
			continue // it is what happens to something
		}
		if t.Host == "" && t.Kind != "Namespace" && !slices.ContainsFunc(named, known) {
			named = append(named, Name{Kind: t.Kind, Namespace: t.Namespace, Name: t.Name})
		}
	}
	return named
}
