package cli_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cli"
)

// newTasks makes an API server's double that knows who asks.
func newTasks(t *testing.T, tasks ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(tasks...).WithStatusSubresource(&v1alpha1.AgentTask{}, &v1alpha1.ChangeRequest{}, &v1alpha1.Approval{}).
		WithInterceptorFuncs(interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				if review, ok := o.(*authenticationv1.SelfSubjectReview); ok {
					review.Status.UserInfo = authenticationv1.UserInfo{Username: "alice", UID: "7", Groups: []string{"sre"}}
					return nil
				}
				return c.Create(ctx, o, opts...)
			},
		}).Build()
}

// played returns tasks on which, once somebody watches, play is performed.
func played(t *testing.T, play func(c client.WithWatch, task *v1alpha1.AgentTask)) client.WithWatch {
	t.Helper()
	return interceptor.NewClient(newTasks(t), interceptor.Funcs{
		Watch: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
			changes, err := c.Watch(ctx, list, opts...)
			if err != nil {
				return nil, err
			}
			task := only(t, c)
			go play(c, task)
			return changes, nil
		},
	})
}

// only returns the one task there is.
func only(t *testing.T, c client.Client) *v1alpha1.AgentTask {
	t.Helper()
	list := &v1alpha1.AgentTaskList{}
	if err := c.List(context.Background(), list); err != nil || len(list.Items) != 1 {
		t.Fatalf("%d tasks, %v", len(list.Items), err)
	}
	return &list.Items[0]
}

// condition sets a condition of the task.
func condition(task *v1alpha1.AgentTask, kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&task.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(noon),
	})
}

// work is an operator that finds a wrong image.
func work(c client.WithWatch, task *v1alpha1.AgentTask) {
	ctx := context.Background()
	condition(task, v1alpha1.ConditionAccepted, metav1.ConditionTrue, "Accepted", "Asked by alice.")
	_ = c.Status().Update(ctx, task)
	condition(task, v1alpha1.ConditionRetrying, metav1.ConditionTrue, "Timeout", "attempt 1 of 3")
	_ = c.Status().Update(ctx, task)
	answered(task)
	meta.RemoveStatusCondition(&task.Status.Conditions, v1alpha1.ConditionRetrying)
	_ = c.Status().Update(ctx, task)
}

// answered fills in the status of a task that has an answer.
func answered(task *v1alpha1.AgentTask) {
	condition(task, v1alpha1.ConditionAccepted, metav1.ConditionTrue, "Accepted", "Asked by alice.")
	condition(task, v1alpha1.ConditionDiagnosed, metav1.ConditionTrue, "RootCauseFound", "The image does not exist.")
	condition(task, v1alpha1.ConditionSucceeded, metav1.ConditionTrue, "RootCauseFound", "Deployment shop/web: the image does not exist.")
	s := &task.Status
	s.Phase = v1alpha1.PhaseSucceeded
	s.Verdict = v1alpha1.VerdictRootCauseFound
	s.Classification = &v1alpha1.Classification{Intent: v1alpha1.ClassifiedDiagnostic, Confidence: "0.95", Source: v1alpha1.SourceRule, Rules: []string{"Question"}, InScope: true, Language: "en"}
	s.Targets = []v1alpha1.ResolvedTarget{{Object: &v1alpha1.ObjectReference{Kind: "Deployment", Namespace: "shop", Name: "web"}, Source: v1alpha1.TargetFromPrompt}}
	s.Answer = "The image web:9.9 does not exist, so no pod of web starts."
	s.Findings = []v1alpha1.Finding{
		{
			ID: "f1", Cause: "ImageNotFound", Role: v1alpha1.RoleRootCause, Severity: v1alpha1.SeverityHigh,
			Object:   v1alpha1.ObjectReference{Kind: "Deployment", Namespace: "shop", Name: "web"},
			Message:  "The image registry.example/web:9.9 does not exist.",
			Evidence: []v1alpha1.Evidence{{Kind: v1alpha1.EvidenceEvent, Source: "Event on Pod shop/web-1", Text: "manifest unknown\x1b[31m\nin the registry"}},
			Fix:      "Set an image that exists.",
		},
		{
			ID: "f2", Cause: "ImageNotFound", Role: v1alpha1.RoleContributing, Severity: v1alpha1.SeverityHigh, CausedBy: []string{"f1"},
			Object: v1alpha1.ObjectReference{Kind: "Pod", Namespace: "shop", Name: "web-1"}, Message: "Waits for its image.",
		},
		{
			ID: "f3", Cause: "ServiceWithoutEndpoints", Role: v1alpha1.RoleSymptom, Severity: v1alpha1.SeverityMedium, CausedBy: []string{"f2"},
			Object: v1alpha1.ObjectReference{Kind: "Service", Namespace: "shop", Name: "web"}, Message: "Has no endpoints.",
		},
		{
			ID: "f4", Cause: "WorkloadUnavailable", Role: v1alpha1.RoleSymptom, Severity: v1alpha1.SeverityMedium, CausedBy: []string{"f1", "f4"},
			Object: v1alpha1.ObjectReference{Kind: "Deployment", Namespace: "shop", Name: "web"}, Message: "0 of 2 replicas are ready.",
		},
		{
			ID: "f5", Cause: "CronJobSuspended", Role: v1alpha1.RoleIndependent, Severity: v1alpha1.SeverityLow,
			Object: v1alpha1.ObjectReference{Kind: "CronJob", Namespace: "shop", Name: "report"}, Message: "Is suspended.",
			// What is beside the question is told without its evidence.
			Evidence: []v1alpha1.Evidence{{Kind: v1alpha1.EvidenceField, Source: "CronJob shop/report spec.suspend", Text: "suspend: true"}},
		},
	}
	s.Missing = []v1alpha1.MissingEvidence{{What: "the nodes", Why: "forbidden", Command: "kubectl get nodes"}}
}

// refused fills in the status of a task that ends without an answer.
func refused(task *v1alpha1.AgentTask) {
	condition(task, v1alpha1.ConditionAccepted, metav1.ConditionTrue, "Accepted", "Asked by alice.")
	condition(task, v1alpha1.ConditionClassified, metav1.ConditionFalse, "ClarificationNeeded", "It is not clear what is wanted.")
	condition(task, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, "ClarificationNeeded", "It is not clear what is wanted.")
	task.Status.Phase = v1alpha1.PhaseFailed
	task.Status.Failure = &v1alpha1.Failure{Type: "ClarificationNeeded", Message: "It is not clear what is wanted.", Remedies: []string{"Ask again: why does web not start?"}}
}

// task makes a task of the namespace shop.
func task(name, prompt string, change func(*v1alpha1.AgentTask)) *v1alpha1.AgentTask {
	t := &v1alpha1.AgentTask{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", CreationTimestamp: metav1.NewTime(noon.Add(-3 * time.Minute))},
		Spec:       v1alpha1.AgentTaskSpec{Prompt: prompt, RequestedBy: &v1alpha1.Requester{Username: "alice"}},
	}
	change(t)
	return t
}

func TestAsk_createsTheTaskAndReturns(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t)}
	got := s.run("ask", "Why does web not start?", "--intent", "diagnostic", "--target", "deploy/web",
		"--target", "svc/data/db", "--target", "host/db1", "--language", "fr", "--service-account", "auditor")
	if got.code != cli.ExitDone || !strings.Contains(got.out, "created") || !strings.Contains(got.out, "kubectl eclusier show ask-") {
		t.Fatalf("exit code %d, %q, %q", got.code, got.out, got.err)
	}
	spec := only(t, s.tasks).Spec
	want := v1alpha1.AgentTaskSpec{
		Prompt: "Why does web not start?", Intent: v1alpha1.IntentDiagnostic, Language: "fr", ServiceAccountName: "auditor",
		RequestedBy: &v1alpha1.Requester{Username: "alice", UID: "7"},
		Targets:     []v1alpha1.Target{{Kind: "deploy", Name: "web"}, {Kind: "svc", Namespace: "data", Name: "db"}, {Host: "db1"}},
	}
	if a, b := asJSON(t, spec), asJSON(t, want); a != b {
		t.Errorf("the spec is %s, want %s", a, b)
	}
}

func TestAsk_readsTheQuestionFromStandardInput(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t), in: "Is web healthy?\n"}
	got := s.run("ask", "-", "--name", "mine", "-o", "json")
	var made v1alpha1.AgentTask
	if err := json.Unmarshal([]byte(got.out), &made); err != nil || got.code != cli.ExitDone {
		t.Fatalf("exit code %d, %v, %q", got.code, err, got.err)
	}
	if made.Name != "mine" || made.Spec.Prompt != "Is web healthy?" || made.Kind != "AgentTask" {
		t.Errorf("made %+v", made)
	}
}

func TestAsk_leavesTheNameOutWhereTheServerDoesNotTellIt(t *testing.T) {
	tasks := interceptor.NewClient(newTasks(t), interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if _, ok := o.(*authenticationv1.SelfSubjectReview); ok {
				return apierrors.NewForbidden(schema.GroupResource{Resource: "selfsubjectreviews"}, "", nil)
			}
			return c.Create(ctx, o, opts...)
		},
	})
	s := &shell{t: t, tasks: tasks}
	if got := s.run("ask", "x y"); got.code != cli.ExitDone {
		t.Fatalf("exit code %d, %q", got.code, got.err)
	}
	if by := only(t, tasks).Spec.RequestedBy; by != nil {
		t.Errorf("sent the name %+v", by)
	}
}

func TestAsk_waitsAndPrintsTheAnswer(t *testing.T) {
	s := &shell{t: t, tasks: played(t, work)}
	got := s.run("ask", "Why does web not start?", "--wait", "--ascii", "--name", "mine")
	if got.code != cli.ExitDone {
		t.Fatalf("exit code %d, %q", got.code, got.err)
	}
	golden(t, "ask-out.golden", got.out)
	golden(t, "ask-err.golden", got.err)
}

func TestAsk_endsWithoutAnAnswer(t *testing.T) {
	s := &shell{t: t, tasks: played(t, func(c client.WithWatch, task *v1alpha1.AgentTask) {
		refused(task)
		_ = c.Status().Update(context.Background(), task)
	})}
	got := s.run("ask", "web", "--wait", "--ascii")
	if got.code != cli.ExitNoAnswer || !strings.Contains(got.out, "Ask again: why does web not start?") {
		t.Errorf("exit code %d, %q", got.code, got.out)
	}
	s.tasks = played(t, func(c client.WithWatch, task *v1alpha1.AgentTask) {
		refused(task)
		_ = c.Status().Update(context.Background(), task)
	})
	if got := s.run("ask", "web", "--wait", "-o", "yaml"); got.code != cli.ExitNoAnswer || !strings.Contains(got.out, "reason: ClarificationNeeded") {
		t.Errorf("exit code %d, %q", got.code, got.out)
	}
}

func TestAsk_goesOnAfterTheWatchBrokeOff(t *testing.T) {
	cli.ShortenRewatch()
	watches := 0
	tasks := interceptor.NewClient(newTasks(t), interceptor.Funcs{
		Watch: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
			watches++
			if watches == 1 {
				broken := watch.NewFake()
				broken.Stop()
				return broken, nil
			}
			changes, err := c.Watch(ctx, list, opts...)
			if err != nil {
				return nil, err
			}
			go work(c, only(t, c))
			return changes, nil
		},
	})
	s := &shell{t: t, tasks: tasks}
	if got := s.run("ask", "Why?", "--wait"); got.code != cli.ExitDone || watches != 2 {
		t.Errorf("exit code %d after %d watches, %q", got.code, watches, got.err)
	}
}

func TestAsk_givesUpInTime(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t)}
	got := s.run("ask", "Why?", "--wait", "--timeout", "1ms", "--name", "mine")
	if got.code != cli.ExitTrouble || !strings.Contains(got.err, "the task goes on: kubectl eclusier show mine -n shop") {
		t.Errorf("exit code %d, %q", got.code, got.err)
	}
}

func TestAsk_saysThatTheTaskWasDeleted(t *testing.T) {
	s := &shell{t: t, tasks: played(t, func(c client.WithWatch, task *v1alpha1.AgentTask) { _ = c.Delete(context.Background(), task) })}
	if got := s.run("ask", "Why?", "--wait"); got.code != cli.ExitTrouble || !strings.Contains(got.err, "was deleted") {
		t.Errorf("exit code %d, %q", got.code, got.err)
	}
}

func TestAsk_saysWhatToDoAboutARefusal(t *testing.T) {
	tasks := schema.GroupResource{Group: "eclusier.io", Resource: "agenttasks"}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"not allowed", apierrors.NewForbidden(tasks, "", nil), "kubectl auth can-i"},
		{"not logged in", apierrors.NewUnauthorized("no"), "log in again"},
		{"not installed", &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "eclusier.io", Kind: "AgentTask"}}, "kubectl apply --server-side"},
		{"a name that is taken", apierrors.NewAlreadyExists(tasks, "mine"), "choose another --name"},
		{"an overloaded server", apierrors.NewTooManyRequests("busy", 1), "try again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: interceptor.NewClient(newTasks(t), interceptor.Funcs{
				Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return c.err },
			})}
			if got := s.run("ask", "Why?"); got.code != cli.ExitTrouble || !strings.Contains(got.err, c.want) {
				t.Errorf("exit code %d, %q", got.code, got.err)
			}
		})
	}
}

func TestGet(t *testing.T) {
	other := task("c", "x", func(*v1alpha1.AgentTask) {})
	other.Namespace = "data"
	s := &shell{t: t, tasks: newTasks(t, task("a", "Why does web not start?", answered), task("b", "web", refused), other)}
	golden(t, "get-out.golden", s.run("get").out)
	golden(t, "get-all-out.golden", s.run("get", "-A").out)
	golden(t, "get-one.yaml", s.run("get", "b", "-o", "yaml").out)
	if got := s.run("get", "-n", "none"); got.code != cli.ExitDone || got.out != "" || got.err != "No AgentTasks in namespace none.\n" {
		t.Errorf("exit code %d, %q, %q", got.code, got.out, got.err)
	}
	var list v1alpha1.AgentTaskList
	if err := json.Unmarshal([]byte(s.run("get", "-o", "json").out), &list); err != nil || len(list.Items) != 2 || list.Kind != "AgentTaskList" {
		t.Errorf("%d items of kind %q, %v", len(list.Items), list.Kind, err)
	}
	if got := s.run("get", "nobody"); got.code != cli.ExitTrouble || !strings.Contains(got.err, "get -A lists") {
		t.Errorf("exit code %d, %q", got.code, got.err)
	}
}

func TestShow(t *testing.T) {
	french := task("f", "Pourquoi web ne démarre pas ?", func(t *v1alpha1.AgentTask) {
		answered(t)
		t.Status.Classification.Language = "fr"
	})
	s := &shell{t: t, tasks: newTasks(t, task("a", "Why does\x1b[2J web not start? password=hunter2", answered), task("b", "web", refused), french)}
	golden(t, "show-out.golden", s.run("show", "a").out)
	golden(t, "show-ascii-out.golden", s.run("show", "a", "--ascii").out)
	golden(t, "show-refused-out.golden", s.run("show", "b").out)
	golden(t, "show-french-out.golden", s.run("show", "f").out)
	s.color = true
	golden(t, "show-color-out.golden", s.run("show", "a").out)
	if got := s.run("show", "a", "-o", "json"); !strings.Contains(got.out, `"verdict": "RootCauseFound"`) {
		t.Errorf("as JSON: %q", got.out)
	}
}

func TestShow_namesTheChangeOfAWish(t *testing.T) {
	wish := task("w", "scale web to 3", func(t *v1alpha1.AgentTask) {
		condition(t, v1alpha1.ConditionChangeProposed, metav1.ConditionTrue, "ChangeProposed", "ChangeRequest w-1 is created")
		t.Status.ChangeRequests = []v1alpha1.ProposedChange{{Name: "w-1"}}
	})
	s := &shell{t: t, tasks: newTasks(t, wish)}
	got := s.run("show", "w")
	for _, want := range []string{"kubectl eclusier review w-1 -n shop", "ChangeProposed: ChangeRequest w-1 is created"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("lacks %q: %q", want, got.out)
		}
	}
}

func TestCompletion_ofTheNamesOfTasks(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t, task("a", "Why does web not start?", answered))}
	if got := s.run("__complete", "show", ""); !strings.Contains(got.out, "a\tWhy does web not start?") {
		t.Errorf("completes to %q", got.out)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAsk_refusesATimeThatCannotBe(t *testing.T) {
	got := (&shell{t: t}).run("ask", "--wait", "--timeout", "-1s", "why does web not start?")
	if got.code != cli.ExitTrouble || !strings.Contains(got.err, "--timeout -1s") {
		t.Errorf("exit code %d, %q: waiting for less than nothing would be waiting for ever", got.code, got.err)
	}
}
