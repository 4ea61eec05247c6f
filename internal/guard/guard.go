// Package guard checks that the admission policies which vouch for identities are in place.
//
// It decides whether a name in spec.requestedBy or spec.decidedBy can be believed, and whether eclusier-planner is held to
// dry runs: the policies and their bindings exist, say exactly what config/policy says, deny, and are narrowed by nothing.
// It also says since when, without a gap: what was created before was perhaps created without them, and nobody vouches for
// the name in it. It never installs or repairs anything. The operator calls it at its start, whenever a policy changes,
// before it accepts a task or a change, before it believes a decision, and before it plans and applies a change.
//
// Since when is no time that anybody who writes a policy could choose or leave out. The API server counts how often the
// content of each object was changed, and gives each a uid of its own; so a set of objects that has the same counts and
// uids as one that was seen in place has been in place all the while, whether an operator looked or not (see Witness).
//
// What it cannot see, and who calls it therefore cannot either: the moment that the API server needs to put the policies
// into effect when they are installed for the first time. Whoever may write policies and leases of the operator can vouch
// for anybody: that right is a cluster administrator's.
package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

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
	// StampByServer says that the API server writes it, over whatever the client sent.
	StampByServer Stamp = "ByServer"
	// StampByClient says that the API server cannot (before Kubernetes 1.36), so that the client sends its own name and
	// any other is refused.
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
	// Since is from when on they have been in force without a gap, by the clock of the API server and in whole seconds. A
	// name in anything that was created before cannot be believed.
	Since time.Time
	// Settling is how long it takes until what is created is not before Since; zero where that is past.
	Settling time.Duration

	// seen tells this set of objects from every other there was or will be, with whatever content.
	seen string
	// untouched: every one of them is as it was created.
	untouched bool
}

// InPlace tells whether identities can be believed.
func (v Verdict) InPlace() bool { return len(v.Problems) == 0 }

// Message says in a sentence what was found and, where something is wrong, what to do.
func (v Verdict) Message() string {
	if v.InPlace() {
		if v.Stamp == StampByClient {
			return "The admission policies are in place; this API server checks who asks and who decides but cannot write it"
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
	// Applying alone leaves what others added to a policy, replacing alone creates nothing.
	return fmt.Sprintf("The API server does not vouch for who asks and who decides: %s. Restore them with: "+
		"kubectl replace -k %[2]s; kubectl apply --server-side --force-conflicts -k %[2]s", strings.Join(problems, "; "), folder)
}

// Guard knows what is expected of the cluster for one operator.
type Guard struct {
	stamp  []expectation
	checks []expectation
}

// expectation is one policy or binding as it should be.
type expectation struct {
	kind schema.GroupVersionKind
	name string
	spec map[string]any
}

// userName is what the name of an operator may look like: it becomes part of an expression.
var userName = regexp.MustCompile(`^[A-Za-z0-9:._@/-]+$`)

// New prepares the check for the operator that the API server knows under that user name.
func New(operator string) (*Guard, error) {
	if !userName.MatchString(operator) {
		return nil, fmt.Errorf("the operator's user name %q cannot be part of an admission policy", operator)
	}
	stamp, err := expect(policy.Stamps(operator))
	if err != nil {
		return nil, err
	}
	checks, err := expect(policy.Checks(operator))
	if err != nil {
		return nil, err
	}
	return &Guard{stamp: stamp, checks: checks}, nil
}

func expect(documents string) ([]expectation, error) {
	var expected []expectation
	for document := range strings.SplitSeq(documents, policy.Separator) {
		object, err := decode([]byte(document))
		if err != nil {
			return nil, err
		}
		spec, err := specOf(object)
		if err != nil {
			return nil, err
		}
		expected = append(expected, expectation{kind: object.GetObjectKind().GroupVersionKind(), name: object.GetName(), spec: spec})
	}
	return expected, nil
}

// Check compares the policies and bindings that reader sees with those of package policy. An error means that they could
// not be read, and says nothing about them. Since is when the last of them was created: whether any of them was something
// else in between is what a Witness knows.
func (g *Guard) Check(ctx context.Context, reader client.Reader) (Verdict, error) {
	verdict, seen := Verdict{Stamp: StampByServer, untouched: true}, sha256.New()
	err := verdict.compare(ctx, reader, g.stamp, seen)
	switch {
	case meta.IsNoMatchError(err):
		verdict.Stamp = StampByClient
	case err != nil:
		return Verdict{}, err
	}
	if err := verdict.compare(ctx, reader, g.checks, seen); err != nil {
		return Verdict{}, err
	}
	verdict.seen = hex.EncodeToString(seen.Sum(nil))
	return verdict, nil
}

// compare looks everything that is expected up, and adds how it differs and when it was created. What identifies the
// objects and their content is written to seen.
func (v *Verdict) compare(ctx context.Context, reader client.Reader, expected []expectation, seen io.Writer) error {
	for _, want := range expected {
		have, err := newObject(want.kind)
		if err != nil {
			return err
		}
		err = reader.Get(ctx, client.ObjectKey{Name: want.name}, have)
		switch {
		case apierrors.IsNotFound(err):
			v.Problems = append(v.Problems, Problem{Kind: want.kind.Kind, Name: want.name})
			continue
		case err != nil:
			return fmt.Errorf("reading %s %s: %w", want.kind.Kind, want.name, err)
		}
		if created := have.GetCreationTimestamp().Time; created.After(v.Since) {
			v.Since = created
		}
		v.untouched = v.untouched && have.GetGeneration() <= 1
		_, _ = fmt.Fprintln(seen, want.kind.Kind, want.name, have.GetUID(), have.GetGeneration()) // a hash takes everything
		spec, err := specOf(have)
		if err != nil {
			return err
		}
		if fields := differences(want.spec, spec); len(fields) > 0 {
			v.Problems = append(v.Problems, Problem{Kind: want.kind.Kind, Name: want.name, Fields: fields})
		}
	}
	return nil
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
func differences(want, have map[string]any) []string {
	names := maps.Clone(want)
	maps.Copy(names, have)
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !equality.Semantic.DeepEqual(want[name], have[name]) {
			fields = append(fields, "spec."+name)
		}
	}
	return fields
}

func specOf(object client.Object) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("converting %s: %w", object.GetName(), err)
	}
	spec, _ := content["spec"].(map[string]any)
	return spec, nil
}
