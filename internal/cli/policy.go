package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/policy"
)

// Planner plans a change and changes nothing.
type Planner interface {
	Plan(ctx context.Context, r pipeline.Request) (*pipeline.Planned, error)
}

// policyTest is one question to the policies.
type policyTest struct {
	*command
	file     string
	policies []string
	offline  bool
	at       string
	out      format
}

// newPolicy makes the command policy.
func newPolicy(cmd *command) *cobra.Command {
	c := &cobra.Command{
		Use: "policy", Short: "Try ChangePolicies", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPolicyTest(cmd))
	return c
}

// newPolicyTest makes the command policy test.
func newPolicyTest(cmd *command) *cobra.Command {
	t := &policyTest{command: cmd, out: formatText}
	c := &cobra.Command{
		Use:   "test -f FILE",
		Short: "Say what would be decided about a change: denied, allowed, or who has to agree, and when it would be applied",
		Long: `Say what would be decided about the ChangeRequest of a file. It is planned by a dry run with your own rights and judged by
the cluster's ChangePolicies; nothing is created. --policies judges by those of files instead, to try a policy before it
is applied.

--offline asks no cluster: the policies, and the Namespaces with their labels, come from --policies. What a dry run would
tell (whether an object exists, how many replicas it has, what depends on it) is then not known, so that the risk
may be higher than it says. A policy whose selector asks for labels that are not known is taken to fit.

Exit codes: 0 it would be allowed or people would be asked, 1 it would be denied or cannot be planned, 2 wrong usage, no
connection, refused.`,
		Example: `  kubectl eclusier policy test -f change.yaml
  kubectl eclusier policy test -f change.yaml --policies policies/ --at 2026-12-24T20:00:00Z
  kubectl eclusier change delete pvc/data -n shop --reason test --dry-run=client | kubectl eclusier policy test -f - --offline --policies policies/`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return t.run(c) },
	}
	flags := c.Flags()
	flags.StringVarP(&t.file, "filename", "f", "", "file with the ChangeRequest; - is standard input")
	flags.StringArrayVar(&t.policies, "policies", nil, "file or folder with ChangePolicies to judge by instead of the cluster's; may be repeated")
	flags.BoolVar(&t.offline, "offline", false, "ask no cluster")
	flags.StringVar(&t.at, "at", "", "the moment to judge for, such as 2026-12-24T20:00:00Z; now if left out")
	t.out.bind(flags, formatText, formatJSON, formatYAML)
	return c
}

// rules are what a change is judged by. A namespace that is not among theirs is one whose labels are not known.
type rules struct {
	policies   []v1alpha1.ChangePolicy
	namespaces map[string]map[string]string
}

// decided is what would be decided.
type decided struct {
	Verdict      v1alpha1.PolicyVerdict `json:"verdict"`
	Required     int32                  `json:"requiredApprovals"`
	DecidedBy    []string               `json:"decidedBy"`
	Risk         v1alpha1.Risk          `json:"risk"`
	Summary      string                 `json:"summary"`
	Counts       v1alpha1.EffectCounts  `json:"counts"`
	Diff         string                 `json:"diff,omitempty"`
	NotDryRun    []string               `json:"notDryRun,omitempty"`
	Notes        []string               `json:"notes,omitempty"`
	Open         bool                   `json:"open"`
	OpensAt      *metav1.Time           `json:"opensAt,omitempty"`
	WaitsFor     string                 `json:"waitsFor,omitempty"`
	TTL          string                 `json:"approvalTTL"`
	SelfApproval v1alpha1.SelfApproval  `json:"selfApproval"`
	Approvers    []v1alpha1.ApproverSet `json:"approvers,omitempty"`
	Review       bool                   `json:"reviewAfterwards,omitempty"`
}

// run plans, judges and prints.
func (t *policyTest) run(c *cobra.Command) error {
	if t.file == "" {
		return usage(c, "-f FILE is missing")
	}
	if t.file == "-" && len(t.policies) > 0 && t.policies[0] == "-" {
		return usage(c, "standard input cannot be both the change and the policies")
	}
	now := t.Now()
	if t.at != "" {
		at, err := time.Parse(time.RFC3339, t.at)
		if err != nil {
			return usage(c, "--at %q: write 2026-12-24T20:00:00Z", t.at)
		}
		now = at
	}
	request, err := t.readChange(t.file)
	if err != nil {
		return err
	}
	given, err := t.given()
	if err != nil {
		return err
	}
	result, err := t.judge(c.Context(), request, given, now)
	var impossible *pipeline.Invalid
	if errors.As(err, &impossible) {
		return t.cannot(impossible)
	}
	if err != nil {
		return err
	}
	return t.print(result, now)
}

// given reads the policies and namespaces of files; nil where there are none.
func (t *policyTest) given() (*rules, error) {
	if len(t.policies) == 0 {
		if t.offline {
			return &rules{namespaces: map[string]map[string]string{}}, nil
		}
		return nil, nil
	}
	r := &rules{namespaces: map[string]map[string]string{}}
	for _, path := range t.policies {
		found, err := t.readManifests(path)
		if err != nil {
			return nil, err
		}
		for _, o := range found {
			switch o.GetKind() {
			case "ChangePolicy":
				one := v1alpha1.ChangePolicy{}
				if err := strictly(o, &one); err != nil {
					return nil, fmt.Errorf("%s: ChangePolicy %s: %w", path, o.GetName(), err)
				}
				r.policies = append(r.policies, one)
			case "Namespace":
				r.namespaces[o.GetName()] = o.GetLabels()
			}
		}
	}
	return r, nil
}

// judge plans the change and asks the policies.
func (t *policyTest) judge(ctx context.Context, request *v1alpha1.ChangeRequest, given *rules, now time.Time) (*decided, error) {
	if t.offline {
		if request.Namespace == "" {
			request.Namespace = t.connection.namespaceFlag()
		}
		if request.Namespace == "" {
			return nil, errors.New("the file names no namespace: give it with -n")
		}
		planned := unplanned(request, given.namespaces)
		return judged(request, planned, given, now), nil
	}
	config, namespace, err := t.connection.config()
	if err != nil {
		return nil, err
	}
	if request.Namespace == "" {
		request.Namespace = namespace
	}
	planner, err := t.Planner(config)
	if err != nil {
		return nil, err
	}
	planned, err := planner.Plan(ctx, pipeline.Request{Change: request, Revision: 1, ExpiresAt: now.Add(policy.DefaultTTL)})
	if err != nil {
		return nil, err
	}
	r, err := t.inForce(ctx, request, given, namespacesTouched(request, planned.Plan))
	if err != nil {
		return nil, err
	}
	return judged(request, planned, r, now), nil
}

// inForce completes what files say by what the cluster says, of the rules and of who asks.
func (t *policyTest) inForce(ctx context.Context, request *v1alpha1.ChangeRequest, given *rules, touched []string) (*rules, error) {
	c, _, err := t.tasks()
	if err != nil {
		return nil, err
	}
	if request.Spec.RequestedBy == nil {
		request.Spec.RequestedBy = whoAmI(ctx, c)
	}
	r := &rules{namespaces: map[string]map[string]string{}}
	if given != nil {
		r = given
	} else {
		list := &v1alpha1.ChangePolicyList{}
		if err := c.List(ctx, list); apierrors.IsForbidden(err) {
			return nil, errors.New("you may not list the cluster's ChangePolicies: have ClusterRole eclusier-viewer bound to you by a ClusterRoleBinding, or judge by files with --policies")
		} else if err != nil {
			return nil, err
		}
		r.policies = list.Items
	}
	for _, name := range touched {
		if _, known := r.namespaces[name]; known {
			continue
		}
		namespace := &corev1.Namespace{}
		err := c.Get(ctx, client.ObjectKey{Name: name}, namespace)
		if apierrors.IsForbidden(err) {
			continue // its labels are not known
		}
		if client.IgnoreNotFound(err) != nil {
			return nil, err
		}
		r.namespaces[name] = namespace.Labels
	}
	return r, nil
}

// namespacesTouched are the change's own namespace and those of the objects that it touches.
func namespacesTouched(request *v1alpha1.ChangeRequest, p change.Plan) []string {
	names := []string{request.Namespace}
	for _, e := range p.Effects {
		switch {
		case e.Object.Namespace != "":
			names = append(names, e.Object.Namespace)
		case e.Object.Kind == "Namespace":
			names = append(names, e.Object.Name)
		}
	}
	return names
}

// requesterOf is who asks for a change; empty where neither the file nor the API server says it.
func requesterOf(request *v1alpha1.ChangeRequest) string {
	if by := request.Spec.RequestedBy; by != nil {
		return by.Username
	}
	return ""
}

// judged is what the rules say of a plan.
func judged(request *v1alpha1.ChangeRequest, planned *pipeline.Planned, r *rules, now time.Time) *decided {
	selected, doubts := r.selected(namespacesTouched(request, planned.Plan))
	risk := change.Assess(planned.Plan, planned.View.Facts)
	planned.Plan.Class = risk.Class
	verdict := selected.Judge(requesterOf(request), planned.Plan, risk)
	var notBefore *time.Time
	if request.Spec.NotBefore != nil {
		notBefore = &request.Spec.NotBefore.Time
	}
	opening := selected.Opening(now, notBefore)
	result := &decided{
		Verdict: verdict.Verdict, Required: verdict.Required, DecidedBy: append([]string{}, verdict.DecidedBy...), Risk: risk,
		Summary: planned.View.Summary, Counts: planned.Plan.Counts(), Diff: planned.View.Diff, Notes: append(doubts, planned.View.Notes...),
		Open: opening.Open, WaitsFor: opening.Why, TTL: selected.TTL().String(), SelfApproval: selected.SelfApproval(),
		Approvers: selected.Approvers(), Review: verdict.ReviewAfterwards,
	}
	if !opening.At.IsZero() {
		result.OpensAt = &metav1.Time{Time: opening.At.UTC()}
	}
	for _, e := range planned.Plan.Effects {
		if e.NotDryRun != "" {
			result.NotDryRun = append(result.NotDryRun, object(e.Object.Kind, e.Object.Namespace, e.Object.Name)+": "+e.NotDryRun)
		}
	}
	return result
}

// cannot says why there is no plan.
func (t *policyTest) cannot(why *pipeline.Invalid) error {
	if t.out.structured() {
		if err := t.out.write(t.Out, map[string]string{"reason": why.Reason, "message": oneLine(why.Message)}); err != nil {
			return err
		}
		return errNoAnswer
	}
	p := newPrinter(t.Out, t.style())
	p.paragraph("", p.paint(red, why.Reason)+"  ", oneLine(why.Message))
	if why.Reason == v1alpha1.PlannedPlannerForbidden {
		p.paragraph("  ", p.sign("→", "->")+" ", "here it is planned with your own rights; kubectl eclusier change -f "+t.file+
			" --dry-run --wait has the operator plan it, and --offline judges it without a plan")
	}
	if p.err != nil {
		return p.err
	}
	return errNoAnswer
}

// print prints the answer and turns it into the exit code.
func (t *policyTest) print(a *decided, now time.Time) error {
	if t.out.structured() {
		if err := t.out.write(t.Out, a); err != nil {
			return err
		}
	} else {
		p := newPrinter(t.Out, t.style())
		printAnswer(p, a, now)
		if p.err != nil {
			return p.err
		}
	}
	if a.Verdict == v1alpha1.PolicyDenied {
		return errNoAnswer
	}
	return nil
}

// printAnswer prints what would be decided, and why.
func printAnswer(p *printer, a *decided, now time.Time) {
	switch a.Verdict {
	case v1alpha1.PolicyDenied:
		p.line("%s  a policy forbids it", p.paint(red, string(a.Verdict)))
	case v1alpha1.PolicyAllowed:
		p.line("%s  nobody has to agree", p.paint(green, string(a.Verdict)))
	default:
		p.line("%s  %s must agree", p.paint(yellow, string(a.Verdict)), people(a.Required))
	}
	sentences := func(mark string, texts ...string) {
		for _, text := range texts {
			p.paragraph("  ", mark+" ", oneLine(text))
		}
	}
	dot := p.sign("·", "-")
	sentences(dot, a.DecidedBy...)
	p.line("")
	p.paragraph("", p.paint(bold, "Plan")+"      ", oneLine(a.Summary)+" ("+counts(a.Counts)+")")
	p.paragraph("", p.paint(bold, "Risk")+"      ", fmt.Sprintf("class %s: impact %s, %s", a.Risk.Class, strings.ToLower(string(a.Risk.Impact)), strings.ToLower(string(a.Risk.Reversibility))))
	sentences(dot, a.Risk.Reasons...)
	sentences(p.paint(yellow, "!"), append(a.NotDryRun, a.Notes...)...)
	p.paragraph("", p.paint(bold, "When")+"      ", opens(a, now))
	if a.Verdict != v1alpha1.PolicyApprovalRequired {
		return
	}
	who := fmt.Sprintf("whoever has the verb approve on changeclasses/%s", strings.ToLower(string(a.Risk.Class)))
	if a.SelfApproval != v1alpha1.SelfApprovalAllow {
		who += ", but for the one who asks"
	}
	for _, set := range a.Approvers {
		var names []string
		for _, s := range set.Subjects {
			names = append(names, strings.ToLower(string(s.Kind))+" "+s.Name)
		}
		who += "; policy " + set.Policy + " wants one of " + strings.Join(names, ", ")
	}
	p.paragraph("", p.paint(bold, "Who")+"       ", oneLine(who))
	p.paragraph("", p.paint(bold, "How long")+"  ", "consent can be given and used for "+a.TTL)
}

// opens says when the change would be applied.
func opens(a *decided, now time.Time) string {
	switch {
	case a.Open:
		return "as soon as it may"
	case a.OpensAt == nil:
		return "never: " + oneLine(a.WaitsFor)
	}
	return fmt.Sprintf("not before %s, in %s: %s", a.OpensAt.UTC().Format(time.RFC3339), age(a.OpensAt.Time, now), oneLine(a.WaitsFor))
}
