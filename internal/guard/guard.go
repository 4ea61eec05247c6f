// Package guard checks that the admission policies which vouch for identities are in place.
//
// It decides whether a name in spec.requestedBy can be believed: the policies and their bindings exist, say exactly what
// config/policy says, deny, and are narrowed by nothing. It never installs or repairs anything, and it cannot see a
// policy take effect: the API server needs a moment for that after it was created. The operator calls it at its start
// and before it accepts a task.
package guard

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/config/policy"
)

// Stamp says who writes the requester into a task.
type Stamp string

const (
	// StampByServer: the API server writes it, over whatever the client sent.
	StampByServer Stamp = "ByServer"
	// StampByClient: the API server cannot (before Kubernetes 1.36), so the client sends its own name, and the API server
	// refuses any other.
	StampByClient Stamp = "ByClient"
)

// Problem is one policy or binding that is not as it should be.
type Problem struct {
	Kind string
	Name string
	// Fields are the fields of spec that differ from what is expected; none where the object is missing.
	Fields []string
}

// String says what is wrong, as part of a sentence.
func (p Problem) String() string {
	if len(p.Fields) == 0 {
		return fmt.Sprintf("%s %s is missing", p.Kind, p.Name)
	}
	return fmt.Sprintf("%s %s is not as installed (%s)", p.Kind, p.Name, strings.Join(p.Fields, ", "))
}

// Verdict is what a check found.
type Verdict struct {
	// Stamp says who writes the requester.
	Stamp Stamp
	// Problems are in a fixed order; with none, identities can be believed.
	Problems []Problem
}

// InPlace tells whether identities can be believed.
func (v Verdict) InPlace() bool { return len(v.Problems) == 0 }

// Message says in a sentence what was found and, where something is wrong, what to do.
func (v Verdict) Message() string {
	if v.InPlace() {
		if v.Stamp == StampByClient {
			return "The admission policies are in place; this API server checks the requester but cannot write it"
		}
		return "The admission policies are in place"
	}
	problems := make([]string, len(v.Problems))
	for i, problem := range v.Problems {
		problems[i] = problem.String()
	}
	folder := "config/default"
	if v.Stamp == StampByClient {
		folder = "config/pre-1.36"
	}
	return fmt.Sprintf("The API server does not vouch for who asks: %s; install them again with: kubectl apply --server-side --force-conflicts -k %s",
		strings.Join(problems, "; "), folder)
}

// userName is what the name of an operator may look like: it becomes part of an expression.
var userName = regexp.MustCompile(`^[A-Za-z0-9:._@/-]+$`)

// Check compares the policies and bindings that reader sees with those of package policy. Operator is the user name under
// which the operator is known to the API server. An error means that they could not be read, and says nothing about them.
func Check(ctx context.Context, reader client.Reader, operator string) (Verdict, error) {
	if !userName.MatchString(operator) {
		return Verdict{}, fmt.Errorf("the operator's user name %q cannot be part of an admission policy", operator)
	}
	verdict := Verdict{Stamp: StampByServer}
	stamp, err := compare(ctx, reader, policy.Stamp())
	switch {
	case meta.IsNoMatchError(err):
		verdict.Stamp = StampByClient
	case err != nil:
		return Verdict{}, err
	}
	checks, err := compare(ctx, reader, policy.Requester()+separator+policy.Status(operator))
	if err != nil {
		return Verdict{}, err
	}
	verdict.Problems = append(stamp, checks...)
	return verdict, nil
}

const separator = "\n---\n"

// compare looks every object of documents up and says how it differs.
func compare(ctx context.Context, reader client.Reader, documents string) ([]Problem, error) {
	var problems []Problem
	for document := range strings.SplitSeq(documents, separator) {
		want, err := decode([]byte(document))
		if err != nil {
			return nil, err
		}
		kind := want.GetObjectKind().GroupVersionKind()
		have, err := newObject(kind)
		if err != nil {
			return nil, err
		}
		err = reader.Get(ctx, client.ObjectKeyFromObject(want), have)
		switch {
		case apierrors.IsNotFound(err):
			problems = append(problems, Problem{Kind: kind.Kind, Name: want.GetName()})
			continue
		case err != nil:
			return nil, fmt.Errorf("reading %s %s: %w", kind.Kind, want.GetName(), err)
		}
		fields, err := differences(want, have)
		if err != nil {
			return nil, err
		}
		if len(fields) > 0 {
			problems = append(problems, Problem{Kind: kind.Kind, Name: want.GetName(), Fields: fields})
		}
	}
	return problems, nil
}

func decode(document []byte) (client.Object, error) {
	var header runtime.TypeMeta
	if err := yaml.Unmarshal(document, &header); err != nil {
		return nil, fmt.Errorf("decoding an expected policy: %w", err)
	}
	object, err := newObject(schema.FromAPIVersionAndKind(header.APIVersion, header.Kind))
	if err != nil {
		return nil, err
	}
	if err := yaml.UnmarshalStrict(document, object); err != nil {
		return nil, fmt.Errorf("decoding an expected %s: %w", header.Kind, err)
	}
	return object, nil
}

func newObject(kind schema.GroupVersionKind) (client.Object, error) {
	switch kind.Kind {
	case "MutatingAdmissionPolicy":
		return &admissionregistrationv1.MutatingAdmissionPolicy{}, nil
	case "MutatingAdmissionPolicyBinding":
		return &admissionregistrationv1.MutatingAdmissionPolicyBinding{}, nil
	case "ValidatingAdmissionPolicy":
		return &admissionregistrationv1.ValidatingAdmissionPolicy{}, nil
	case "ValidatingAdmissionPolicyBinding":
		return &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}, nil
	}
	return nil, fmt.Errorf("%s is no kind of admission policy", kind)
}

// differences names the fields of spec that are not equal. The files spell the API server's defaults out, so that an
// object read back is equal to the one that was installed.
func differences(want, have client.Object) ([]string, error) {
	wanted, err := specOf(want)
	if err != nil {
		return nil, err
	}
	found, err := specOf(have)
	if err != nil {
		return nil, err
	}
	names := maps.Clone(wanted)
	maps.Copy(names, found)
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !equality.Semantic.DeepEqual(wanted[name], found[name]) {
			fields = append(fields, "spec."+name)
		}
	}
	return fields, nil
}

func specOf(object client.Object) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("converting %s: %w", object.GetName(), err)
	}
	spec, _ := content["spec"].(map[string]any)
	return spec, nil
}
