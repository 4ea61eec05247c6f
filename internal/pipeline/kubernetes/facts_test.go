package kubernetes_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/change"
)

func ptr(n int32) *int32 { return &n }

func TestPlan_facts(t *testing.T) {
	tests := []struct {
		name, have, operation string
		want                  change.RiskFacts
	}{
		{"a scale", web, scaleWeb, change.RiskFacts{ReplicasFrom: ptr(2), ReplicasTo: ptr(3), Dependents: 2}},
		{"replicas by a patch", web, `patch: {target: {kind: Deployment, name: web}, patch: '{spec: {replicas: 0}}'}`, change.RiskFacts{ReplicasFrom: ptr(2), ReplicasTo: ptr(0), Dependents: 2}},
		{"a scale in production", strings.Replace(web, "labels: {app: web}}, spec", "labels: {app: web, environment: Production}}, spec", 1), scaleWeb,
			change.RiskFacts{ReplicasFrom: ptr(2), ReplicasTo: ptr(3), Dependents: 2, Production: true}},
		{"a label that only begins like production", strings.Replace(web, "labels: {app: web}}, spec", "labels: {app: web, env: product}}, spec", 1), scaleWeb,
			change.RiskFacts{ReplicasFrom: ptr(2), ReplicasTo: ptr(3), Dependents: 2}},
		{"a privileged container", web, `patch: {target: {kind: Deployment, name: web}, type: Strategic, patch: '{spec: {template: {spec: {containers: [{name: web, securityContext: {privileged: true}}]}}}}'}`,
			change.RiskFacts{Dependents: 2, Privileged: true}},
		{"the host's network", web, `patch: {target: {kind: Deployment, name: web}, patch: '{spec: {template: {spec: {hostNetwork: true}}}}'}`, change.RiskFacts{Dependents: 2, Privileged: true}},
		{"a path of the host", web, `patch: {target: {kind: Deployment, name: web}, patch: '{spec: {template: {spec: {volumes: [{name: a, hostPath: {path: /}}]}}}}'}`, change.RiskFacts{Dependents: 2, Privileged: true}},
		{"a capability", web, `patch: {target: {kind: Deployment, name: web}, type: Strategic, patch: '{spec: {template: {spec: {containers: [{name: web, securityContext: {capabilities: {add: [NET_ADMIN]}}}]}}}}'}`,
			change.RiskFacts{Dependents: 2, Privileged: true}},
		{"another service account", web, `patch: {target: {kind: Deployment, name: web}, patch: '{spec: {template: {spec: {serviceAccountName: admin}}}}'}`, change.RiskFacts{Dependents: 2, Privileged: true}},
		{"a capability less", web, `patch: {target: {kind: Deployment, name: web}, type: Strategic, patch: '{spec: {template: {spec: {containers: [{name: web, securityContext: {capabilities: {drop: [ALL]}}}]}}}}'}`,
			change.RiskFacts{Dependents: 2}},
		{"a new object with an account of its own", "", `apply: {manifest: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {serviceAccountName: own, containers: [{name: a, image: "a:1"}]}}}`,
			change.RiskFacts{Privileged: true, NewImage: true}},
		{"a new object with the account of everybody", "", `apply: {manifest: {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}, spec: {selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {serviceAccountName: default, containers: [{name: a, image: "a:1"}]}}}}}`,
			change.RiskFacts{NewImage: true}},
		{"a new privileged object", "", `apply: {manifest: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {hostPID: true, containers: [{name: a, image: "a:1"}]}}}`, change.RiskFacts{Privileged: true, NewImage: true}},
		{"another image by a patch", web, `patch: {target: {kind: Deployment, name: web}, type: Strategic, patch: '{spec: {template: {spec: {containers: [{name: log, image: "log:2"}]}}}}'}`, change.RiskFacts{Dependents: 2, NewImage: true}},
		{"a Secret as a file", web, `patch: {target: {kind: Deployment, name: web}, patch: '{spec: {template: {spec: {volumes: [{name: a, secret: {secretName: db}}]}}}}'}`, change.RiskFacts{Dependents: 2, NewSecret: true}},
		{"a Secret in the environment", web, `patch: {target: {kind: Deployment, name: web}, type: Strategic, patch: '{spec: {template: {spec: {containers: [{name: web, envFrom: [{secretRef: {name: db}}]}]}}}}'}`,
			change.RiskFacts{Dependents: 2, NewSecret: true}},
		{"a Service that is reached from outside", front, `patch: {target: {kind: svc, name: front}, patch: '{spec: {type: NodePort}}'}`, change.RiskFacts{Exposed: true}},
		{"a Service under another's address", front, `patch: {target: {kind: svc, name: front}, patch: '{spec: {externalIPs: ["192.0.2.7"]}}'}`, change.RiskFacts{Exposed: true}},
		{"a Service for the cluster", "", `apply: {manifest: {apiVersion: v1, kind: Service, metadata: {name: a}, spec: {selector: {app: web}, ports: [{port: 80}]}}}`, change.RiskFacts{}},
		{"an Ingress", "", `apply: {manifest: {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}, spec: {defaultBackend: {service: {name: db, port: {number: 5432}}}}}}`, change.RiskFacts{Exposed: true}},
		{"a ConfigMap that names an image", cfg, `patch: {target: {kind: cm, name: cfg}, patch: '{data: {image: "a:1", serviceAccountName: boss}}'}`, change.RiskFacts{}},
		{"a namespace with something in it", front, `delete: {target: {kind: ns, name: NS}}`,
			change.RiskFacts{ClusterScoped: true, HoldsData: true, Dependents: 1}},
		{"a namespace of the cluster", "", `patch: {target: {kind: Namespace, name: kube-public}, patch: '{metadata: {labels: {a-NS: b}}}'}`, change.RiskFacts{ClusterScoped: true, System: true}},
		{"something of the cluster", "", `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a-NS, namespace: kube-system}}}`, change.RiskFacts{System: true}},
		{"nothing to do", web, `scale: {target: {kind: Deployment, name: web}, replicas: 2}`, change.RiskFacts{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			if tt.have != "" {
				s.have(tt.have)
			}
			if got := s.plan(tt.operation).View.Facts[0]; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestPlan_productionNamespace(t *testing.T) {
	s := newStage(t)
	s.have(web)
	s.patch(s.object(`{apiVersion: v1, kind: Namespace, metadata: {name: NS}}`), `{"metadata":{"labels":{"env":"prod"}}}`)
	if f := s.plan(scaleWeb).View.Facts[0]; !f.Production {
		t.Errorf("got %+v", f)
	}
}

func TestPlan_notes(t *testing.T) {
	s := newStage(t)
	s.have(web, nightly)
	s.have(`{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: auto, namespace: NS}, spec: {maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`)
	tests := []struct{ name, operation, note string }{
		{"an autoscaler", scaleWeb, "Deployment NS/web: HorizontalPodAutoscaler auto sets its replicas as well"},
		{"a missed run", `resume: {target: {kind: CronJob, name: nightly}}`, "may start at once"},
		{"what only the server writes", `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: new, uid: x, resourceVersion: "1"}, status: {}}}`, "left out of the manifest"},
		{"what the server warns of", `apply: {manifest: {apiVersion: v1, kind: Pod, metadata: {name: a, annotations: {scheduler.alpha.kubernetes.io/critical-pod: ""}}, spec: {containers: [{name: a, image: "a:1"}]}}}`, "the API server warns: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			on := *s
			on.TB = t
			if got := strings.Join(on.plan(tt.operation).View.Notes, "\n"); !strings.Contains(got, strings.ReplaceAll(tt.note, "NS", s.namespace)) {
				t.Errorf("got %q, want %q", got, tt.note)
			}
		})
	}
}

// TestPlan_changesNothing: whatever is planned, every object is as it was.
func TestPlan_changesNothing(t *testing.T) {
	s := newStage(t)
	all := s.have(web, cfg, store, nightly)
	s.plan(scaleWeb, `patch: {target: {kind: cm, name: cfg}, patch: '{data: {a: b}}'}`, `restart: {target: {kind: sts, name: store}}`, `delete: {target: {kind: cj, name: nightly}}`,
		`apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: new}}}`)
	for _, o := range all {
		if got := s.live(o); got == nil || got.GetResourceVersion() != o.GetResourceVersion() {
			t.Errorf("%s has changed", o.GetName())
		}
	}
	if s.live(s.object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: new, namespace: NS}}`)) != nil {
		t.Error("something was made")
	}
}

func TestPlan_customScale(t *testing.T) {
	s := newStage(t)
	group := s.namespace + ".example.com"
	s.have(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: farms.NS.example.com}, spec: {group: NS.example.com, scope: Namespaced, names: {plural: farms, singular: farm, kind: Farm},
	  versions: [{name: v1, served: true, storage: true, subresources: {status: {}, scale: {specReplicasPath: .spec.workers, statusReplicasPath: .status.workers}},
	  schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {workers: {type: integer}}}, status: {type: object, properties: {workers: {type: integer}}}}}}}]}}`)
	farm := fmt.Sprintf(`{apiVersion: %s/v1, kind: Farm, metadata: {name: farm, namespace: NS}, spec: {workers: 2}}`, group)
	eventually(t, func() bool { return admin.Create(t.Context(), s.object(farm)) == nil })
	p := s.plan(`scale: {target: {kind: Farm, apiVersion: ` + group + `/v1, name: farm}, replicas: 5}`)
	if !strings.Contains(p.View.Diff, "-  replicas: 2") || *p.View.Facts[0].ReplicasFrom != 2 {
		t.Errorf("got %+v\n%s", p.View.Facts[0], p.View.Diff)
	}
	s.liveThrough(p, []string{"spec", "workers"}, int64(5))
	if workers, _, _ := unstructured.NestedInt64(s.live(s.object(farm)).Object, "spec", "workers"); workers != 2 {
		t.Errorf("undone it has %d workers", workers)
	}
	on := s.plan(`delete: {target: {kind: crd, name: farms.` + group + `}}`)
	if f := on.View.Facts[0]; f.Dependents != 1 || !f.HoldsData || on.Plan.Effects[0].Inverse != nil {
		t.Errorf("the deletion of the kind: %+v", f)
	}
}
