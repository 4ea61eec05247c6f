package changerequest

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/go-logr/logr/funcr"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/transcript"
)

func over(c *v1alpha1.ChangeRequest) {
	completed := metav1.NewTime(noon)
	c.Status.Result, c.Status.CompletedAt, c.Status.ObservedGeneration = v1alpha1.ResultSucceeded, &completed, 1
}

func TestWorthALook(t *testing.T) {
	r := newRoom(t)
	look := r.worthALook()
	underway, ended, edited := scale("it"), scale("it", over), scale("it", over)
	edited.Generation = 2
	for _, tc := range []struct {
		name string
		got  bool
		want bool
	}{
		{"a change that is found unfinished", look.Create(event.CreateEvent{Object: underway}), true},
		{"a change that is found finished", look.Create(event.CreateEvent{Object: ended}), false},
		{"one whose spec was edited while nobody looked", look.Create(event.CreateEvent{Object: edited}), true},
		{"the operator's own write", look.Update(event.UpdateEvent{ObjectOld: underway, ObjectNew: underway}), true},
		{"the write that ends it", look.Update(event.UpdateEvent{ObjectOld: underway, ObjectNew: ended}), false},
		{"an edit after the end", look.Update(event.UpdateEvent{ObjectOld: ended, ObjectNew: edited}), true},
		{"a deletion after the end", look.Delete(event.DeleteEvent{Object: ended}), false},
		{"a deletion of what holds nothing", look.Delete(event.DeleteEvent{Object: scale("waits")}), false},
		{"a deletion half-way, as with a namespace", look.Delete(event.DeleteEvent{Object: scale("half-way", func(c *v1alpha1.ChangeRequest) {
			c.Status.Attempts = []v1alpha1.Attempt{{Step: v1alpha1.StepApply}}
		})}), true},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %t", tc.name, tc.got)
		}
	}
}

func TestMapping(t *testing.T) {
	r := newRoom(t, scale("one"), scale("two", over), scale("three"))
	apv := &v1alpha1.Approval{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "x"},
		Spec: v1alpha1.ApprovalSpec{ChangeRequestRef: v1alpha1.ChangeReference{Name: "one", UID: "u"}}}
	if got := changeOfApproval(t.Context(), apv); len(got) != 1 || got[0] != request("one") {
		t.Errorf("an Approval wakes %v", got)
	}
	if got := IndexApproval(apv); len(got) != 1 || got[0] != "u" {
		t.Errorf("an Approval is found by %v", got)
	}
	if got := r.unappliedChanges(t.Context(), nil); len(got) != 2 {
		t.Errorf("a policy wakes %v", got)
	}
	if got := r.countUnfinished(); got[string(v1alpha1.ChangePlanning)] != 2 {
		t.Errorf("unfinished: %v", got)
	}
	r.dead = true
	if got := r.countUnfinished(); got != nil {
		t.Errorf("unfinished, where nobody can look: %v", got)
	}
	if got := r.unappliedChanges(t.Context(), nil); len(got) != 0 {
		t.Errorf("a policy wakes %v where nobody can look", got)
	}
}

func TestCorrelationID_ofChanges(t *testing.T) {
	for given, taken := range map[string]bool{"req-42": true, "a:b_c.D9": true, "": false, "new\nline": false, "é": false, strings.Repeat("a", 129): false} {
		c := scale("it", func(c *v1alpha1.ChangeRequest) { c.Annotations = map[string]string{kube.CorrelationAnnotation: given} })
		if got := correlationID(c); (got == given) != taken || got == "" {
			t.Errorf("%q becomes %q", given, got)
		}
	}
	r := newRoom(t, scale("it"))
	for about, known := range map[string]bool{"it": true, "gone": false} {
		var line string
		next := request(about)
		r.logger(funcr.New(func(_, args string) { line = args }, funcr.Options{}))(&next).Info("said")
		if strings.Contains(line, `"correlationID"="corr-`) != known {
			t.Errorf("the line about %q is %s", about, line)
		}
	}
}

func TestTrim(t *testing.T) {
	underway, ended := scale("it"), scale("it", over)
	apv := &v1alpha1.Approval{Spec: v1alpha1.ApprovalSpec{Diff: "-2\n+3"}}
	for _, o := range []runtime.Object{underway, ended, apv} {
		o.(client.Object).SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "kubectl"}})
		if _, err := Trim(o); err != nil || len(o.(client.Object).GetManagedFields()) != 0 {
			t.Errorf("%v: %T keeps who wrote what", err, o)
		}
	}
	if len(underway.Spec.Kubernetes.Operations) != 1 || len(ended.Spec.Kubernetes.Operations) != 0 || apv.Spec.Diff != "" {
		t.Errorf("kept: %v, %v, %q", underway.Spec.Kubernetes, ended.Spec.Kubernetes, apv.Spec.Diff)
	}
}

func TestSweeper_standing(t *testing.T) {
	applied := scale("applied", over, func(c *v1alpha1.ChangeRequest) { c.Status.Attempts = []v1alpha1.Attempt{{Step: v1alpha1.StepApply}} })
	r := newRoom(t, scale("underway"), scale("ended", over), applied)
	s := &sweeper{r.Reconciler}
	if !s.NeedLeaderElection() {
		t.Error("every replica sweeps")
	}
	standing := s.standing(t.Context())
	for _, tc := range []struct {
		name, uid string
		want      transcript.Standing
	}{
		{"underway", "uid-of-underway", transcript.Standing{Needed: true}},
		{"ended", "uid-of-ended", transcript.Standing{Ended: noon}},
		{"applied", "uid-of-applied", transcript.Standing{Ended: noon, Applied: true}},
		{"underway", "uid-of-a-former-one", transcript.Standing{}},
		{"gone", "uid-of-gone", transcript.Standing{}},
	} {
		got := standing(transcript.Entry{Key: transcript.Key{Namespace: "shop", Name: tc.name, UID: tc.uid}})
		if !got.Ended.Equal(tc.want.Ended) || got.Needed != tc.want.Needed || got.Applied != tc.want.Applied {
			t.Errorf("%s: %+v, want %+v", tc.uid, got, tc.want)
		}
	}
	r.dead = true
	if got := standing(transcript.Entry{Key: transcript.Key{Namespace: "shop", Name: "ended", UID: "uid-of-ended"}}); !got.Needed {
		t.Error("what cannot be looked at is swept away")
	}
}

func TestSweeper_sweepsAtTheStart(t *testing.T) {
	r := newRoom(t)
	key := transcript.Key{Kind: transcript.KindPlan, Namespace: "shop", Name: "gone", UID: "uid-of-gone", Revision: 1}
	if _, err := r.plans.Put(t.Context(), key, nil, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	r.clock.SetTime(noon.Add(transcript.KeepFor + time.Hour))
	s := &sweeper{r.Reconciler}
	ctx, cancel := contextUntil(t, func() bool { _, err := r.plans.Get(t.Context(), key); return err != nil })
	defer cancel()
	if err := s.Start(ctx); err != nil {
		t.Error(err)
	}
	if _, err := r.plans.Get(t.Context(), key); err == nil {
		t.Error("the plan of a change that is long gone is kept")
	}
}

func TestMade_namespacesCountBeforeTheyExist(t *testing.T) {
	manifest := func(text string) v1alpha1.Operation {
		return v1alpha1.Operation{Apply: &v1alpha1.ApplyOperation{Manifest: runtime.RawExtension{Raw: []byte(text)}}}
	}
	c := scale("it", func(c *v1alpha1.ChangeRequest) {
		c.Spec.Kubernetes.Operations = []v1alpha1.Operation{to("web", 3), manifest(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}`),
			manifest(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"pay","labels":{"env":"production"}}}`), manifest(`[`)}
	})
	places := made(c)
	if len(places) != 1 || places[0].Name != "pay" || places[0].Labels["env"] != "production" || places[0].Labels["kubernetes.io/metadata.name"] != "pay" {
		t.Errorf("made: %+v", places)
	}
}

func TestReconcile_ofWhatIsGone(t *testing.T) {
	r := newRoom(t)
	if result, err := r.Reconcile(t.Context(), request("gone")); err != nil || result.RequeueAfter != 0 {
		t.Errorf("%v %v", result, err)
	}
	leaving := scale("leaving", func(c *v1alpha1.ChangeRequest) { c.Finalizers = []string{"example.org/keep"} })
	r.create(leaving)
	if err := r.stored.Delete(t.Context(), leaving); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Reconcile(t.Context(), request("leaving")); err != nil || r.writes != 0 {
		t.Errorf("%v, %d writes about a change that is being deleted", err, r.writes)
	}
}

func TestReconcile_cannotLookAround(t *testing.T) {
	r := newRoom(t, scale("it"))
	r.guard.err = errForbidden
	_, err := r.Reconcile(t.Context(), request("it"))
	if err == nil || errors.Is(err, errForbidden) && strings.Contains(err.Error(), "terminal") {
		t.Errorf("what somebody will grant is not tried again: %v", err)
	}
	r.guard.err = nil
	if c, _ := r.settle("it"); c.Status.Phase != v1alpha1.ChangeAwaitingApproval {
		t.Errorf("phase %s", c.Status.Phase)
	}
}

func TestReconcile_aDefectIsAFault(t *testing.T) {
	r := newRoom(t, scale("it"))
	r.Reconciler.Pipeline = nil
	c, after := r.settle("it")
	if c.Status.Retry == nil || after == 0 {
		t.Fatalf("a panic left %+v, next look in %s", c.Status.Retry, after)
	}
	r.restart()
	if c, _ = r.wait("it", after); c.Status.Phase != v1alpha1.ChangeAwaitingApproval {
		t.Errorf("phase %s", c.Status.Phase)
	}
}
