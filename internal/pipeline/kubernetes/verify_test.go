package kubernetes_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/cluster/live"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes"
)

const scaleWeb = `scale: {target: {kind: Deployment, name: web}, replicas: 3}`

// rolledOut writes the status that the controllers write once everything is there.
func (s *stage) rolledOut(o *unstructured.Unstructured) {
	s.Helper()
	live := s.live(o)
	replicas, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
	s.status(live, map[string]any{
		"observedGeneration": live.GetGeneration(), "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas,
		"conditions": []any{map[string]any{"type": "Available", "status": "True"}, map[string]any{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}},
	})
}

func (s *stage) status(live *unstructured.Unstructured, status map[string]any) {
	s.Helper()
	live.Object["status"] = status
	if err := admin.Status().Update(s.Context(), live); err != nil {
		s.Fatal(err)
	}
}

// verify asks at a time after the change was applied.
func (s *stage) verify(p *pipeline.Planned, since time.Time, after time.Duration) *pipeline.Verification {
	s.Helper()
	s.now = since.Add(after)
	v, err := s.Verify(s.Context(), pipeline.Step{Namespace: s.namespace, Plan: p.Plan, View: p.View}, since)
	if err != nil {
		s.Fatal(err)
	}
	return v
}

// says wants an outcome, with a message that holds the words.
func (s *stage) says(v *pipeline.Verification, outcome v1alpha1.Outcome, words string) {
	s.Helper()
	if v.Outcome != outcome || !strings.Contains(v.Message, words) {
		s.Errorf("got %+v, want %s: %s", v, outcome, words)
	}
	if (v.Outcome == v1alpha1.OutcomeOpen) != (v.Again > 0) {
		s.Errorf("the next look is in %s, at the outcome %s", v.Again, v.Outcome)
	}
}

func TestVerify(t *testing.T) {
	s := newStage(t)
	o := s.have(web)[0]
	p := s.plan(scaleWeb)
	s.apply(p)
	since := time.Now()
	s.says(s.verify(p, since, time.Second), v1alpha1.OutcomeOpen, "is not ready")
	s.rolledOut(o)
	v := s.verify(p, since, 20*time.Second)
	s.says(v, v1alpha1.OutcomeOpen, "less than 5s")
	if v.Again != 5*time.Second {
		t.Errorf("the next look is in %s", v.Again)
	}
	s.says(s.verify(p, since, 24*time.Second), v1alpha1.OutcomeOpen, "less than 5s")
	// A pod falls over during the soak, and comes back: it starts anew.
	s.status(s.live(o), map[string]any{"observedGeneration": s.live(o).GetGeneration(), "replicas": int64(3), "updatedReplicas": int64(3), "readyReplicas": int64(2), "availableReplicas": int64(2)})
	s.says(s.verify(p, since, 25*time.Second), v1alpha1.OutcomeOpen, "is not ready")
	s.rolledOut(o)
	s.says(s.verify(p, since, 26*time.Second), v1alpha1.OutcomeOpen, "less than 5s")
	s.says(s.verify(p, since, 31*time.Second), v1alpha1.OutcomeSucceeded, "every changed object is ready")
}

func TestVerify_failures(t *testing.T) {
	tests := []struct {
		name      string
		meanwhile func(s *stage, o *unstructured.Unstructured)
		after     time.Duration
		outcome   v1alpha1.Outcome
		words     string
	}{
		{"the rollout makes no progress", func(s *stage, o *unstructured.Unstructured) {
			s.status(s.live(o), map[string]any{"observedGeneration": s.live(o).GetGeneration(), "replicas": int64(3),
				"conditions": []any{map[string]any{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "too slow"}}})
		}, time.Second, v1alpha1.OutcomeFailed, "has failed"},
		{"it does not become ready in time", func(*stage, *unstructured.Unstructured) {}, 10 * time.Minute, v1alpha1.OutcomeFailed, "after 10m0s"},
		{"it is deleted", func(s *stage, o *unstructured.Unstructured) { s.remove(o) }, time.Second, v1alpha1.OutcomeFailed, "is gone"},
		{"somebody brings the former number back", func(s *stage, o *unstructured.Unstructured) {
			s.patch(o, `{"spec":{"replicas":2}}`)
			s.rolledOut(o)
		}, time.Second, v1alpha1.OutcomeFailed, "something has undone the change"},
		{"somebody changes something else", func(s *stage, o *unstructured.Unstructured) {
			s.patch(o, `{"spec":{"minReadySeconds":1}}`)
			s.rolledOut(o)
		}, time.Second, v1alpha1.OutcomeOpen, "less than 5s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			o := s.have(web)[0]
			p := s.plan(scaleWeb)
			s.apply(p)
			tt.meanwhile(s, o)
			s.says(s.verify(p, time.Now(), tt.after), tt.outcome, tt.words)
		})
	}
}

func TestVerify_deletion(t *testing.T) {
	s := newStage(t)
	o := s.have(strings.Replace(cfg, "namespace: NS", "namespace: NS, finalizers: [example.com/hold]", 1))[0]
	p := s.plan(`delete: {target: {kind: cm, name: cfg}}`)
	s.apply(p)
	since := time.Now()
	s.says(s.verify(p, since, time.Second), v1alpha1.OutcomeOpen, "not gone yet, held by example.com/hold")
	s.says(s.verify(p, since, time.Hour), v1alpha1.OutcomeFailed, "held by example.com/hold")
	s.patch(o, `{"metadata":{"finalizers":null}}`)
	s.verify(p, since, time.Minute)
	s.says(s.verify(p, since, 2*time.Minute), v1alpha1.OutcomeSucceeded, "")
}

func TestVerify_forbidden(t *testing.T) {
	s := newStage(t)
	s.have(web)
	p := s.plan(scaleWeb)
	s.apply(p)
	bare := bareStage(t)
	v, err := bare.Verify(t.Context(), pipeline.Step{Namespace: bare.namespace, Plan: p.Plan, View: p.View}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s.says(v, v1alpha1.OutcomeUnknown, "could not be asked")
}

// checked plans a scale with a check, applies it, and lets it roll out.
func (s *stage) checked(check string) (*pipeline.Planned, time.Time) {
	s.Helper()
	o := s.have(web)[0]
	r := s.request(scaleWeb)
	var c v1alpha1.Check
	if err := yaml.UnmarshalStrict([]byte(strings.ReplaceAll(check, "NS", s.namespace)), &c); err != nil {
		s.Fatal(err)
	}
	c.Name = "it"
	r.Change.Spec.Checks = []v1alpha1.Check{c}
	p, err := s.Plan(s.Context(), r)
	if err != nil {
		s.Fatal(err)
	}
	s.apply(p)
	s.rolledOut(o)
	since := time.Now()
	s.verify(p, since, time.Second)
	return p, since
}

func TestVerify_checks(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/ok" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	tests := []struct {
		name, check string
		after       time.Duration
		outcome     v1alpha1.Outcome
		words       string
	}{
		{"an object that is ready", `objectReady: {target: {kind: Deployment, name: web}}`, time.Minute, v1alpha1.OutcomeSucceeded, "the checks hold (1)"},
		{"an object that is not there yet", `objectReady: {target: {kind: Deployment, name: none}}`, time.Minute, v1alpha1.OutcomeOpen, `check "it": Deployment none does not exist`},
		{"an object that never comes", `objectReady: {target: {kind: Deployment, name: none}}`, 2 * time.Minute, v1alpha1.OutcomeFailed, "after 2m0s"},
		{"its own timeout", `{timeout: 5s, objectReady: {target: {kind: Deployment, name: none}}}`, 10 * time.Second, v1alpha1.OutcomeFailed, "after 5s"},
		{"an expression that is true", `cel: {target: {kind: Deployment, name: web}, expression: "object.status.readyReplicas == 3"}`, time.Minute, v1alpha1.OutcomeSucceeded, ""},
		{"an expression that is not true", `cel: {target: {kind: Deployment, name: web}, expression: "object.status.readyReplicas == 9"}`, time.Minute, v1alpha1.OutcomeOpen, "is not true"},
		{"an expression that never is", `cel: {target: {kind: Deployment, name: web}, expression: "object.status.readyReplicas == 9"}`, time.Hour, v1alpha1.OutcomeFailed, "is not true"},
		{"an expression over a missing field", `cel: {target: {kind: Deployment, name: web}, expression: "object.status.none == 9"}`, time.Minute, v1alpha1.OutcomeOpen, "no value"},
		{"a page that answers", `httpGet: {url: "` + server.URL + `/ok"}`, time.Minute, v1alpha1.OutcomeSucceeded, ""},
		{"a page that is broken", `httpGet: {url: "` + server.URL + `/bad"}`, time.Minute, v1alpha1.OutcomeOpen, "answers 503, not 200"},
		{"a page that stays broken", `httpGet: {url: "` + server.URL + `/bad"}`, time.Hour, v1alpha1.OutcomeFailed, "answers 503, not 200"},
		{"a page that is to be broken", `httpGet: {url: "` + server.URL + `/bad", expectedStatus: 503}`, time.Minute, v1alpha1.OutcomeSucceeded, ""},
		{"no warnings, too early", `noNewWarnings: {soak: 30s}`, 20 * time.Second, v1alpha1.OutcomeOpen, "less than 30s"},
		{"no warnings", `noNewWarnings: {}`, time.Minute, v1alpha1.OutcomeSucceeded, ""},
		{"a diagnosis without a reader", `noNewFaults: {}`, time.Minute, v1alpha1.OutcomeOpen, "could not be asked"},
		{"a diagnosis that stays without a reader", `noNewFaults: {}`, time.Hour, v1alpha1.OutcomeUnknown, "could not be asked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			p, since := s.checked(tt.check)
			s.says(s.verify(p, since, tt.after), tt.outcome, tt.words)
		})
	}
}

func TestPlan_refusesChecks(t *testing.T) {
	s := newStage(t)
	s.have(web)
	for words, check := range map[string]string{
		`check "it": the expression cannot be used`:     `cel: {target: {kind: Deployment, name: web}, expression: "object."}`,
		"must be of type bool":                          `cel: {target: {kind: Deployment, name: web}, expression: "1 + 1"}`,
		`check "it": the cluster serves no kind Rocket`: `objectReady: {target: {kind: Rocket, name: web}}`,
		"requests to 169.254.169.254 are refused":       `httpGet: {url: "http://169.254.169.254/"}`,
		"the url cannot be used: it must not hold":      `httpGet: {url: "http://a:b@web/"}`,
		"requests to 64:ff9b::a9fe:a9fe are refused":    `httpGet: {url: "http://[64:ff9b::a9fe:a9fe]/"}`,
	} {
		r := s.request(scaleWeb)
		var c v1alpha1.Check
		if err := yaml.UnmarshalStrict([]byte(check), &c); err != nil {
			t.Fatal(err)
		}
		c.Name = "it"
		r.Change.Spec.Checks = []v1alpha1.Check{c}
		s.refusesRequest("Invalid", words, r)
	}
}

func TestVerify_warnings(t *testing.T) {
	tests := []struct {
		name    string
		about   string
		seen    time.Duration
		kind    string
		outcome v1alpha1.Outcome
		reason  string
	}{
		{"about a pod of the changed object", "mine", 10 * time.Second, corev1.EventTypeWarning, v1alpha1.OutcomeFailed, "the object owns it"},
		{"about the changed object itself", "web", 10 * time.Second, corev1.EventTypeWarning, v1alpha1.OutcomeFailed, "it is the object"},
		{"about another pod", "other", 10 * time.Second, corev1.EventTypeWarning, v1alpha1.OutcomeSucceeded, "somebody else's trouble"},
		{"about a pod that is gone", "gone", 10 * time.Second, corev1.EventTypeWarning, v1alpha1.OutcomeSucceeded, "the change replaced it"},
		{"from before the change", "mine", -10 * time.Second, corev1.EventTypeWarning, v1alpha1.OutcomeSucceeded, "it is no news"},
		{"that warns of nothing", "mine", 10 * time.Second, corev1.EventTypeNormal, v1alpha1.OutcomeSucceeded, "it is good news"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			p, since := s.checked(`noNewWarnings: {}`)
			owner := s.live(s.object(web))
			set := s.have(strings.ReplaceAll(`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, namespace: NS, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: UID, controller: true}]},
			  spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}}}`, "UID", string(owner.GetUID())))[0]
			for pod, uid := range map[string]types.UID{"mine": set.GetUID(), "other": "none"} {
				name := map[string]string{"mine": "web-1", "other": "other-1"}[pod]
				s.have(`{apiVersion: v1, kind: Pod, metadata: {name: ` + pod + `, namespace: NS, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: ` + name + `, uid: "` + string(uid) + `", controller: true}]}, spec: {containers: [{name: web, image: "web:1"}]}}`)
			}
			about := corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: s.namespace, Name: tt.about}
			if tt.about == "web" {
				about.APIVersion, about.Kind = "apps/v1", "Deployment"
			}
			seen := metav1.NewTime(since.Add(tt.seen))
			event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "e"}, InvolvedObject: about, Type: tt.kind,
				Reason: "BackOff", Message: "password=Tr0ub4dor did not help", LastTimestamp: seen}
			s.create(event)
			v := s.verify(p, since, time.Minute)
			if v.Outcome != tt.outcome || strings.Contains(v.Message, "Tr0ub4dor") {
				t.Errorf("got %+v, want %s: %s", v, tt.outcome, tt.reason)
			}
		})
	}
}

// readers reads as the administrator, whoever is asked for.
type readers struct{ *live.Connection }

func (r readers) ReaderFor(account types.NamespacedName, _ time.Time) (cluster.Reader, error) {
	if account.Name != v1alpha1.DefaultServiceAccountName {
		return nil, errors.New("the diagnosis reads as the reader")
	}
	return r.Reader()
}

func TestVerify_faults(t *testing.T) {
	s := newStage(t)
	connection, err := live.Connect(frozen.Config, live.Options{Now: func() time.Time { return s.now }})
	if err != nil {
		t.Fatal(err)
	}
	s.Pipeline, err = kubernetes.New(kubernetes.Options{Config: frozen.Config, Now: func() time.Time { return s.now }, Readers: readers{connection}})
	if err != nil {
		t.Fatal(err)
	}
	p, since := s.checked(`noNewFaults: {}`)
	if len(p.View.Faults) > 0 {
		t.Fatalf("there are faults already: %q", p.View.Faults)
	}
	owner := s.live(s.object(web))
	set := s.have(strings.ReplaceAll(`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, namespace: NS, labels: {app: web}, annotations: {deployment.kubernetes.io/revision: "1"}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: UID, controller: true}]},
	  spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}}}`, "UID", string(owner.GetUID())))[0]
	s.have(`{apiVersion: v1, kind: Pod, metadata: {name: web-1-a, namespace: NS, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: "` + string(set.GetUID()) + `", controller: true}]},
	  spec: {nodeName: node-a, containers: [{name: web, image: "web:1"}]}, status: {phase: Running, containerStatuses: [{name: web, image: "web:1", imageID: "", ready: false, restartCount: 4, state: {waiting: {reason: CrashLoopBackOff, message: back-off}},
	  lastState: {terminated: {exitCode: 137, reason: OOMKilled}}}]}}`)
	v := s.verify(p, since, time.Hour)
	s.says(v, v1alpha1.OutcomeFailed, `check "it": `)
	known := *p
	again, err := s.Plan(t.Context(), func() pipeline.Request {
		r := s.request(`scale: {target: {kind: Deployment, name: web}, replicas: 4}`)
		r.Change.Spec.Checks = p.Plan.Checks
		return r
	}())
	if err != nil || len(again.View.Faults) == 0 {
		t.Fatalf("the fault is not known beforehand: %v", err)
	}
	known.View.Faults = again.View.Faults
	s.verify(&known, since, time.Hour)
	s.says(s.verify(&known, since, 2*time.Hour), v1alpha1.OutcomeSucceeded, "")
}
