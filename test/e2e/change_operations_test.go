package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

const store = `---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store}
spec:
  replicas: 2
  serviceName: store
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers: [{name: store, image: "registry.example/store:1"}]
`

const report = `---
apiVersion: batch/v1
kind: CronJob
metadata: {name: NAME}
spec:
  schedule: "0 3 * * *"
  suspend: SUSPENDED
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: report, image: "registry.example/report:1"}]}}}}
`

// operated is a change of one kind, from the ChangeRequest to its verified end.
type operated struct {
	name   string
	has    string
	kind   string
	object string
	// before is what is done with kubectl before the change, to the object once it is ready.
	before     string
	operations []string
	class      v1alpha1.Class
	// fields must be so afterwards. A value that begins with "≠" must be another one.
	fields map[string]string
	reason string
}

var operatedOn = []operated{
	{name: "scale", has: deployment("scale"), kind: "deployment", object: "scale",
		operations: []string{`scale: {target: {kind: Deployment, name: scale}, replicas: 3}`}, class: v1alpha1.ClassLow,
		fields: map[string]string{"spec.replicas": "3", "status.availableReplicas": "3"}, reason: "verified means that the pods are there"},
	{name: "restart", has: deployment("restart"), kind: "deployment", object: "restart",
		operations: []string{`restart: {target: {kind: deploy, name: restart}}`}, class: v1alpha1.ClassLow,
		fields: map[string]string{"metadata.generation": "≠", "status.availableReplicas": "1"}, reason: "the pods are new"},
	{name: "set-image", has: deployment("set-image"), kind: "deployment", object: "set-image",
		operations: []string{`setImage: {target: {kind: Deployment, name: set-image}, image: "registry.example/app:2"}`}, class: v1alpha1.ClassMedium,
		fields: map[string]string{"app": "registry.example/app:2", "status.availableReplicas": "1"}, reason: "one container needs no name"},
	{name: "undo", has: deployment("undo"), kind: "deployment", object: "undo", before: "set image deployment undo app=registry.example/app:2",
		operations: []string{`undo: {target: {kind: Deployment, name: undo}}`}, class: v1alpha1.ClassMedium,
		fields: map[string]string{"app": "registry.example/app:1", "status.availableReplicas": "1"}, reason: "the former revision had the first image"},
	{name: "patch", has: deployment("patch"), kind: "deployment", object: "patch",
		operations: []string{`patch: {target: {kind: Deployment, name: patch}, type: Strategic, patch: '{"spec":{"minReadySeconds":1}}'}`,
			`scale: {target: {kind: Deployment, name: patch}, replicas: 2}`}, class: v1alpha1.ClassMedium,
		fields: map[string]string{"spec.minReadySeconds": "1", "spec.replicas": "2", "status.availableReplicas": "2"}, reason: "two operations on one object are one change"},
	{name: "delete-pod", has: store, kind: "pod", object: "store-0",
		operations: []string{`delete: {target: {kind: Pod, name: store-0}}`}, class: v1alpha1.ClassLow,
		fields: map[string]string{"metadata.name": "store-0", "metadata.uid": "≠"}, reason: "its controller makes it again under the same name"},
	{name: "suspend", has: strings.NewReplacer("NAME", "suspend", "SUSPENDED", "false").Replace(report), kind: "cronjob", object: "suspend",
		operations: []string{`suspend: {target: {kind: CronJob, name: suspend}}`}, class: v1alpha1.ClassLow,
		fields: map[string]string{"spec.suspend": "true"}, reason: "nothing has to become ready"},
	{name: "resume", has: strings.NewReplacer("NAME", "resume", "SUSPENDED", "true").Replace(report), kind: "cronjob", object: "resume",
		operations: []string{`resume: {target: {kind: cj, name: resume}}`}, class: v1alpha1.ClassLow,
		fields: map[string]string{"spec.suspend": "false"}, reason: "it runs again from its next time on"},
}

func TestChange_everyOperation(t *testing.T) {
	t.Parallel()
	g := openGate(t, "change-operations")
	for _, o := range operatedOn {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			g := g.in(t)
			g.has(o.has)
			switch o.kind {
			case "deployment":
				g.ready(o.kind, o.object)
			case "pod":
				g.ready("statefulset", "store")
			}
			if o.before != "" {
				if _, err := scene.kubectl.Run(t.Context(), append(strings.Fields(o.before), "-n", g.namespace)...); err != nil {
					t.Fatal(err)
				}
				g.ready(o.kind, o.object)
			}
			before := g.object(o.kind, o.object)
			var wanted []string
			for _, line := range o.operations {
				wanted = append(wanted, "{"+line+"}")
			}
			g.wants(o.name, operations(wanted...))
			g.agreed(o.name)
			c := g.ends(o.name, v1alpha1.ResultSucceeded)
			if got := c.Status.Plan.Risk.Class; got != o.class {
				t.Errorf("class %s, want %s: %v", got, o.class, c.Status.Plan.Risk.Reasons)
			}
			if done := c.Status.Attempts[0].OperationsDone; len(done) != len(o.operations) {
				t.Errorf("operations recorded as done: %+v", done)
			}
			g.until("as it should be: "+o.reason, func(context.Context) (bool, string) {
				complaint := o.judge(before, g.object(o.kind, o.object))
				return complaint == "", complaint
			})
		})
	}
}

// judge says what is wrong with the object after the change, or "".
func (o operated) judge(before, after map[string]any) string {
	for path, want := range o.fields {
		got := field(after, path)
		if path == "app" {
			got = imageOf(after)
		}
		if want == "≠" && got != "" && got != field(before, path) || got == want {
			continue
		}
		return fmt.Sprintf("%s is %q, want %q", path, got, want)
	}
	return ""
}

// imageOf is the image of the first container of a workload.
func imageOf(workload map[string]any) string {
	containers, _, _ := unstructured.NestedSlice(workload, "spec", "template", "spec", "containers")
	if len(containers) == 0 {
		return ""
	}
	first, _ := containers[0].(map[string]any)
	return field(first, "image")
}

// TestChange_namespaceAndWhatIsInIt makes a namespace, waits for it, and puts objects into it, in one change.
func TestChange_namespaceAndWhatIsInIt(t *testing.T) {
	t.Parallel()
	g := openGate(t, "change-namespace")
	g.mayEverywhere("namespaces", "deployments", "configmaps")
	const inner = "change-namespace-new"
	g.wants("open", operations(
		`{apply: {manifest: {apiVersion: v1, kind: Namespace, metadata: {name: `+inner+`}}}}`,
		`{apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: `+inner+`}, data: {mode: calm}}}}`,
		`{apply: {manifest: {apiVersion: apps/v1, kind: Deployment, metadata: {name: app, namespace: `+inner+`}, spec: {
			selector: {matchLabels: {app: app}}, template: {metadata: {labels: {app: app}}, spec: {
			containers: [{name: app, image: "registry.example/app:1", envFrom: [{configMapRef: {name: settings}}]}]}}}}}}`,
	))
	g.agreed("open")
	c := g.ends("open", v1alpha1.ResultSucceeded)
	if counts := c.Status.Plan.Counts; counts.Create != 3 || len(c.Status.Plan.NotDryRun) != 2 {
		t.Errorf("planned to create %d objects, and what could not be dry-run: %v", counts.Create, c.Status.Plan.NotDryRun)
	}
	made := (&gate{T: t, namespace: inner}).object("deployment", "app")
	if got := field(made, "status.availableReplicas"); got != "1" {
		t.Errorf("%s replicas of the new Deployment are available, want 1", got)
	}
}

// mayEverywhere lets the gate's accounts change objects of some kinds in every namespace.
func (g *gate) mayEverywhere(resources ...string) {
	g.Helper()
	for _, do := range [][]string{
		{"create", "clusterrole", g.namespace, "--verb=get,list,watch,create,patch,update,delete", "--resource=" + strings.Join(resources, ",")},
		{"create", "clusterrolebinding", g.namespace, "--clusterrole=" + g.namespace,
			"--serviceaccount=" + g.namespace + ":eclusier-planner", "--serviceaccount=" + g.namespace + ":eclusier-applier"},
	} {
		if _, err := scene.kubectl.Run(g.Context(), do...); err != nil {
			g.Fatal(err)
		}
	}
	for _, account := range []string{"eclusier-planner", "eclusier-applier"} {
		g.until(account+" allowed to", func(ctx context.Context) (bool, string) {
			answer, err := scene.kubectl.Run(ctx, "auth", "can-i", "get", resources[0], "--as=system:serviceaccount:"+g.namespace+":"+account)
			return answer == "yes", fmt.Sprint(answer, err)
		})
	}
}

// TestChange_nodes cordons a node, on which nothing new is then placed, and lets it take pods again.
func TestChange_nodes(t *testing.T) {
	t.Parallel()
	g := openGate(t, "change-nodes")
	g.mayEverywhere("nodes")
	const node = "change-node"
	g.has(`{apiVersion: v1, kind: Node, metadata: {name: ` + node + `}}`)
	g.until("a node that is well", func(ctx context.Context) (bool, string) {
		live := g.object("node", node)
		return strings.Contains(fmt.Sprint(live["status"]), "KubeletReady") && field(live, "spec.taints") == "", fmt.Sprint(live)
	})
	for _, step := range []struct{ operation, unschedulable string }{{"cordon", "true"}, {"uncordon", ""}} {
		g.wants(step.operation, operations(`{`+step.operation+`: {node: `+node+`}}`))
		g.agreed(step.operation)
		g.ends(step.operation, v1alpha1.ResultSucceeded)
		if got := field(g.object("node", node), "spec.unschedulable"); got != step.unschedulable {
			t.Errorf("after %s, unschedulable is %q, want %q", step.operation, got, step.unschedulable)
		}
	}
}

// TestChange_nothingToDo ends without asking anybody.
func TestChange_nothingToDo(t *testing.T) {
	t.Parallel()
	g := openGate(t, "change-nothing")
	g.has(deployment("idle"))
	g.wants("idle", operations(`{scale: {target: {kind: Deployment, name: idle}, replicas: 1}}`))
	if c := g.ends("idle", v1alpha1.ResultSucceeded); len(c.Status.Approvals) > 0 || len(c.Status.Attempts) > 0 {
		t.Errorf("somebody was asked, or something tried: %+v %+v", c.Status.Approvals, c.Status.Attempts)
	}
	g.wants("look", operations(`{scale: {target: {kind: Deployment, name: idle}, replicas: 4}}`)+"dryRun: true")
	c := g.ends("look", v1alpha1.ResultPlanned)
	if got := field(g.object("deployment", "idle"), "spec.replicas"); got != "1" || c.Status.Plan.Counts.Update != 1 {
		t.Errorf("a dry run left %s replicas, and counts %+v", got, c.Status.Plan.Counts)
	}
}
