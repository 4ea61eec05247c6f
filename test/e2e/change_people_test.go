package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// TestChange_whoMayAgree puts one real question to everybody: the API server refuses all but one, and says why.
func TestChange_whoMayAgree(t *testing.T) {
	t.Parallel()
	g := openGate(t, "change-people")
	g.has(deployment("web"))
	g.ready("deployment", "web")
	g.wants("image", operations(strings.ReplaceAll(goodImage, "NAME", "web")))
	question := g.asks("image", v1alpha1.PurposeApply)
	other := strings.Repeat("0", 64)
	for _, c := range []struct{ who, spec, refusal, reason string }{
		{"alice", agreement(question), "you asked for this change, so somebody else has to decide", "nobody agrees to his own change, though he may agree to others'"},
		{"eve", agreement(question), "you may not decide about changes of class Medium", "the right to write Approvals is not the verb approve"},
		{"dan", agreement(question), "you may not decide about changes of class Medium", "he may decide about Low alone"},
		{"bob", `{"decision":"Approved"}`, "spec.acknowledgedDigest must equal spec.planDigest", "nobody agrees unseen"},
		{"bob", `{"decision":"Approved","acknowledgedDigest":"sha256:` + other + `"}`, "spec.acknowledgedDigest must equal spec.planDigest", "he has seen another plan"},
		{"bob", `{"decision":"Approved","acknowledgedDigest":"` + question.Spec.PlanDigest + `","class":"Low"}`, "everything else is the question as it was asked", "the question is not his to change"},
		{"frank", agreement(question), "cannot patch resource", "he has no rights here at all"},
	} {
		if err := g.decides(c.who, question, c.spec); err == nil || !strings.Contains(err.Error(), c.refusal) {
			t.Errorf("%s decides %s: %v, want %q: %s", c.who, c.spec, err, c.refusal, c.reason)
		}
	}
	if got := imageOf(g.object("deployment", "web")); got != "registry.example/app:1" {
		t.Fatalf("image %s before anybody could agree", got)
	}
	change := g.becomes("image", "still asks", func(c *v1alpha1.ChangeRequest) bool { return len(c.Status.ApproveWith) == 1 })
	if _, err := as(t, "carol").kubectl.Shell(t.Context(), change.Status.ApproveWith[0]); err != nil {
		t.Fatalf("the command that is printed does not work for carol: %v", err)
	}
	for again, refusal := range map[string]string{agreement(question): "carol has decided this Approval", `{"decision":"Rejected"}`: "this Approval has been decided"} {
		if err := g.decides("bob", question, again); err == nil || !strings.Contains(err.Error(), refusal) {
			t.Errorf("it is decided twice: %v, want %q", err, refusal)
		}
	}
	ended := g.ends("image", v1alpha1.ResultSucceeded)
	if slots := ended.Status.Approvals; len(slots) != 1 || slots[0].By != "carol" {
		t.Errorf("agreed to by %+v, want carol alone", slots)
	}
}

// TestChange_twoPeople: a policy wants two, and one who answers twice is one.
func TestChange_twoPeople(t *testing.T) {
	t.Parallel()
	g := openGate(t, "change-two")
	g.policy("quorum: 2")
	g.has(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {mode: calm}}`)
	g.wants("pair", operations(busy))
	for _, who := range []string{"bob", "bob", "carol"} {
		question := g.asks("pair", v1alpha1.PurposeApply)
		if got := field(g.object("configmap", "settings"), "data.mode"); got != "calm" {
			t.Fatalf("mode %s before %s agreed", got, who)
		}
		if err := g.decides(who, question, agreement(question)); err != nil {
			t.Fatal(err)
		}
	}
	g.ends("pair", v1alpha1.ResultSucceeded)
	if got := field(g.object("configmap", "settings"), "data.mode"); got != "busy" {
		t.Errorf("mode %s at the end", got)
	}
}

// busy is an operation on the ConfigMap settings, which is as it has to be at once.
const busy = `{patch: {target: {kind: ConfigMap, name: settings}, patch: '{"data":{"mode":"busy"}}'}}`

// policy makes a ChangePolicy for the namespace and waits until it is in force.
func (g *gate) policy(spec string) {
	g.Helper()
	g.has(fmt.Sprintf(`apiVersion: eclusier.io/v1alpha1
kind: ChangePolicy
metadata: {name: %[1]s}
spec:
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %[1]s}}
  %[2]s
`, g.namespace, spec))
	if _, err := scene.kubectl.Run(g.Context(), "wait", "changepolicy", g.namespace, "--for=condition=Ready", "--timeout=1m"); err != nil {
		g.Fatal(err)
	}
}

// TestChange_policies: what a policy forbids is asked of nobody; what it leaves to the matrix needs nobody.
func TestChange_policies(t *testing.T) {
	t.Parallel()
	g := openGate(t, "change-policies")
	g.policy(`autonomy: Matrix
  matrix: {lowReversible: Autonomous, lowIrreversible: Approval, mediumReversible: Approval, mediumIrreversible: Approval, highReversible: Approval, highIrreversible: Deny}
  deny: [{name: no-restarts, operations: [restart]}]`)
	g.has(deployment("web"))
	g.ready("deployment", "web")
	g.wants("restart", operations(`{restart: {target: {kind: Deployment, name: web}}}`))
	g.wants("scale", operations(`{scale: {target: {kind: Deployment, name: web}, replicas: 2}}`))
	if denied := g.ends("restart", v1alpha1.ResultDenied); len(denied.Status.Approvals) > 0 || !strings.Contains(said(denied, v1alpha1.ConditionSucceeded).Message, "no-restarts") {
		t.Errorf("denied, and yet %+v: %q", denied.Status.Approvals, said(denied, v1alpha1.ConditionSucceeded).Message)
	}
	if allowed := g.ends("scale", v1alpha1.ResultSucceeded); len(allowed.Status.Approvals) > 0 || allowed.Status.Plan.Risk.Class != v1alpha1.ClassLow {
		t.Errorf("somebody was asked about class %s: %+v", allowed.Status.Plan.Risk.Class, allowed.Status.Approvals)
	}
	if got := field(g.object("deployment", "web"), "status.availableReplicas"); got != "2" {
		t.Errorf("%s replicas, want 2", got)
	}
}

// TestChange_managedByGitOps: what Argo CD or Flux keep is refused, unless the change is to be made all the same.
func TestChange_managedByGitOps(t *testing.T) {
	t.Parallel()
	g := openGate(t, "change-gitops")
	for keeper, metadata := range map[string]string{
		"flux": `labels: {kustomize.toolkit.fluxcd.io/name: shop, kustomize.toolkit.fluxcd.io/namespace: flux-system}`,
		"argo": `annotations: {argocd.argoproj.io/tracking-id: "shop:/ConfigMap:change-gitops/argo"}`,
	} {
		t.Run(keeper, func(t *testing.T) {
			t.Parallel()
			g := g.in(t)
			g.has(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + keeper + `, ` + metadata + `}, data: {mode: calm}}`)
			change := operations(`{patch: {target: {kind: ConfigMap, name: ` + keeper + `}, patch: '{"data":{"mode":"busy"}}'}}`)
			g.wants(keeper+"-auto", change)
			refused := g.ends(keeper+"-auto", v1alpha1.ResultInvalid)
			if planned := said(refused, v1alpha1.ConditionPlanned); planned.Reason != v1alpha1.PlannedManagedByGitOps || !strings.Contains(planned.Message, "spec.delivery to Direct") {
				t.Errorf("Planned says %+v", planned)
			}
			g.wants(keeper+"-direct", change+"delivery: Direct")
			g.agreed(keeper + "-direct")
			done := g.ends(keeper+"-direct", v1alpha1.ResultSucceeded)
			if notes := strings.Join(done.Status.Plan.Notes, "; "); !strings.Contains(notes, "may revert the change") {
				t.Errorf("nobody was told that it may be reverted: %q", notes)
			}
			if got := field(g.object("configmap", keeper), "data.mode"); got != "busy" {
				t.Errorf("mode %s", got)
			}
		})
	}
}
