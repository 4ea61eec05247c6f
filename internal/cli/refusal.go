package cli

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// refusal is why the API server did not take what was sent, in the words of whoever refused it. It says itself what to do.
type refusal struct{ why string }

// Error returns the words.
func (r *refusal) Error() string { return r.why }

// deniedBy is what the API server puts before the message of an admission policy.
var deniedBy = regexp.MustCompile(`(?s)ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request: (.*)$`)

// framed is what the API server puts before the message of a rule of the type.
var framed = regexp.MustCompile(`^(Invalid value: ("[^"]*"|[^:"]*): |Forbidden: |Required value(: |$))`)

// plainly takes the API server's frame off a refusal by an admission policy or by a type's validation. Any other error stays
// as it is.
func plainly(err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err
	}
	said := status.Status()
	if found := deniedBy.FindStringSubmatch(said.Message); found != nil {
		return &refusal{why: oneLine(found[1])}
	}
	if said.Reason != metav1.StatusReasonInvalid || said.Details == nil || len(said.Details.Causes) == 0 {
		return err
	}
	var why []string
	for _, cause := range said.Details.Causes {
		text := framed.ReplaceAllString(oneLine(cause.Message), "")
		if text == "" {
			text = "is missing"
		}
		if cause.Field != "" && cause.Field != "<nil>" && !strings.Contains(text, cause.Field) {
			text = cause.Field + ": " + text
		}
		if !slices.Contains(why, text) {
			why = append(why, text)
		}
	}
	return &refusal{why: strings.Join(why, "; ")}
}
