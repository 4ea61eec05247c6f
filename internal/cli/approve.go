package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// ruling is one decision about to be made.
type ruling struct {
	*command
	decision v1alpha1.Decision
	reason   string
	digest   string
	yes      bool
	wait     bool
	timeout  time.Duration
	out      format
}

// newApprove makes the command approve.
func newApprove(cmd *command) *cobra.Command {
	d := &ruling{command: cmd, decision: v1alpha1.DecisionApproved}
	c := &cobra.Command{
		Use:   "approve NAME",
		Short: "Agree to a change exactly as it is planned, after it has been shown",
		Long: `Agree to a change exactly as it is planned. The plan is shown and, on a terminal, you are asked. NAME is that of the change
or of one of its Approvals; of several Approvals the first is taken that waits for somebody. What you agree to is the
digest: if the objects change before the plan is applied, people are asked again.

Without a terminal, --digest says which plan you have seen; any other is refused. --yes agrees without being asked.

Where a change was applied and could not be verified, agreeing accepts its result.

Exit codes: 0 agreed (with --wait: and the change succeeded), 1 not agreed, or the change ended otherwise, 2 wrong usage,
no connection, refused.`,
		Example: `  kubectl eclusier approve -n shop scale-checkout-x7k2p --reason "watched the graphs"
  kubectl eclusier approve -n shop scale-checkout-x7k2p --digest sha256:9f86… --wait`,
		Args:              exactly(1, 1, "NAME"),
		ValidArgsFunction: cmd.completeChanges,
		RunE:              func(c *cobra.Command, args []string) error { return d.run(c, args[0]) },
	}
	d.bind(c)
	return c
}

// newReject makes the command reject.
func newReject(cmd *command) *cobra.Command {
	d := &ruling{command: cmd, decision: v1alpha1.DecisionRejected}
	c := &cobra.Command{
		Use:   "reject NAME --reason TEXT",
		Short: "Refuse a change, which ends it",
		Long: `Refuse a change, which ends it: one refusal is enough. NAME is that of the change or of one of its Approvals.

Where a change was applied and could not be verified, refusing has it undone; on a terminal you are asked first.

Exit codes: 0 refused, 1 not refused after all, 2 wrong usage, no connection, not allowed.`,
		Example:           `  kubectl eclusier reject -n shop scale-checkout-x7k2p --reason "not before the backup is done"`,
		Args:              exactly(1, 1, "NAME"),
		ValidArgsFunction: cmd.completeChanges,
		RunE: func(c *cobra.Command, args []string) error {
			if strings.TrimSpace(d.reason) == "" {
				return usage(c, "--reason is missing: say why, for whoever asked")
			}
			return d.run(c, args[0])
		},
	}
	d.bind(c)
	return c
}

// bind adds the flags that both have.
func (d *ruling) bind(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&d.reason, "reason", "", "why, for the record")
	flags.StringVar(&d.digest, "digest", "", "the plan that you have seen; any other is left undecided")
	flags.BoolVarP(&d.yes, "yes", "y", false, "do not ask")
	flags.BoolVarP(&d.wait, "wait", "w", false, "follow the change to its end")
	flags.DurationVar(&d.timeout, "timeout", 0, "how long --wait waits; 0 means to the end")
	d.out.bind(flags, formatJSON, formatYAML)
}

// run shows what is decided, asks, and decides.
func (d *ruling) run(c *cobra.Command, name string) error {
	requests, namespace, err := d.tasks()
	if err != nil {
		return err
	}
	ctx := c.Context()
	q, err := d.find(ctx, requests, namespace, name)
	if err != nil {
		return err
	}
	all, err := d.dossierOf(ctx, requests, q.change)
	if err != nil {
		return err
	}
	slots, err := d.slots(c, all, q.named)
	if err != nil {
		return err
	}
	me := self(ctx, requests)
	if err := d.unlessDecided(all, slots[0], me); err != nil {
		return err
	}
	if sure, err := d.confirm(all, slots[0]); err != nil || !sure {
		return err
	}
	decided, err := d.decide(ctx, requests, slots, me)
	if err != nil {
		return err
	}
	return d.report(ctx, requests, all, decided)
}

// slots returns the Approvals that may be decided, the one to try first at the beginning.
func (d *ruling) slots(c *cobra.Command, all *dossier, named *v1alpha1.Approval) ([]*v1alpha1.Approval, error) {
	slots := all.asked()
	if named != nil {
		var one []*v1alpha1.Approval
		for _, s := range slots {
			if s.Name == named.Name {
				one = append(one, s)
			}
		}
		if len(one) == 0 {
			return nil, fmt.Errorf("%s is not asked any more: kubectl eclusier review %s -n %s says how it stands", named.Name, all.Change.Name, all.Change.Namespace)
		}
		slots = one
	}
	if len(slots) == 0 {
		return nil, errors.New(whyNobodyIsAsked(all))
	}
	if d.digest != "" && d.digest != slots[0].Spec.PlanDigest {
		return nil, fmt.Errorf("the plan is another one now, %s: kubectl eclusier review %s -n %s shows it", slots[0].Spec.PlanDigest, all.Change.Name, all.Change.Namespace)
	}
	if !d.needsWord(slots[0]) || d.yes || d.digest != "" || d.Interactive {
		return slots, nil
	}
	return nil, usage(c, "there is no terminal to ask on: say which plan you have seen with --digest %s, or --yes", slots[0].Spec.PlanDigest)
}

// whyNobodyIsAsked says why there is nothing to decide.
func whyNobodyIsAsked(all *dossier) string {
	name, status := all.Change.Name, all.Change.Status
	switch {
	case ended(all.Change):
		return fmt.Sprintf("%s has ended (%s): nothing is left to decide", name, status.Result)
	case all.Change.Spec.DryRun:
		return name + " is a dry run, so nobody is asked"
	case status.Plan == nil:
		return name + " is not planned yet: try again in a moment"
	case status.Policy != nil && status.Policy.Verdict == v1alpha1.PolicyAllowed:
		return name + " needs nobody's consent"
	}
	return fmt.Sprintf("%s waits for nobody's decision (%s): kubectl eclusier review %s -n %s says how it stands", name, status.Phase, name, all.Change.Namespace)
}

// unlessDecided spares somebody who has agreed already the second question: one person counts once.
func (d *ruling) unlessDecided(all *dossier, slot *v1alpha1.Approval, me *v1alpha1.Decider) error {
	if me == nil || d.decision != v1alpha1.DecisionApproved {
		return nil
	}
	for i := range all.Approvals {
		a := &all.Approvals[i]
		if all.current(a) && a.Spec.Purpose == slot.Spec.Purpose && a.Spec.Decision == v1alpha1.DecisionApproved &&
			a.Spec.DecidedBy != nil && a.Spec.DecidedBy.Username == me.Username {
			return fmt.Errorf("you have agreed already (%s), and one person counts once: somebody else has to agree as well", a.Name)
		}
	}
	return nil
}

// needsWord tells whether the decision has an effect that one is asked about first. Refusing to begin something has none.
func (d *ruling) needsWord(slot *v1alpha1.Approval) bool {
	return d.decision == v1alpha1.DecisionApproved || slot.Spec.Purpose == v1alpha1.PurposeAcceptResult
}

// confirm shows the plan and asks.
func (d *ruling) confirm(all *dossier, slot *v1alpha1.Approval) (bool, error) {
	if !d.needsWord(slot) {
		return true, nil
	}
	to := d.Out
	if d.out.structured() {
		to = d.Err
	}
	r := &review{printer: newPrinter(to, d.style()), dossier: all, now: d.Now()}
	r.print()
	r.line("")
	if r.err != nil || d.yes || d.digest != "" {
		return r.err == nil, r.err
	}
	ask := "Agree to exactly this?"
	switch {
	case slot.Spec.Purpose == v1alpha1.PurposeAcceptResult && d.decision == v1alpha1.DecisionApproved:
		ask = "Accept the result as it is?"
	case slot.Spec.Purpose == v1alpha1.PurposeAcceptResult:
		ask = "Undo what was done?"
	}
	_, _ = fmt.Fprintf(to, "%s [y/N] ", r.paint(bold, ask)) // where it cannot be written, no answer comes either
	line, err := bufio.NewReader(d.In).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes", "o", "oui":
		return true, nil
	}
	r.line("Nothing was decided.")
	return false, errNoAnswer
}

// decide writes the decision into the first slot that takes it. One that somebody else has taken meanwhile is left to them.
func (d *ruling) decide(ctx context.Context, requests client.Client, slots []*v1alpha1.Approval, me *v1alpha1.Decider) (*v1alpha1.Approval, error) {
	answer := map[string]any{"decision": d.decision, "acknowledgedDigest": slots[0].Spec.PlanDigest}
	if d.reason != "" {
		answer["reason"] = d.reason
	}
	if me != nil {
		answer["decidedBy"] = me
	}
	patch, err := json.Marshal(map[string]any{"spec": answer})
	if err != nil {
		return nil, err
	}
	var refused error
	for _, slot := range slots {
		decided := slot.DeepCopy()
		refused = requests.Patch(ctx, decided, client.RawPatch(types.MergePatchType, patch))
		if refused == nil {
			return decided, nil
		}
		latest := &v1alpha1.Approval{}
		if err := requests.Get(ctx, client.ObjectKeyFromObject(slot), latest); err != nil || latest.Spec.Decision == v1alpha1.DecisionPending {
			break
		}
	}
	why := plainly(refused)
	if apierrors.IsForbidden(why) {
		return nil, &refusal{why: fmt.Sprintf("you may not write Approvals in namespace %s: that takes a role such as eclusier-approver-%s there, which a cluster administrator binds",
			slots[0].Namespace, strings.ToLower(string(slots[0].Spec.Class)))}
	}
	return nil, why
}

// report says what was decided and, if asked to, follows the change.
func (d *ruling) report(ctx context.Context, requests client.WithWatch, all *dossier, decided *v1alpha1.Approval) error {
	to := d.Out
	if d.out.structured() {
		to = d.Err
		decided.ManagedFields = nil
		decided.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Approval"}
		if err := d.out.write(d.Out, decided); err != nil {
			return err
		}
	}
	p := newPrinter(to, d.style())
	d.printDecision(p, decided)
	if open := len(all.asked()) - 1; open > 0 && d.decision == v1alpha1.DecisionApproved {
		p.line("%d more must agree.", open)
	}
	if p.err != nil || !d.wait {
		return p.err
	}
	progress := newProgress(newPrinter(d.Err, d.style()), changeSteps)
	progress.know(all.Change)
	ended, err := d.awaitChange(ctx, requests, all.Change, waiting{progress: progress, timeout: d.timeout})
	if err != nil {
		return err
	}
	printChangeOutcome(p, ended)
	if p.err == nil && !succeeded(ended) && d.decision == v1alpha1.DecisionApproved {
		return errNoAnswer
	}
	return p.err
}

// printDecision says what was decided, by whom, about which plan.
func (d *ruling) printDecision(p *printer, decided *v1alpha1.Approval) {
	verb, color := "Agreed", green
	if d.decision == v1alpha1.DecisionRejected {
		verb, color = "Refused", red
	}
	by := ""
	if decided.Spec.DecidedBy != nil {
		by = " as " + oneLine(decided.Spec.DecidedBy.Username)
	}
	p.line("%s%s: approval %s, class %s", p.paint(color, verb), by, decided.Name, decided.Spec.Class)
	p.line("%s", p.paint(dim, decided.Spec.PlanDigest))
}
