package cli

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// progress prints a line for each condition that changes.
type progress struct {
	*printer
	steps []string
	seen  map[string]string
}

func newProgress(p *printer, steps []string) *progress {
	return &progress{printer: p, steps: steps, seen: map[string]string{}}
}

// steps are the conditions in the order in which a task reaches them, then those that tell of trouble.
var steps = []string{
	v1alpha1.ConditionAccepted, v1alpha1.ConditionTargetResolved, v1alpha1.ConditionClassified,
	v1alpha1.ConditionDiagnosed, v1alpha1.ConditionChangeProposed, v1alpha1.ConditionVerified,
	v1alpha1.ConditionRetrying, v1alpha1.ConditionCircuitOpen, v1alpha1.ConditionAwaitingInput,
	v1alpha1.ConditionDegraded, v1alpha1.ConditionBudgetExhausted, v1alpha1.ConditionLoopDetected,
	v1alpha1.ConditionDeadLettered, v1alpha1.ConditionSucceeded,
}

// changeSteps are the same for a change.
var changeSteps = []string{
	v1alpha1.ConditionPlanned, v1alpha1.ConditionApproved, v1alpha1.ConditionApplied, v1alpha1.ConditionVerified,
	v1alpha1.ConditionRolledBack, v1alpha1.ConditionRetrying, v1alpha1.ConditionCircuitOpen, v1alpha1.ConditionDrifted,
	v1alpha1.ConditionDeadLettered, v1alpha1.ConditionSucceeded,
}

// troubles are the conditions whose being True is nothing to be glad of.
var troubles = map[string]bool{
	v1alpha1.ConditionRetrying: true, v1alpha1.ConditionCircuitOpen: true, v1alpha1.ConditionAwaitingInput: true,
	v1alpha1.ConditionDegraded: true, v1alpha1.ConditionBudgetExhausted: true, v1alpha1.ConditionLoopDetected: true,
	v1alpha1.ConditionDeadLettered: true, v1alpha1.ConditionDrifted: true,
}

// telling are the conditions whose being True says something that is printed nowhere else: what was found, and what became
// of a wish.
var telling = map[string]bool{v1alpha1.ConditionTargetResolved: true, v1alpha1.ConditionChangeProposed: true}

// begun says what was created.
func (p *progress) begun(resource, name string) {
	p.line("%s", p.paint(dim, resource+".eclusier.io/"+name+" created"))
}

// show prints what is new in the object's conditions.
func (p *progress) show(object bounded) {
	for _, c := range p.news(object) {
		p.line("%s", conditionLine(p.style, withHint(object, c)))
	}
}

// know takes note of how the object stands, which has been shown otherwise.
func (p *progress) know(object bounded) { p.news(object) }

// news returns the conditions that are not as they were seen last.
func (p *progress) news(object bounded) []*metav1.Condition {
	var news []*metav1.Condition
	for _, step := range p.steps {
		c := meta.FindStatusCondition(object.GetConditions(), step)
		if c == nil || c.Type == v1alpha1.ConditionSucceeded && goesOn(object.GetConditions(), c) {
			continue
		}
		if state := string(c.Status) + c.Reason + c.Message; p.seen[step] != state {
			p.seen[step] = state
			news = append(news, c)
		}
	}
	return news
}

// goesOn tells whether an undecided root condition says nothing that another condition does not say as well.
func goesOn(all []metav1.Condition, root *metav1.Condition) bool {
	if root.Status != metav1.ConditionUnknown {
		return false
	}
	return root.Reason == v1alpha1.SucceededProgressing || slices.ContainsFunc(all, func(c metav1.Condition) bool {
		return c.Type != root.Type && c.Reason == root.Reason
	})
}

// withHint puts our own command in place of the one that works without this plugin, which is many lines long.
func withHint(object bounded, c *metav1.Condition) *metav1.Condition {
	request, ok := object.(*v1alpha1.ChangeRequest)
	if !ok || c.Reason != v1alpha1.ApprovedAwaitingApproval {
		return c
	}
	hinted := *c
	hinted.Message = strings.Join(nonEmpty(agreedSoFar(request), "kubectl eclusier approve "+request.Name+" -n "+request.Namespace), ", ")
	return &hinted
}

// agreedSoFar says how many people agreed of those who have to.
func agreedSoFar(request *v1alpha1.ChangeRequest) string {
	policy := request.Status.Policy
	if policy == nil || policy.Progress == "" {
		return ""
	}
	return policy.Progress + " agreed"
}

// conditionLine is one condition in one line: its reason and, while it is open or tells of trouble, what it says. What a
// decided one says is printed below as the answer or as the failure.
func conditionLine(s style, c *metav1.Condition) string {
	text := c.Reason
	if c.Status == metav1.ConditionUnknown || troubles[c.Type] || telling[c.Type] && c.Status == metav1.ConditionTrue {
		text += ": " + oneLine(c.Message)
	}
	return fmt.Sprintf("%s %-15s %s", conditionMark(s, c), c.Type, s.paint(dim, text))
}

// conditionMark is one character for how a condition stands.
func conditionMark(s style, c *metav1.Condition) string {
	switch {
	case c.Status == metav1.ConditionTrue && troubles[c.Type]:
		return s.paint(yellow, "!")
	case c.Status == metav1.ConditionTrue:
		return s.paint(green, s.sign("✓", "+"))
	case c.Status == metav1.ConditionFalse:
		return s.paint(red, s.sign("✗", "x"))
	}
	return s.paint(yellow, s.sign("…", "?"))
}
