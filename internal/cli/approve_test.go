package cli_test

import (
	"context"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cli"
)

// decision reads what was written into an Approval.
func decision(t *testing.T, c client.Client, name string) v1alpha1.ApprovalSpec {
	t.Helper()
	a := &v1alpha1.Approval{}
	if err := c.Get(context.Background(), client.ObjectKey{Namespace: "shop", Name: name}, a); err != nil {
		t.Fatal(err)
	}
	return a.Spec
}

func TestApprove_showsThePlanAndAsks(t *testing.T) {
	for _, c := range []struct {
		name   string
		person bool
		in     string
		args   []string
		code   int
		want   v1alpha1.Decision
		says   string
	}{
		{"yes", true, "y\n", nil, cli.ExitDone, v1alpha1.DecisionApproved, "Agree to exactly this? [y/N]"},
		{"oui", true, "OUI\n", nil, cli.ExitDone, v1alpha1.DecisionApproved, "Agreed as alice"},
		{"no", true, "n\n", nil, cli.ExitNoAnswer, v1alpha1.DecisionPending, "Nothing was decided"},
		{"silence", true, "", nil, cli.ExitNoAnswer, v1alpha1.DecisionPending, "Nothing was decided"},
		{"something else", true, "yep, whatever\n", nil, cli.ExitNoAnswer, v1alpha1.DecisionPending, "Nothing was decided"},
		{"no terminal", false, "y\n", nil, cli.ExitTrouble, v1alpha1.DecisionPending, "--digest " + digest},
		{"no terminal, but sure", false, "", []string{"--yes"}, cli.ExitDone, v1alpha1.DecisionApproved, "class Medium"},
		{"no terminal, the plan as seen", false, "", []string{"--digest", digest}, cli.ExitDone, v1alpha1.DecisionApproved, digest},
		{"another plan than the one seen", false, "", []string{"--digest", "sha256:00"}, cli.ExitTrouble, v1alpha1.DecisionPending, "the plan is another one now"},
		{"another plan, but sure", false, "", []string{"--digest", "sha256:00", "--yes"}, cli.ExitTrouble, v1alpha1.DecisionPending, "the plan is another one now"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: newTasks(t, theChange(waitingFor), slot(1)), kept: keptDouble{}, person: c.person, in: c.in}
			got := s.run(append([]string{"approve", "mine", "--reason", "watched"}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.out+got.err, c.says) {
				t.Errorf("exit code %d, %q, %q; want %d and %q", got.code, got.out, got.err, c.code, c.says)
			}
			spec := decision(t, s.tasks, "mine-1-1")
			if spec.Decision != c.want {
				t.Errorf("decided %s, want %s", spec.Decision, c.want)
			}
			if c.want != v1alpha1.DecisionApproved {
				return
			}
			if !strings.Contains(got.out, "-  replicas: 2") {
				t.Errorf("the plan was not shown: %q", got.out)
			}
			if spec.AcknowledgedDigest != digest || spec.Reason != "watched" || spec.DecidedBy == nil || asJSON(t, spec.DecidedBy) != `{"username":"alice","uid":"7","groups":["sre"]}` {
				t.Errorf("wrote %s", asJSON(t, spec))
			}
		})
	}
}

func TestApprove_takesTheSlotThatIsFree(t *testing.T) {
	agreed := slot(1, by("bob", v1alpha1.DecisionApproved, ""), granted(metav1.ConditionTrue, v1alpha1.GrantedApproved, ""))
	lost := slot(2, granted(metav1.ConditionFalse, v1alpha1.GrantedSuperseded, ""))
	former := slot(4, func(a *v1alpha1.Approval) { a.Spec.PlanDigest = strings.Replace(digest, "9", "8", 1) })
	for _, c := range []struct {
		name    string
		args    []string
		objects []client.Object
		takes   string
		says    string
	}{
		{"the first that waits", []string{"mine"}, []client.Object{theChange(waitingFor), agreed, lost, slot(3), former}, "mine-1-3", "Agreed"},
		{"the one that is named", []string{"mine-1-3"}, []client.Object{theChange(waitingFor), slot(2), slot(3)}, "mine-1-3", "1 more must agree"},
		{"none, since the one that is named is decided", []string{"mine-1-1"}, []client.Object{theChange(waitingFor), agreed, slot(2)}, "", "is not asked any more"},
		{"none, since nobody is asked", []string{"mine"}, []client.Object{theChange(waitingFor), agreed}, "", "waits for nobody's decision"},
		{"none, since it has ended", []string{"mine"}, []client.Object{theChange(rejected), slot(2)}, "", "has ended (Rejected)"},
		{"none, since it is not planned", []string{"mine"}, []client.Object{theChange()}, "", "not planned yet"},
		{"none, since it is a dry run", []string{"mine"}, []client.Object{theChange(func(c *v1alpha1.ChangeRequest) { c.Spec.DryRun = true })}, "", "is a dry run"},
		{"none, since it needs none", []string{"mine"}, []client.Object{theChange(waitingFor, func(c *v1alpha1.ChangeRequest) { c.Status.Policy.Verdict = v1alpha1.PolicyAllowed })}, "", "needs nobody's consent"},
		{"none, since one person counts once", []string{"mine"},
			[]client.Object{theChange(waitingFor), slot(1, by("alice", v1alpha1.DecisionApproved, "")), slot(2)}, "", "you have agreed already (mine-1-1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: newTasks(t, c.objects...), kept: keptDouble{}}
			got := s.run(append([]string{"approve", "--yes"}, c.args...)...)
			if !strings.Contains(got.out+got.err, c.says) || (got.code == cli.ExitDone) != (c.takes != "") {
				t.Fatalf("exit code %d, %q, %q; want %q", got.code, got.out, got.err, c.says)
			}
			if c.takes != "" && decision(t, s.tasks, c.takes).DecidedBy.Username != "alice" {
				t.Errorf("%s was not taken", c.takes)
			}
		})
	}
}

func TestApprove_takesTheNextSlotWhereSomebodyWasFaster(t *testing.T) {
	tasks := interceptor.NewClient(newTasks(t, theChange(waitingFor), slot(1), slot(2)), interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			if o.GetName() != "mine-1-1" {
				return c.Patch(ctx, o, p, opts...)
			}
			faster := &v1alpha1.Approval{}
			if err := c.Get(ctx, client.ObjectKeyFromObject(o), faster); err != nil {
				return err
			}
			by("bob", v1alpha1.DecisionApproved, "")(faster)
			if err := c.Update(ctx, faster); err != nil {
				return err
			}
			return denied("approvals", "this Approval has been decided, and a decision is never changed")
		},
	})
	s := &shell{t: t, tasks: tasks, kept: keptDouble{}}
	if got := s.run("approve", "mine", "--yes"); got.code != cli.ExitDone || decision(t, tasks, "mine-1-2").DecidedBy.Username != "alice" {
		t.Errorf("exit code %d, %q", got.code, got.err)
	}
}

// denied is a refusal by an admission policy.
func denied(resource, message string) error {
	return apierrors.NewForbidden(schema.GroupResource{Group: "eclusier.io", Resource: resource}, "mine-1-1",
		&reason{"ValidatingAdmissionPolicy 'eclusier-check-approval' with binding 'eclusier-check-approval' denied request: " + message})
}

type reason struct{ text string }

func (r *reason) Error() string { return r.text }

func TestApprove_showsRefusalsAsTheyWereWritten(t *testing.T) {
	group := schema.GroupResource{Group: "eclusier.io", Resource: "approvals"}
	kind := schema.GroupKind{Group: "eclusier.io", Kind: "Approval"}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"by an admission policy", denied("approvals", "you asked for this change, so somebody else has to decide"), "error: you asked for this change, so somebody else has to decide\n"},
		{"by the type", apierrors.NewInvalid(kind, "mine-1-1", field.ErrorList{
			field.Forbidden(field.NewPath("spec", "decision"), "this Approval has been decided"),
			field.Invalid(field.NewPath("spec"), "object", "spec.acknowledgedDigest must equal spec.planDigest"),
		}), "error: spec.decision: this Approval has been decided; spec.acknowledgedDigest must equal spec.planDigest\n"},
		{"by RBAC", apierrors.NewForbidden(group, "mine-1-1", &reason{`User "alice" cannot patch resource "approvals"`}), "a role such as eclusier-approver-medium"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tasks := interceptor.NewClient(newTasks(t, theChange(waitingFor), slot(1)), interceptor.Funcs{
				Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
					return c.err
				},
			})
			s := &shell{t: t, tasks: tasks, kept: keptDouble{}}
			got := s.run("approve", "mine", "--yes")
			if got.code != cli.ExitTrouble || !strings.Contains(got.err, c.want) {
				t.Errorf("exit code %d, %q; want %q", got.code, got.err, c.want)
			}
		})
	}
}

func TestReject(t *testing.T) {
	result := func(a *v1alpha1.Approval) { a.Spec.Purpose = v1alpha1.PurposeAcceptResult }
	for _, c := range []struct {
		name    string
		args    []string
		person  bool
		in      string
		approve *v1alpha1.Approval
		code    int
		want    v1alpha1.Decision
		says    string
	}{
		{"a change", []string{"--reason", "not now"}, false, "", slot(1), cli.ExitDone, v1alpha1.DecisionRejected, "Refused as alice"},
		{"a change, without saying why", nil, false, "", slot(1), cli.ExitTrouble, v1alpha1.DecisionPending, "--reason is missing"},
		{"a result, which undoes it", []string{"--reason", "broken"}, true, "y\n", slot(1, result), cli.ExitDone, v1alpha1.DecisionRejected, "Undo what was done?"},
		{"a result, and then not", []string{"--reason", "broken"}, true, "\n", slot(1, result), cli.ExitNoAnswer, v1alpha1.DecisionPending, "Nothing was decided"},
		{"a result, unseen", []string{"--reason", "broken"}, false, "", slot(1, result), cli.ExitTrouble, v1alpha1.DecisionPending, "there is no terminal to ask on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: newTasks(t, theChange(waitingFor), c.approve), kept: keptDouble{}, person: c.person, in: c.in}
			got := s.run(append([]string{"reject", "mine"}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.out+got.err, c.says) {
				t.Errorf("exit code %d, %q, %q; want %d and %q", got.code, got.out, got.err, c.code, c.says)
			}
			if spec := decision(t, s.tasks, "mine-1-1"); spec.Decision != c.want {
				t.Errorf("decided %s, want %s", spec.Decision, c.want)
			}
		})
	}
}

func TestApprove_asksWhetherAResultIsAccepted(t *testing.T) {
	result := slot(1, func(a *v1alpha1.Approval) { a.Spec.Purpose = v1alpha1.PurposeAcceptResult })
	s := &shell{t: t, tasks: newTasks(t, theChange(waitingFor), result), kept: keptDouble{}, person: true, in: "y\n"}
	if got := s.run("approve", "mine"); got.code != cli.ExitDone || !strings.Contains(got.out, "Accept the result as it is?") {
		t.Errorf("exit code %d, %q", got.code, got.out)
	}
}

func TestApprove_followsTheChange(t *testing.T) {
	tasks := interceptor.NewClient(newTasks(t, theChange(waitingFor), slot(1)), interceptor.Funcs{
		Watch: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
			changes, err := c.Watch(ctx, list, opts...)
			if err != nil {
				return nil, err
			}
			made := proposed(t, c)
			go func() {
				done(made)
				_ = c.Status().Update(context.Background(), made)
			}()
			return changes, nil
		},
	})
	s := &shell{t: t, tasks: tasks, kept: keptDouble{}}
	got := s.run("approve", "mine", "--yes", "--wait", "--ascii", "-o", "yaml")
	if got.code != cli.ExitDone || !strings.Contains(got.out, "kind: Approval") {
		t.Errorf("exit code %d, %q", got.code, got.out)
	}
	golden(t, "approve-wait-err.golden", got.err)
	s.tasks = newTasks(t, theChange(waitingFor), slot(1))
	if got := s.run("approve", "mine", "--yes", "--wait", "--timeout", time.Millisecond.String()); got.code != cli.ExitTrouble || !strings.Contains(got.err, "the change goes on") {
		t.Errorf("exit code %d, %q", got.code, got.err)
	}
}
