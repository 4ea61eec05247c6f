package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
)

// Apply makes one effect. It reads the object first and sends the stored request on the condition that the object is the
// one that it read, if its content is what was planned for. A version that only the status moved is read anew; a content
// that somebody changed is a fault with the reason pipeline.ObjectChanged, and nothing was sent.
func (p *Pipeline) Apply(ctx context.Context, one pipeline.Step) (*v1alpha1.OperationDone, error) {
	s, err := p.step(one)
	if err != nil {
		return nil, err
	}
	e := s.effect
	if e.Verb == change.VerbNone {
		return s.done(e.Object.UID, s.Version), nil
	}
	if secret(e.Object) {
		return nil, fault.New(fault.Terminal, fault.PolicyViolation, "Secrets are not changed", nil)
	}
	for range readings {
		live, err := s.live(ctx)
		if err != nil {
			return nil, err
		}
		if err := s.expect(ctx, live); err != nil {
			return nil, err
		}
		request := sending{object: e.Object, request: e.Request, when: conditionOf(live)}
		result, err := send(ctx, s.writer, request)
		if err == nil {
			return s.had(result)
		}
		if err := s.rejected(ctx, request, err); err != nil {
			return nil, err
		}
	}
	return nil, fault.New(fault.Retry, fault.Conflict, name(e.Object)+" changes faster than it can be read", nil)
}

// had is the record of an effect that led to an object, nil where it was deleted.
func (s *step) had(result *unstructured.Unstructured) (*v1alpha1.OperationDone, error) {
	if result == nil {
		return s.done(s.effect.Object.UID, ""), nil
	}
	done := s.done(string(result.GetUID()), result.GetResourceVersion())
	fields, err := s.unforeseen(result)
	if err != nil {
		return nil, err
	}
	for _, field := range fields[:min(len(fields), maxUnforeseen)] {
		done.Unforeseen = append(done.Unforeseen, shown(field))
	}
	return done, nil
}

// done is the record of an effect.
func (s *step) done(uid, version string) *v1alpha1.OperationDone {
	o := s.effect.Object
	return &v1alpha1.OperationDone{
		Index:           int32(s.Index),
		Object:          v1alpha1.ObjectReference{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, UID: uid},
		ResourceVersion: version,
	}
}

// expect holds the live object against what was planned for.
func (s *step) expect(ctx context.Context, live *unstructured.Unstructured) error {
	e := s.effect
	if e.Verb == change.VerbCreate {
		return s.expectNone(ctx, live)
	}
	switch {
	case live == nil:
		return s.changed("was deleted since the plan")
	case string(live.GetUID()) != e.Object.UID:
		return s.changed("was deleted and made again since the plan")
	case live.GetDeletionTimestamp() != nil:
		return s.changed("is being deleted since the plan")
	}
	if former := s.former(); former != nil {
		place, fields, err := s.place(ctx, *former, live)
		if err != nil {
			return err
		}
		if place != manifest.AtAfter {
			return s.changed("was changed since operation %d%s", former.Index+1, of(fields))
		}
		return nil
	}
	same, err := s.unchanged(live)
	if err != nil {
		return err
	}
	if !same {
		return s.changed("was changed since the plan")
	}
	return nil
}

// expectNone wants that there is no object, and that its namespace takes one.
func (s *step) expectNone(ctx context.Context, live *unstructured.Unstructured) error {
	if live != nil {
		if former := s.former(); former != nil && string(live.GetUID()) == former.Object.UID {
			return s.await("%s is still being deleted%s", name(s.effect.Object), heldBy(live))
		}
		return s.changed("was made by somebody else since the plan")
	}
	for _, e := range s.Plan.Effects[:s.Index] {
		if e.Object.Kind != "Namespace" || e.Object.Name != s.effect.Object.Namespace || e.Verb != change.VerbCreate {
			continue
		}
		namespace, err := s.p.namespaceOf(ctx, e.Object.Name)
		if err != nil {
			return err
		}
		if namespace == nil {
			return s.changed("has lost its namespace")
		}
		if phase, _, _ := unstructured.NestedString(namespace.Object, "status", "phase"); phase != string(corev1.NamespaceActive) {
			return s.await("the namespace %s is not active yet", e.Object.Name)
		}
	}
	return nil
}

// heldBy says what keeps an object that is being deleted.
func heldBy(o *unstructured.Unstructured) string {
	if finalizers := o.GetFinalizers(); len(finalizers) > 0 {
		return ", held by " + strings.Join(finalizers, ", ")
	}
	return ""
}

func of(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	return " (" + strings.Join(fields, ", ") + ")"
}

// rejected turns the refusal of a real request into a fault; it is nil where the object was not the one that was read, so
// that it has to be read again.
func (s *step) rejected(ctx context.Context, sent sending, err error) error {
	r := sent.request
	switch {
	case len(fieldOwners(err)) > 0:
		return s.changed("has fields that somebody else took over since the plan")
	case apierrors.IsAlreadyExists(err):
		return s.changed("was made by somebody else since the plan")
	case apierrors.IsConflict(err):
		return nil
	case apierrors.IsNotFound(err) && r.Kind != change.RequestCreate:
		return s.changed("was deleted since the plan")
	case apierrors.IsForbidden(err):
		return s.denied(ctx, r, err)
	case apierrors.IsInvalid(err) && r.Kind == change.RequestJSONPatch && s.moved(ctx, sent.when):
		return nil
	}
	f := fault.Of(err)
	if f.Fate == fault.Terminal {
		return fault.New(fault.Terminal, f.Reason, fmt.Sprintf("the API server refused to %s %s", s.effect.Operation, name(s.effect.Object)), err)
	}
	return err
}

// moved says whether the object has changed since it was read: then it was that which a test in a JSON patch failed at.
func (s *step) moved(ctx context.Context, read condition) bool {
	live, err := s.live(ctx)
	return err == nil && conditionOf(live) != read
}

// denied tells a missing right, the account's or the operator's to act as it, from a refusal by admission.
func (s *step) denied(ctx context.Context, r change.Request, err error) error {
	namespace, account, _ := strings.Cut(s.Plan.ServiceAccount, "/")
	if strings.Contains(err.Error(), "cannot impersonate") {
		message := "the operator may not act as the service account " + s.Plan.ServiceAccount
		remedy := fmt.Sprintf("grant the operator's service account the verb impersonate on serviceaccounts/%s in the namespace %s", account, namespace)
		return fault.New(fault.Terminal, fault.PermissionDenied, message, errors.Unwrap(err)).With(remedy)
	}
	a := accessOf(s.effect.Object, r.Kind)
	if !lacks(ctx, s.writer, a) {
		return fault.New(fault.Terminal, fault.PolicyViolation, "admission control refused to "+string(s.effect.Operation)+" "+name(s.effect.Object), err)
	}
	message := fmt.Sprintf("the service account %s may not %s %s", s.Plan.ServiceAccount, a.verb, a.resource())
	return fault.New(fault.Terminal, fault.PermissionDenied, message, errors.Unwrap(err)).With(grant(a, namespace, account))
}
