package cli

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// afterwards says what is checked, and what happens if that fails.
func (r *review) afterwards() {
	spec := r.Change.Spec
	if spec.DryRun || ended(r.Change) && len(r.Change.Status.Attempts) == 0 {
		return
	}
	r.section("Afterwards")
	lines := []string{"every changed object must become ready"}
	for i := range spec.Checks {
		lines = append(lines, checkText(&spec.Checks[i]))
	}
	switch spec.Rollback {
	case v1alpha1.RollbackNever:
		lines = append(lines, "if applying or checking fails, what was done stays")
	case v1alpha1.RollbackManual:
		lines = append(lines, "if applying or checking fails, somebody is asked whether to undo it")
	default:
		lines = append(lines, "if applying or checking fails, what was done is undone at once")
	}
	r.list(r.sign("·", "-"), lines)
}

// checkText puts a check into words.
func checkText(c *v1alpha1.Check) string {
	text := "check " + c.Name + ": "
	of := func(t v1alpha1.OperationTarget) string { return object(t.Kind, t.Namespace, t.Name) }
	switch {
	case c.ObjectReady != nil:
		text += of(c.ObjectReady.Target) + " is ready"
	case c.CEL != nil:
		text += of(c.CEL.Target) + " has " + c.CEL.Expression
	case c.HTTPGet != nil:
		status := c.HTTPGet.ExpectedStatus
		if status == 0 {
			status = 200
		}
		text += fmt.Sprintf("GET %s answers %d", c.HTTPGet.URL, status)
	case c.NoNewWarnings != nil:
		text += "no new warning events"
	case c.NoNewFaults != nil:
		text += "no fault that was not there before"
	}
	if c.Timeout != nil {
		text += ", within " + c.Timeout.Duration.String()
	}
	return text
}

// consent says what the policies want, who has agreed, and who may.
func (r *review) consent() {
	policy := r.Change.Status.Policy
	if policy == nil {
		return
	}
	r.section("Who must agree")
	switch policy.Verdict {
	case v1alpha1.PolicyDenied:
		r.line("  %s", r.paint(red, "nobody can: a policy forbids it"))
	case v1alpha1.PolicyAllowed:
		r.line("  %s", r.paint(green, "nobody: the policies allow it"))
	default:
		r.line("  %s, %d so far", people(policy.RequiredApprovals), r.agreed())
	}
	r.list(r.sign("·", "-"), policy.DecidedBy)
	if policy.ReviewAfterwards {
		r.list(r.sign("·", "-"), []string{"somebody is to look at it once it is done"})
	}
	for i := range r.Approvals {
		if r.current(&r.Approvals[i]) {
			r.slot(&r.Approvals[i])
		}
	}
	if asked := r.asked(); len(asked) > 0 {
		r.who(asked[0])
	}
}

// agreed counts those whose agreement to the plan counts.
func (r *review) agreed() int {
	n := 0
	for i := range r.Approvals {
		a := &r.Approvals[i]
		if r.current(a) && a.Spec.Purpose == v1alpha1.PurposeApply && meta.IsStatusConditionTrue(a.Status.Conditions, v1alpha1.ConditionGranted) {
			n++
		}
	}
	return n
}

// people says how many people have to agree.
func people(n int32) string {
	if n == 1 {
		return "one person"
	}
	return fmt.Sprintf("%d different people", n)
}

// slot says what became of one Approval.
func (r *review) slot(a *v1alpha1.Approval) {
	mark, text := r.paint(yellow, r.sign("…", "?")), "waits for somebody, "+r.lapse(a.Spec.ExpiresAt)
	if a.Spec.Purpose == v1alpha1.PurposeAcceptResult {
		text = "waits for somebody to accept the result or to have it undone, " + r.lapse(a.Spec.ExpiresAt)
	}
	by := "somebody"
	if a.Spec.DecidedBy != nil {
		by = oneLine(a.Spec.DecidedBy.Username)
	}
	granted := meta.FindStatusCondition(a.Status.Conditions, v1alpha1.ConditionGranted)
	switch {
	case a.Spec.Decision == v1alpha1.DecisionRejected:
		mark, text = r.paint(red, r.sign("✗", "x")), by+" refused"
	case granted != nil && granted.Status == metav1.ConditionFalse:
		mark, text = r.paint(yellow, "!"), "does not count ("+granted.Reason+"): "+oneLine(granted.Message)
	case a.Spec.Decision == v1alpha1.DecisionApproved:
		mark, text = r.paint(green, r.sign("✓", "+")), by+" agreed"
	}
	if a.Spec.Reason != "" {
		text += fmt.Sprintf(": %q", prompt(a.Spec.Reason))
	}
	r.paragraph("  ", mark+" ", a.Name+": "+text)
}

// who says who may decide.
func (r *review) who(a *v1alpha1.Approval) {
	class := strings.ToLower(string(a.Spec.Class))
	text := fmt.Sprintf("Whoever has the verb approve on changeclasses/%s here", class)
	if a.Spec.SelfApproval != v1alpha1.SelfApprovalAllow {
		text += ", but for " + oneLine(a.Spec.RequestedBy.Username) + ", who asked"
	}
	r.paragraph("  ", "", text+".")
	for _, set := range a.Spec.Approvers {
		var names []string
		for _, s := range set.Subjects {
			names = append(names, strings.ToLower(string(s.Kind))+" "+oneLine(s.Name))
		}
		r.paragraph("  ", "", "ChangePolicy "+set.Policy+" wants one of: "+strings.Join(names, ", ")+".")
	}
}

// course says how far the change got.
func (r *review) course() {
	var lines []string
	for _, step := range changeSteps {
		if c := meta.FindStatusCondition(r.Change.Status.Conditions, step); c != nil && !(step == v1alpha1.ConditionSucceeded && goesOn(r.Change.Status.Conditions, c)) {
			lines = append(lines, step)
		}
	}
	if len(lines) == 0 {
		return
	}
	r.section("So far")
	for _, step := range lines {
		c := meta.FindStatusCondition(r.Change.Status.Conditions, step)
		message := oneLine(c.Message)
		switch {
		case c.Reason == v1alpha1.ApprovedAwaitingApproval:
			// It holds the command, which stands at the end.
			message = agreedSoFar(r.Change)
		case r.Change.Status.Plan != nil && message == oneLine(r.Change.Status.Plan.Summary):
			message = ""
		}
		r.paragraph("  ", conditionMark(r.style, c)+" "+fmt.Sprintf("%-11s", c.Type), strings.Join(nonEmpty(c.Reason, message), ": "))
	}
	if f := r.Change.Status.Failure; f != nil {
		for _, remedy := range f.Remedies {
			r.paragraph("  ", r.sign("→", "->")+" ", oneLine(remedy))
		}
	}
}

// commands says what can be done now.
func (r *review) commands() {
	at := r.Change.Name + " -n " + r.Change.Namespace
	asked := r.asked()
	switch {
	case ended(r.Change):
		return
	case len(asked) == 0:
		r.line("")
		r.line("%-12s kubectl patch chg %s --type=merge -p '{\"spec\":{\"cancel\":true}}'", "To stop it", at)
		return
	}
	yes, no := "To agree", "To refuse"
	if asked[0].Spec.Purpose == v1alpha1.PurposeAcceptResult {
		yes, no = "To accept it", "To undo it"
	}
	r.line("")
	r.line("%-12s %s", yes, r.paint(bold, "kubectl eclusier approve "+at))
	r.line("%-12s %s", no, r.paint(bold, "kubectl eclusier reject "+at+` --reason "…"`))
	if len(r.Change.Status.ApproveWith) > 0 {
		r.line("%s", r.paint(dim, "Without this plugin:"))
		for _, command := range r.Change.Status.ApproveWith {
			r.line("%s", r.paint(dim, "  "+oneLine(command)))
		}
	}
}
