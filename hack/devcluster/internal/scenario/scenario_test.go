package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func parse(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	objects, err := decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func TestRead_knowsObjectsLogsAndTheMoment(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"objects.yaml": `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
- apiVersion: v1
  kind: Pod
  metadata:
    name: web
    namespace: shop
    deletionTimestamp: '2030-01-01T00:00:00Z'
  status:
    startTime: '2026-03-01T12:00:00Z'
`,
		"logs/shop_web_app.log":          "2026-03-01T12:07:00.5Z ready, certificate valid until 2031-01-01T00:00:00Z\n",
		"logs/shop_web_app.previous.log": "bye\n",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Objects) != 2 {
		t.Errorf("got %d objects, want the 2 of the list", len(s.Objects))
	}
	if want := time.Date(2026, 3, 1, 12, 7, 0, 500_000_000, time.UTC); !s.Now.Equal(want) {
		t.Errorf("the moment: got %v, want %v: what is still to come does not count", s.Now, want)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
	if text, known := s.Log(pod, "app", true); text != "bye\n" || !known {
		t.Errorf("the former log: got %q, %v", text, known)
	}
	if _, known := s.Log(pod, "sidecar", false); known {
		t.Error("a log that the folder does not hold is known")
	}
}

func TestUIDs_findTheNearestObject(t *testing.T) {
	objects := parse(t, `
{apiVersion: v1, kind: Node, metadata: {name: worker}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web, namespace: shop}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop}}
---
{apiVersion: v1, kind: Pod, metadata: {name: db, namespace: shop, uid: former}}
`)
	for _, c := range []struct {
		name, text string
		want       key
		reason     string
	}{
		{"an owner", `{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop, ownerReferences: [{uid: UID-OF/ReplicaSet/web}]}}`,
			key{"ReplicaSet", "shop", "web"}, "it is in the same namespace"},
		{"a cluster-scoped owner", `{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop, ownerReferences: [{uid: UID-OF/Node/worker}]}}`,
			key{"Node", "", "worker"}, "the namespace has none of that name"},
		{"a claim", `{apiVersion: v1, kind: PersistentVolume, metadata: {name: p}, spec: {claimRef: {namespace: shop, uid: UID-OF/PersistentVolumeClaim/data}}}`,
			key{"PersistentVolumeClaim", "shop", "data"}, "the volume's claim says its namespace"},
		{"an event about a node", `{apiVersion: v1, kind: Event, metadata: {name: e, namespace: default}, involvedObject: {kind: Node, uid: UID-OF/Node/worker}}`,
			key{"Node", "", "worker"}, "what it is about has no namespace"},
		{"a uid that the file tells", `{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: other}, spec: {x: former}}`,
			key{"Pod", "shop", "db"}, "it is the former uid of an object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := newUIDs(objects)
			object := parse(t, c.text)[0]
			if !u.missing(object) {
				t.Fatalf("it waits for nothing: %s", c.reason)
			}
			u.given[c.want] = "new"
			if u.missing(object) {
				t.Fatalf("it waits for another object than %s: %s", c.want, c.reason)
			}
			u.fill(object)
			found := false
			walk(object.Object, func(text string) string {
				found = found || text == "new"
				return text
			})
			if !found {
				t.Errorf("the uid is not filled in: %v", object.Object)
			}
		})
	}
}

func TestUIDs_anObjectThatIsGoneGetsAny(t *testing.T) {
	event := parse(t, `{apiVersion: v1, kind: Event, metadata: {name: e, namespace: shop}, involvedObject: {namespace: shop, uid: UID-OF/Pod/gone}}`)[0]
	u := newUIDs(nil)
	if u.missing(event) {
		t.Error("it waits for an object that never comes")
	}
	u.fill(event)
	if uid, _, _ := unstructured.NestedString(event.Object, "involvedObject", "uid"); len(uid) != 36 {
		t.Errorf("got %q", uid)
	}
}

func TestPrepare(t *testing.T) {
	for _, c := range []struct {
		name, text, want, reason string
	}{
		{"what only an API server writes goes",
			`{apiVersion: v1, kind: Pod, metadata: {name: p, uid: x, resourceVersion: "1", generation: 2, creationTimestamp: '2026-03-01T12:00:00Z', deletionTimestamp: '2026-03-01T12:00:00Z'}, spec: {a: b}, status: {phase: Running}}`,
			`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {a: b}}`, "it would be refused or ignored"},
		{"pod security labels come later",
			`{apiVersion: v1, kind: Namespace, metadata: {name: n, labels: {pod-security.kubernetes.io/enforce: restricted, team: a}}}`,
			`{apiVersion: v1, kind: Namespace, metadata: {name: n, labels: {team: a}}}`, "they would refuse pods that exist"},
		{"a job keeps its selector", `{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {selector: {matchLabels: {a: b}}}}`,
			`{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {manualSelector: true, selector: {matchLabels: {a: b}}}}`, "its labels have the former uid"},
		{"an address of another range goes", `{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1]}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {}}`, "the API server has another range"},
		{"an address of the range stays", `{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {clusterIP: 10.96.0.9}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {clusterIP: 10.96.0.9}}`, "logs name it"},
		{"a headless service stays headless", `{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {clusterIP: None}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {clusterIP: None}}`, "it has no address on purpose"},
		{"an event of the newer API without event time takes the older form",
			`{apiVersion: events.k8s.io/v1, kind: Event, metadata: {name: e}, regarding: {kind: Pod}, note: hi, deprecatedCount: 3}`,
			`{apiVersion: v1, kind: Event, metadata: {name: e}, involvedObject: {kind: Pod}, message: hi, count: 3}`, "the newer requires an event time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, want := prepare(parse(t, c.text)[0]), parse(t, c.want)[0]
			if !equalObjects(got, want) {
				t.Errorf("got %v, want %v: %s", got.Object, want.Object, c.reason)
			}
		})
	}
}

func equalObjects(a, b *unstructured.Unstructured) bool {
	left, errLeft := a.MarshalJSON()
	right, errRight := b.MarshalJSON()
	return errLeft == nil && errRight == nil && string(left) == string(right)
}

func TestObserve_keepsALag(t *testing.T) {
	for _, c := range []struct {
		name          string
		seen, was, is int64
		want          int64
		reason        string
	}{
		{"a controller that has seen the newest", 7, 7, 1, 1, "the new object is seen as well"},
		{"a controller that lags", 6, 7, 1, 0, "it has not seen the newest"},
		{"a file that does not tell", 6, 0, 1, 1, "nothing says that it lags"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status := map[string]any{"observedGeneration": c.seen, "conditions": []any{map[string]any{"observedGeneration": c.seen}}}
			observe(status, c.was, c.is)
			condition := status["conditions"].([]any)[0].(map[string]any)
			if status["observedGeneration"] != c.want || condition["observedGeneration"] != c.want {
				t.Errorf("got %v, want %d: %s", status, c.want, c.reason)
			}
		})
	}
}

func TestInOrder_whatWouldRefuseOthersComesLast(t *testing.T) {
	objects := parse(t, `
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w}}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: a}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: n}}
`)
	before, guards := inOrder(objects)
	var kinds []string
	for _, object := range before {
		kinds = append(kinds, object.GetKind())
	}
	if want := []string{"Namespace", "ServiceAccount", "Pod", "ResourceQuota"}; !slices.Equal(kinds, want) {
		t.Errorf("got %v, want %v", kinds, want)
	}
	if len(guards) != 1 || guards[0].GetKind() != "ValidatingWebhookConfiguration" {
		t.Errorf("apart: got %v", guards)
	}
}
