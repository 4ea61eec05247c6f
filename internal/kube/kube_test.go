package kube_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/eclusier/eclusier/internal/kube"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 999, time.UTC)

func TestSession_Close(t *testing.T) {
	tests := []struct {
		name    string
		change  func(*corev1.Pod)
		stale   bool
		writes  int
		wantErr func(error) bool
		reason  string
	}{
		{name: "a change is written once", change: func(p *corev1.Pod) { p.Status.Message = "hello" }, writes: 1},
		{name: "no change is not written", change: func(*corev1.Pod) {}, writes: 0, reason: "a pass that learns nothing must not wake every watcher"},
		{name: "an old copy is refused", change: func(p *corev1.Pod) { p.Status.Message = "hello" }, stale: true, writes: 1, wantErr: apierrors.IsConflict},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			writes := 0
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}
			c := fake.NewClientBuilder().WithObjects(pod).WithStatusSubresource(pod).WithInterceptorFuncs(interceptor.Funcs{
				SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
					writes++
					return c.SubResource(sub).Patch(ctx, o, p, opts...)
				}}).Build()
			read := &corev1.Pod{}
			must(t, c.Get(t.Context(), client.ObjectKeyFromObject(pod), read))
			session := kube.Open(c, read)
			tt.change(read)
			if tt.stale {
				other := read.DeepCopy()
				other.Labels = map[string]string{"a": "b"}
				must(t, c.Update(t.Context(), other))
			}
			written, err := session.Close(t.Context())
			if tt.wantErr != nil {
				if !tt.wantErr(err) {
					t.Errorf("got error %v", err)
				}
			} else if err != nil || written != (tt.writes == 1) {
				t.Errorf("Close() = %t, %v", written, err)
			}
			if writes != tt.writes {
				t.Errorf("%d writes, want %d (%s)", writes, tt.writes, tt.reason)
			}
		})
	}
}

func TestConditions(t *testing.T) {
	old := metav1.NewTime(noon.Add(-time.Hour))
	before := []metav1.Condition{
		{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Accepted", LastTransitionTime: old},
		{Type: "Retrying", Status: metav1.ConditionTrue, Reason: "Timeout", LastTransitionTime: old},
		{Type: "Succeeded", Status: metav1.ConditionUnknown, Reason: "Progressing", LastTransitionTime: old},
	}
	wanted := []metav1.Condition{
		{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "AcceptedAgain", Message: strings.Repeat("é", 1000)},
		{Type: "Succeeded", Status: metav1.ConditionTrue, Reason: "Answered"},
	}
	after := kube.Conditions(before, wanted, 4, noon)
	if len(after) != 2 {
		t.Fatalf("what is not wanted stays: %v", after)
	}
	if !after[0].LastTransitionTime.Equal(&old) || after[0].Reason != "AcceptedAgain" || after[0].ObservedGeneration != 4 {
		t.Errorf("the same status keeps its time and takes the new reason: %+v", after[0])
	}
	if got := after[0].Message; len(got) > 1024 || !utf8.ValidString(got) {
		t.Errorf("the message has %d bytes, valid %t", len(got), utf8.ValidString(got))
	}
	if got := after[1].LastTransitionTime.Time; !got.Equal(noon.Truncate(time.Second)) {
		t.Errorf("a new status has the time of the pass, got %s", got)
	}
	var changed []string
	for _, c := range kube.Changed(before, after) {
		changed = append(changed, c.Type)
	}
	if strings.Join(changed, " ") != "Accepted Succeeded" {
		t.Errorf("changed: %v", changed)
	}
	if again := kube.Changed(after, kube.Conditions(after, wanted, 4, noon.Add(time.Hour))); len(again) != 0 {
		t.Errorf("the same facts must change nothing, got %v", again)
	}
}

type told struct{ kind, reason, action, note, correlation string }

type recorder struct{ told []told }

func (r *recorder) AnnotatedEventf(_, _ runtime.Object, annotations map[string]string, kind, reason, action, _ string, args ...any) {
	r.told = append(r.told, told{kind, reason, action, args[0].(string), annotations[kube.CorrelationAnnotation]})
}

func TestEvents_Tell(t *testing.T) {
	r := &recorder{}
	condition := metav1.Condition{Reason: "TargetNotFound", Message: "100%s sure " + strings.Repeat("x", 2000)}
	kube.NewEvents(r).Tell(&corev1.Pod{}, "corr-0000abcd", "Resolve", kube.Warning, condition)
	got := r.told[0]
	if got.kind != "Warning" || got.reason != "TargetNotFound" || got.action != "Resolve" || got.correlation != "corr-0000abcd" {
		t.Errorf("got %+v", got)
	}
	if !strings.HasPrefix(got.note, "100%s sure") || len(got.note) > 1024 {
		t.Errorf("the note must be the message, cut to what the API server takes: %d bytes", len(got.note))
	}
}

func TestBackoff(t *testing.T) {
	tests := []struct {
		failed     int32
		retryAfter time.Duration
		random     float64
		want       time.Duration
	}{
		{1, 0, 0, 500 * time.Millisecond},
		{1, 0, 0.5, time.Second},
		{2, 0, 0.5, 2 * time.Second},
		{3, 0, 1, 6 * time.Second},
		{6, 0, 0.5, 30 * time.Second},
		{2000, 0, 0.5, 30 * time.Second},
		{1, 8 * time.Second, 0.5, 8 * time.Second},
	}
	for _, tt := range tests {
		if got := kube.Backoff(tt.failed, tt.retryAfter, tt.random); got != tt.want {
			t.Errorf("Backoff(%d, %s, %v) = %s, want %s", tt.failed, tt.retryAfter, tt.random, got, tt.want)
		}
	}
}

func TestResult(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	unexpected := errors.New("boom")
	tests := []struct {
		name      string
		err       error
		wake      time.Duration
		min, max  time.Duration
		wantError error
		terminal  bool
	}{
		{name: "a clean pass sleeps until something changes"},
		{name: "a clean pass that waits for a time wakes then", wake: time.Minute, min: time.Minute, max: time.Minute},
		{name: "an object that is gone needs nothing", err: apierrors.NewNotFound(pods, "web"), wake: time.Minute},
		{name: "a conflict is read again soon", err: apierrors.NewConflict(pods, "web", nil), min: 100 * time.Millisecond, max: 150 * time.Millisecond},
		{name: "a rate limit is honoured and never shortened", err: apierrors.NewTooManyRequests("", 8), min: 8 * time.Second, max: 12 * time.Second},
		{name: "an interrupted pass goes on later", err: context.Canceled},
		{name: "an unexpected error goes to the rate limiter", err: unexpected, wantError: unexpected},
		{name: "a refusal is not tried again", err: apierrors.NewForbidden(pods, "web", nil), terminal: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := kube.Result(tt.wake, tt.err)
			if got.RequeueAfter < tt.min || got.RequeueAfter > tt.max {
				t.Errorf("wakes after %s, want %s to %s", got.RequeueAfter, tt.min, tt.max)
			}
			if terminal := errors.Is(err, reconcile.TerminalError(nil)); terminal != tt.terminal {
				t.Errorf("terminal is %t: %v", terminal, err)
			}
			if !tt.terminal && !errors.Is(err, tt.wantError) {
				t.Errorf("got error %v, want %v", err, tt.wantError)
			}
		})
	}
	if kube.Jitter(-time.Second) != 0 {
		t.Error("a negative delay is no delay")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
