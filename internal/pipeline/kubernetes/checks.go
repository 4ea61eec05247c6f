package kubernetes

import (
	"context"
	"errors"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/check"
)

// validate refuses checks that could never be made.
func (s *planning) validate(checks []v1alpha1.Check) error {
	for _, c := range checks {
		switch {
		case c.ObjectReady != nil:
			if _, err := s.kinds.named(c.ObjectReady.Target.Kind, c.ObjectReady.Target.APIVersion); err != nil {
				return inCheck(c, err)
			}
		case c.CEL != nil:
			if _, err := s.kinds.named(c.CEL.Target.Kind, c.CEL.Target.APIVersion); err != nil {
				return inCheck(c, err)
			}
			if _, err := check.Compile(c.CEL.Expression); err != nil {
				return invalid(v1alpha1.PlannedInvalid, "check %q: the expression cannot be used: %s", c.Name, quote(err))
			}
		case c.HTTPGet != nil:
			if err := s.getter.Validate(c.HTTPGet.URL); err != nil {
				return invalid(v1alpha1.PlannedInvalid, "check %q: the url cannot be used: %s", c.Name, quote(err))
			}
		}
	}
	return nil
}

func inCheck(c v1alpha1.Check, err error) error {
	var no *pipeline.Invalid
	if errors.As(err, &no) {
		return invalid(no.Reason, "check %q: %s", c.Name, no.Message)
	}
	return err
}

// target reads the object that a check is about.
func (v *verifying) target(ctx context.Context, t v1alpha1.OperationTarget) (*unstructured.Unstructured, error) {
	client, err := v.p.planner(v.Namespace)
	if err != nil {
		return nil, err
	}
	found, err := v.p.kinds.named(t.Kind, t.APIVersion)
	if err != nil {
		return nil, err
	}
	return get(ctx, client, found.object(orDefault(t.Namespace, v.Namespace), t.Name))
}

func (v *verifying) objectReady(ctx context.Context, t v1alpha1.OperationTarget) result {
	object, err := v.target(ctx, t)
	switch {
	case err != nil:
		return unasked(err)
	case object == nil:
		return open("%s %s does not exist", t.Kind, t.Name)
	}
	return readiness(object)
}

func (v *verifying) expression(ctx context.Context, c v1alpha1.CELCheck) result {
	expression, err := check.Compile(c.Expression)
	if err != nil {
		return unknown("the expression cannot be used: %s", quote(err))
	}
	object, err := v.target(ctx, c.Target)
	switch {
	case err != nil:
		return unasked(err)
	case object == nil:
		return open("%s %s does not exist", c.Target.Kind, c.Target.Name)
	}
	held, err := expression.Holds(ctx, object.Object)
	switch {
	case err != nil:
		return open("the expression has no value: %s", quote(err))
	case !held:
		return open("the expression is not true: %s", c.Expression)
	}
	return holds()
}

func (v *verifying) httpGet(ctx context.Context, c v1alpha1.HTTPGetCheck) result {
	wanted := int(c.ExpectedStatus)
	if wanted == 0 {
		wanted = 200
	}
	got, err := v.p.getter.Status(ctx, c.URL)
	var refused *check.RefusedError
	switch {
	case errors.As(err, &refused):
		return unknown("%s was not asked: %s", quoteText(c.URL), refused.Error())
	case err != nil:
		return open("%s does not answer: %s", quoteText(c.URL), quote(err))
	case got != wanted:
		return open("%s answers %d, not %d", quoteText(c.URL), got, wanted)
	}
	return holds()
}

var events = schema.GroupVersionResource{Version: "v1", Resource: "events"}

// eventPages bounds how many pages of warnings are read in a namespace.
const eventPages = 10

// noNewWarnings wants no warning about the changed objects, or what they own, that is newer than the change. It reads as
// eclusier-reader, as a diagnosis does: the planner need not see events.
func (v *verifying) noNewWarnings(ctx context.Context, soak time.Duration) result {
	client, err := v.p.as(v.Namespace, v1alpha1.DefaultServiceAccountName)
	if err != nil {
		return unknown("%s", quote(err))
	}
	owners := &ownership{Pipeline: v.p, client: client, changed: map[string]bool{}, known: map[string]bool{}}
	namespaces := map[string]bool{}
	for _, i := range touched(v.Plan) {
		o := v.Plan.Effects[i].Object
		namespaces[orDefault(o.Namespace, metav1.NamespaceDefault)] = true
		owners.changed[o.Kind+"/"+o.Namespace+"/"+o.Name] = true
		group, _, _ := strings.Cut(o.APIVersion, "/")
		owners.custom = owners.custom || strings.Contains(o.APIVersion, "/") && !ownGroup(group)
	}
	for namespace := range namespaces {
		warning, err := v.warning(ctx, client.Resource(events).Namespace(namespace), owners)
		if err != nil {
			return unasked(err).within(v.now.Sub(v.since), readyTimeout+soak)
		}
		if warning != nil {
			about := warning.InvolvedObject
			return fails("%s %s: %s: %s", about.Kind, about.Name, warning.Reason, quoteText(warning.Message))
		}
	}
	return v.soaked(soak)
}

// warning returns a warning of a namespace that is newer than the change and about what it changed.
func (v *verifying) warning(ctx context.Context, resource dynamic.ResourceInterface, owners *ownership) (*corev1.Event, error) {
	options := metav1.ListOptions{FieldSelector: "type=Warning", Limit: historyPage}
	for range eventPages {
		list, err := resource.List(ctx, options)
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			var event corev1.Event
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &event); err != nil || !lastSeen(event).After(v.since) {
				continue
			}
			concerned, err := owners.concerns(ctx, event.InvolvedObject)
			if err != nil {
				return nil, err
			}
			if concerned {
				return &event, nil
			}
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			break
		}
	}
	return nil, nil
}

// lastSeen is when an event was last seen, in whichever form it was written.
func lastSeen(e corev1.Event) time.Time {
	latest := e.LastTimestamp.Time
	if e.EventTime.After(latest) {
		latest = e.EventTime.Time
	}
	if e.Series != nil && e.Series.LastObservedTime.After(latest) {
		latest = e.Series.LastObservedTime.Time
	}
	if latest.IsZero() {
		return e.CreationTimestamp.Time
	}
	return latest
}
