package agenttask

import (
	"cmp"
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/guard"
	"github.com/eclusier/eclusier/internal/kube"
)

// accept checks what can be checked without understanding the prompt, and starts the task's clock.
func (p *pass) accept(ctx context.Context) error {
	if err := p.readable(); err != nil {
		return err
	}
	verdict, err := p.vouching(ctx)
	if err != nil {
		return err
	}
	if !verdict.InPlace() {
		return fault.New(fault.Wait, v1alpha1.AcceptedIdentityGuardMissing, verdict.Message(), nil)
	}
	if p.unvouched() != nil || p.task.CreationTimestamp.Time.Before(verdict.Since) || p.task.Spec.RequestedBy == nil {
		return refuse(v1alpha1.AcceptedRequesterUnknown, p.say(saidRequesterUnknown))
	}
	if err := p.accountExists(ctx); err != nil {
		return err
	}
	started := metav1.NewTime(p.Clock.Now())
	p.task.Status.StartedAt = &started
	return nil
}

// vouching asks the guard, past the cache: what a cache shows may be older than the task, and a task that is held for the
// guard is never accepted.
func (p *pass) vouching(ctx context.Context) (guard.Verdict, error) {
	verdict, err := p.Guard.Check(ctx, p.Uncached)
	if err == nil {
		p.Metrics.GuardInPlace(verdict.InPlace())
	}
	return verdict, err
}

// unvouched is the condition under which a task was held for the identity guard, nil if it never was. It is the one
// condition that is read as a fact: policies that were put right bear no sure sign of it, but a task that has once been
// seen without them has a requester that nobody vouches for.
func (p *pass) unvouched() *metav1.Condition {
	condition := meta.FindStatusCondition(p.before, v1alpha1.ConditionAccepted)
	if condition == nil || condition.Reason != v1alpha1.AcceptedIdentityGuardMissing {
		return nil
	}
	return condition
}

// readable tells whether the prompt is text of a length that somebody can have meant.
func (p *pass) readable() error {
	prompt := p.task.Spec.Prompt
	switch {
	case !strings.ContainsFunc(prompt, visible) && !strings.ContainsFunc(prompt, unreadable):
		return refuse(v1alpha1.AcceptedPromptEmpty, p.say(saidPromptEmpty))
	case len(prompt) > v1alpha1.MaxPromptBytes:
		return refuse(v1alpha1.AcceptedPromptTooLong, p.say(saidPromptTooLong, len(prompt), v1alpha1.MaxPromptBytes))
	case !utf8.ValidString(prompt) || strings.ContainsFunc(prompt, unreadable):
		return refuse(v1alpha1.AcceptedPromptUnreadable, p.say(saidPromptUnreadable))
	}
	return nil
}

// visible tells what leaves ink from blanks of every width and from characters that only direct others.
func visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Zs, r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// unreadable tells control characters from text. The replacement character stands where bytes were no text.
func unreadable(r rune) bool {
	return r == unicode.ReplacementChar || unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r)
}

// accountExists makes sure that there is somebody to read as. The API server would let a service account that does not
// exist be impersonated, and every answer would then be a missing right.
func (p *pass) accountExists(ctx context.Context) error {
	account := p.account()
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ServiceAccount"))
	err := p.Uncached.Get(ctx, account, object)
	switch {
	case fault.Is(err, fault.NotFound):
		return refuse(v1alpha1.AcceptedServiceAccountNotFound, p.say(saidNoAccount, account.Name, account.Namespace),
			"kubectl create serviceaccount "+account.Name+" -n "+account.Namespace, p.grantRead(account.Namespace), p.say(saidAskAgain))
	case fault.Is(err, fault.PermissionDenied):
		return refuse(v1alpha1.AcceptedServiceAccountNotAllowed, p.say(saidAccountNotAllowed, account.Name, v1alpha1.DefaultServiceAccountName))
	}
	return err
}

// correlationID is the id that the task was given, or one made from its uid: so it is the same in every pass, and in the
// log lines of a pass whose write was lost.
func correlationID(task *v1alpha1.AgentTask) string {
	return cmp.Or(task.Spec.CorrelationID, kube.CorrelationID(task.UID))
}

// refuse is the fault that ends a task under a reason, with what people can do about it.
func refuse(reason, message string, remedies ...string) *fault.Fault {
	return fault.New(fault.Terminal, reason, message, nil).With(remedies...)
}
