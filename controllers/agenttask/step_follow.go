package agenttask

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/redact"
)

// outcome is what the end of a change means for its task.
type outcome struct {
	reason string
	// says is the sentence about it; of a change that did not succeed, what the change says of itself follows.
	says said
	good bool
}

// outcomes has every way in which a change ends.
var outcomes = map[v1alpha1.ChangeResult]outcome{
	v1alpha1.ResultSucceeded:      {v1alpha1.SucceededApplied, saidChangeSucceeded, true},
	v1alpha1.ResultPlanned:        {v1alpha1.SucceededDryRun, saidChangePlanned, true},
	v1alpha1.ResultDenied:         {v1alpha1.SucceededChangeDenied, saidChangeDenied, false},
	v1alpha1.ResultRejected:       {v1alpha1.SucceededChangeRejected, saidChangeRejected, false},
	v1alpha1.ResultExpired:        {v1alpha1.SucceededChangeExpired, saidChangeExpired, false},
	v1alpha1.ResultCancelled:      {v1alpha1.SucceededCancelled, saidChangeCancelled, false},
	v1alpha1.ResultInvalid:        {v1alpha1.SucceededChangeInvalid, saidChangeInvalid, false},
	v1alpha1.ResultApplyFailed:    {v1alpha1.SucceededChangeApplyFailed, saidChangeApplyFailed, false},
	v1alpha1.ResultVerifyFailed:   {v1alpha1.SucceededChangeVerifyFailed, saidChangeVerifyFailed, false},
	v1alpha1.ResultRolledBack:     {v1alpha1.SucceededChangeRolledBack, saidChangeRolledBack, false},
	v1alpha1.ResultRollbackFailed: {v1alpha1.SucceededChangeRollbackFailed, saidChangeRollbackFailed, false},
}

// follow ends the task as its change ended, and waits for that. The watch wakes it; nothing is asked again by the clock.
func (p *pass) follow(ctx context.Context) error {
	change, err := p.followedChange(ctx)
	if err != nil {
		return err
	}
	if change == nil {
		return refuse(v1alpha1.SucceededChangeGone, p.say(saidChangeGone, p.change().Name), p.say(saidAskAgain))
	}
	if end, known := outcomes[change.Status.Result]; known {
		return p.conclusion(change, end)
	}
	p.await()
	if p.task.Spec.Cancel && !change.Spec.Cancel {
		return p.cancel(ctx, change)
	}
	return nil
}

// await holds the task until its change ends.
func (p *pass) await() {
	p.task.Status.Retry = nil
	p.hold = fault.New(fault.Wait, v1alpha1.SucceededAwaitingChange, p.awaiting(), nil)
}

// awaiting says what the task waits for.
func (p *pass) awaiting() string {
	name, namespace := p.change().Name, p.task.Namespace
	if p.task.Spec.Cancel {
		return p.say(saidCancelling, name, namespace)
	}
	return p.say(saidAwaiting, name, namespace)
}

// suspended says what spec.suspend holds: the task, and not a change that it has made.
func (p *pass) suspended() string {
	if change := p.change(); change != nil {
		return p.say(saidSuspendedChange, change.Name)
	}
	return p.say(saidSuspended)
}

// followedChange returns the task's change, nil if it is gone. The cache may not know yet what was made a moment ago.
func (p *pass) followedChange(ctx context.Context) (*v1alpha1.ChangeRequest, error) {
	key := client.ObjectKey{Namespace: p.task.Namespace, Name: p.change().Name}
	for _, reader := range []client.Reader{p.Client, p.Uncached} {
		change := &v1alpha1.ChangeRequest{}
		err := reader.Get(ctx, key, change)
		switch {
		case err == nil && string(change.UID) == p.change().UID:
			return change, nil
		case err != nil && !fault.Is(err, fault.NotFound):
			return nil, err
		}
	}
	return nil, nil //nolint:nilnil // it is gone, which is no error
}

// cancel sets spec.cancel of the change. Where it is too late, the change ends as it does, and the task with it.
func (p *pass) cancel(ctx context.Context, change *v1alpha1.ChangeRequest) error {
	before := change.DeepCopy()
	change.Spec.Cancel = true
	err := p.Client.Patch(ctx, change, client.MergeFrom(before), kube.FieldOwner)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil // its going wakes the task
	case fault.Is(err, fault.PermissionDenied), fault.Is(err, fault.InvalidInput):
		return fault.New(fault.Wait, v1alpha1.SucceededAwaitingChange, p.say(saidCancelByHand, change.Name, change.Namespace), err)
	}
	return err
}

// conclusion records how the change ended, and ends the task with it.
func (p *pass) conclusion(change *v1alpha1.ChangeRequest, end outcome) error {
	p.change().Result = change.Status.Result
	summary := ""
	if plan := change.Status.Plan; plan != nil {
		summary = redact.String(plan.Summary).String()
	}
	if end.good {
		p.task.Status.Answer = cut(p.say(end.says, change.Name, summary), v1alpha1.MaxStatusText)
		p.complete()
		return nil
	}
	message, remedies := p.say(end.says, change.Name), []string{p.say(saidSeeChange, change.Name, change.Namespace)}
	if failure := change.Status.Failure; failure != nil {
		message += " " + redact.String(failure.Message).String()
		for _, remedy := range failure.Remedies {
			remedies = append(remedies, redact.String(remedy).String())
		}
	}
	return refuse(end.reason, message, remedies...)
}
