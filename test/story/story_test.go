package story

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
)

func TestAQuestionIsAnswered(t *testing.T) {
	task := asked(t, "why", "why is deployment web in shop not starting?")
	task, writes := until(t, task, "finished", finished)
	if c := condition(task, v1alpha1.ConditionSucceeded); c.Status != metav1.ConditionTrue || c.Reason != v1alpha1.SucceededRootCauseFound {
		t.Fatalf("Succeeded is %+v", c)
	}
	root := task.Status.Findings[0]
	if root.Cause != "ImageNotFound" || root.Object.Kind != "Deployment" || root.Object.Name != "web" || len(root.Evidence) == 0 {
		t.Errorf("the root cause is %+v", root)
	}
	if target := task.Status.Targets[0].Object; target.UID == "" || target.APIVersion != "apps/v1" {
		t.Errorf("the target is %+v", target)
	}
	events := eventsAbout(t, task)
	if writes+len(events) > 4 || writes != 2 || len(events) != 1 {
		t.Errorf("%d status writes and %d events, want 2 and 1, and never more than 4", writes, len(events))
	}
	if id := events[0].Annotations["eclusier.io/correlation-id"]; id != task.Status.CorrelationID {
		t.Errorf("the event carries %q, the task %q", id, task.Status.CorrelationID)
	}
	raw, err := json.Marshal(task)
	if err != nil || strings.Contains(string(raw), "canary") {
		t.Errorf("a Secret's value came into the answer: %v", err)
	}
	line, err := scene.Kubectl.Run(t.Context(), "get", "agenttasks", "why", "-n", "shop")
	if err != nil || !strings.Contains(line, "Diagnostic") || !strings.Contains(line, "RootCauseFound") || !strings.Contains(line, "v9") {
		t.Errorf("kubectl get tells: %s %v", line, err)
	}
	if _, err := scene.Kubectl.Run(t.Context(), "wait", "-n", "shop", "agenttask/why", "--for=condition=Succeeded", "--timeout="+patience.String()); err != nil {
		t.Error(err)
	}
}

func TestATaskEndsWithWhatToDo(t *testing.T) {
	tests := []struct {
		name, prompt string
		change       func(*v1alpha1.AgentTask)
		reason       string
		says         string
	}{
		{name: "typo", prompt: "why is deployment wbe in shop down?", reason: "TargetNotFound", says: "deployment/web -n shop"},
		{name: "elsewhere", prompt: "why is it down?", reason: "ReaderForbidden", says: "kubectl create rolebinding eclusier-reader-shop -n kube-system",
			change: func(task *v1alpha1.AgentTask) {
				task.Spec.Targets = []v1alpha1.Target{{Kind: "Deployment", Namespace: "kube-system", Name: "coredns"}}
			}},
		{name: "secret", prompt: "why is it down?", reason: "ReaderForbidden", says: "Secrets are never read",
			change: func(task *v1alpha1.AgentTask) { task.Spec.Targets = []v1alpha1.Target{{Kind: "Secret", Name: "db"}} }},
		{name: "wish", prompt: "restart deployment web in shop tonight", reason: "NotExpressible", says: "“tonight”"},
		{name: "unclear", prompt: "fix web in shop", reason: "ClarificationNeeded", says: "deployment/web -n shop"},
		{name: "poem", prompt: "write me a poem about the sea", reason: "OutOfScope", says: "question"},
		{name: "empty", prompt: "", reason: "PromptEmpty", says: "spec.prompt"},
		{name: "long", prompt: strings.Repeat("0123456789", 10_240), reason: "PromptTooLong", says: "8,192"},
		{name: "binary", prompt: "\x00\x01\x02ELF", reason: "PromptUnreadable", says: "plain text"},
		{name: "other-account", prompt: "why is web down?", reason: "ServiceAccountNotAllowed", says: "eclusier-reader",
			change: func(task *v1alpha1.AgentTask) { task.Spec.ServiceAccountName = "default" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.change == nil {
				tt.change = func(*v1alpha1.AgentTask) {}
			}
			task, _ := until(t, asked(t, "end-"+tt.name, tt.prompt, tt.change), "finished", finished)
			c := condition(task, v1alpha1.ConditionSucceeded)
			details := task.Status.Failure.Message + " " + strings.Join(task.Status.Failure.Remedies, " ")
			if c.Status != metav1.ConditionFalse || c.Reason != tt.reason || !strings.Contains(details, tt.says) {
				t.Errorf("Succeeded is %s %s: %s\nwant %s with %q", c.Status, c.Reason, details, tt.reason, tt.says)
			}
		})
	}
}

func TestANamespaceThatIsNotSetUp(t *testing.T) {
	create := func(o client.Object) {
		t.Helper()
		if err := scene.Client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	inBare := func(task *v1alpha1.AgentTask) { task.Namespace = "bare" }
	create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "bare"}})
	task, _ := until(t, asked(t, "no-account", "what is wrong here?", inBare), "finished", finished)
	failure := task.Status.Failure
	if failure == nil || failure.Type != "ServiceAccountNotFound" || len(failure.Remedies) != 3 {
		t.Fatalf("without the account: %+v", failure)
	}
	runRemedy(t, failure.Remedies[0])
	task, _ = until(t, asked(t, "no-role", "what is wrong here?", inBare), "finished", finished)
	if failure = task.Status.Failure; failure == nil || failure.Type != "ReaderForbidden" {
		t.Fatalf("without the role: %+v", failure)
	}
	runRemedy(t, failure.Remedies[0])
	task, _ = until(t, asked(t, "set-up", "what is wrong here?", inBare), "finished", finished)
	if task.Status.Verdict == "" {
		t.Errorf("after both remedies: %+v", task.Status.Failure)
	}
}

// runRemedy does what the operator told people to do, to the letter.
func runRemedy(t *testing.T, remedy string) {
	t.Helper()
	words := strings.Fields(remedy)
	if words[0] != "kubectl" {
		t.Fatalf("not a command: %s", remedy)
	}
	if _, err := scene.Kubectl.Run(t.Context(), words[1:]...); err != nil {
		t.Fatal(err)
	}
}

func TestSuspendCancelAndTTL(t *testing.T) {
	held := asked(t, "held", "why is deployment web in shop down?", func(task *v1alpha1.AgentTask) { task.Spec.Suspend = true })
	held, _ = until(t, held, "suspended", func(task *v1alpha1.AgentTask) bool { return task.Status.Phase == v1alpha1.PhaseSuspended })
	patch(t, held, `{"spec":{"suspend":false}}`)
	held, _ = until(t, held, "finished", finished)
	if held.Status.Verdict == "" {
		t.Errorf("once it is let go it is answered: %+v", held.Status.Failure)
	}
	patch(t, held, `{"spec":{"cancel":true}}`)
	held, _ = until(t, held, "acknowledged", func(task *v1alpha1.AgentTask) bool { return task.Status.ObservedGeneration == task.Generation })
	if held.Status.Phase != v1alpha1.PhaseSucceeded || held.Status.Answer == "" {
		t.Errorf("to cancel a finished task must change nothing: %s", held.Status.Phase)
	}

	stopped := asked(t, "stopped", "why is deployment web in shop down?", func(task *v1alpha1.AgentTask) { task.Spec.Suspend = true })
	patch(t, stopped, `{"spec":{"cancel":true}}`)
	if stopped, _ = until(t, stopped, "finished", finished); stopped.Status.Phase != v1alpha1.PhaseCancelled {
		t.Errorf("a cancelled task is %s", stopped.Status.Phase)
	}

	passing := asked(t, "passing", "why is deployment web in shop down?", func(task *v1alpha1.AgentTask) {
		task.Spec.TTLAfterFinished = &metav1.Duration{Duration: time.Second}
	})
	gone(t, passing)
	patch(t, held, `{"spec":{"ttlAfterFinished":"0s"}}`)
	gone(t, held)
}

func patch(t *testing.T, task *v1alpha1.AgentTask, body string) {
	t.Helper()
	if err := scene.Client.Patch(t.Context(), task, client.RawPatch("application/merge-patch+json", []byte(body))); err != nil {
		t.Fatal(err)
	}
}

func gone(t *testing.T, task *v1alpha1.AgentTask) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if err := scene.Client.Get(t.Context(), client.ObjectKeyFromObject(task), task); apierrors.IsNotFound(err) {
			return
		}
	}
	t.Errorf("%s is still there", task.Name)
}

func TestWithoutTheIdentityGuardTasksWait(t *testing.T) {
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}
	all := &admissionregistrationv1.ValidatingAdmissionPolicyBindingList{}
	if err := scene.Client.List(t.Context(), all); err != nil || len(all.Items) == 0 {
		t.Fatal(err, len(all.Items))
	}
	*binding = all.Items[0]
	if err := scene.Client.Delete(t.Context(), binding.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	task := asked(t, "unguarded", "why is deployment web in shop down?")
	for condition(task, v1alpha1.ConditionAccepted).Reason != v1alpha1.AcceptedIdentityGuardMissing {
		if finished(task) {
			// The operator's watch had not seen the deletion yet.
			task = asked(t, fmt.Sprint("unguarded-", time.Now().UnixNano()), "why is deployment web in shop down?")
		}
		task, _ = until(t, task, "waiting or finished", func(task *v1alpha1.AgentTask) bool {
			return finished(task) || condition(task, v1alpha1.ConditionAccepted).Status == metav1.ConditionUnknown
		})
	}
	if message := condition(task, v1alpha1.ConditionSucceeded).Message; !strings.Contains(message, binding.Name) || !strings.Contains(message, "kubectl apply") {
		t.Errorf("it says %s", message)
	}
	binding.ResourceVersion, binding.UID = "", ""
	if err := scene.Client.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	if task, _ = until(t, task, "finished", finished); condition(task, v1alpha1.ConditionAccepted).Reason != v1alpha1.AcceptedRequesterUnknown {
		t.Errorf("nobody vouches for who created it, and once the guard is back it is: %+v", task.Status)
	}
	vouched(t)
}

// TestAKilledOperatorLosesNothing kills the operator without warning while thirty tasks are under way.
func TestAKilledOperatorLosesNothing(t *testing.T) {
	const many = 30
	var tasks []*v1alpha1.AgentTask
	for i := range many {
		tasks = append(tasks, asked(t, fmt.Sprint("crash-", i), "why is deployment web in shop not starting?"))
		if i == many/2 {
			operator.Kill()
		}
	}
	var err error
	if operator, err = scene.Operator(context.Background(), "second"); err != nil {
		t.Fatal(err)
	}
	before := map[string]string{}
	for i, task := range tasks {
		done, writes := until(t, task, "finished", finished)
		if done.Status.Verdict != v1alpha1.VerdictRootCauseFound || writes != 2 {
			t.Errorf("%s ends with %s after %d writes, want 2", task.Name, done.Status.Verdict, writes)
		}
		tasks[i], before[task.Name] = done, done.ResourceVersion
	}

	operator.Stop()
	patch(t, tasks[0], `{"metadata":{"labels":{"a":"b"}}}`)
	before[tasks[0].Name] = tasks[0].ResourceVersion
	if operator, err = scene.Operator(context.Background(), "third"); err != nil {
		t.Fatal(err)
	}
	last, _ := until(t, asked(t, "crash-after", "why is deployment web in shop not starting?"), "finished", finished)
	for _, task := range tasks {
		if err := scene.Client.Get(t.Context(), client.ObjectKeyFromObject(task), task); err != nil || task.ResourceVersion != before[task.Name] {
			t.Errorf("%s was touched again after the restart, before %s was answered: %v", task.Name, last.Name, err)
		}
	}
}

func TestEveryLogLineCarriesTheCorrelationID(t *testing.T) {
	task := asked(t, "logged", "why is deployment web in shop not starting?", func(task *v1alpha1.AgentTask) { task.Spec.CorrelationID = "req-4711" })
	until(t, task, "finished", finished)
	var log []byte
	// The end is logged after it is stored, so that the line may be a moment late.
	for deadline := time.Now().Add(patience); !endLogged(log, "logged"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no line tells of the task's end")
		}
		var err error
		if log, err = os.ReadFile(operator.Log()); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(string(log)) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("not a structured line: %s", line)
		}
		if strings.Contains(line, `"logged"`) && entry["correlationID"] != "req-4711" {
			t.Errorf("no correlation id in %s", line)
		}
		if strings.Contains(line, "not starting") {
			t.Errorf("the prompt is in the log: %s", line)
		}
	}
}

// endLogged tells whether a whole line of the log says that the task of that name ended.
func endLogged(log []byte, name string) bool {
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, `"Task ended"`) && strings.Contains(line, `"`+name+`"`) && strings.HasSuffix(line, "\n") {
			return true
		}
	}
	return false
}

func TestMetricsAndProbes(t *testing.T) {
	until(t, asked(t, "counted", "why is deployment web in shop not starting?"), "finished", finished)
	if body := fetch(t, "http://"+operator.Probes+"/healthz"); body != "ok" {
		t.Errorf("healthz says %s", body)
	}
	for _, name := range []string{`eclusier_tasks_total{reason="RootCauseFound"}`, "eclusier_task_duration_seconds_bucket",
		`eclusier_step_duration_seconds_count{step="Diagnose"}`, `eclusier_classifications_total{intent="Diagnostic",source="Rule"}`,
		"eclusier_identity_guard_in_place 1"} {
		// What a task came to is counted after it is stored, so that the count may be a moment late.
		for deadline := time.Now().Add(patience); !strings.Contains(fetch(t, "http://"+operator.Metrics+"/metrics"), name); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s is not served", name)
			}
		}
	}
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestAStandbyTakesOver: of two operators one works, and the other one as soon as the first has gone.
func TestAStandbyTakesOver(t *testing.T) {
	holder := func() string {
		lease := &coordinationv1.Lease{}
		if err := scene.Client.Get(t.Context(), client.ObjectKey{Namespace: local.Namespace, Name: "eclusier-operator"}, lease); err != nil || lease.Spec.HolderIdentity == nil {
			return ""
		}
		return *lease.Spec.HolderIdentity
	}
	become := func(what string, wanted func(string) bool) string {
		t.Helper()
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			if now := holder(); wanted(now) {
				return now
			}
		}
		t.Fatalf("%s: the lease is held by %q", what, holder())
		return ""
	}
	stop := scene.Standby(t, "left")
	first := become("nobody leads", func(now string) bool { return now != "" })
	scene.Standby(t, "right")
	if now := holder(); now != first {
		t.Errorf("a second operator took the lease from the first: %s, then %s", first, now)
	}
	stop()
	become("nobody took over", func(now string) bool { return now != "" && now != first })
}
