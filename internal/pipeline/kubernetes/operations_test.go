package kubernetes_test

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
)

const (
	nightly = `{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly, namespace: NS}, spec: {schedule: "0 3 * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: job, image: "job:1"}]}}}}}}`
	cfg     = `{apiVersion: v1, kind: ConfigMap, metadata: {name: cfg, namespace: NS}, data: {level: info, mode: fast}}`
	store   = `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: store, namespace: NS}, spec: {replicas: 1, serviceName: store, selector: {matchLabels: {app: store}}, template: {metadata: {labels: {app: store}}, spec: {containers: [{name: store, image: "store:1"}]}}}}`
	front   = `{apiVersion: v1, kind: Service, metadata: {name: front, namespace: NS}, spec: {selector: {app: web}, ports: [{port: 80}]}}`
)

// TestOperations takes every operation through its whole life: planned twice alike, applied, recognised, undone.
func TestOperations(t *testing.T) {
	tests := []struct {
		name      string
		have      string
		operation string
		verb      change.Verb
		kind      change.RequestKind
		summary   string
		diff      []string
		// path and value are what the object is afterwards.
		path  []string
		value any
	}{
		{"scale", web, `scale: {target: {kind: deploy, name: web}, replicas: 3}`, change.VerbUpdate, change.RequestScale,
			"scale Deployment NS/web from 2 to 3", []string{"-  replicas: 2", "+  replicas: 3"}, []string{"spec", "replicas"}, int64(3)},
		{"scale to nothing", web, `scale: {target: {kind: deployments, name: web}, replicas: 0}`, change.VerbUpdate, change.RequestScale,
			"scale Deployment NS/web from 2 to 0", []string{"+  replicas: 0"}, []string{"spec", "replicas"}, int64(0)},
		{"restart", web, `restart: {target: {kind: Deployment, name: web}}`, change.VerbUpdate, change.RequestMergePatch,
			"restart Deployment NS/web", []string{"+        kubectl.kubernetes.io/restartedAt: \"2026-01-02T03:04:05Z\""},
			[]string{"spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt"}, "2026-01-02T03:04:05Z"},
		{"setImage", web, `setImage: {target: {kind: Deployment, name: web}, container: web, image: "web:2"}`, change.VerbUpdate, change.RequestJSONPatch,
			"set the image of container web in Deployment NS/web from web:1 to web:2", []string{"-      - image: web:1", "+      - image: web:2"}, nil, nil},
		{"setImage of the only container of a CronJob", nightly, `setImage: {target: {kind: cj, name: nightly}, image: "job:2"}`, change.VerbUpdate, change.RequestJSONPatch,
			"set the image of container job in CronJob NS/nightly from job:1 to job:2", []string{"job:2"}, nil, nil},
		{"a merge patch", cfg, `patch: {target: {kind: cm, name: cfg}, patch: '{data: {level: debug, mode: null}}'}`, change.VerbUpdate, change.RequestMergePatch,
			"patch ConfigMap NS/cfg", []string{"-  level: info", "-  mode: fast", "+  level: debug"}, []string{"data", "level"}, "debug"},
		{"a JSON patch", cfg, `patch: {target: {kind: ConfigMap, name: cfg}, type: JSON, patch: '[{op: replace, path: /data/level, value: debug}]'}`, change.VerbUpdate, change.RequestJSONPatch,
			"patch ConfigMap NS/cfg", []string{"+  level: debug"}, []string{"data", "level"}, "debug"},
		{"a strategic patch", web, `patch: {target: {kind: Deployment, name: web}, type: Strategic, patch: '{spec: {template: {spec: {containers: [{name: log, image: "log:2"}]}}}}'}`,
			change.VerbUpdate, change.RequestStrategicPatch, "patch Deployment NS/web", []string{"-      - image: log:1", "+      - image: log:2"}, nil, nil},
		{"apply changes", cfg, `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {extra: "1"}}}`, change.VerbUpdate, change.RequestApply,
			"apply ConfigMap NS/cfg", []string{"+  extra: \"1\""}, []string{"data", "extra"}, "1"},
		{"apply makes", "", `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {extra: "1"}}}`, change.VerbCreate, change.RequestCreate,
			"create ConfigMap NS/cfg", []string{"--- /dev/null", "+  extra: \"1\""}, []string{"data", "extra"}, "1"},
		{"apply makes what the server numbers", "", `apply: {manifest: {apiVersion: v1, kind: Service, metadata: {name: front}, spec: {type: NodePort, selector: {app: web}, ports: [{port: 80}]}}}`,
			change.VerbCreate, change.RequestCreate, "create Service NS/front", []string{"clusterIP: " + manifest.Chosen, "nodePort: " + manifest.Chosen}, []string{"spec", "type"}, "NodePort"},
		{"apply makes what the server labels by chance", "", `apply: {manifest: {apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: job, image: "job:1"}]}}}}}`,
			change.VerbCreate, change.RequestCreate, "create Job NS/once", []string{"batch.kubernetes.io/controller-uid: " + manifest.Chosen}, []string{"spec", "completions"}, int64(1)},
		{"a patch after which the server numbers", front, `patch: {target: {kind: svc, name: front}, patch: '{spec: {type: NodePort}}'}`, change.VerbUpdate, change.RequestMergePatch,
			"patch Service NS/front", []string{"nodePort: " + manifest.Chosen}, []string{"spec", "type"}, "NodePort"},
		{"delete", web, `delete: {target: {kind: Deployment, name: web}}`, change.VerbDelete, change.RequestDelete,
			"delete Deployment NS/web", []string{"+++ /dev/null", "-  replicas: 2"}, nil, nil},
		{"suspend", nightly, `suspend: {target: {kind: CronJob, name: nightly}}`, change.VerbUpdate, change.RequestMergePatch,
			"suspend CronJob NS/nightly", []string{"-  suspend: false", "+  suspend: true"}, []string{"spec", "suspend"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			if tt.have != "" {
				s.have(tt.have)
			}
			p := s.plan(tt.operation)
			if again := s.plan(tt.operation); digest(t, again) != digest(t, p) {
				t.Errorf("planning again gives another plan:\n%v\n%v", p.Plan, again.Plan)
			}
			e := p.Plan.Effects[0]
			if e.Verb != tt.verb || e.Request.Kind != tt.kind || e.NotDryRun != "" || e.Inverse == nil {
				t.Errorf("got %+v", e)
			}
			if want := strings.ReplaceAll(tt.summary, "NS", s.namespace); p.View.Summary != want {
				t.Errorf("the summary is %q, want %q", p.View.Summary, want)
			}
			for _, line := range tt.diff {
				if !strings.Contains(p.View.Diff, line) {
					t.Errorf("%q is missing in the diff:\n%s", line, p.View.Diff)
				}
			}
			for _, noise := range []string{"managedFields", "resourceVersion", "creationTimestamp", " uid:", "status:", "generation"} {
				if strings.Contains(p.View.Diff, noise) {
					t.Errorf("%s is noise in the diff:\n%s", noise, p.View.Diff)
				}
			}
			s.liveThrough(p, tt.path, tt.value)
		})
	}
}

// liveThrough applies the only effect of a plan, undoes it, and looks at every point.
func (s *stage) liveThrough(p *pipeline.Planned, path []string, value any) {
	s.Helper()
	e := p.Plan.Effects[0]
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(e.Object.APIVersion)
	o.SetKind(e.Object.Kind)
	o.SetNamespace(e.Object.Namespace)
	o.SetName(e.Object.Name)
	before := s.live(o)
	if got := s.sight(p, 0); got != pipeline.SightUntouched {
		s.Errorf("before: %s", got)
	}
	done := s.apply(p)
	after := s.live(o)
	if e.Verb == change.VerbDelete {
		if after != nil {
			s.Error("it is still there")
		}
	} else if done[0].ResourceVersion != after.GetResourceVersion() || done[0].Object.UID != string(after.GetUID()) {
		s.Errorf("the record is %+v, the object %s %s", done[0], after.GetUID(), after.GetResourceVersion())
	}
	if path != nil {
		if got, _, _ := unstructured.NestedFieldNoCopy(after.Object, path...); got != value {
			s.Errorf("%v is %v, want %v", path, got, value)
		}
	}
	if got := s.sight(p, 0); got != pipeline.SightDone {
		s.Errorf("after: %s", got)
	}
	for range 2 { // Undoing what is undone does nothing.
		s.undo(p, done)
		if got := s.live(o); !manifest.Equal(normal(got), normal(before)) {
			s.Errorf("undone it is %v, want %v", normal(got), normal(before))
		}
	}
	if got := s.sight(p, 0); got != pipeline.SightUntouched && e.Verb != change.VerbDelete {
		s.Errorf("undone: %s", got)
	}
}

func TestOperations_onNodes(t *testing.T) {
	s := newStage(t)
	node := s.have(`{apiVersion: v1, kind: Node, metadata: {name: node-NS}}`)[0]
	p := s.plan(`cordon: {node: node-NS}`)
	if p.View.Summary != "cordon Node node-"+s.namespace || !strings.Contains(p.View.Diff, "+  unschedulable: true") || !p.View.Facts[0].ClusterScoped {
		t.Errorf("got %+v", p.View)
	}
	done := s.apply(p)
	// What the node's controller does about it must not stand in the way back.
	s.patch(node, `{"spec":{"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]}}`)
	if got := s.sight(p, 0); got != pipeline.SightDone {
		t.Errorf("cordoned: %s", got)
	}
	back := s.plan(`uncordon: {node: node-NS}`)
	if back.Plan.Effects[0].Verb != change.VerbUpdate {
		t.Errorf("uncordon is %s", back.Plan.Effects[0].Verb)
	}
	s.undo(p, done)
	if held, _, _ := unstructured.NestedBool(s.live(node).Object, "spec", "unschedulable"); held {
		t.Error("it is still cordoned")
	}
	if again := s.plan(`uncordon: {node: node-NS}`); !again.Plan.Empty() || !strings.Contains(again.View.Summary, "nothing to do") {
		t.Errorf("uncordon of an uncordoned node: %+v", again.View)
	}
}

func TestOperations_undo(t *testing.T) {
	owned := `ownerReferences: [{apiVersion: apps/v1, kind: KIND, name: NAME, uid: UID, controller: true}]`
	set := `{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-N, namespace: NS, labels: {app: web, pod-template-hash: hN}, annotations: {deployment.kubernetes.io/revision: "N"}, ` + owned + `},
	  spec: {replicas: 0, selector: {matchLabels: {app: web, pod-template-hash: hN}}, template: {metadata: {labels: {app: web, pod-template-hash: hN}}, spec: {containers: [{name: web, image: "web:N"}, {name: log, image: "log:1"}]}}}}`
	record := `{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: store-N, namespace: NS, labels: {app: store}, ` + owned + `}, revision: N,
	  data: {spec: {template: {$patch: replace, metadata: {labels: {app: store}}, spec: {containers: [{name: store, image: "store:N"}]}}}}}`
	for _, tt := range []struct{ name, have, history, kind, to, image, revision string }{
		{"a Deployment to the former revision", web, set, "Deployment", "", "web:2", "2"},
		{"a Deployment to a revision by its number", web, set, "Deployment", ", toRevision: 1", "web:1", "1"},
		{"a StatefulSet to the former revision", store, record, "StatefulSet", "", "store:2", "2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			o := s.have(strings.NewReplacer("web:1", "web:3", "store:1", "store:3").Replace(tt.have))[0]
			for _, n := range []string{"1", "2", "3"} {
				s.have(strings.NewReplacer("UID", string(o.GetUID()), "KIND", tt.kind, "NAME", o.GetName(), "web-N", "web-"+n, "store-N", "store-"+n,
					"hN", "h"+n, `"N"`, `"`+n+`"`, ":N\"", ":"+n+`"`, "revision: N", "revision: "+n).Replace(tt.history))
			}
			// Of another owner, with the same labels and a higher number.
			s.have(strings.NewReplacer("UID", "other", "KIND", tt.kind, "NAME", "other", "web-N", "other-9", "store-N", "other-9", "hN", "h9", `"N"`, `"9"`, ":N\"", `:9"`, "revision: N", "revision: 9").Replace(tt.history))
			p := s.plan(`undo: {target: {kind: ` + tt.kind + `, name: ` + o.GetName() + `}` + tt.to + `}`)
			if want := "undo " + tt.kind + " " + s.namespace + "/" + o.GetName() + " to revision " + tt.revision; p.View.Summary != want {
				t.Errorf("got %q, want %q", p.View.Summary, want)
			}
			if !strings.Contains(p.View.Diff, tt.image) || strings.Contains(p.View.Diff, "pod-template-hash") {
				t.Errorf("got\n%s", p.View.Diff)
			}
			s.liveThrough(p, nil, nil)
			s.refuses(`Invalid`, `has no revision 7`, `undo: {target: {kind: `+tt.kind+`, name: `+o.GetName()+`}, toRevision: 7}`)
		})
	}
}

func TestOperations_nothingToDo(t *testing.T) {
	for name, operation := range map[string]string{
		"scale":    `scale: {target: {kind: Deployment, name: web}, replicas: 2}`,
		"setImage": `setImage: {target: {kind: Deployment, name: web}, container: web, image: "web:1"}`,
		"patch":    `patch: {target: {kind: Deployment, name: web}, patch: '{spec: {replicas: 2}}'}`,
		"apply":    `apply: {manifest: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {app: web}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			o := s.have(web)[0]
			if name == "apply" {
				operation = `apply: {manifest: ` + web + `}`
			}
			p := s.plan(operation)
			if !p.Plan.Empty() || p.Plan.Counts().Unchanged != 1 || p.View.Diff != "" {
				t.Errorf("got %v\n%s", verbsOf(p), p.View.Diff)
			}
			s.apply(p)
			if got := s.live(o); got.GetResourceVersion() != o.GetResourceVersion() {
				t.Error("something was sent")
			}
		})
	}
}

func TestOperations_several(t *testing.T) {
	s := newStage(t)
	o := s.have(web)[0]
	operations := []string{
		`setImage: {target: {kind: Deployment, name: web}, container: web, image: "web:2"}`,
		`setImage: {target: {kind: Deployment, name: web}, container: log, image: "log:2"}`,
		`scale: {target: {kind: Deployment, name: web}, replicas: 4}`,
		`apply: {manifest: {apiVersion: v1, kind: Namespace, metadata: {name: NS-new, labels: {env: production}}}}`,
		`apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg, namespace: NS-new}, data: {a: b}}}`,
	}
	p := s.plan(operations...)
	want := []change.Verb{change.VerbUpdate, change.VerbUpdate, change.VerbUpdate, change.VerbCreate, change.VerbCreate}
	if !slices.Equal(verbsOf(p), want) || !strings.HasPrefix(p.View.Summary, "5 operations: set the image") {
		t.Errorf("got %v, %s", verbsOf(p), p.View.Summary)
	}
	for i, e := range p.Plan.Effects[:3] {
		if e.NotDryRun != "" || e.ResultHash == "" || (e.After == nil) != (i == 0) || (p.View.Before[i] == nil) != (i > 0) {
			t.Errorf("operation %d: %+v", i+1, e)
		}
	}
	if e := p.Plan.Effects[4]; e.NotDryRun != "its namespace is made by operation 4" || e.ResultHash != "" {
		t.Errorf("got %+v", e)
	}
	if digest(t, p) != digest(t, s.plan(operations...)) {
		t.Error("planning again gives another plan")
	}
	before := normal(s.live(o))
	var done []*v1alpha1.OperationDone
	for i := range p.Plan.Effects {
		d, err := s.Apply(t.Context(), s.step(p, i))
		if err != nil {
			t.Fatal(err)
		}
		done = append(done, d)
		// A controller writes the status in between.
		if live := s.live(o); i < 3 {
			_ = unstructured.SetNestedField(live.Object, int64(i+1), "status", "replicas")
			if err := admin.Status().Update(t.Context(), live); err != nil {
				t.Fatal(err)
			}
		}
	}
	hash, err := manifest.Hash(normal(s.live(o)))
	if err != nil || hash != p.Plan.Effects[2].ResultHash {
		t.Errorf("the dry run showed something else: %v", err)
	}
	s.undo(p, done)
	if got := normal(s.live(o)); !manifest.Equal(got, before) {
		t.Errorf("undone it is %v, want %v", got, before)
	}
	if ns := s.live(s.object(`{apiVersion: v1, kind: Namespace, metadata: {name: NS-new}}`)); ns != nil && ns.GetDeletionTimestamp() == nil {
		t.Error("the namespace is still there")
	}
}

func TestOperations_deleteAndMakeAgain(t *testing.T) {
	s := newStage(t)
	o := s.have(strings.Replace(cfg, ", data:", ", immutable: true, data:", 1))[0]
	s.refuses("Invalid", "needs delete and recreate", `patch: {target: {kind: cm, name: cfg}, patch: '{data: {level: debug}}'}`)
	p := s.plan(`delete: {target: {kind: cm, name: cfg}}`, `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {level: debug}}}`)
	if !slices.Equal(verbsOf(p), []change.Verb{change.VerbDelete, change.VerbCreate}) || p.Plan.Effects[1].NotDryRun == "" {
		t.Errorf("got %+v", p.Plan.Effects)
	}
	if got := s.sight(p, 1); got != pipeline.SightUntouched {
		t.Errorf("before the deletion the making is %s", got)
	}
	done := s.apply(p)
	if got, _, _ := unstructured.NestedString(s.live(o).Object, "data", "level"); got != "debug" {
		t.Errorf("got %s", got)
	}
	s.undo(p, done)
	if got := s.live(o); !manifest.Equal(normal(got), normal(o)) {
		t.Errorf("undone it is %v", normal(got))
	}
}

func TestOperations_deletePods(t *testing.T) {
	pod := func(metadata string) string {
		return `{apiVersion: v1, kind: Pod, metadata: {name: web-a, namespace: NS` + metadata + `}, spec: {containers: [{name: web, image: "web:1"}]}}`
	}
	t.Run("of a controller, which makes another one", func(t *testing.T) {
		s := newStage(t)
		o := s.have(pod(`, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: x, controller: true}]`))[0]
		p := s.plan(`delete: {target: {kind: po, name: web-a}}`)
		if i := p.Plan.Effects[0].Inverse; i == nil || i.Kind != change.RequestNone {
			t.Errorf("got %+v", i)
		}
		s.undo(p, s.apply(p))
		if s.live(o) != nil {
			t.Error("it was made beside the controller's")
		}
	})
	t.Run("of nobody, which is made again", func(t *testing.T) {
		s := newStage(t)
		s.have(pod(""))
		s.liveThrough(s.plan(`delete: {target: {kind: po, name: web-a}}`), nil, nil)
	})
}

func TestOperations_deleteForGood(t *testing.T) {
	for name, tt := range map[string]struct{ have, target, note string }{
		"a Job": {`{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: NS}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a:1"}]}}}}`, `{kind: Job, name: a}`, "would run again"},
		"a StatefulSet that takes its claims along": {strings.Replace(store, "spec: {replicas", "spec: {persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Retain}, replicas", 1),
			`{kind: sts, name: store}`, "volume claims are deleted with it"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.have(tt.have)
			p := s.plan(`delete: {target: ` + tt.target + `}`)
			if p.Plan.Effects[0].Inverse != nil || !strings.Contains(strings.Join(p.View.Notes, "\n"), tt.note) {
				t.Errorf("got %+v, %q", p.Plan.Effects[0].Inverse, p.View.Notes)
			}
		})
	}
}

func TestPlan_kindOfSeveralGroups(t *testing.T) {
	s := newStage(t)
	var groups []string
	for _, group := range []string{"a." + s.namespace + ".example.com", "b." + s.namespace + ".example.com"} {
		s.have(strings.ReplaceAll(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: barges.GROUP}, spec: {group: GROUP, scope: Namespaced, names: {plural: barges, singular: barge, kind: Barge},
		  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}}]}}`, "GROUP", group))
		barge := s.object(`{apiVersion: ` + group + `/v1, kind: Barge, metadata: {name: b, namespace: NS}, spec: {load: 1}}`)
		eventually(t, func() bool { return admin.Create(t.Context(), barge.DeepCopy()) == nil })
		groups = append(groups, group)
	}
	s.refuses("Invalid", "set apiVersion to one of", `delete: {target: {kind: Barge, name: b}}`)
	p := s.plan(`patch: {target: {apiVersion: ` + groups[1] + `/v1, kind: barge, name: b}, patch: '{spec: {load: 2}}'}`)
	s.liveThrough(p, []string{"spec", "load"}, int64(2))
	s.refuses("Invalid", "takes no strategic merge patch", `patch: {target: {apiVersion: `+groups[0]+`/v1, kind: barge, name: b}, type: Strategic, patch: '{spec: {load: 2}}'}`)
}
