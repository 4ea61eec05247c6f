package cli

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// rewatch is how long to wait before a watch that broke off is opened again.
var rewatch = time.Second

// succeeded tells whether the task has an answer.
func succeeded(task *v1alpha1.AgentTask) bool {
	return meta.IsStatusConditionTrue(task.Status.Conditions, v1alpha1.ConditionSucceeded)
}

// ended tells whether the task's root condition is decided.
func ended(task *v1alpha1.AgentTask) bool {
	root := meta.FindStatusCondition(task.Status.Conditions, v1alpha1.ConditionSucceeded)
	return root != nil && root.Status != metav1.ConditionUnknown
}

// follow calls show with every state of the task that the API server reports, and returns the task once it has ended.
// A watch that the server closes, as it does after some minutes, is opened again where it left off.
func follow(ctx context.Context, c client.WithWatch, task *v1alpha1.AgentTask, show func(*v1alpha1.AgentTask)) (*v1alpha1.AgentTask, error) {
	for {
		show(task)
		if ended(task) {
			return task, nil
		}
		latest, err := followOnce(ctx, c, task, show)
		if err != nil || ended(latest) {
			return latest, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(rewatch):
		}
		task = &v1alpha1.AgentTask{}
		if err := c.Get(ctx, client.ObjectKeyFromObject(latest), task); err != nil {
			return nil, err
		}
	}
}

// followOnce follows one watch to its end, and returns the last state seen.
func followOnce(ctx context.Context, c client.WithWatch, task *v1alpha1.AgentTask, show func(*v1alpha1.AgentTask)) (*v1alpha1.AgentTask, error) {
	changes, err := c.Watch(ctx, &v1alpha1.AgentTaskList{}, &client.ListOptions{
		Namespace:     task.Namespace,
		FieldSelector: fields.OneTermEqualSelector("metadata.name", task.Name),
		Raw:           &metav1.ListOptions{ResourceVersion: task.ResourceVersion},
	})
	if err != nil {
		return nil, err
	}
	defer changes.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case change, open := <-changes.ResultChan():
			if !open || change.Type == watch.Error && apierrors.IsResourceExpired(apierrors.FromObject(change.Object)) {
				return task, nil
			}
			if change.Type == watch.Error {
				return nil, apierrors.FromObject(change.Object)
			}
			if change.Type == watch.Deleted {
				return nil, fmt.Errorf("AgentTask %s was deleted before it had an answer", task.Name)
			}
			if next, ok := change.Object.(*v1alpha1.AgentTask); ok {
				task = next
				show(task)
			}
			if ended(task) {
				return task, nil
			}
		}
	}
}

// progress prints a line for each condition that changes.
type progress struct {
	*printer
	seen map[string]string
}

func newProgress(p *printer) *progress { return &progress{printer: p, seen: map[string]string{}} }

// steps are the conditions in the order in which a task reaches them, then those that tell of trouble.
var steps = []string{
	v1alpha1.ConditionAccepted, v1alpha1.ConditionTargetResolved, v1alpha1.ConditionClassified,
	v1alpha1.ConditionDiagnosed, v1alpha1.ConditionChangeProposed, v1alpha1.ConditionVerified,
	v1alpha1.ConditionRetrying, v1alpha1.ConditionCircuitOpen, v1alpha1.ConditionAwaitingInput,
	v1alpha1.ConditionDegraded, v1alpha1.ConditionBudgetExhausted, v1alpha1.ConditionLoopDetected,
	v1alpha1.ConditionDeadLettered, v1alpha1.ConditionSucceeded,
}

// troubles are the conditions whose being True is nothing to be glad of.
var troubles = map[string]bool{
	v1alpha1.ConditionRetrying: true, v1alpha1.ConditionCircuitOpen: true, v1alpha1.ConditionAwaitingInput: true,
	v1alpha1.ConditionDegraded: true, v1alpha1.ConditionBudgetExhausted: true, v1alpha1.ConditionLoopDetected: true,
	v1alpha1.ConditionDeadLettered: true,
}

// begun says which task was created.
func (p *progress) begun(task *v1alpha1.AgentTask) {
	p.line("%s", p.paint(dim, "agenttask.eclusier.io/"+task.Name+" created"))
}

// show prints what is new in the task's conditions.
func (p *progress) show(task *v1alpha1.AgentTask) {
	for _, step := range steps {
		c := meta.FindStatusCondition(task.Status.Conditions, step)
		if c == nil || c.Type == v1alpha1.ConditionSucceeded && c.Reason == v1alpha1.SucceededProgressing {
			continue
		}
		state := string(c.Status) + c.Reason + c.Message
		if p.seen[step] == state {
			continue
		}
		p.seen[step] = state
		p.line("%s", conditionLine(p.style, c))
	}
}

// conditionLine is one condition in one line: its reason and, while it is open or tells of trouble, what it says. What a
// decided one says is printed below as the answer or as the failure.
func conditionLine(s style, c *metav1.Condition) string {
	mark := s.paint(yellow, s.sign("…", "?"))
	switch {
	case c.Status == metav1.ConditionTrue && troubles[c.Type]:
		mark = s.paint(yellow, "!")
	case c.Status == metav1.ConditionTrue:
		mark = s.paint(green, s.sign("✓", "+"))
	case c.Status == metav1.ConditionFalse:
		mark = s.paint(red, s.sign("✗", "x"))
	}
	text := c.Reason
	if c.Status == metav1.ConditionUnknown || troubles[c.Type] || c.Type == v1alpha1.ConditionTargetResolved && c.Status == metav1.ConditionTrue {
		text += ": " + oneLine(c.Message)
	}
	return fmt.Sprintf("%s %-15s %s", mark, c.Type, s.paint(dim, text))
}
