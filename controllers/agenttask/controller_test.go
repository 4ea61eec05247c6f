package agenttask

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cluster"
)

var (
	tasks     = schema.GroupResource{Group: "eclusier.io", Resource: "agenttasks"}
	forbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no"))
	timeout   = apierrors.NewTimeoutError("etcd is slow", 0)
)

// The ends of a summary that many tasks share.
const (
	accepted = "+Accepted/Accepted "
	targeted = accepted + "+TargetResolved/TargetsFound "
	whole    = accepted + "+TargetResolved/NamespaceOnly "
)

func ended(reason string) string { return "+Stalled/" + reason + " -Succeeded/" + reason }

func TestReconciler_outcome(t *testing.T) {
	spec := func(change func(*v1alpha1.AgentTaskSpec)) func(*v1alpha1.AgentTask) {
		return func(task *v1alpha1.AgentTask) { change(&task.Spec) }
	}
	intent := func(i v1alpha1.Intent) func(*v1alpha1.AgentTask) {
		return spec(func(s *v1alpha1.AgentTaskSpec) { s.Intent = i })
	}
	targets := func(all ...v1alpha1.Target) func(*v1alpha1.AgentTask) {
		return spec(func(s *v1alpha1.AgentTaskSpec) { s.Targets = all })
	}
	tests := []struct {
		name   string
		task   *v1alpha1.AgentTask
		world  func(*world)
		want   string
		phase  v1alpha1.Phase
		writes int
		event  string
		says   []string
		reason string
	}{
		{name: "a question about something broken is answered with its root cause",
			task: ask("why", "why is deployment web in shop not starting?"), writes: 2, phase: v1alpha1.PhaseSucceeded,
			want:  targeted + "+Classified/RuleMatched +Diagnosed/RootCauseFound +Succeeded/RootCauseFound",
			event: "Normal RootCauseFound Succeeded", says: []string{"v9"}},
		{name: "a question in French is answered in French",
			task: ask("why", "pourquoi le déploiement web ne démarre pas dans shop ?"), writes: 2, phase: v1alpha1.PhaseSucceeded,
			want:  targeted + "+Classified/RuleMatched +Diagnosed/RootCauseFound +Succeeded/RootCauseFound",
			event: "Normal RootCauseFound Succeeded", says: []string{"Cause racine", "Que faire"}},
		{name: "a question about something that works is answered too",
			task: ask("why", "is deployment web in shop healthy?"), writes: 2, phase: v1alpha1.PhaseSucceeded,
			world: func(w *world) { w.fill = healthy },
			want:  targeted + "+Classified/RuleMatched +Diagnosed/NoFaultFound +Succeeded/NoFaultFound",
			event: "Normal NoFaultFound Succeeded"},
		{name: "a question that names nothing is about the namespace",
			task: ask("why", "what is not working here?"), writes: 2, phase: v1alpha1.PhaseSucceeded,
			want:  whole + "+Classified/RuleMatched +Diagnosed/RootCauseFound +Succeeded/RootCauseFound",
			event: "Normal RootCauseFound Succeeded"},
		{name: "an explicit intent wins over the words",
			task: ask("why", "restart deployment web in shop", intent(v1alpha1.IntentDiagnostic)), writes: 2, phase: v1alpha1.PhaseSucceeded,
			want:  targeted + "+Classified/ExplicitIntent +Diagnosed/RootCauseFound +Succeeded/RootCauseFound",
			event: "Normal RootCauseFound Succeeded"},
		{name: "a wish that rules know becomes a ChangeRequest, and the task waits for it",
			task: ask("do", "restart deployment web in shop"), writes: 2, phase: v1alpha1.PhaseWaiting,
			want: targeted + "+Classified/RuleMatched +ChangeProposed/ChangeProposed +Reconciling/AwaitingChange ?Succeeded/AwaitingChange",
			says: []string{"kubectl describe changerequest do-"}},
		{name: "a wish that rules do not know is refused, with what to write",
			task: ask("do", "restart deployment web in shop tonight"), writes: 1, phase: v1alpha1.PhaseFailed,
			want:  targeted + "+Classified/RuleMatched -ChangeProposed/NotExpressible " + ended("NotExpressible"),
			event: "Warning NotExpressible Succeeded",
			says:  []string{"“tonight”", "restart deployment web in shop", `"kind":"ChangeRequest"`, "kubectl create -f -", "spec.intent: Diagnostic"}},
		{name: "a wish in French is refused in French",
			task: ask("do", "redémarre le déploiement web dans shop ce soir"), writes: 1, phase: v1alpha1.PhaseFailed,
			want:  targeted + "+Classified/RuleMatched -ChangeProposed/NotExpressible " + ended("NotExpressible"),
			event: "Warning NotExpressible Succeeded", says: []string{"« soir »", "redémarre deployment web dans shop"}},
		{name: "a question is no wish, whatever spec.intent says",
			task: ask("do", "why is deployment web in shop down?", intent(v1alpha1.IntentChange)), writes: 1, phase: v1alpha1.PhaseFailed,
			want:  targeted + "+Classified/ExplicitIntent -ChangeProposed/NotExpressible " + ended("NotExpressible"),
			event: "Warning NotExpressible Succeeded", says: []string{"questions are never taken for a wish"}},
		{name: "a wish for what does not exist is not guessed at",
			task: ask("do", "scale wbe in shop to 3"), writes: 1, phase: v1alpha1.PhaseFailed,
			world: func(w *world) { w.near = w.objects },
			want:  accepted + "-TargetResolved/TargetNotFound +Classified/RuleMatched " + ended("TargetNotFound"),
			event: "Warning TargetNotFound Succeeded", says: []string{"Did you mean deployment/web -n shop?"}},
		{name: "a wish for a name in two namespaces lists them",
			task: ask("do", "restart web"), writes: 1, phase: v1alpha1.PhaseFailed,
			world: func(w *world) {
				w.objects = []cluster.Found{found("Deployment", "a", "web"), found("Deployment", "b", "web")}
			},
			want:  accepted + "-TargetResolved/TargetAmbiguous +Classified/RuleMatched " + ended("TargetAmbiguous"),
			event: "Warning TargetAmbiguous Succeeded", says: []string{"deployment/web -n a, deployment/web -n b"}},
		{name: "what is only in another namespace is changed by its whole name alone",
			task: ask("do", "restart web"), writes: 1, phase: v1alpha1.PhaseFailed,
			world: func(w *world) { w.objects = []cluster.Found{found("Deployment", "pay", "web")} },
			want:  targeted + "+Classified/RuleMatched -ChangeProposed/NotExpressible " + ended("NotExpressible"),
			event: "Warning NotExpressible Succeeded", says: []string{"Deployment pay/web is in another namespace"}},
		{name: "a Secret is not changed through a task",
			task: ask("do", "delete secret db in shop"), writes: 1, phase: v1alpha1.PhaseFailed,
			want:  accepted + "-TargetResolved/ReaderForbidden +Classified/RuleMatched " + ended("ReaderForbidden"),
			event: "Warning ReaderForbidden Succeeded"},
		{name: "an unclear wish is asked about, with what to write",
			task: ask("do", "fix web in shop"), writes: 1, phase: v1alpha1.PhaseFailed,
			want:  targeted + "-Classified/ClarificationNeeded " + ended("ClarificationNeeded"),
			event: "Warning ClarificationNeeded Succeeded", says: []string{"What is wrong with deployment/web -n shop?", "spec.intent"}},
		{name: "what is no operations work is refused before anything is looked up",
			task: ask("do", "write me a poem about the sea"), writes: 1, phase: v1alpha1.PhaseFailed,
			want:  accepted + "-Classified/OutOfScope " + ended("OutOfScope"),
			event: "Warning OutOfScope Succeeded", says: []string{"workloads"}},
		{name: "a target that does not exist is not guessed",
			task: ask("why", "why is deployment wbe in shop down?"), writes: 1, phase: v1alpha1.PhaseFailed,
			world: func(w *world) { w.near = w.objects },
			want:  accepted + "-TargetResolved/TargetNotFound +Classified/RuleMatched " + ended("TargetNotFound"),
			event: "Warning TargetNotFound Succeeded", says: []string{"wbe", "Did you mean deployment/web -n shop?"}},
		{name: "an absence that may be a missing right is called that",
			task: ask("why", "why is node worker-9 not ready?"), writes: 1, phase: v1alpha1.PhaseFailed,
			world: func(w *world) { w.findErrs = []error{&cluster.UnseenError{What: []string{"nodes"}}} },
			want:  accepted + "-TargetResolved/TargetNotFound +Classified/RuleMatched " + ended("TargetNotFound"),
			event: "Warning TargetNotFound Succeeded", says: []string{"It may exist where eclusier-reader may not look: nodes"}},
		{name: "a kind that is not served is named",
			task:  ask("why", "why is it down?", targets(v1alpha1.Target{Kind: "Gizmo", Name: "web"})),
			world: func(w *world) { w.findErrs = []error{&cluster.UnknownKindError{Kind: "Gizmo"}} }, writes: 1, phase: v1alpha1.PhaseFailed,
			want:  accepted + "-TargetResolved/TargetNotFound +Classified/RuleMatched " + ended("TargetNotFound"),
			event: "Warning TargetNotFound Succeeded", says: []string{"Gizmo", "kubectl api-resources"}},
		{name: "a name in two namespaces is asked about",
			task: ask("why", "why is web down?"), writes: 1, phase: v1alpha1.PhaseFailed,
			world: func(w *world) {
				w.objects = []cluster.Found{found("Deployment", "a", "web"), found("Deployment", "b", "web"), found("Service", "a", "web")}
			},
			want:  accepted + "-TargetResolved/TargetAmbiguous +Classified/RuleMatched " + ended("TargetAmbiguous"),
			event: "Warning TargetAmbiguous Succeeded", says: []string{"deployment/web -n a, deployment/web -n b"}},
		{name: "a Deployment and its Service of one name are one thing",
			task: ask("why", "why is web in shop down?"), writes: 2, phase: v1alpha1.PhaseSucceeded,
			world: func(w *world) { w.objects = append(w.objects, found("Service", "shop", "web")) },
			want:  targeted + "+Classified/RuleMatched +Diagnosed/RootCauseFound +Succeeded/RootCauseFound",
			event: "Normal RootCauseFound Succeeded"},
		{name: "structured targets win over the words",
			task:   ask("why", "why is deployment nothing-like-it down?", targets(v1alpha1.Target{Kind: "deployment", Name: "web"})),
			writes: 2, phase: v1alpha1.PhaseSucceeded,
			want:  targeted + "+Classified/RuleMatched +Diagnosed/RootCauseFound +Succeeded/RootCauseFound",
			event: "Normal RootCauseFound Succeeded"},
		{name: "what is missing of several targets is said at once",
			task: ask("why", "why is it down?", targets(v1alpha1.Target{Kind: "Deployment", Name: "web"}, v1alpha1.Target{Kind: "Deployment", Name: "db"},
				v1alpha1.Target{Kind: "Node", Name: "n1"})), writes: 1, phase: v1alpha1.PhaseFailed,
			want:  accepted + "-TargetResolved/TargetNotFound +Classified/RuleMatched " + ended("TargetNotFound"),
			event: "Warning TargetNotFound Succeeded",
			says: []string{"Deployment db was not found in namespace shop. Node n1 does not exist in this cluster.",
				"Nothing was diagnosed, since everything that is named has to be found; deployment/web -n shop was."}},
		{name: "where else a name may be is said in one language",
			task: ask("why", "pourquoi le déploiement db est en panne ?"), writes: 1, phase: v1alpha1.PhaseFailed,
			world: func(w *world) {
				w.findErrs = []error{&cluster.UnseenError{What: []string{"deployments" + cluster.OfOtherNamespaces}}}
			},
			want:  accepted + "-TargetResolved/TargetNotFound +Classified/RuleMatched " + ended("TargetNotFound"),
			event: "Warning TargetNotFound Succeeded", says: []string{"ne peut pas regarder : deployments dans d’autres espaces de noms."}},
		{name: "a Secret is never read, whatever is granted",
			task: ask("why", "why is it down?", targets(v1alpha1.Target{Kind: "Secret", Name: "db"})), writes: 1, phase: v1alpha1.PhaseFailed,
			want:  accepted + "-TargetResolved/ReaderForbidden +Classified/RuleMatched " + ended("ReaderForbidden"),
			event: "Warning ReaderForbidden Succeeded", says: []string{"Secrets are never read, so nothing can be said about db: ask about what uses it."}},
		{name: "a host that an Ingress serves means that Ingress",
			task: ask("why", "is it healthy?", targets(v1alpha1.Target{Host: "shop.example.org"})), writes: 2, phase: v1alpha1.PhaseSucceeded,
			world: func(w *world) { w.fill = serving("shop.example.org") },
			want:  targeted + "+Classified/RuleMatched +Diagnosed/NoFaultFound +Succeeded/NoFaultFound",
			event: "Normal NoFaultFound Succeeded"},
		{name: "who asks about the whole cluster is told what was looked at",
			task: ask("why", "what is broken in the whole cluster?"), writes: 2, phase: v1alpha1.PhaseSucceeded,
			want:  whole + "+Classified/RuleMatched +Diagnosed/RootCauseFound +Succeeded/RootCauseFound",
			event: "Normal RootCauseFound Succeeded", says: []string{"only namespace shop was looked at"}},
		{name: "a namespace of which no workload may be read is not answered about",
			task: ask("why", "what is not working here?"), writes: 2, phase: v1alpha1.PhaseFailed,
			world: func(w *world) { w.fill = func(*cluster.Snapshot) {}; w.gaps = [][]cluster.Gap{lackingAll("shop")} },
			want:  whole + "+Classified/RuleMatched -Diagnosed/ReaderForbidden " + ended("ReaderForbidden"),
			event: "Warning ReaderForbidden Succeeded", says: []string{"may read no workload in namespace shop", "rolebinding eclusier-reader -n shop"}},
		{name: "a host is refused for now",
			task: ask("why", "why is it slow?", targets(v1alpha1.Target{Host: "db-02.internal"})), writes: 1, phase: v1alpha1.PhaseFailed,
			want:  accepted + "-TargetResolved/HostsNotSupportedYet +Classified/RuleMatched " + ended("HostsNotSupportedYet"),
			event: "Warning HostsNotSupportedYet Succeeded", says: []string{"db-02.internal"}},
		{name: "a namespace without the reader's role says which command grants it",
			task: ask("why", "why is deployment web in shop down?"), writes: 1, phase: v1alpha1.PhaseFailed,
			world: func(w *world) { w.findErrs = []error{forbidden} },
			want:  accepted + "-TargetResolved/ReaderForbidden +Classified/RuleMatched " + ended("ReaderForbidden"),
			event: "Warning ReaderForbidden Succeeded",
			says:  []string{"kubectl create rolebinding eclusier-reader -n shop --clusterrole=eclusier-reader --serviceaccount=shop:eclusier-reader"}},
		{name: "rights that are missing for the diagnosis are named with the other namespace",
			task: ask("why", "what is wrong in namespace payments?"), writes: 2, phase: v1alpha1.PhaseFailed,
			world: func(w *world) {
				w.objects = []cluster.Found{found("Namespace", "", "payments")}
				w.readErrs = []error{forbidden}
			},
			want:  targeted + "+Classified/RuleMatched -Diagnosed/ReaderForbidden " + ended("ReaderForbidden"),
			event: "Warning ReaderForbidden Succeeded", says: []string{"rolebinding eclusier-reader-shop -n payments"}},
		{name: "a namespace that may not be looked at is no missing namespace",
			task: ask("why", "what is wrong in namespace payments?"), writes: 1, phase: v1alpha1.PhaseFailed,
			world: func(w *world) { w.findErrs = []error{forbidden} },
			want:  accepted + "-TargetResolved/ReaderForbidden +Classified/RuleMatched " + ended("ReaderForbidden"),
			event: "Warning ReaderForbidden Succeeded", says: []string{"rolebinding eclusier-reader-shop -n payments"}},
		{name: "a node that may not be looked at takes another right",
			task: ask("why", "why is node worker-3 not ready?"), writes: 1, phase: v1alpha1.PhaseFailed,
			world: func(w *world) { w.findErrs = []error{forbidden} },
			want:  accepted + "-TargetResolved/ReaderForbidden +Classified/RuleMatched " + ended("ReaderForbidden"),
			event: "Warning ReaderForbidden Succeeded",
			says:  []string{"kubectl create clusterrolebinding eclusier-reader-shop --clusterrole=eclusier-reader-cluster --serviceaccount=shop:eclusier-reader"}},
		{name: "an empty prompt", task: ask("x", " \n\t "), writes: 1, phase: v1alpha1.PhaseFailed,
			want: "-Accepted/PromptEmpty " + ended("PromptEmpty"), event: "Warning PromptEmpty Succeeded", says: []string{"spec.prompt"}},
		{name: "a pasted log", task: ask("x", strings.Repeat("line of a log\n", 8000)), writes: 1, phase: v1alpha1.PhaseFailed,
			want: "-Accepted/PromptTooLong " + ended("PromptTooLong"), event: "Warning PromptTooLong Succeeded", says: []string{"112,000 bytes"}},
		{name: "control characters", task: ask("x", "why is web \x1b[31mred"), writes: 1, phase: v1alpha1.PhaseFailed,
			want: "-Accepted/PromptUnreadable " + ended("PromptUnreadable"), event: "Warning PromptUnreadable Succeeded"},
		{name: "bytes that were no text", task: ask("x", "\uFFFD\uFFFDELF"), writes: 1, phase: v1alpha1.PhaseFailed,
			want: "-Accepted/PromptUnreadable " + ended("PromptUnreadable"), event: "Warning PromptUnreadable Succeeded"},
		{name: "a prompt of blanks that only look like nothing", task: ask("x", "\u00a0\u200b\u2003\ufeff\u2060\n"), writes: 1, phase: v1alpha1.PhaseFailed,
			want: "-Accepted/PromptEmpty " + ended("PromptEmpty"), event: "Warning PromptEmpty Succeeded"},
		{name: "nobody vouched for", task: ask("x", "why is web down?", spec(func(s *v1alpha1.AgentTaskSpec) { s.RequestedBy = nil })), writes: 1, phase: v1alpha1.PhaseFailed,
			want: "-Accepted/RequesterUnknown " + ended("RequesterUnknown"), event: "Warning RequesterUnknown Succeeded"},
		{name: "no such account", task: ask("x", "why is web down?", spec(func(s *v1alpha1.AgentTaskSpec) { s.ServiceAccountName = "ghost" })), writes: 1, phase: v1alpha1.PhaseFailed,
			want: "-Accepted/ServiceAccountNotFound " + ended("ServiceAccountNotFound"), event: "Warning ServiceAccountNotFound Succeeded",
			says: []string{"kubectl create serviceaccount ghost -n shop", "kubectl create rolebinding ghost -n shop"}},
		{name: "a task that was cancelled before it began", task: ask("x", "why is web down?", spec(func(s *v1alpha1.AgentTaskSpec) { s.Cancel = true })), writes: 1, phase: v1alpha1.PhaseCancelled,
			want: ended("Cancelled"), event: "Normal Cancelled Succeeded"},
		{name: "a task that is held", task: ask("x", "why is web down?", spec(func(s *v1alpha1.AgentTaskSpec) { s.Suspend = true })), writes: 1, phase: v1alpha1.PhaseSuspended,
			want: "?Succeeded/Suspended", event: "Normal Suspended Succeeded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRoom(t, tt.task)
			if tt.world != nil {
				tt.world(r.world)
			}
			task, _ := r.settle(tt.task.Name)
			if got := summary(task); got != tt.want {
				t.Errorf("conditions are\n%s\nwant\n%s", got, tt.want)
			}
			if task.Status.Phase != tt.phase {
				t.Errorf("phase is %s, want %s", task.Status.Phase, tt.phase)
			}
			root := meta.FindStatusCondition(task.Status.Conditions, v1alpha1.ConditionSucceeded).Message
			if failed := task.Status.Failure != nil; failed && (len([]rune(root)) > maxBrief || strings.Contains(root, "…")) {
				t.Errorf("not a line of a table: %q", root)
			}
			if r.writes != tt.writes {
				t.Errorf("%d writes, want %d", r.writes, tt.writes)
			}
			if got := strings.Join(r.events.events, ", "); got != tt.event {
				t.Errorf("events are %q, want %q", got, tt.event)
			}
			told := task.Status.Answer + root
			if failure := task.Status.Failure; failure != nil {
				told = strings.Join(append([]string{failure.Message}, failure.Remedies...), " ")
			}
			for _, says := range tt.says {
				if !strings.Contains(told, says) {
					t.Errorf("%q is not said in\n%s", says, told)
				}
			}
			for _, account := range r.world.accounts {
				if account != (types.NamespacedName{Namespace: "shop", Name: "eclusier-reader"}) {
					t.Errorf("read as %s", account)
				}
			}
		})
	}
}

func TestReconciler_retry(t *testing.T) {
	r := newRoom(t, ask("why", "why is deployment web in shop down?"))
	r.world.findErrs = []error{timeout}
	task, result := r.settle("why")
	if got, want := summary(task), accepted+"?TargetResolved/ClusterUnavailable +Classified/RuleMatched +Retrying/Timeout +Reconciling/Progressing ?Succeeded/Progressing"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if result.RequeueAfter < 500*time.Millisecond || result.RequeueAfter > 3*time.Second {
		t.Errorf("tried again after %s", result.RequeueAfter)
	}
	if r.world.finds != 1 {
		t.Errorf("%d attempts before the time", r.world.finds)
	}

	r.world.readErrs = []error{timeout, timeout}
	r.clock.SetTime(noon.Add(3 * time.Second))
	if task, _ = r.settle("why"); task.Status.Retry == nil || task.Status.Retry.Count != 1 {
		t.Errorf("the attempts of one step must not count for the next: %+v", task.Status.Retry)
	}
	r.clock.SetTime(noon.Add(6 * time.Second))
	if task, _ = r.settle("why"); task.Status.Retry == nil || task.Status.Retry.Count != 2 {
		t.Errorf("the second failure is not counted: %+v", task.Status.Retry)
	}
	r.clock.SetTime(noon.Add(12 * time.Second))
	if task, _ = r.settle("why"); task.Status.Verdict != v1alpha1.VerdictRootCauseFound || task.Status.Retry != nil {
		t.Errorf("the third attempt ends with %s, %+v", summary(task), task.Status.Retry)
	}
	if got := strings.Join(r.events.events, ", "); got != "Warning Timeout Retrying, Warning Timeout Retrying, Normal RootCauseFound Succeeded" {
		t.Errorf("events: %s", got)
	}
}

func TestReconciler_retriesSpent(t *testing.T) {
	r := newRoom(t, ask("why", "why is deployment web in shop down?"))
	r.world.readErrs = []error{timeout, timeout, timeout}
	for i := range 4 {
		r.clock.SetTime(noon.Add(time.Duration(i) * 10 * time.Second))
		r.settle("why")
	}
	task := r.get("why")
	if got, want := summary(task), targeted+"+Classified/RuleMatched ?Diagnosed/ClusterUnavailable "+ended("RetriesExhausted"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if failure := task.Status.Failure; failure.Permanent || len(failure.Remedies) == 0 {
		t.Errorf("a fault that may pass is not permanent, and there is something to do: %+v", failure)
	}
	if r.world.reads != 3 {
		t.Errorf("%d attempts, want 3", r.world.reads)
	}
}

func TestReconciler_panic(t *testing.T) {
	r := newRoom(t, ask("why", "why is deployment web in shop down?"))
	r.world.fill = func(*cluster.Snapshot) { panic("hostile object") }
	for i := range 4 {
		r.clock.SetTime(noon.Add(time.Duration(i) * 10 * time.Second))
		r.settle("why")
	}
	if got := r.get("why").Status.Failure; got == nil || got.Type != v1alpha1.SucceededRetriesExhausted {
		t.Errorf("a defect must end as a failed task, got %+v", got)
	}
}

func TestReconciler_suspendAndGoOn(t *testing.T) {
	r := newRoom(t, ask("why", "why is deployment web in shop down?"))
	if _, _, err := r.pass("why"); err != nil {
		t.Fatal(err)
	}
	hold := func(suspend bool) {
		task := r.get("why")
		task.Spec.Suspend, task.Generation = suspend, task.Generation+1
		if err := r.client.Update(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	hold(true)
	task, result := r.settle("why")
	if got, want := summary(task), targeted+"+Classified/RuleMatched ?Succeeded/Suspended"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if result.RequeueAfter != v1alpha1.DefaultWallClock {
		t.Errorf("wakes after %s, want the time limit", result.RequeueAfter)
	}
	hold(false)
	if task, _ = r.settle("why"); task.Status.Verdict == "" || r.world.finds != 1 {
		t.Errorf("went on to %s with %d look-ups", summary(task), r.world.finds)
	}
}

func TestReconciler_wallClock(t *testing.T) {
	limited := func(task *v1alpha1.AgentTask) {
		task.Spec.Limits = &v1alpha1.TaskLimits{WallClock: &metav1.Duration{Duration: time.Minute}}
	}
	t.Run("runs out while the task is held", func(t *testing.T) {
		r := newRoom(t, ask("why", "why is deployment web in shop down?", limited))
		if _, _, err := r.pass("why"); err != nil {
			t.Fatal(err)
		}
		r.clock.SetTime(noon.Add(time.Minute))
		task, _ := r.settle("why")
		if got, want := summary(task), targeted+"+Classified/RuleMatched +BudgetExhausted/WallClock "+ended("WallClockExceeded"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if r.world.reads != 0 {
			t.Error("a task whose time is over is still worked on")
		}
	})
	t.Run("runs out during a step", func(t *testing.T) {
		r := newRoom(t, ask("why", "why is deployment web in shop down?", limited))
		r.world.during = func() { r.clock.SetTime(noon.Add(2 * time.Minute)) }
		r.world.readErrs = []error{context.DeadlineExceeded}
		if task, _ := r.settle("why"); task.Status.Failure == nil || task.Status.Failure.Type != v1alpha1.SucceededWallClockExceeded {
			t.Errorf("got %s", summary(task))
		}
	})
}

func TestReconciler_finished(t *testing.T) {
	done := func(t *testing.T, changes ...func(*v1alpha1.AgentTask)) *room {
		r := newRoom(t, ask("why", "why is deployment web in shop down?", changes...))
		r.settle("why")
		r.writes, r.world.reads, r.events.events = 0, 0, nil
		return r
	}
	ttl := func(task *v1alpha1.AgentTask) { task.Spec.TTLAfterFinished = &metav1.Duration{Duration: time.Hour} }

	t.Run("is never run again", func(t *testing.T) {
		r := done(t)
		r.restart()
		task := r.get("why")
		task.Labels = map[string]string{"new": "label"}
		if err := r.client.Update(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		if _, result, err := r.pass("why"); err != nil || result.RequeueAfter != 0 || r.writes+r.world.reads+len(r.events.events) != 0 {
			t.Errorf("%v, %v, %d writes, %d reads, events %v", result, err, r.writes, r.world.reads, r.events.events)
		}
	})
	t.Run("acknowledges a change of its spec, with its texts intact", func(t *testing.T) {
		r := done(t)
		task := r.get("why")
		task.Spec.Cancel, task.Generation = true, 2
		if err := r.client.Update(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		before := r.get("why").Status
		task, _, err := r.pass("why")
		if err != nil || task.Status.ObservedGeneration != 2 || r.writes != 1 {
			t.Errorf("%v, generation %d, %d writes", err, task.Status.ObservedGeneration, r.writes)
		}
		if task.Status.Answer != before.Answer || task.Status.Phase != before.Phase || summary(task) == "" {
			t.Error("a cancelled finished task must stay as it is")
		}
	})
	t.Run("is deleted when its time is over", func(t *testing.T) {
		r := done(t, ttl)
		if _, result, err := r.pass("why"); err != nil || result.RequeueAfter != time.Hour {
			t.Errorf("%v, %v", result, err)
		}
		r.clock.SetTime(noon.Add(time.Hour))
		if task, _, err := r.pass("why"); err != nil || task != nil {
			t.Errorf("%v, %v", task, err)
		}
	})
	t.Run("wakes for its deletion right after its end", func(t *testing.T) {
		r := newRoom(t, ask("why", "why is deployment web in shop down?", ttl))
		if _, result := r.settle("why"); result.RequeueAfter != time.Hour {
			t.Errorf("wakes after %s", result.RequeueAfter)
		}
	})
}

// TestReconciler_crash kills the operator around every write, before and after it is stored: what follows must end as if
// nothing had happened, and no step whose fact was stored may be made again.
func TestReconciler_crash(t *testing.T) {
	smooth := newRoom(t, ask("why", "why is deployment web in shop down?"))
	want, _ := smooth.settle("why")
	broken := apierrors.NewInternalError(errors.New("connection lost"))
	for write := 1; write <= smooth.writes; write++ {
		for _, stored := range []bool{false, true} {
			r := newRoom(t, ask("why", "why is deployment web in shop down?"))
			r.failing = func(n int) (before, after error) {
				if n != write {
					return nil, nil
				}
				if stored {
					return nil, broken
				}
				return broken, nil
			}
			var err error
			for err == nil {
				_, _, err = r.pass("why")
			}
			r.failing = nil
			r.restart()
			got, _ := r.settle("why")
			got.ResourceVersion = want.ResourceVersion
			if gotText, wantText := asJSON(t, got), asJSON(t, want); gotText != wantText {
				t.Errorf("write %d, stored %t: ends as\n%s\nwant\n%s", write, stored, gotText, wantText)
			}
			repeated := 0
			if !stored {
				repeated = 1 // the step in hand
			}
			finds, reads := smooth.world.finds, smooth.world.reads
			if extra := (r.world.finds - finds) + (r.world.reads-reads)/max(reads, 1); extra != repeated {
				t.Errorf("write %d, stored %t: %d steps were made again, want %d", write, stored, extra, repeated)
			}
		}
	}
}

func TestReconciler_gone(t *testing.T) {
	r := newRoom(t)
	if result, err := r.Reconcile(t.Context(), request("none")); err != nil || result.RequeueAfter != 0 {
		t.Errorf("%v, %v", result, err)
	}
	r = newRoom(t, ask("why", "why is deployment web in shop down?"))
	r.failing = func(int) (error, error) { return apierrors.NewNotFound(tasks, "why"), nil }
	if result, err := r.Reconcile(t.Context(), request("why")); err != nil || result.RequeueAfter != 0 {
		t.Errorf("a task deleted in the middle: %v, %v", result, err)
	}
	r.failing = func(int) (error, error) { return apierrors.NewConflict(tasks, "why", nil), nil }
	if result, err := r.Reconcile(t.Context(), request("why")); err != nil || result.RequeueAfter == 0 {
		t.Errorf("a pass over an old copy: %v, %v", result, err)
	}
}

func TestReconciler_interrupted(t *testing.T) {
	r := newRoom(t, ask("why", "why is deployment web in shop down?"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Reconcile(ctx, request("why")); err != nil || r.writes != 0 {
		t.Errorf("an operator that is being stopped must write no failure: %v, %d writes", err, r.writes)
	}
}
