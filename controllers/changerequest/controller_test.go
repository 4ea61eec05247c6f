package changerequest

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/audit"
)

func TestReconcile_fromWishToEnd(t *testing.T) {
	r := newRoom(t, scale("more"))
	c, after := r.settle("more")
	if got, want := summary(c), "+Planned/Planned ?Approved/AwaitingApproval +Reconciling/AwaitingApproval ?Succeeded/AwaitingApproval"; got != want {
		t.Errorf("asked: %s\nwant   %s", got, want)
	}
	if c.Status.Phase != v1alpha1.ChangeAwaitingApproval || c.Status.Policy.Progress != "0/1" || after != 24*time.Hour {
		t.Errorf("phase %s, progress %s, next look in %s", c.Status.Phase, c.Status.Policy.Progress, after)
	}
	want := `kubectl patch approval more-1-1 -n shop --type=merge -p '{"spec":{"decision":"Approved","acknowledgedDigest":"` + c.Status.Plan.Digest + `"}}'`
	if len(c.Status.ApproveWith) != 1 || c.Status.ApproveWith[0] != want {
		t.Errorf("approve with %q, want %q", c.Status.ApproveWith, want)
	}
	r.sent()
	if apv := r.approval("more-1-1"); apv.Spec.Diff == "" || apv.OwnerReferences[0].UID != c.UID || apv.Spec.RequestedBy.Username != "alice" {
		t.Errorf("the question is %+v", apv.Spec)
	}

	r.approve("more-1-1", "bob")
	c, _ = r.settle("more")
	if got, want := summary(c), "+Planned/Planned +Approved/Granted +Applied/Applied +Verified/Verified +Succeeded/ChangeSucceeded"; got != want {
		t.Errorf("done: %s\nwant  %s", got, want)
	}
	r.sent("shop/web=3")
	r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	if len(c.Status.ApproveWith) != 0 || c.Status.Policy.Progress != "1/1" || c.Status.Approvals[0].By != "bob" {
		t.Errorf("status %+v", c.Status)
	}
	apv := r.approval("more-1-1")
	if apv.Status.ConsumedBy != "apply-1" || apv.Status.IdentitySource != v1alpha1.IdentityStamped || apv.Status.Conditions[0].Reason != v1alpha1.GrantedConsumed {
		t.Errorf("the approval is %+v", apv.Status)
	}
	t.Logf("%d writes: %v", r.writes, r.kinds)
	if r.writes > 14 {
		t.Errorf("%d writes, want at most 14: %v", r.writes, r.kinds)
	}
	if want := []string{"Normal AwaitingApproval Approved", "Normal ChangeSucceeded Succeeded"}; !slices.Equal(r.events.events, want) {
		t.Errorf("events %v, want %v", r.events.events, want)
	}
	var audited []string
	for _, e := range r.log.Entries() {
		audited = append(audited, string(e.Action)+" "+string(e.Outcome)+" by "+e.Actor)
	}
	if want := []string{"Plan Succeeded by eclusier", "Judge Succeeded by eclusier", "Apply Begun by system:serviceaccount:shop:eclusier-applier",
		"Consent Succeeded by bob", "Apply Succeeded by system:serviceaccount:shop:eclusier-applier", "Verify Succeeded by eclusier",
		"Finish Succeeded by eclusier"}; !slices.Equal(audited, want) {
		t.Errorf("audit log:\n%s\nwant:\n%s", strings.Join(audited, "\n"), strings.Join(want, "\n"))
	}
}

func TestReconcile_endsWithoutAnEffect(t *testing.T) {
	deadline := metav1.NewTime(noon.Add(time.Hour))
	for _, tc := range []struct {
		name   string
		change func(*v1alpha1.ChangeRequest)
		policy func(*v1alpha1.ChangePolicySpec)
		then   func(*room, time.Duration)
		result v1alpha1.ChangeResult
		reason string
		says   string
	}{
		{name: "a dry run is planned and no more", change: func(c *v1alpha1.ChangeRequest) { c.Spec.DryRun = true },
			result: v1alpha1.ResultPlanned, reason: v1alpha1.SucceededDryRun},
		{name: "what is so already succeeds", change: func(c *v1alpha1.ChangeRequest) { c.Spec.Kubernetes.Operations[0] = to("web", 2) },
			result: v1alpha1.ResultSucceeded, reason: v1alpha1.PlannedNothingToDo},
		{name: "a target that does not exist is said", change: func(c *v1alpha1.ChangeRequest) { c.Spec.Kubernetes.Operations[0] = to("wbe", 2) },
			result: v1alpha1.ResultInvalid, reason: v1alpha1.PlannedTargetNotFound, says: "wbe does not exist"},
		{name: "an operation that is not understood is said", change: func(c *v1alpha1.ChangeRequest) { c.Spec.Kubernetes.Operations[0] = v1alpha1.Operation{} },
			result: v1alpha1.ResultInvalid, reason: v1alpha1.PlannedInvalid, says: "scale and delete"},
		{name: "a policy denies", policy: func(s *v1alpha1.ChangePolicySpec) {
			s.Deny = []v1alpha1.ChangeRule{{Name: "no-scaling", Operations: []v1alpha1.OperationName{"scale"}}}
		}, result: v1alpha1.ResultDenied, reason: v1alpha1.ApprovedDenied, says: `owners@1: deny rule "no-scaling"`},
		{name: "a person refuses", then: func(r *room, _ time.Duration) {
			r.decide("it-1-1", "bob", v1alpha1.DecisionRejected, func(a *v1alpha1.Approval) { a.Spec.Reason = "not on a Monday" })
		}, result: v1alpha1.ResultRejected, reason: v1alpha1.ApprovedRejected, says: "bob refused the change: not on a Monday"},
		{name: "nobody answers", then: func(r *room, after time.Duration) { r.clock.SetTime(noon.Add(after)) },
			result: v1alpha1.ResultExpired, reason: v1alpha1.ApprovedExpired, says: "Create the ChangeRequest again"},
		{name: "the answer comes too late", then: func(r *room, after time.Duration) {
			r.clock.SetTime(noon.Add(after))
			r.approve("it-1-1", "bob")
		}, result: v1alpha1.ResultExpired, reason: v1alpha1.ApprovedExpired},
		{name: "the deadline passes", change: func(c *v1alpha1.ChangeRequest) { c.Spec.Deadline = &deadline },
			then:   func(r *room, after time.Duration) { r.clock.SetTime(noon.Add(after)) },
			result: v1alpha1.ResultExpired, reason: v1alpha1.ApprovedExpired, says: "spec.deadline"},
		{name: "the requester takes it back", then: func(r *room, _ time.Duration) {
			r.edit("it", func(c *v1alpha1.ChangeRequest) { c.Spec.Cancel = true })
		}, result: v1alpha1.ResultCancelled, reason: v1alpha1.SucceededCancelled},
		{name: "it is taken back while it is held", change: func(c *v1alpha1.ChangeRequest) { c.Spec.Suspend, c.Spec.Cancel = true, true },
			result: v1alpha1.ResultCancelled, reason: v1alpha1.SucceededCancelled},
		{name: "nobody is named as the requester", change: func(c *v1alpha1.ChangeRequest) { c.Spec.RequestedBy = nil },
			result: v1alpha1.ResultInvalid, reason: v1alpha1.AcceptedRequesterUnknown, says: "Nobody vouches"},
		{name: "it is older than the admission policies", change: func(c *v1alpha1.ChangeRequest) { c.CreationTimestamp = metav1.NewTime(noon.Add(-time.Hour)) },
			result: v1alpha1.ResultInvalid, reason: v1alpha1.AcceptedRequesterUnknown},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := scale("it")
			if tc.change != nil {
				tc.change(c)
			}
			r := newRoom(t, c)
			r.guard.since = noon.Add(-time.Minute)
			if tc.policy != nil {
				r.create(owners("owners", tc.policy))
			}
			c, after := r.settle("it")
			if tc.then != nil {
				tc.then(r, after)
				c, _ = r.settle("it")
			}
			r.ends(c, tc.result, tc.reason)
			if root := condition(c, v1alpha1.ConditionSucceeded); !strings.Contains(root.Message, tc.says) {
				t.Errorf("it says %q, want %q", root.Message, tc.says)
			}
			r.sent()
			list := &v1alpha1.ApprovalList{}
			if err := r.stored.List(t.Context(), list); err != nil {
				t.Fatal(err)
			}
			for _, apv := range list.Items {
				if len(apv.Status.Conditions) == 0 || apv.Status.Conditions[0].Status != metav1.ConditionFalse {
					t.Errorf("the slot %s is left as %+v", apv.Name, apv.Status)
				}
			}
		})
	}
}

func TestReconcile_waits(t *testing.T) {
	t.Run("for spec.suspend", func(t *testing.T) {
		r := newRoom(t, scale("it", func(c *v1alpha1.ChangeRequest) { c.Spec.Suspend = true }))
		c, _ := r.settle("it")
		if c.Status.Phase != v1alpha1.ChangeSuspended || c.Status.Plan != nil {
			t.Errorf("phase %s, plan %v", c.Status.Phase, c.Status.Plan)
		}
		r.edit("it", func(c *v1alpha1.ChangeRequest) { c.Spec.Suspend = false })
		if c, _ = r.settle("it"); c.Status.Phase != v1alpha1.ChangeAwaitingApproval {
			t.Errorf("phase %s once it is let go", c.Status.Phase)
		}
	})
	t.Run("for a window, and consent does not lapse before it", func(t *testing.T) {
		saturday := v1alpha1.Window{Name: "saturdays", Kind: v1alpha1.WindowAllow, Schedule: "0 2 * * 6", Duration: metav1.Duration{Duration: time.Hour}}
		r := newRoom(t, scale("it"), owners("owners", func(s *v1alpha1.ChangePolicySpec) { s.Windows = []v1alpha1.Window{saturday} }))
		r.settle("it")
		r.approve("it-1-1", "bob")
		c, after := r.settle("it")
		if c.Status.Phase != v1alpha1.ChangeAwaitingWindow || condition(c, v1alpha1.ConditionApproved).Reason != v1alpha1.ApprovedAwaitingWindow {
			t.Errorf("%s: %s", c.Status.Phase, summary(c))
		}
		if opens := noon.Add(after); opens.Weekday() != time.Saturday || opens.Hour() != 2 {
			t.Errorf("the next look is at %s", opens)
		}
		r.sent()
		c, _ = r.wait("it", after)
		r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	})
	t.Run("for spec.notBefore", func(t *testing.T) {
		later := metav1.NewTime(noon.Add(72 * time.Hour))
		r := newRoom(t, scale("it", func(c *v1alpha1.ChangeRequest) { c.Spec.NotBefore = &later }), owners("owners", autonomous))
		_, after := r.settle("it")
		if after != 72*time.Hour {
			t.Fatalf("the next look is in %s", after)
		}
		c, _ := r.wait("it", after)
		r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	})
	t.Run("for the checks, without a write", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners", autonomous))
		r.world.Verdicts = open(2)
		c, after := r.settle("it")
		if c.Status.Phase != v1alpha1.ChangeVerifying || after != 7*time.Second {
			t.Fatalf("phase %s, next look in %s", c.Status.Phase, after)
		}
		writes := r.writes
		r.wait("it", after)
		if r.writes != writes {
			t.Errorf("%d writes while nothing changed: %v", r.writes-writes, r.kinds[writes:])
		}
		c, _ = r.wait("it", after)
		r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	})
}

func TestReconcile_aloneWhereThePolicyLetsIt(t *testing.T) {
	r := newRoom(t, scale("it"), owners("owners", autonomous))
	c, _ := r.settle("it")
	r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	r.sent("shop/web=3")
	if approved := condition(c, v1alpha1.ConditionApproved); approved.Reason != v1alpha1.ApprovedAllowed || !strings.Contains(approved.Message, "owners@1") {
		t.Errorf("Approved is %+v", approved)
	}
}

func TestReconcile_severalOperationsOnePerPass(t *testing.T) {
	r := newRoom(t, scale("it", three), owners("owners", autonomous))
	for range 10 {
		before := len(r.world.Sent())
		c, _, err := r.pass("it")
		if err != nil {
			t.Fatal(err)
		}
		if now := len(r.world.Sent()); now > before+1 {
			t.Errorf("%d effects in one pass", now-before)
		}
		if finished(c) {
			break
		}
	}
	r.sent("shop/web=3", "shop/api=4", "shop/db=5")
	c := r.get("it")
	r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	if done := c.Status.Attempts[0].OperationsDone; len(done) != 3 || done[2].Object.Name != "db" || done[2].ResourceVersion == "" {
		t.Errorf("the record is %+v", c.Status.Attempts[0])
	}
}

func TestReconcile_withoutAnAuditLogNothingIsApplied(t *testing.T) {
	r := newRoom(t, scale("it"), owners("owners", autonomous))
	r.log.Fail(errDead)
	c, after := r.settle("it")
	if c.Status.Retry == nil || c.Status.Retry.LastReason != auditUnavailable || len(c.Status.Attempts) != 0 || len(r.leases()) != 0 {
		t.Errorf("retry %+v, attempts %v, leases %v", c.Status.Retry, c.Status.Attempts, r.leases())
	}
	r.sent()
	r.log.Fail(nil)
	c, _ = r.wait("it", after)
	r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	for _, e := range r.log.Entries() {
		if e.Action == audit.ActionApply && (e.Digest != c.Status.Plan.Digest || e.Attempt != "apply-1" || e.Object.Name != "web") {
			t.Errorf("the audit log says %+v", e)
		}
	}
}

func TestReconcile_acknowledgesWhatChangesAfterTheEnd(t *testing.T) {
	r := newRoom(t, scale("it"), owners("owners", autonomous))
	r.settle("it")
	r.edit("it", func(c *v1alpha1.ChangeRequest) { c.Spec.Cancel = true })
	c, _, err := r.pass("it")
	if err != nil || c.Status.ObservedGeneration != 2 || c.Status.Result != v1alpha1.ResultSucceeded {
		t.Errorf("%v: generation %d, result %s", err, c.Status.ObservedGeneration, c.Status.Result)
	}
}
