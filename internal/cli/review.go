package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// newReview makes the command review.
func newReview(cmd *command) *cobra.Command {
	var out format
	c := &cobra.Command{
		Use:   "review NAME",
		Short: "Show a change as those see it who have to agree: diff, risk, what could not be shown, and who agrees",
		Long: `Show a change as those see it who have to agree: what it does and why, its risk, what could not be shown beforehand, the
diff, what is checked afterwards, who has agreed and who must, and the commands to decide. NAME is that of the change or
of one of its Approvals.`,
		Example: `  kubectl eclusier review -n shop scale-checkout-x7k2p
  kubectl eclusier review -n shop scale-checkout-x7k2p -o json`,
		Args:              exactly(1, 1, "NAME"),
		ValidArgsFunction: cmd.completeChanges,
		RunE: func(c *cobra.Command, args []string) error {
			requests, namespace, err := cmd.tasks()
			if err != nil {
				return err
			}
			q, err := cmd.find(c.Context(), requests, namespace, args[0])
			if err != nil {
				return err
			}
			if out.structured() {
				d, err := cmd.dossierOf(c.Context(), requests, q.change)
				if err != nil {
					return err
				}
				return out.write(cmd.Out, d)
			}
			return cmd.printReview(c.Context(), requests, q.change)
		},
	}
	out.bind(c.Flags(), formatJSON, formatYAML)
	return c
}

// printReview prints all there is to know about a change.
func (cmd *command) printReview(ctx context.Context, requests client.Client, request *v1alpha1.ChangeRequest) error {
	d, err := cmd.dossierOf(ctx, requests, request)
	if err != nil {
		return err
	}
	r := &review{printer: newPrinter(cmd.Out, cmd.style()), dossier: d, now: cmd.Now()}
	r.print()
	r.commands()
	return r.err
}

// review prints a dossier, what matters most at the beginning and what to do at the end.
type review struct {
	*printer
	*dossier
	now time.Time
}

// print prints everything but the commands.
func (r *review) print() {
	r.head()
	r.risk()
	r.doubts()
	r.diff()
	r.afterwards()
	r.consent()
	r.course()
}

// section begins a section.
func (r *review) section(title string) {
	r.line("")
	r.line("%s", r.paint(bold, title))
}

// phaseColors say how glad one may be of a phase.
var phaseColors = map[v1alpha1.ChangePhase]string{
	v1alpha1.ChangeSucceeded: green, v1alpha1.ChangeFailed: red, v1alpha1.ChangeDenied: red, v1alpha1.ChangeRejected: red,
	v1alpha1.ChangeExpired: red, v1alpha1.ChangeRolledBack: red, v1alpha1.ChangeCancelled: red, v1alpha1.ChangeRollingBack: red,
}

// head says what the change does, why, and who wants it.
func (r *review) head() {
	phase := r.Change.Status.Phase
	if phase == "" {
		phase = "not looked at yet"
	}
	color := phaseColors[phase]
	if color == "" {
		color = yellow
	}
	r.line("%s  %s", r.paint(bold, "ChangeRequest "+r.Change.Namespace+"/"+r.Change.Name), r.paint(color, string(phase)))
	r.line("")
	spec, plan := r.Change.Spec, r.Change.Status.Plan
	if plan != nil {
		r.emphasis("  ", bold, oneLine(plan.Summary))
	} else {
		for _, o := range spec.Kubernetes.Operations {
			r.emphasis("  ", bold, describe(o).String())
		}
	}
	r.line("")
	r.label("Why", prompt(spec.Reason))
	asked := "unknown"
	if spec.RequestedBy != nil {
		asked = oneLine(spec.RequestedBy.Username)
	}
	if spec.TaskRef != nil {
		asked += ", through AgentTask " + spec.TaskRef.Name
	}
	r.label("Asked by", asked+", "+age(r.now, r.Change.CreationTimestamp.Time)+" ago")
	account := spec.ServiceAccountName
	if account == "" {
		account = v1alpha1.DefaultApplierName
	}
	r.label("Made as", "service account "+account)
	r.when()
	if plan != nil {
		r.label("Plan", fmt.Sprintf("revision %d, %s; made %s ago, %s", plan.Revision, counts(plan.Counts), age(r.now, plan.PlannedAt.Time), r.lapse(plan.ExpiresAt)))
		r.label("Digest", plan.Digest)
	} else if c := meta.FindStatusCondition(r.Change.Status.Conditions, v1alpha1.ConditionPlanned); c != nil {
		r.label("No plan", oneLine(c.Message))
	}
	if spec.DryRun {
		r.label("Dry run", "it is planned and shown, and never applied")
	}
}

// label prints a line of the head.
func (r *review) label(name, text string) { r.paragraph("  ", fmt.Sprintf("%-10s", name), text) }

// when says when the change may be applied, if it says so itself.
func (r *review) when() {
	var parts []string
	if t := r.Change.Spec.NotBefore; t != nil {
		parts = append(parts, "not before "+t.UTC().Format(time.RFC3339))
	}
	if t := r.Change.Spec.Deadline; t != nil {
		parts = append(parts, "not after "+t.UTC().Format(time.RFC3339))
	}
	if len(parts) > 0 {
		r.label("When", strings.Join(parts, ", "))
	}
}

// lapse says until when consent can be given.
func (r *review) lapse(at metav1.Time) string {
	if !r.now.Before(at.Time) {
		return "lapsed " + age(r.now, at.Time) + " ago"
	}
	return "lapses in " + age(at.Time, r.now)
}

// counts says how many objects are touched.
func counts(c v1alpha1.EffectCounts) string {
	var parts []string
	for _, one := range []struct {
		n    int32
		text string
	}{{c.Create, "to create"}, {c.Update, "to change"}, {c.Delete, "to delete"}, {c.Unchanged, "as wanted already"}} {
		if one.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.n, one.text))
		}
	}
	if len(parts) == 0 {
		return "nothing to do"
	}
	return strings.Join(parts, ", ")
}

// classColors say how careful to be with a class.
var classColors = map[v1alpha1.Class]string{
	v1alpha1.ClassLow: green, v1alpha1.ClassMedium: yellow, v1alpha1.ClassHigh: red, v1alpha1.ClassCritical: red,
}

// risk says how dangerous the plan is, and why.
func (r *review) risk() {
	plan := r.Change.Status.Plan
	if plan == nil {
		return
	}
	r.section("Risk")
	undone := "can be undone"
	if plan.Risk.Reversibility == v1alpha1.Irreversible {
		undone = r.paint(red, "cannot be undone")
	}
	r.line("  %s: impact %s, %s", r.paint(classColors[plan.Risk.Class], "class "+string(plan.Risk.Class)), strings.ToLower(string(plan.Risk.Impact)), undone)
	r.list(r.sign("·", "-"), plan.Risk.Reasons)
}

// list prints sentences, each with a mark.
func (r *review) list(mark string, texts []string) {
	for _, text := range texts {
		r.paragraph("  ", mark+" ", oneLine(text))
	}
}

// doubts says what nobody could look at beforehand, and what else there is to know.
func (r *review) doubts() {
	plan := r.Change.Status.Plan
	if plan == nil {
		return
	}
	warn := r.paint(yellow, "!")
	r.section("Not verified beforehand")
	if len(plan.NotDryRun)+len(plan.NotShown) == 0 {
		r.line("  nothing: the API server has dry-run every effect; the diff shows all of it")
	}
	r.list(warn, plan.NotDryRun)
	for _, what := range plan.NotShown {
		r.paragraph("  ", warn+" ", "not shown: "+oneLine(what))
	}
	if drift := r.Change.Status.Drift; drift != nil {
		earlier := "an earlier plan"
		if drift.Count > 1 {
			earlier = fmt.Sprintf("%d earlier plans", drift.Count)
		}
		r.paragraph("  ", warn+" ", "the objects changed under "+earlier+", and agreement to that counts no more: "+oneLine(drift.Message))
	}
	if len(plan.Notes) > 0 {
		r.section("To be known")
		r.list(warn, plan.Notes)
	}
}

// diff prints the diff.
func (r *review) diff() {
	if r.Change.Status.Plan == nil {
		return
	}
	r.section("Diff")
	if r.Diff == "" {
		text := r.noDiff
		if text == "" {
			text = "The plan changes nothing."
		}
		r.paragraph("  ", "", text)
		return
	}
	printDiff(r.printer, r.Diff)
}

// printDiff prints a unified diff. Its lines are left as they are, so that they can be copied.
func printDiff(p *printer, diff string) {
	for _, line := range strings.Split(strings.TrimRight(safe(diff), "\n"), "\n") {
		color := ""
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
			color = bold
		case strings.HasPrefix(line, "@@"):
			color = dim
		case strings.HasPrefix(line, "+"):
			color = green
		case strings.HasPrefix(line, "-"):
			color = red
		}
		p.line("%s", p.paint(color, line))
	}
}
