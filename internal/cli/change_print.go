package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/redact"
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
	about := func(verb string, t v1alpha1.OperationTarget, how string) described {
		return described{verb: verb, what: oneLine(object(t.Kind, t.Namespace, t.Name)), how: how, name: t.Name}
	}
	switch {
	case o.Apply != nil:
		one := &unstructured.Unstructured{}
		if err := json.Unmarshal(o.Apply.Manifest.Raw, &one.Object); err != nil {
			return described{verb: "apply", what: "a manifest that cannot be read"}
		}
		return described{verb: "apply", what: oneLine(object(one.GetKind(), one.GetNamespace(), one.GetName())), name: one.GetName()}
	case o.Patch != nil:
		return about("patch", o.Patch.Target, "with "+shortened(prompt(o.Patch.Patch)))
	case o.Scale != nil:
		return about("scale", o.Scale.Target, fmt.Sprintf("to %d", o.Scale.Replicas))
	case o.Restart != nil:
		return about("restart", o.Restart.Target, "")
	case o.SetImage != nil:
		return about("set image of", o.SetImage.Target, strings.Join(nonEmpty(o.SetImage.Container, "to "+oneLine(o.SetImage.Image)), " "))
	case o.Undo != nil && o.Undo.ToRevision != nil:
		return about("undo", o.Undo.Target, fmt.Sprintf("to revision %d", *o.Undo.ToRevision))
	case o.Undo != nil:
		return about("undo", o.Undo.Target, "")
	case o.Delete != nil && o.Delete.Propagation != "" && o.Delete.Propagation != "Background":
		return about("delete", o.Delete.Target, fmt.Sprintf("(%s)", o.Delete.Propagation))
	case o.Delete != nil:
		return about("delete", o.Delete.Target, "")
	case o.Cordon != nil:
		return described{verb: "cordon", what: "Node " + oneLine(o.Cordon.Node), name: o.Cordon.Node}
	case o.Uncordon != nil:
		return described{verb: "uncordon", what: "Node " + oneLine(o.Uncordon.Node), name: o.Uncordon.Node}
	case o.Suspend != nil:
		return about("suspend", o.Suspend.Target, "")
	case o.Resume != nil:
		return about("resume", o.Resume.Target, "")
	}
	return described{verb: "do nothing"}
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

// hidden takes the secrets out of a text of several lines.
func hidden(text string) string { return redact.String(text).String() }
