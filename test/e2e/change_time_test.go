package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// settings opens a gate with the ConfigMap that busy changes.
func settings(t *testing.T, namespace string) *gate {
	t.Helper()
	g := openGate(t, namespace)
	g.has(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {mode: calm}}`)
	return g
}

// calm fails unless nothing has been applied.
func (g *gate) calm() {
	g.Helper()
	if got := field(g.object("configmap", "settings"), "data.mode"); got != "calm" {
		g.Errorf("mode %s, want calm: it was applied", got)
	}
}

// sets has alice set a field of a change.
func (g *gate) sets(name, spec string) {
	g.Helper()
	change := &v1alpha1.ChangeRequest{}
	change.Namespace, change.Name = g.namespace, name
	if err := as(g.T, "alice").Patch(g.Context(), change, client.RawPatch("application/merge-patch+json", []byte(`{"spec":`+spec+`}`))); err != nil {
		g.Fatal(err)
	}
}

func TestChange_cancelled(t *testing.T) {
	t.Parallel()
	g := settings(t, "change-cancelled")
	g.wants("stop", operations(busy))
	question := g.asks("stop", v1alpha1.PurposeApply)
	g.sets("stop", `{"cancel":true}`)
	g.ends("stop", v1alpha1.ResultCancelled)
	if err := g.decides("bob", question, agreement(question)); err != nil {
		t.Fatalf("a late answer is an answer: %v", err)
	}
	time.Sleep(time.Second)
	g.calm()
}

func TestChange_suspended(t *testing.T) {
	t.Parallel()
	g := settings(t, "change-suspended")
	g.wants("hold", operations(busy))
	question := g.asks("hold", v1alpha1.PurposeApply)
	g.sets("hold", `{"suspend":true}`)
	g.becomes("hold", "suspended", func(c *v1alpha1.ChangeRequest) bool { return c.Status.Phase == v1alpha1.ChangeSuspended })
	if err := g.decides("bob", question, agreement(question)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	g.calm()
	g.sets("hold", `{"suspend":false}`)
	g.ends("hold", v1alpha1.ResultSucceeded)
}

// TestChange_rejected: one no is enough, whatever others said.
func TestChange_rejected(t *testing.T) {
	t.Parallel()
	g := settings(t, "change-rejected")
	g.policy("quorum: 2")
	g.wants("no", operations(busy))
	g.agreed("no")
	question := g.asks("no", v1alpha1.PurposeApply)
	if err := g.decides("carol", question, `{"decision":"Rejected","reason":"not during the sale"}`); err != nil {
		t.Fatal(err)
	}
	c := g.ends("no", v1alpha1.ResultRejected)
	if root := said(c, v1alpha1.ConditionSucceeded); !strings.Contains(root.Message, "carol") || !strings.Contains(root.Message, "not during the sale") {
		t.Errorf("it says %q", root.Message)
	}
	g.calm()
}

func TestChange_runsOutOfTime(t *testing.T) {
	t.Parallel()
	g := settings(t, "change-late")
	g.wants("deadline", operations(busy)+"deadline: "+inSeconds(6))
	c := g.ends("deadline", v1alpha1.ResultExpired)
	if root := said(c, v1alpha1.ConditionSucceeded); !strings.Contains(root.Message, "spec.deadline passed") {
		t.Errorf("it says %q", root.Message)
	}
	g.policy("approvalTTL: 10s")
	g.wants("consent", operations(busy))
	c = g.ends("consent", v1alpha1.ResultExpired)
	question := &v1alpha1.Approval{}
	if err := scene.asker.Get(t.Context(), client.ObjectKey{Namespace: g.namespace, Name: c.Status.Approvals[0].Name}, question); err != nil {
		t.Fatal(err)
	}
	// Policies have no clock, so the API server takes the answer: the operator does not.
	if err := g.decides("bob", question, agreement(question)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	g.calm()
}

func inSeconds(n int) string {
	return time.Now().Add(time.Duration(n) * time.Second).UTC().Format(time.RFC3339)
}

// TestChange_waitsForItsTime: people agree beforehand, and nothing happens before the change may begin.
func TestChange_waitsForItsTime(t *testing.T) {
	t.Parallel()
	for name, opens := range map[string]func(*gate) (spec string, at time.Time){
		"not-before": func(*gate) (string, time.Time) {
			at := time.Now().Add(20 * time.Second).Truncate(time.Second)
			return "notBefore: " + at.UTC().Format(time.RFC3339), at
		},
		"window": func(g *gate) (string, time.Time) {
			// The minute after the next one has begun leaves time to agree.
			at := time.Now().Add(10 * time.Second).Truncate(time.Minute).Add(time.Minute).UTC()
			g.policy(fmt.Sprintf("windows: [{name: soon, kind: Allow, schedule: %q, duration: 10m}]", fmt.Sprintf("%d %d * * *", at.Minute(), at.Hour())))
			return "", at
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := settings(t, "change-"+name)
			spec, at := opens(g)
			g.wants("later", operations(busy)+spec)
			g.agreed("later")
			waiting := g.becomes("later", "waits for its time", func(c *v1alpha1.ChangeRequest) bool { return c.Status.Phase == v1alpha1.ChangeAwaitingWindow })
			if approved := said(waiting, v1alpha1.ConditionApproved); !strings.Contains(approved.Message, at.UTC().Format(time.RFC3339)) {
				t.Errorf("Approved says %q, and not when: %s", approved.Message, at.UTC())
			}
			g.calm()
			g.until("applied", func(context.Context) (bool, string) {
				return field(g.object("configmap", "settings"), "data.mode") == "busy", time.Now().String()
			})
			if early := time.Until(at); early > 0 {
				t.Errorf("applied %s too early", early)
			}
			g.ends("later", v1alpha1.ResultSucceeded)
		})
	}
}

// TestChange_drifts: what changes after people agreed is asked about anew, and the first agreement does not count.
func TestChange_drifts(t *testing.T) {
	t.Parallel()
	g := settings(t, "change-drifts")
	g.wants("drift", operations(busy))
	first := g.asks("drift", v1alpha1.PurposeApply)
	g.has(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {mode: wild}}`)
	if err := g.decides("bob", first, agreement(first)); err != nil {
		t.Fatal(err)
	}
	second := g.asks("drift", v1alpha1.PurposeApply)
	if second.Spec.Revision != 2 || second.Spec.PlanDigest == first.Spec.PlanDigest || !strings.Contains(second.Spec.Diff, "wild") {
		t.Errorf("the second question is about revision %d: %s", second.Spec.Revision, second.Spec.Diff)
	}
	if got := field(g.object("configmap", "settings"), "data.mode"); got != "wild" {
		t.Fatalf("mode %s: applied what nobody agreed to", got)
	}
	if err := g.decides("bob", second, agreement(second)); err != nil {
		t.Fatal(err)
	}
	g.ends("drift", v1alpha1.ResultSucceeded)
}
