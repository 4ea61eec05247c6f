package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/redact"
)

// maxQuoted bounds what is quoted of an answer of the API server, which may hold a webhook's text.
const maxQuoted = 600

// invalid refuses a change as it is written.
func invalid(reason, format string, args ...any) *pipeline.Invalid {
	return &pipeline.Invalid{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// quote is an answer of the API server, for people.
func quote(err error) string { return quoteText(err.Error()) }

// quoteText is text of others in a line: redacted and bounded.
func quoteText(s string) string {
	text := []rune(strings.Join(strings.Fields(redact.String(s).String()), " "))
	if len(text) > maxQuoted {
		return string(text[:maxQuoted]) + "…"
	}
	return string(text)
}

// access is a right, as the API server's authorizer knows it.
type access struct {
	object      change.Object
	verb        string
	subresource string
}

// verbs are the rights that requests need.
var verbs = map[change.RequestKind]access{
	change.RequestApply:          {verb: "patch"},
	change.RequestMergePatch:     {verb: "patch"},
	change.RequestJSONPatch:      {verb: "patch"},
	change.RequestStrategicPatch: {verb: "patch"},
	change.RequestScale:          {verb: "patch", subresource: "scale"},
	change.RequestCreate:         {verb: "create"},
	change.RequestReplace:        {verb: "update"},
	change.RequestDelete:         {verb: "delete"},
}

func accessOf(o change.Object, kind change.RequestKind) access {
	a := verbs[kind]
	a.object = o
	return a
}

func (a access) resource() string {
	if a.subresource != "" {
		return a.object.Resource + "/" + a.subresource
	}
	return a.object.Resource
}

func (a access) group() string {
	version, err := schema.ParseGroupVersion(a.object.APIVersion)
	if err != nil {
		return ""
	}
	return version.Group
}

// lacks asks the authorizer whether whoever the client is lacks a right. A 403 does not tell: admission answers with it as
// well. Where the authorizer cannot be asked, the right is taken for lacking.
func lacks(ctx context.Context, c dynamic.Interface, a access) bool {
	review := &authorizationv1.SelfSubjectAccessReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SelfSubjectAccessReview"},
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: a.object.Namespace, Verb: a.verb, Group: a.group(), Resource: a.object.Resource, Subresource: a.subresource, Name: a.object.Name,
		}},
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(review)
	if err != nil {
		return true
	}
	answer, err := c.Resource(authorizationv1.SchemeGroupVersion.WithResource("selfsubjectaccessreviews")).
		// A review is kept nowhere, so that it makes no difference; the planner may send nothing else.
		Create(ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{DryRun: dry})
	if err != nil {
		return true
	}
	allowed, _, _ := unstructured.NestedBool(answer.Object, "status", "allowed")
	return !allowed
}

// grant is the commands that give a service account a right.
func grant(a access, namespace, account string) string {
	resource := a.resource()
	if group := a.group(); group != "" {
		resource = a.object.Resource + "." + group
		if a.subresource != "" {
			resource += "/" + a.subresource
		}
	}
	role := account + "-" + a.object.Resource
	subject := "--serviceaccount=" + namespace + ":" + account
	wanted := []string{"get", "list"}
	if !slices.Contains(wanted, a.verb) {
		wanted = append(wanted, a.verb)
	}
	if a.object.Namespace == "" {
		return fmt.Sprintf("kubectl create clusterrole %s --verb=%s --resource=%s && kubectl create clusterrolebinding %s --clusterrole=%s %s",
			role, strings.Join(wanted, ","), resource, role, role, subject)
	}
	return fmt.Sprintf("kubectl -n %s create role %s --verb=%s --resource=%s && kubectl -n %s create rolebinding %s --role=%s %s",
		a.object.Namespace, role, strings.Join(wanted, ","), resource, a.object.Namespace, role, role, subject)
}

// unreadable turns the failure of a planner's read into what people can do about it.
func (s *planning) unreadable(err error, a access) error {
	if apierrors.IsForbidden(err) {
		return s.forbidden(a)
	}
	return err
}

func (s *planning) forbidden(a access) error {
	where := ""
	if a.object.Namespace != "" {
		where = " in the namespace " + a.object.Namespace
	}
	return invalid(v1alpha1.PlannedPlannerForbidden, "%s may not %s %s%s, so the change cannot be shown beforehand: %s",
		v1alpha1.DefaultPlannerName, a.verb, a.resource(), where, grant(a, s.namespace, v1alpha1.DefaultPlannerName))
}

// refused turns the API server's refusal of a dry run into what people can do about it. What may go away by itself stays
// an error.
func (s *planning) refused(ctx context.Context, it *item, request change.RequestKind, err error) error {
	switch status := statusOf(err); {
	case status == nil:
		return err
	case apierrors.IsForbidden(err):
		if a := accessOf(it.object, request); lacks(ctx, s.client, a) {
			return s.forbidden(a)
		}
		return it.invalid("the API server would refuse it: %s", quote(err))
	case apierrors.IsNotFound(err):
		if status.Details != nil && status.Details.Kind == namespaces.Resource {
			return invalid(v1alpha1.PlannedTargetNotFound, "the namespace %s does not exist: put an operation that applies it first", it.object.Namespace)
		}
		return it.missing()
	case immutable(status):
		return it.invalid("%s needs delete and recreate: %s", name(it.object), quote(err))
	case apierrors.IsUnsupportedMediaType(err):
		return it.invalid("%s takes no strategic merge patch: use type Merge or JSON", it.object.Kind)
	case fault.Of(err).Fate == fault.Terminal:
		return it.invalid("the API server would refuse it: %s", quote(err))
	}
	return err
}

func statusOf(err error) *metav1.Status {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return nil
	}
	status := answer.Status()
	return &status
}

// immutable tells the refusal of a field that cannot be changed once the object exists. The API server has no code for
// it: its causes say so in words, which are its own.
func immutable(status *metav1.Status) bool {
	if status.Code != http.StatusUnprocessableEntity || status.Details == nil {
		return false
	}
	return slices.ContainsFunc(status.Details.Causes, func(c metav1.StatusCause) bool {
		return strings.Contains(c.Message, "immutable") ||
			c.Type == metav1.CauseType("FieldValueForbidden") && (strings.Contains(c.Message, "updates to") || strings.Contains(c.Message, "may not change") || strings.Contains(c.Message, "may not be changed"))
	})
}

// undryable tells a request that cannot be dry-run because an admission webhook has side effects, and returns why. The
// code is that of any bad request; the words are the API server's own.
func undryable(err error) (string, bool) {
	if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), "does not support dry run") {
		return "", false
	}
	return quote(err), true
}
