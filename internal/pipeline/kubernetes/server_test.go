package kubernetes_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/pipeline"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes"
)

// between is a way to the API server on which requests can be answered, or things done before them.
type between struct {
	next   http.RoundTripper
	before func(*http.Request) *http.Response
}

// RoundTrip implements http.RoundTripper.
func (b between) RoundTrip(r *http.Request) (*http.Response, error) {
	if answer := b.before(r); answer != nil {
		return answer, nil
	}
	return b.next.RoundTrip(r)
}

// through puts something between the stage's pipeline and the API server.
func (s *stage) through(before func(*http.Request) *http.Response) {
	s.Helper()
	config := rest.CopyConfig(frozen.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return between{next, before} })
	var err error
	s.Pipeline, err = kubernetes.New(kubernetes.Options{Config: config, Now: func() time.Time { return s.now }})
	if err != nil {
		s.Fatal(err)
	}
}

func answer(r *http.Request, code int, message string) *http.Response {
	body, _ := json.Marshal(metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: int32(code),
		Reason: map[int]metav1.StatusReason{400: metav1.StatusReasonBadRequest, 503: metav1.StatusReasonServiceUnavailable}[code], Message: message})
	return &http.Response{StatusCode: code, Request: r, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body))}
}

func dryRun(r *http.Request) bool { return r.URL.Query().Has("dryRun") }

// TestPlan_webhookWithSideEffects: an old webhook that says it has side effects lets nobody dry-run.
func TestPlan_webhookWithSideEffects(t *testing.T) {
	s := newStage(t)
	o := s.have(web)[0]
	s.through(func(r *http.Request) *http.Response {
		if dryRun(r) && strings.Contains(r.URL.Path, "/deployments/") {
			return answer(r, 400, `admission webhook "old.example.com" does not support dry run`)
		}
		return nil
	})
	p := s.plan(`setImage: {target: {kind: Deployment, name: web}, container: web, image: "web:2"}`)
	e := p.Plan.Effects[0]
	if e.Verb != change.VerbUpdate || e.ResultHash != "" || !strings.Contains(e.NotDryRun, "old.example.com") || e.Inverse == nil || !strings.Contains(p.View.Diff, "+      - image: web:2") {
		t.Errorf("got %+v\n%s", e, p.View.Diff)
	}
	s.liveThrough(p, nil, nil)
	applied := s.plan(strings.Replace(`apply: {manifest: `+web+`}`, "replicas: 2", "replicas: 4", 1))
	if e := applied.Plan.Effects[0]; e.NotDryRun == "" || e.Inverse != nil || !strings.Contains(strings.Join(applied.View.NotShown, "\n"), "what becomes of it") ||
		!applied.View.Facts[0].NotShown || !strings.Contains(applied.View.Diff, "+++ sent/Deployment/") || !strings.Contains(applied.View.Diff, "+  replicas: 4") {
		t.Errorf("got %+v, %q\n%s", e, applied.View.NotShown, applied.View.Diff)
	}
	if got := s.sight(applied, 0); got != pipeline.SightUntouched {
		t.Errorf("before an apply that nobody could foresee: %s", got)
	}
	if err := s.Rollback(t.Context(), s.step(applied, 0)); err != nil {
		t.Errorf("there is nothing to undo: %v", err)
	}
	s.patch(o, `{"spec":{"replicas":4}}`)
	s.fails(s.Rollback(t.Context(), s.step(applied, 0)), pipeline.CannotUndo, "nothing leads back")
}

func TestPlan_brokenServer(t *testing.T) {
	s := newStage(t)
	s.have(web)
	for name, broken := range map[string]func(*http.Request) bool{
		"while it is read":    func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/deployments/") },
		"while it is dry-run": dryRun,
	} {
		t.Run(name, func(t *testing.T) {
			s.through(func(r *http.Request) *http.Response {
				if broken(r) {
					return answer(r, 503, "etcd is away")
				}
				return nil
			})
			_, err := s.Plan(t.Context(), s.request(scaleWeb))
			if f := fault.Of(err); f == nil || f.Fate != fault.Retry {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestPlan_whileItChanges: the object moves between the reading and the dry run.
func TestPlan_whileItChanges(t *testing.T) {
	s := newStage(t)
	o := s.have(web)[0]
	var times atomic.Int32
	s.through(func(r *http.Request) *http.Response {
		if dryRun(r) && times.Add(1) == 1 {
			s.patch(o, `{"spec":{"replicas":5}}`)
		}
		return nil
	})
	if p := s.plan(scaleWeb); p.View.Summary != "scale Deployment "+s.namespace+"/web from 5 to 3" {
		t.Errorf("got %s", p.View.Summary)
	}
}

// TestApply_whileItChanges: the object moves between the last reading and the effect.
func TestApply_whileItChanges(t *testing.T) {
	for name, tt := range map[string]struct {
		meanwhile func(s *stage, o *unstructured.Unstructured)
		reason    string
	}{
		"its status": {func(s *stage, o *unstructured.Unstructured) {
			s.status(s.live(o), map[string]any{"replicas": int64(2)})
		}, ""},
		"its content": {func(s *stage, o *unstructured.Unstructured) { s.patch(o, `{"spec":{"minReadySeconds":5}}`) }, pipeline.ObjectChanged},
		"all of it":   {func(s *stage, o *unstructured.Unstructured) { s.remove(o); s.have(web) }, pipeline.ObjectChanged},
	} {
		for kind, operation := range map[string]string{
			"a scale":       scaleWeb,
			"a merge patch": `restart: {target: {kind: Deployment, name: web}}`,
			"a JSON patch":  `setImage: {target: {kind: Deployment, name: web}, container: web, image: "web:2"}`,
			"an apply":      strings.Replace(`apply: {manifest: `+web+`}`, "replicas: 2", "replicas: 3", 1),
			"a deletion":    `delete: {target: {kind: Deployment, name: web}}`,
		} {
			t.Run(name+" under "+kind, func(t *testing.T) {
				s := newStage(t)
				o := s.have(web)[0]
				p := s.plan(operation)
				var times atomic.Int32
				s.through(func(r *http.Request) *http.Response {
					if r.Method != http.MethodGet && times.Add(1) == 1 {
						tt.meanwhile(s, o)
					}
					return nil
				})
				_, err := s.Apply(t.Context(), s.step(p, 0))
				if tt.reason == "" {
					if err != nil {
						t.Fatal(err)
					}
					if got := s.sight(p, 0); got != pipeline.SightDone {
						t.Errorf("it is %s", got)
					}
					return
				}
				s.fails(err, tt.reason, "Deployment")
				if live := s.live(o); live == nil || s.image(live) != "web:1" {
					t.Error("it was changed all the same")
				}
			})
		}
	}
}

func TestApply_whileSomebodyMakesIt(t *testing.T) {
	s := newStage(t)
	p := s.plan(`apply: {manifest: ` + cfg + `}`)
	s.through(func(r *http.Request) *http.Response {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/configmaps") {
			s.have(strings.Replace(cfg, "level: info", "level: theirs", 1))
		}
		return nil
	})
	_, err := s.Apply(t.Context(), s.step(p, 0))
	s.fails(err, pipeline.ObjectChanged, "was made by somebody else")
	if got, _, _ := unstructured.NestedString(s.live(s.object(cfg)).Object, "data", "level"); got != "theirs" {
		t.Errorf("theirs was overwritten: %s", got)
	}
}

// TestRollback_whileItChanges: somebody sets the field between the last reading and the way back.
func TestRollback_whileItChanges(t *testing.T) {
	s := newStage(t)
	o := s.have(cfg)[0]
	p := s.plan(`patch: {target: {kind: cm, name: cfg}, patch: '{data: {level: debug}}'}`)
	step := s.step(p, 0)
	step.Done = s.apply(p)[0]
	var times atomic.Int32
	s.through(func(r *http.Request) *http.Response {
		if r.Method == http.MethodPatch && times.Add(1) == 1 {
			s.patch(o, `{"data":{"level":"theirs"}}`)
		}
		return nil
	})
	s.fails(s.Rollback(t.Context(), step), pipeline.ObjectChanged, "(data.level): it is not overwritten")
	if got, _, _ := unstructured.NestedString(s.live(o).Object, "data", "level"); got != "theirs" {
		t.Errorf("theirs was overwritten: %s", got)
	}
}

// TestRollback_refused: the way back is no longer valid. That is told, and not tried again.
func TestRollback_refused(t *testing.T) {
	s := newStage(t)
	o := s.have(cfg)[0]
	p := s.plan(`patch: {target: {kind: cm, name: cfg}, patch: '{data: {level: debug}}'}`)
	step := s.step(p, 0)
	step.Done = s.apply(p)[0]
	s.patch(o, `{"immutable":true}`)
	err := s.Rollback(t.Context(), step)
	s.fails(err, fault.InvalidInput, "the API server refused to patch ConfigMap")
	if fault.Of(err).Fate != fault.Terminal {
		t.Errorf("got %v", err)
	}
}

func (s *stage) image(o *unstructured.Unstructured) string {
	containers, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "containers")
	first, _ := containers[0].(map[string]any)
	image, _ := first["image"].(string)
	return image
}

// TestAdmission: a policy of the platform refuses what RBAC allows.
func TestAdmission(t *testing.T) {
	s := newStage(t)
	s.have(cfg)
	operation := `patch: {target: {kind: cm, name: cfg}, patch: '{data: {level: debug}}'}`
	p := s.plan(operation)
	s.have(`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: NS}, spec: {failurePolicy: Fail,
	  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE, UPDATE]}]},
	  validations: [{expression: "object.metadata.namespace != 'NS'", reason: Forbidden, message: "the platform team keeps these, ask password=Tr0ub4dor"}]}}`,
		`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: NS}, spec: {policyName: NS, validationActions: [Deny]}}`)
	r := s.request(operation)
	eventually(t, func() bool {
		_, err := s.Plan(t.Context(), r)
		return err != nil
	})
	s.refusesRequest("Invalid", "the platform team keeps these", r)
	_, err := s.Plan(t.Context(), r)
	if strings.Contains(err.Error(), "Tr0ub4dor") {
		t.Errorf("a secret is quoted: %v", err)
	}
	_, err = s.Apply(t.Context(), s.step(p, 0))
	s.fails(err, fault.PolicyViolation, "admission control refused")
}

// TestPlan_steady: what moves by itself changes no plan, and what is changed does.
func TestPlan_steady(t *testing.T) {
	s := newStage(t)
	o := s.have(web)[0]
	operations := []string{`setImage: {target: {kind: Deployment, name: web}, container: web, image: "web:2"}`}
	first := digest(t, s.plan(operations...))
	s.status(s.live(o), map[string]any{"replicas": int64(2), "readyReplicas": int64(1)})
	s.patch(o, `{"metadata":{"annotations":{"deployment.kubernetes.io/revision":"7","kubectl.kubernetes.io/last-applied-configuration":"{}"}}}`)
	if got := digest(t, s.plan(operations...)); got != first {
		t.Error("the status and the number of a rollout change the plan")
	}
	s.patch(o, `{"spec":{"minReadySeconds":3}}`)
	second := digest(t, s.plan(operations...))
	if second == first {
		t.Error("another content gives the same plan")
	}
	s.remove(o)
	s.have(strings.Replace(web, "replicas: 2", "replicas: 2, minReadySeconds: 3", 1))
	if got := digest(t, s.plan(operations...)); got == second {
		t.Error("another object of the same name and content gives the same plan")
	}
}
