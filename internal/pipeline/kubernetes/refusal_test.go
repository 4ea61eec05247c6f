package kubernetes_test

import (
	"errors"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// refuses wants a plan to be refused for that reason, with a message that holds the words.
func (s *stage) refuses(reason, words string, operations ...string) {
	s.Helper()
	s.refusesRequest(reason, words, s.request(operations...))
}

func (s *stage) refusesRequest(reason, words string, r pipeline.Request) {
	s.Helper()
	p, err := s.Plan(s.Context(), r)
	var no *pipeline.Invalid
	if !errors.As(err, &no) {
		s.Fatalf("got %+v, %v; want it refused with %s: %s", p, err, reason, words)
	}
	if no.Reason != reason || !strings.Contains(no.Message, strings.ReplaceAll(words, "NS", s.namespace)) {
		s.Errorf("got %s: %s; want %s: %s", no.Reason, no.Message, reason, words)
	}
}

func TestPlan_refusals(t *testing.T) {
	s := newStage(t)
	s.have(web, cfg, store, front)
	s.have(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: held, namespace: NS}, spec: {paused: true, selector: {matchLabels: {app: held}}, template: {metadata: {labels: {app: held}}, spec: {containers: [{name: a, image: "a:1"}]}}}}`)
	tests := []struct {
		name       string
		reason     string
		words      string
		operations []string
	}{
		{"an object that does not exist", "TargetNotFound", "Deployment NS/api does not exist", []string{`restart: {target: {kind: Deployment, name: api}}`}},
		{"an object that does not exist is not deleted", "TargetNotFound", "ConfigMap NS/none does not exist", []string{`delete: {target: {kind: cm, name: none}}`}},
		{"a scale of what does not exist", "TargetNotFound", "Deployment NS/api does not exist", []string{`scale: {target: {kind: Deployment, name: api}, replicas: 1}`}},
		{"an unknown kind", "Invalid", "no kind Rocket", []string{`restart: {target: {kind: Rocket, name: api}}`}},
		{"an unknown version", "Invalid", "no kind Deployment apps/v9", []string{`restart: {target: {apiVersion: apps/v9, kind: Deployment, name: web}}`}},
		{"a manifest of an unknown kind", "Invalid", "no kind Rocket of x.io/v1", []string{`apply: {manifest: {apiVersion: x.io/v1, kind: Rocket, metadata: {name: a}}}`}},
		{"a manifest without a name", "Invalid", "metadata.name", []string{`apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: a-}}}`}},
		{"a manifest of something that is not kept", "Invalid", "cannot be applied", []string{`apply: {manifest: {apiVersion: authorization.k8s.io/v1, kind: SubjectAccessReview, metadata: {name: a}}}`}},
		{"a field with a slip of the pen", "Invalid", "replica", []string{`patch: {target: {kind: Deployment, name: web}, patch: '{spec: {replica: 3}}'}`}},
		{"a value of the wrong type", "Invalid", "would refuse", []string{`patch: {target: {kind: Deployment, name: web}, patch: '{spec: {replicas: "three"}}'}`}},
		{"a namespace that does not exist", "TargetNotFound", "the namespace nowhere does not exist", []string{`apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: nowhere}}}`}},
		{"a namespace that comes too late", "Invalid", "put the namespace first", []string{
			`apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: NS-late}}}`, `apply: {manifest: {apiVersion: v1, kind: Namespace, metadata: {name: NS-late}}}`}},
		{"an immutable selector", "Invalid", "needs delete and recreate", []string{`patch: {target: {kind: Deployment, name: web}, patch: '{spec: {selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}}}}'}`}},
		{"an immutable field of a StatefulSet", "Invalid", "needs delete and recreate", []string{`patch: {target: {kind: StatefulSet, name: store}, patch: '{spec: {serviceName: other}}'}`}},
		{"a restart of a Service", "Invalid", "only a Deployment, StatefulSet or DaemonSet", []string{`restart: {target: {kind: Service, name: front}}`}},
		{"a restart of something paused", "Invalid", "is paused", []string{`restart: {target: {kind: Deployment, name: held}}`}},
		{"a scale of a ConfigMap", "Invalid", "no number of replicas", []string{`scale: {target: {kind: ConfigMap, name: cfg}, replicas: 1}`}},
		{"a suspended Deployment", "Invalid", "only a CronJob or Job", []string{`suspend: {target: {kind: Deployment, name: web}}`}},
		{"an undo without history", "Invalid", "no former revision", []string{`undo: {target: {kind: Deployment, name: web}}`}},
		{"an image without saying of which container", "Invalid", "name one: web, log", []string{`setImage: {target: {kind: Deployment, name: web}, image: "x:1"}`}},
		{"an image of an unknown container", "Invalid", "no container db; it has web, log", []string{`setImage: {target: {kind: Deployment, name: web}, container: db, image: "x:1"}`}},
		{"an image of a ConfigMap", "Invalid", "no containers", []string{`setImage: {target: {kind: ConfigMap, name: cfg}, image: "x:1"}`}},
		{"a patch that is none", "Invalid", "neither JSON nor YAML", []string{`patch: {target: {kind: cm, name: cfg}, patch: "{a: [}"}`}},
		{"a JSON patch that is an object", "Invalid", "list of operations", []string{`patch: {target: {kind: cm, name: cfg}, type: JSON, patch: '{data: {}}'}`}},
		{"a JSON patch whose test fails", "Invalid", "would refuse", []string{`patch: {target: {kind: cm, name: cfg}, type: JSON, patch: '[{op: test, path: /data/level, value: warn}]'}`}},
		{"a patch of the version", "Invalid", "metadata.resourceVersion", []string{`patch: {target: {kind: cm, name: cfg}, patch: '{metadata: {resourceVersion: "1"}}'}`}},
		{"a JSON patch of all metadata", "Invalid", "metadata", []string{`patch: {target: {kind: cm, name: cfg}, type: JSON, patch: '[{op: replace, path: /metadata, value: {}}]'}`}},
		{"a JSON patch of a path that is none", "Invalid", "would refuse", []string{`patch: {target: {kind: cm, name: cfg}, type: JSON, patch: '[{op: add, path: metadata, value: {}}]'}`}},
		{"a JSON patch of the whole object", "Invalid", "the whole object", []string{`patch: {target: {kind: cm, name: cfg}, type: JSON, patch: '[{op: remove, path: ""}]'}`}},
		{"something changed that is deleted first", "Invalid", "operation 1 deletes", []string{`delete: {target: {kind: cm, name: cfg}}`, `patch: {target: {kind: cm, name: cfg}, patch: '{data: {a: b}}'}`}},
		{"something changed that is made first", "Invalid", "into its manifest", []string{`apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: fresh}}}`, `patch: {target: {kind: cm, name: fresh}, patch: '{data: {a: b}}'}`}},
		{"an apply beside a patch", "Invalid", "into the manifest", []string{`patch: {target: {kind: cm, name: cfg}, patch: '{data: {a: b}}'}`, `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}}}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			on := *s
			on.TB = t
			on.refuses(tt.reason, tt.words, tt.operations...)
		})
	}
}

func TestPlan_owners(t *testing.T) {
	t.Run("fields that people set by hand are taken over, and that is said", func(t *testing.T) {
		s := newStage(t)
		s.have(cfg)
		p := s.plan(`apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {level: debug}}}`)
		if !p.Plan.Effects[0].Request.Force || !strings.Contains(strings.Join(p.View.Notes, "\n"), "kubectl-create owns data.level") {
			t.Errorf("got %+v, %q", p.Plan.Effects[0].Request, p.View.Notes)
		}
		s.liveThrough(p, []string{"data", "level"}, "debug")
	})
	t.Run("fields of a controller are not", func(t *testing.T) {
		s := newStage(t)
		o := s.have(cfg)[0]
		s.patch(o, `{"data":{"level":"warn"}}`)
		s.refuses("Invalid", "somebody owns data.level", `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {level: debug}}}`)
	})
	t.Run("what eclusier patched it may apply later", func(t *testing.T) {
		s := newStage(t)
		s.have(cfg)
		s.apply(s.plan(`patch: {target: {kind: cm, name: cfg}, patch: '{data: {level: warn}}'}`))
		s.apply(s.plan(`apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {level: debug}}}`))
	})
}

func TestPlan_forbidden(t *testing.T) {
	s := bareStage(t)
	s.have(web)
	restart := `restart: {target: {kind: Deployment, name: web}}`
	s.refuses("PlannerForbidden", "may not get deployments in the namespace NS", restart)
	s.refuses("PlannerForbidden", "kubectl -n NS create role eclusier-planner-deployments --verb=get,list --resource=deployments.apps", restart)
	s.grant(v1alpha1.DefaultPlannerName, "apps", "deployments", "get")
	s.refuses("PlannerForbidden", "may not patch deployments", restart)
	s.grant(v1alpha1.DefaultPlannerName, "apps", "deployments", "patch")
	p := s.plan(restart)
	_, err := s.Apply(t.Context(), s.step(p, 0))
	s.fails(err, "PermissionDenied", "the service account "+s.namespace+"/eclusier-applier may not patch deployments")
	s.grant(v1alpha1.DefaultApplierName, "apps", "deployments", "patch")
	s.apply(p) // Reads are the planner's.
}

// grant gives an account of the stage's namespace a right.
func (s *stage) grant(account, group, resource string, verbs ...string) {
	s.Helper()
	name := strings.Join(append([]string{account, resource}, verbs...), "-")
	s.create(&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}}})
	s.create(&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: s.namespace, Name: account}}})
}

func TestPlan_secrets(t *testing.T) {
	s := newStage(t)
	s.have(`{apiVersion: v1, kind: Secret, metadata: {name: db, namespace: NS}, stringData: {password: Tr0ub4dor}}`)
	for _, operation := range []string{
		`apply: {manifest: {apiVersion: v1, kind: Secret, metadata: {name: db}, stringData: {password: c0rrecthorse}}}`,
		`patch: {target: {kind: secret, name: db}, patch: '{stringData: {password: c0rrecthorse}}'}`,
		`delete: {target: {kind: Secret, name: db}}`,
	} {
		p := s.plan(operation)
		all, err := yaml.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range []string{"Tr0ub4dor", "c0rrecthorse", "VHIwdWI0ZG9y", "YzBycmVjdGhvcnNl"} {
			if strings.Contains(string(all), value) {
				t.Errorf("a value is in the plan: %s", all)
			}
		}
		if e := p.Plan.Effects[0]; e.Object.Kind != "Secret" || e.Verb == change.VerbNone || len(e.Request.Body) > 0 {
			t.Errorf("got %+v", e)
		}
		_, err = s.Apply(t.Context(), s.step(p, 0))
		s.fails(err, "PolicyViolation", "Secrets")
	}
}

func TestPlan_gitOps(t *testing.T) {
	labelled := func(metadata string) string {
		return `{apiVersion: v1, kind: ConfigMap, metadata: {name: cfg, namespace: NS, ` + metadata + `}, data: {level: info}}`
	}
	tests := []struct {
		name, metadata, manager, keeper string
	}{
		{"Argo CD's annotation", `annotations: {argocd.argoproj.io/tracking-id: "shop:/ConfigMap:NS/cfg"}`, "kubectl", "Argo CD (application shop)"},
		{"Argo CD's own label", `labels: {argocd.argoproj.io/instance: shop}`, "kubectl", "Argo CD (application shop)"},
		{"Argo CD's common label with its field manager", `labels: {app.kubernetes.io/instance: shop}`, "argocd-controller", "Argo CD (application shop)"},
		{"the common label alone", `labels: {app.kubernetes.io/instance: shop}`, "kubectl", ""},
		{"a Kustomization of Flux", `labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux-system}`, "kubectl", "Flux (Kustomization flux-system/apps)"},
		{"a HelmRelease of Flux", `labels: {helm.toolkit.fluxcd.io/name: shop, helm.toolkit.fluxcd.io/namespace: NS}`, "kubectl", "Flux (HelmRelease NS/shop)"},
		{"what Flux was told to leave alone", `labels: {kustomize.toolkit.fluxcd.io/name: apps}, annotations: {kustomize.toolkit.fluxcd.io/reconcile: disabled}`, "kubectl", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			s.create(s.object(labelled(tt.metadata)), fieldOwner(tt.manager))
			r := s.request(`patch: {target: {kind: cm, name: cfg}, patch: '{data: {level: debug}}'}`)
			if tt.keeper == "" {
				if _, err := s.Plan(t.Context(), r); err != nil {
					t.Error(err)
				}
				return
			}
			s.refusesRequest("ManagedByGitOps", tt.keeper, r)
			r.Change.Spec.Delivery = v1alpha1.DeliveryDirect
			p, err := s.Plan(t.Context(), r)
			if err != nil || !strings.Contains(strings.Join(p.View.Notes, "\n"), strings.ReplaceAll(tt.keeper, "NS", s.namespace)) {
				t.Errorf("got %v, %v", p, err)
			}
		})
	}
}
