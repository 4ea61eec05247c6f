package manifest_test

import (
	"encoding/json"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
)

// form reads a normal form from YAML.
func form(t *testing.T, text string) map[string]any {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var content map[string]any
	if err := utiljson.Unmarshal(raw, &content); err != nil {
		t.Fatal(err)
	}
	return content
}

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  uid: 3f1c
  resourceVersion: "17"
  generation: 4
  creationTimestamp: "2026-01-02T03:04:05Z"
  managedFields: [{manager: kubectl}]
  labels: {app: web}
  annotations:
    deployment.kubernetes.io/revision: "3"
    kubectl.kubernetes.io/last-applied-configuration: "{}"
    owner: team-a
spec:
  replicas: 2
  template:
    metadata: {creationTimestamp: null, labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}, {name: log, image: "log:1"}]}
status: {readyReplicas: 2}
`

func TestNormal(t *testing.T) {
	base := form(t, deployment)
	tests := []struct {
		name   string
		change func(o *unstructured.Unstructured)
		same   bool
		reason string
	}{
		{"a new version", func(o *unstructured.Unstructured) { o.SetResourceVersion("18") }, true, "every write of the status gives one"},
		{"a new generation", func(o *unstructured.Unstructured) { o.SetGeneration(5) }, true, "it counts changes, it is none"},
		{"another status", func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(o.Object, int64(1), "status", "readyReplicas")
		}, true, "it says what is, not what is wanted"},
		{"the number of a rollout", func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(o.Object, "4", "metadata", "annotations", "deployment.kubernetes.io/revision")
		}, true, "the controller writes it"},
		{"what kubectl applied last", func(o *unstructured.Unstructured) {
			unstructured.RemoveNestedField(o.Object, "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
		}, true, "it is a copy"},
		{"no null timestamp", func(o *unstructured.Unstructured) {
			unstructured.RemoveNestedField(o.Object, "spec", "template", "metadata", "creationTimestamp")
		}, true, "some versions write it and others do not"},
		{"other managed fields", func(o *unstructured.Unstructured) { o.SetManagedFields(nil) }, true, "they say who, not what"},
		{"an annotation of somebody", func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(o.Object, "team-b", "metadata", "annotations", "owner")
		}, false, "it may mean something"},
		{"a label", func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"app": "shop"}) }, false, "selectors see it"},
		{"another number of replicas", func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(o.Object, int64(3), "spec", "replicas")
		}, false, "it is what is wanted"},
		{"a finalizer", func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"a/b"}) }, false, "it holds a deletion up"},
	}
	before := manifest.Normal(&unstructured.Unstructured{Object: base})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := (&unstructured.Unstructured{Object: base}).DeepCopy()
			tt.change(o)
			after := manifest.Normal(o)
			a, errA := manifest.Hash(before)
			b, errB := manifest.Hash(after)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			if manifest.Equal(before, after) != tt.same || (a == b) != tt.same {
				t.Errorf("same is %t, want %t: %s", manifest.Equal(before, after), tt.same, tt.reason)
			}
		})
	}
	if _, kept := base["status"]; !kept {
		t.Error("the object that was given has been changed")
	}
}

func TestCommon(t *testing.T) {
	a := form(t, `{spec: {clusterIP: 10.0.0.7, ports: [{port: 80, nodePort: 30001}], ips: [a]}, x: 1}`)
	b := form(t, `{spec: {clusterIP: 10.0.0.9, ports: [{port: 80, nodePort: 30002}], ips: [a, b]}, y: 1}`)
	want := form(t, `{spec: {clusterIP: (chosen by the server), ports: [{port: 80, nodePort: (chosen by the server)}], ips: (chosen by the server)}, x: (chosen by the server), y: (chosen by the server)}`)
	if got := manifest.Common(a, b); !manifest.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := manifest.Common(a, a); !manifest.Equal(got, a) {
		t.Errorf("two equal answers become %v", got)
	}
}

func TestCreatable(t *testing.T) {
	raw, err := manifest.Creatable(&unstructured.Unstructured{Object: form(t, deployment)})
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"3f1c", "resourceVersion", "generation", "managedFields", "status", "deployment.kubernetes.io/revision"} {
		if strings.Contains(string(raw), gone) {
			t.Errorf("%s is still there: %s", gone, raw)
		}
	}
	for _, kept := range []string{"team-a", "last-applied-configuration", "web:1"} {
		if !strings.Contains(string(raw), kept) {
			t.Errorf("%s is gone: %s", kept, raw)
		}
	}
	pod, err := manifest.Creatable(&unstructured.Unstructured{Object: form(t, `{kind: Pod, metadata: {name: a}, spec: {nodeName: n1, containers: []}}`)})
	if err != nil || strings.Contains(string(pod), "n1") {
		t.Errorf("a pod is bound to its former node: %s %v", pod, err)
	}
}

// ways are pairs of forms and what others may do to the second in between.
var ways = []struct {
	name, before, after string
	// beside is what somebody else may do meanwhile without standing in the way; against is what stands in it.
	beside, against string
	field           string
	reason          string
}{
	{"a number", `{spec: {replicas: 2, paused: false}}`, `{spec: {replicas: 3, paused: false}}`,
		`{spec: {replicas: 3, paused: true}}`, `{spec: {replicas: 5, paused: false}}`, "spec.replicas", "only its field counts"},
	{"a number becomes zero", `{spec: {replicas: 2}}`, `{spec: {replicas: 0}}`,
		`{spec: {replicas: 0, paused: true}}`, `{spec: {}}`, "spec.replicas", "zero is a value"},
	{"a new annotation among others", `{metadata: {annotations: {a: "1"}}}`, `{metadata: {annotations: {a: "1", b/c: "2"}}}`,
		`{metadata: {annotations: {a: "9", b/c: "2", d: "3"}}}`, `{metadata: {annotations: {a: "1", b/c: "7"}}}`, "metadata.annotations[b/c]", "others annotate as well"},
	{"the first annotation", `{metadata: {}}`, `{metadata: {annotations: {b: "2"}}}`,
		`{metadata: {annotations: {b: "2", d: "3"}}}`, `{metadata: {annotations: {b: "4"}}}`, "metadata.annotations.b", "the map is nobody's"},
	{"a field that goes", `{spec: {a: 1, b: 2}}`, `{spec: {a: 1}}`,
		`{spec: {a: 5}}`, `{spec: {a: 1, b: 7}}`, "spec.b", "somebody may have set it again"},
	{"an image", `{spec: {containers: [{name: a, image: "a:1"}, {name: b, image: "b:1"}]}}`, `{spec: {containers: [{name: a, image: "a:1"}, {name: b, image: "b:2"}]}}`,
		`{spec: {containers: [{name: a, image: "a:9"}, {name: b, image: "b:2"}]}}`, `{spec: {containers: [{name: b, image: "b:2"}, {name: a, image: "a:1"}]}}`, "spec.containers[1].name", "places in lists move"},
	{"a list that grows", `{spec: {args: [x]}}`, `{spec: {args: [x, y]}}`,
		`{spec: {args: [x, y], n: 1}}`, `{spec: {args: [x, y, z]}}`, "spec.args", "a list of values is one thing"},
	{"a whole map", `{spec: {}}`, `{spec: {strategy: {type: Recreate}}}`,
		`{spec: {strategy: {type: Recreate}, n: 1}}`, `{spec: {strategy: {type: RollingUpdate}}}`, "spec.strategy", "it came as a whole"},
	{"a key with a slash and a tilde", `{data: {a/b~c: "1"}}`, `{data: {a/b~c: "2"}}`,
		`{data: {a/b~c: "2", d: "1"}}`, `{data: {a/b~c: "3"}}`, "data[a/b~c]", "keys are escaped"},
}

func TestInverse(t *testing.T) {
	for _, tt := range ways {
		t.Run(tt.name, func(t *testing.T) {
			before, after := form(t, tt.before), form(t, tt.after)
			inverse, err := manifest.Inverse(before, after)
			if err != nil {
				t.Fatal(err)
			}
			patch, err := jsonpatch.DecodePatch(inverse)
			if err != nil {
				t.Fatalf("%s: %v", inverse, err)
			}
			if back, err := patch.Apply([]byte(marshal(t, after))); err != nil || !sameBut(t, back, before) {
				t.Errorf("%s leads to %s, %v; want %s", inverse, back, err, marshal(t, before))
			}
			if _, err := patch.Apply([]byte(marshal(t, form(t, tt.beside)))); err != nil {
				t.Errorf("what others did beside it stands in the way: %s: %v", tt.reason, err)
			}
			expect := func(live string, want manifest.Place) {
				t.Helper()
				place, fields, err := manifest.Locate(inverse, form(t, live))
				if err != nil || place != want {
					t.Errorf("%s is at %s, want %s: %s: %v", live, place, want, tt.reason, err)
				}
				if want == manifest.Elsewhere && (len(fields) == 0 || fields[0] != tt.field) {
					t.Errorf("the fields are %q, want %q", fields, tt.field)
				}
			}
			expect(tt.before, manifest.AtBefore)
			expect(tt.after, manifest.AtAfter)
			expect(tt.beside, manifest.AtAfter)
			expect(tt.against, manifest.Elsewhere)
		})
	}
}

func TestInverse_ofNothing(t *testing.T) {
	a := form(t, `{spec: {replicas: 2}}`)
	if inverse, err := manifest.Inverse(a, a); err != nil || inverse != nil {
		t.Errorf("got %s, %v", inverse, err)
	}
}

func TestInverse_ofWhatTheServerChose(t *testing.T) {
	inverse, err := manifest.Inverse(form(t, `{spec: {type: ClusterIP}}`), form(t, `{spec: {type: NodePort, nodePort: "`+manifest.Chosen+`"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(inverse), manifest.Chosen) {
		t.Errorf("a value that nobody knows is tested: %s", inverse)
	}
	if place, _, err := manifest.Locate(inverse, form(t, `{spec: {type: NodePort, nodePort: 30123}}`)); err != nil || place != manifest.AtAfter {
		t.Errorf("got %s, %v", place, err)
	}
}

func TestLocate_refusesNonsense(t *testing.T) {
	if _, _, err := manifest.Locate([]byte("{"), nil); err == nil {
		t.Error("a torn patch is read")
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// sameBut compares without the empty maps that a removed annotation leaves, as the API server does.
func sameBut(t *testing.T, raw []byte, want map[string]any) bool {
	t.Helper()
	normal := manifest.Normal(&unstructured.Unstructured{Object: form(t, string(raw))})
	return manifest.Equal(normal, manifest.Normal(&unstructured.Unstructured{Object: want}))
}
