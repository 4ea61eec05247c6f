package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
)

// TestChange_fromPlainWords follows wishes in both languages to the end of what they become.
func TestChange_fromPlainWords(t *testing.T) {
	t.Parallel()
	g := openGate(t, "change-words")
	for _, c := range []struct {
		name, prompt string
		answer       string
		reason       string
		// path of the Deployment must have the value afterwards.
		path, value string
	}{
		{"english", "Please scale deployment english in change-words to 2 replicas.", "", v1alpha1.SucceededApplied, "status.availableReplicas", "2"},
		{"french", "Peux-tu passer le déploiement french à 3 réplicas dans change-words ?", "", v1alpha1.SucceededApplied, "status.availableReplicas", "3"},
		{"image", "Set the image of deployment image in change-words to registry.example/app:2", "", v1alpha1.SucceededApplied, "app", "registry.example/app:2"},
		{"arret", "Mets le déploiement arret à 0 réplica dans change-words", `{"decision":"Rejected","reason":"non"}`, v1alpha1.SucceededChangeRejected, "spec.replicas", "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := g.in(t)
			g.has(deployment(c.name))
			g.ready("deployment", c.name)
			task := &v1alpha1.AgentTask{ObjectMeta: metav1.ObjectMeta{Namespace: g.namespace, Name: c.name}, Spec: v1alpha1.AgentTaskSpec{Prompt: c.prompt}}
			if err := as(t, "alice").Submit(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			g.untilTask(task, "proposes a change", func() bool { return len(task.Status.ChangeRequests) == 1 })
			change := task.Status.ChangeRequests[0].Name
			question := g.asks(change, v1alpha1.PurposeApply)
			if question.Spec.RequestedBy.Username != "alice" {
				t.Errorf("asked for by %+v, want alice", question.Spec.RequestedBy)
			}
			answer := c.answer
			if answer == "" {
				answer = agreement(question)
			}
			if err := g.decides("bob", question, answer); err != nil {
				t.Fatal(err)
			}
			g.untilTask(task, "ends", func() bool { return task.Status.CompletedAt != nil })
			if got := taskReason(task); got != c.reason {
				t.Errorf("the task ended with %s, want %s: %s", got, c.reason, local.Headline(task))
			}
			live := g.object("deployment", c.name)
			got := field(live, c.path)
			if c.path == "app" {
				got = imageOf(live)
			}
			if got != c.value {
				t.Errorf("%s is %q, want %q", c.path, got, c.value)
			}
		})
	}
}

// untilTask waits until a task is as wanted.
func (g *gate) untilTask(task *v1alpha1.AgentTask, what string, wanted func() bool) {
	g.Helper()
	g.until("a task that "+what, func(ctx context.Context) (bool, string) {
		err := scene.asker.Get(ctx, client.ObjectKeyFromObject(task), task)
		return err == nil && wanted(), local.Headline(task)
	})
}

func taskReason(task *v1alpha1.AgentTask) string {
	for _, c := range task.Status.Conditions {
		if c.Type == v1alpha1.ConditionSucceeded {
			return c.Reason
		}
	}
	return ""
}

// TestChange_restoredFromItsSnapshot deletes a Deployment and its settings, and brings both back by another change.
func TestChange_restoredFromItsSnapshot(t *testing.T) {
	t.Parallel()
	g := settings(t, "change-restored")
	g.has(deployment("web", "  minReadySeconds: 1"))
	g.ready("deployment", "web")
	before := g.object("deployment", "web")
	if err := scene.asker.Create(t.Context(), &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: local.Namespace, Name: "alice-sees-snapshots"},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "eclusier-snapshot-viewer"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "alice"}}}); err != nil {
		t.Fatal(err)
	}
	g.has(`{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: editors},
  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: alice}]}`)
	g.wants("gone", operations(`{delete: {target: {kind: Deployment, name: web}}}`, `{delete: {target: {kind: ConfigMap, name: settings}}}`))
	g.agreed("gone")
	g.ends("gone", v1alpha1.ResultSucceeded)
	if live := g.object("deployment", "web"); len(live) > 0 {
		t.Fatalf("it is still there: %v", live)
	}
	plugin := g.plugin("alice")
	for _, c := range []struct {
		args  []string
		wants string
	}{
		{[]string{"snapshots", "ls"}, "gone@1"},
		{[]string{"snapshots", "diff", "gone"}, "registry.example/app:1"},
		{[]string{"snapshots", "restore", "gone", "--name", "back", "--reason", "it was needed"}, "back"},
	} {
		out, err := plugin.Run(t.Context(), append(c.args, "-n", g.namespace)...)
		if err != nil || !strings.Contains(out, c.wants) {
			t.Fatalf("%s: %q, %v, want %q", strings.Join(c.args, " "), out, err, c.wants)
		}
	}
	g.agreed("back")
	g.ends("back", v1alpha1.ResultSucceeded)
	after := g.object("deployment", "web")
	if field(after, "spec") != field(before, "spec") || field(after, "metadata.uid") == field(before, "metadata.uid") {
		t.Errorf("it came back as %v, and was %v", after["spec"], before["spec"])
	}
	g.calm()
}

// plugin is kubectl eclusier for a person.
func (g *gate) plugin(who string) local.Kubectl {
	g.Helper()
	root, err := local.Root()
	if err != nil {
		g.Fatal(err)
	}
	program := filepath.Join(g.TempDir(), "kubectl-eclusier")
	build := exec.CommandContext(g.Context(), "go", "build", "-o", program, "./cmd/kubectl-eclusier")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		g.Fatalf("build the plugin: %v\n%s", err, out)
	}
	plugin := as(g.T, who).kubectl
	plugin.Path = program
	return plugin
}
