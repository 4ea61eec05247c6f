package cli

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// described is an operation in words.
type described struct {
	verb string
	// what is the object, as it was named.
	what string
	// how is what else there is to say.
	how string
	// name is the object's own name.
	name string
}

// String is the operation in a line.
func (d described) String() string { return strings.Join(nonEmpty(d.verb, d.what, d.how), " ") }

// describe puts an operation into words. What it says of others' texts is redacted.
func describe(o v1alpha1.Operation) described {
	name, t := subjectOf(o)
	d := described{verb: string(name), name: t.Name, how: manner(o)}
	switch {
	case name == "":
		return described{verb: "do nothing"}
	case t.Kind == "":
		d.what = "a manifest that cannot be read"
	default:
		d.what = oneLine(object(t.Kind, t.Namespace, t.Name))
	}
	if o.SetImage != nil {
		d.verb = "set image of"
	}
	return d
}

// manner says how an operation is done, where there is more to say than what and to whom.
func manner(o v1alpha1.Operation) string {
	switch {
	case o.Patch != nil:
		return "with " + shortened(prompt(o.Patch.Patch))
	case o.Scale != nil:
		return fmt.Sprintf("to %d", o.Scale.Replicas)
	case o.SetImage != nil:
		to := "to " + oneLine(o.SetImage.Image)
		if o.SetImage.Container != "" {
			to = "(container " + oneLine(o.SetImage.Container) + ") " + to
		}
		return to
	case o.Undo != nil && o.Undo.ToRevision != nil:
		return fmt.Sprintf("to revision %d", *o.Undo.ToRevision)
	case o.Delete != nil && o.Delete.Propagation != "" && o.Delete.Propagation != "Background":
		return fmt.Sprintf("(%s)", o.Delete.Propagation)
	}
	return ""
}

// shortened cuts a text that is too long for a line.
func shortened(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// printProposal says what is about to be asked for.
func printProposal(p *printer, request *v1alpha1.ChangeRequest) {
	operations := request.Spec.Kubernetes.Operations
	p.line("%s", p.paint(bold, fmt.Sprintf("Change in namespace %s", request.Namespace)))
	for i, o := range operations {
		d := describe(o)
		color := ""
		if o.Delete != nil {
			color = red
		}
		p.line("  %2d. %s %s", i+1, p.paint(color, d.verb), strings.Join(nonEmpty(d.what, d.how), " "))
	}
	p.line("  %s", p.paint(dim, "because: "+prompt(request.Spec.Reason)))
}

// nameOf begins a name for a change: what it does and to what, as far as that fits.
func nameOf(operations []v1alpha1.Operation) string {
	const most = 40
	first := "change"
	if len(operations) > 0 {
		d := describe(operations[0])
		first = d.verb
		if len(operations) == 1 {
			first += "-" + d.name
		}
	}
	var name strings.Builder
	for _, r := range strings.ToLower(first) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			name.WriteRune(r)
		} else {
			name.WriteByte('-')
		}
	}
	text := name.String()
	if len(text) > most {
		text = text[:most]
	}
	return strings.Trim(text, "-") + "-"
}

// printChangeOutcome says how a change ended and what to do about it.
func printChangeOutcome(p *printer, request *v1alpha1.ChangeRequest) {
	root := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded)
	text := string(request.Status.Result)
	if root != nil && root.Message != "" {
		text = oneLine(root.Message)
	}
	color := red
	if succeeded(request) {
		color = green
	}
	p.paragraph("", p.paint(color, nonEmpty(string(request.Status.Result), "Ended")[0])+"  ", text)
	if f := request.Status.Failure; f != nil && !succeeded(request) {
		if message := oneLine(f.Message); message != text {
			p.paragraph("  ", "", message)
		}
		for _, remedy := range f.Remedies {
			p.paragraph("  ", p.sign("→", "->")+" ", oneLine(remedy))
		}
	}
}
