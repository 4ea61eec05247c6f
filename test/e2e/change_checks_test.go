package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// checked is a change of a Deployment, and what comes of it.
type checked struct {
	name string
	// spec is the rest of the ChangeRequest; NAME is the Deployment's.
	operation, spec string
	// extra is more of the Deployment's spec.
	extra  string
	result v1alpha1.ChangeResult
	// says is part of what Verified says.
	says   string
	reason string
}

const (
	badImage  = `{setImage: {target: {kind: Deployment, name: NAME}, image: "registry.example/app:3"}}`
	goodImage = `{setImage: {target: {kind: Deployment, name: NAME}, image: "registry.example/app:2"}}`
	unready   = `{patch: {target: {kind: Deployment, name: NAME}, type: Strategic, patch: '{"spec":{"template":{"metadata":{"annotations":` +
		`{"devcluster.eclusier.io/play":"ReadinessFails"}},"spec":{"containers":[{"name":"app","readinessProbe":{"periodSeconds":1,"httpGet":{"path":"/","port":8080}}}]}}}}'}}`
	astray = `{patch: {target: {kind: Service, name: NAME}, patch: '{"spec":{"selector":{"app":"nobody"}}}'}}`
	ready  = "checks: [{name: ready, timeout: 4s, objectReady: {target: {kind: Deployment, name: NAME}}}]"
)

var checkedFor = []checked{
	{name: "image-missing", operation: badImage, spec: ready, result: v1alpha1.ResultRolledBack, says: `check "ready": Deployment change-checks/image-missing is not ready`,
		reason: "the image cannot be pulled, so it is not ready in time"},
	{name: "no-progress", operation: badImage, extra: "  progressDeadlineSeconds: 3", result: v1alpha1.ResultRolledBack, says: "has failed",
		reason: "without any check, what Kubernetes calls failed has failed"},
	{name: "probe-fails", operation: unready, spec: ready, result: v1alpha1.ResultRolledBack, says: "is not ready", reason: "a failing readiness probe is no success"},
	{name: "warned", operation: badImage, spec: "checks: [{name: quiet, noNewWarnings: {soak: 0s}}]", result: v1alpha1.ResultRolledBack, says: `check "quiet": Pod warned-`,
		reason: "a warning about a pod that the change brought is enough"},
	{name: "quiet", operation: goodImage, spec: "checks: [{name: quiet, noNewWarnings: {soak: 1s}}]", result: v1alpha1.ResultSucceeded, says: "the checks hold (1)",
		reason: "nothing was warned of"},
	{name: "faulty", operation: astray, spec: "checks: [{name: well, noNewFaults: {soak: 0s}}]", result: v1alpha1.ResultRolledBack, says: `check "well": Service change-checks/faulty: `,
		reason: "a Service that selects nobody is ready, and a fault"},
	{name: "faultless", operation: goodImage, spec: "checks: [{name: well, noNewFaults: {soak: 0s}}]", result: v1alpha1.ResultSucceeded, says: "the checks hold (1)",
		reason: "the diagnosis finds nothing"},
	{name: "expression", operation: goodImage, spec: `checks: [{name: "two", cel: {target: {kind: Deployment, name: NAME}, expression: "object.status.availableReplicas == object.spec.replicas"}}]`,
		result: v1alpha1.ResultSucceeded, says: "the checks hold (1)", reason: "the expression becomes true"},
	{name: "expression-false", operation: goodImage, spec: `checks: [{name: two, timeout: 2s, cel: {target: {kind: Deployment, name: NAME}, expression: "object.spec.replicas == 2"}}]`,
		result: v1alpha1.ResultRolledBack, says: "the expression is not true", reason: "it never becomes true"},
	{name: "kept", operation: goodImage, spec: `{rollback: Never, checks: [{name: two, timeout: 2s, cel: {target: {kind: Deployment, name: NAME}, expression: "false"}}]}`,
		result: v1alpha1.ResultVerifyFailed, says: "the expression is not true", reason: "nobody wanted it undone"},
}

func TestChange_checksAndRollback(t *testing.T) {
	t.Parallel()
	g := openGate(t, "change-checks")
	// The reader may not read what this is about, which nevertheless has nothing to do with any change here.
	g.has(`{apiVersion: v1, kind: Event, metadata: {name: other}, type: Warning, reason: RolledBack, message: of another, lastTimestamp: "2100-01-01T00:00:00Z",
  involvedObject: {apiVersion: eclusier.io/v1alpha1, kind: ChangeRequest, namespace: change-checks, name: other}}`)
	for _, c := range checkedFor {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := g.in(t)
			g.has(deployment(c.name, c.extra) + `---
{apiVersion: v1, kind: Service, metadata: {name: ` + c.name + `}, spec: {selector: {app: ` + c.name + `}, ports: [{port: 80}]}}
`)
			g.ready("deployment", c.name)
			deploymentBefore, serviceBefore := g.object("deployment", c.name), g.object("service", c.name)
			named := strings.NewReplacer("NAME", c.name)
			g.wants(c.name, specOf(named.Replace(c.operation), named.Replace(c.spec)))
			g.agreed(c.name)
			ended := g.ends(c.name, c.result)
			if verified := said(ended, v1alpha1.ConditionVerified); !strings.Contains(verified.Message, c.says) {
				t.Errorf("Verified says %q, want %q: %s", verified.Message, c.says, c.reason)
			}
			same := fmt.Sprint(g.object("deployment", c.name)["spec"], g.object("service", c.name)["spec"]) == fmt.Sprint(deploymentBefore["spec"], serviceBefore["spec"])
			if want := c.result == v1alpha1.ResultRolledBack; same != want {
				t.Errorf("it ended as %s, and the objects are as before: %t", c.result, same)
			}
			if c.result == v1alpha1.ResultRolledBack {
				g.ready("deployment", c.name)
			}
		})
	}
}

// specOf puts an operation and the rest of a spec together; the rest is a block, or a flow in braces.
func specOf(operation, rest string) string {
	if inner, flow := strings.CutPrefix(rest, "{"); flow {
		return "{" + strings.TrimSuffix(operations(operation), "\n") + ", " + inner
	}
	return operations(operation) + rest
}

// TestChange_resultIsPutToAPerson: with rollback Manual, somebody else accepts what failed its check, or has it undone.
func TestChange_resultIsPutToAPerson(t *testing.T) {
	t.Parallel()
	g := openGate(t, "change-manual")
	for _, c := range []struct {
		name, answer, image string
		result              v1alpha1.ChangeResult
		reason              string
	}{
		{"accepted", "", "registry.example/app:2", v1alpha1.ResultSucceeded, v1alpha1.VerifiedAccepted},
		{"refused", `{"decision":"Rejected","reason":"two were wanted"}`, "registry.example/app:1", v1alpha1.ResultRolledBack, v1alpha1.VerifiedFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := g.in(t)
			g.has(deployment(c.name))
			g.ready("deployment", c.name)
			g.wants(c.name, operations(strings.ReplaceAll(goodImage, "NAME", c.name))+
				`checks: [{name: two, timeout: 1s, cel: {target: {kind: Deployment, name: `+c.name+`}, expression: "object.spec.replicas == 2"}}]
rollback: Manual`)
			g.agreed(c.name)
			question := g.asks(c.name, v1alpha1.PurposeAcceptResult)
			if !strings.Contains(question.Spec.Summary, "two") {
				t.Errorf("the question does not say which check failed: %q", question.Spec.Summary)
			}
			if got := imageOf(g.object("deployment", c.name)); got != "registry.example/app:2" {
				t.Errorf("undone to %s before anybody said so", got)
			}
			if err := g.decides("alice", question, agreement(question)); err == nil || !strings.Contains(err.Error(), "you asked for this change") {
				t.Errorf("alice judges her own result: %v", err)
			}
			answer := c.answer
			if answer == "" {
				answer = agreement(question)
			}
			if err := g.decides("carol", question, answer); err != nil {
				t.Fatal(err)
			}
			ended := g.ends(c.name, c.result)
			if got := said(ended, v1alpha1.ConditionVerified).Reason; got != c.reason {
				t.Errorf("Verified says %s, want %s", got, c.reason)
			}
			if got := imageOf(g.object("deployment", c.name)); got != c.image {
				t.Errorf("image %s, want %s", got, c.image)
			}
		})
	}
}

// TestChange_askedOverHTTP has the operator ask a server on this machine, which is not to be asked on loopback.
func TestChange_askedOverHTTP(t *testing.T) {
	t.Parallel()
	address := ownAddress(t)
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthy" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	g := openGate(t, "change-http")
	for name, c := range map[string]struct {
		url    string
		result v1alpha1.ChangeResult
		says   string
	}{
		"healthy":  {"http://" + listener.Addr().String() + "/healthy", v1alpha1.ResultSucceeded, "the checks hold (1)"},
		"ailing":   {"http://" + listener.Addr().String() + "/ailing", v1alpha1.ResultRolledBack, "answers 503, not 200"},
		"loopback": {"http://127.0.0.1:1/", v1alpha1.ResultInvalid, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := g.in(t)
			g.has(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + name + `}, data: {mode: calm}}`)
			g.wants(name, operations(`{patch: {target: {kind: ConfigMap, name: `+name+`}, patch: '{"data":{"mode":"busy"}}'}}`)+
				`checks: [{name: answers, timeout: 2s, httpGet: {url: "`+c.url+`"}}]`)
			if c.result != v1alpha1.ResultInvalid {
				g.agreed(name)
			}
			ended := g.ends(name, c.result)
			if got := said(ended, v1alpha1.ConditionVerified).Message; !strings.Contains(got, c.says) {
				t.Errorf("Verified says %q, want %q", got, c.says)
			}
			want := map[v1alpha1.ChangeResult]string{v1alpha1.ResultSucceeded: "busy"}[c.result]
			if got := field(g.object("configmap", name), "data.mode"); got != want && !(want == "" && got == "calm") {
				t.Errorf("mode %s after %s", got, c.result)
			}
		})
	}
}

// ownAddress is an address of this machine that is not loopback.
func ownAddress(t *testing.T) string {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	t.Skip("this machine has no address but loopback, which the operator refuses to ask")
	return ""
}

// TestChange_applyFailsHalfWay: the applier may do the first operation and not the second, so the first is undone.
func TestChange_applyFailsHalfWay(t *testing.T) {
	t.Parallel()
	g := openGate(t, "change-halfway")
	g.has(deployment("web") + `---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {mode: calm}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: weak}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: weak}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get, patch]}
- {apiGroups: [""], resources: [serviceaccounts], resourceNames: [weak], verbs: [impersonate]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: weak}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: weak}
subjects:
- {kind: ServiceAccount, name: weak, namespace: change-halfway}
- {kind: ServiceAccount, name: eclusier-operator, namespace: eclusier-system}
---
apiVersion: eclusier.io/v1alpha1
kind: ChangePolicy
metadata: {name: change-halfway}
spec:
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: change-halfway}}
  serviceAccounts: [weak]
`)
	g.ready("deployment", "web")
	g.until("in force", func(ctx context.Context) (bool, string) {
		ready := g.object("changepolicy", "change-halfway")
		return strings.Contains(fmt.Sprint(ready["status"]), "Ready"), fmt.Sprint(ready)
	})
	g.wants("half", operations(
		`{patch: {target: {kind: ConfigMap, name: settings}, patch: '{"data":{"mode":"busy"}}'}}`,
		`{scale: {target: {kind: Deployment, name: web}, replicas: 2}}`)+"serviceAccountName: weak")
	g.agreed("half")
	c := g.ends("half", v1alpha1.ResultRolledBack)
	if applied := said(c, v1alpha1.ConditionApplied); applied.Status != metav1.ConditionFalse || !strings.Contains(applied.Message, "weak may not patch deployments/scale") {
		t.Errorf("Applied says %+v", applied)
	}
	if mode, replicas := field(g.object("configmap", "settings"), "data.mode"), field(g.object("deployment", "web"), "spec.replicas"); mode != "calm" || replicas != "1" {
		t.Errorf("mode %s and %s replicas, want all as before", mode, replicas)
	}
}
