package changerequest

import (
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/pipeline"
)

var (
	errForbidden = fault.New(fault.Terminal, fault.PermissionDenied, "eclusier-applier may not do this", nil).With("kubectl create rolebinding …")
	errRefused   = fault.New(fault.Terminal, fault.InvalidInput, "the API server refuses it", nil)
	errTimeout   = fault.New(fault.Retry, fault.Timeout, "no answer came in time", nil)
)

func verdict(outcome v1alpha1.Outcome, message string) []pipeline.Verification {
	return []pipeline.Verification{{Outcome: outcome, Message: message}}
}

func TestApply_fails(t *testing.T) {
	t.Run("the first effect, so that nothing is to be undone", func(t *testing.T) {
		r := newRoom(t, scale("it", three), owners("owners", autonomous))
		r.world.Refuse["Apply"] = []error{errForbidden}
		c, _ := r.settle("it")
		r.ends(c, v1alpha1.ResultApplyFailed, v1alpha1.AppliedApplierForbidden)
		if root := condition(c, v1alpha1.ConditionSucceeded); !strings.Contains(root.Message, "kubectl create rolebinding") {
			t.Errorf("it says %q", root.Message)
		}
		r.sent()
	})
	t.Run("the third of three effects, so that the second and the first are undone", func(t *testing.T) {
		r := newRoom(t, scale("it", three), owners("owners", autonomous))
		r.world.Refuse["Apply"] = []error{nil, nil, errRefused}
		c, _ := r.settle("it")
		r.ends(c, v1alpha1.ResultRolledBack, v1alpha1.RolledBackRolledBack)
		r.sent("shop/web=3", "shop/api=4", "undo shop/api", "undo shop/web")
		if got := condition(c, v1alpha1.ConditionSucceeded).Message; !strings.Contains(got, "the API server refuses it") {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("an object of a later effect was changed by somebody else, so that the earlier ones are undone", func(t *testing.T) {
		r := newRoom(t, scale("it", three), owners("owners", autonomous))
		r.world.Refuse["Apply"] = []error{nil, fault.New(fault.Terminal, pipeline.ObjectChanged, "api was changed", nil)}
		c, _ := r.settle("it")
		r.ends(c, v1alpha1.ResultRolledBack, v1alpha1.RolledBackRolledBack)
		r.sent("shop/web=3", "undo shop/web")
	})
	t.Run("an effect set what nobody was shown, so that it is undone with those before it", func(t *testing.T) {
		r := newRoom(t, scale("it", three), owners("owners", autonomous))
		r.world.Unforeseen = [][]string{nil, {"spec.paused"}}
		c, _ := r.settle("it")
		r.ends(c, v1alpha1.ResultRolledBack, v1alpha1.RolledBackRolledBack)
		r.sent("shop/web=3", "shop/api=4", "undo shop/api", "undo shop/web")
		if got := condition(c, v1alpha1.ConditionSucceeded).Message; !strings.Contains(got, "stored otherwise than the dry run had shown, in spec.paused") {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("and what was done stays where nothing is rolled back", func(t *testing.T) {
		r := newRoom(t, scale("it", three, onFailure(v1alpha1.RollbackNever)), owners("owners", autonomous))
		r.world.Refuse["Apply"] = []error{nil, errRefused}
		c, _ := r.settle("it")
		r.ends(c, v1alpha1.ResultApplyFailed, v1alpha1.AppliedFailed)
		r.sent("shop/web=3")
	})
	t.Run("while a dependency is waited for, nothing fails", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners", autonomous))
		waits := fault.New(fault.Wait, pipeline.AwaitingDependency, "the namespace is not active yet", nil)
		r.world.Refuse["Apply"] = []error{waits, waits, waits}
		c, after := r.settle("it")
		for !finished(c) {
			if c.Status.Phase != v1alpha1.ChangeApplying || after != dependencyTime {
				t.Fatalf("phase %s, next look in %s", c.Status.Phase, after)
			}
			c, after = r.wait("it", after)
		}
		r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	})
}

func TestApply_interrupted(t *testing.T) {
	lost := func(r *room) {
		first := true
		r.world.Around = func(do func() error) error {
			if err := do(); err != nil || !first {
				return err
			}
			first = false
			return errTimeout
		}
	}
	t.Run("the answer to an effect is lost, and it is not made again", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners", autonomous))
		lost(r)
		c, after := r.settle("it")
		if condition(c, v1alpha1.ConditionApplied).Reason != v1alpha1.AppliedInterrupted || c.Status.Retry == nil {
			t.Fatalf("%s", summary(c))
		}
		c, _ = r.wait("it", after)
		r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
		r.sent("shop/web=3")
	})
	t.Run("the answer is lost and somebody changes the object, so that a person decides", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners", autonomous))
		lost(r)
		_, after := r.settle("it")
		r.world.Set("shop", "web", 9)
		c, _ := r.wait("it", after)
		if condition(c, v1alpha1.ConditionApplied).Status != metav1.ConditionUnknown || c.Status.Approvals[0].Name != "it-1-result-1" {
			t.Fatalf("%s, slots %+v", summary(c), c.Status.Approvals)
		}
		if len(r.leases()) != 0 {
			t.Errorf("while a person is asked: %v", r.leases())
		}
		r.approve("it-1-result-1", "bob")
		c, _ = r.settle("it")
		r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.VerifiedAccepted)
	})
	t.Run("the cluster does not answer, three times, and nothing was done", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners", autonomous))
		r.world.Refuse["Apply"] = []error{errTimeout, errTimeout, errTimeout}
		c, after := r.settle("it")
		for after > 0 && !finished(c) {
			c, after = r.wait("it", after)
		}
		r.ends(c, v1alpha1.ResultApplyFailed, v1alpha1.AppliedFailed)
		r.sent()
	})
	t.Run("it cannot be found out what was done", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners", autonomous))
		r.world.Refuse["Apply"] = []error{errTimeout}
		for range maxTries {
			r.world.Refuse["Inspect"] = append(r.world.Refuse["Inspect"], errTimeout)
		}
		c, after := r.settle("it")
		for after > 0 && c.Status.Retry != nil {
			c, after = r.wait("it", after)
		}
		if apply := c.Status.Attempts[0]; apply.Outcome != v1alpha1.OutcomeUnknown || c.Status.Approvals[0].Purpose != v1alpha1.PurposeAcceptResult {
			t.Errorf("the record is %+v, slots %+v", apply, c.Status.Approvals)
		}
	})
	t.Run("consent lapses before the interrupted attempt had any effect", func(t *testing.T) {
		r := newRoom(t, scale("it"))
		r.settle("it")
		r.approve("it-1-1", "bob")
		r.world.Refuse["Apply"] = []error{errTimeout}
		r.settle("it")
		r.clock.SetTime(noon.Add(25 * time.Hour))
		c, _ := r.settle("it")
		r.ends(c, v1alpha1.ResultApplyFailed, v1alpha1.AppliedFailed)
		r.sent()
	})
	t.Run("consent lapses half-way, and the change goes on", func(t *testing.T) {
		r := newRoom(t, scale("it", three))
		r.settle("it")
		r.approve("it-1-1", "bob")
		r.world.Refuse["Apply"] = []error{nil, errTimeout}
		r.settle("it")
		r.clock.SetTime(noon.Add(25 * time.Hour))
		c, _ := r.settle("it")
		r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
		r.sent("shop/web=3", "shop/api=4", "shop/db=5")
	})
}

func TestApply_twoOperatorsAtOnce(t *testing.T) {
	r := newRoom(t, scale("it"), owners("owners", autonomous))
	r.settle("it") // applied; take it back to the moment before
	r = newRoom(t, scale("it"), owners("owners", autonomous))
	raced := false
	r.world.Refuse["Plan"] = nil
	r.failing["status of ChangeRequest"] = []error{nil, apierrors.NewConflict(v1alpha1.GroupVersion.WithResource("changerequests").GroupResource(), "it", nil)}
	r.failing["effect"] = []error{nil}
	for !raced {
		_, result, err := r.pass("it")
		if err != nil {
			t.Fatal(err)
		}
		raced = len(r.failing["status of ChangeRequest"]) == 0
		if raced && (len(r.world.Sent()) != 0 || len(r.leases()) != 0 || result.RequeueAfter == 0) {
			t.Errorf("whoever lost the race had %v, holds %v", r.world.Sent(), r.leases())
		}
	}
	c, _ := r.settle("it")
	r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	r.sent("shop/web=3")
}

func TestVerify_outcomes(t *testing.T) {
	for _, tc := range []struct {
		name    string
		mode    v1alpha1.RollbackMode
		outcome v1alpha1.Outcome
		decide  v1alpha1.Decision
		late    bool
		result  v1alpha1.ChangeResult
		reason  string
		sent    []string
	}{
		{name: "a failed check is rolled back", mode: v1alpha1.RollbackAutomatic, outcome: v1alpha1.OutcomeFailed,
			result: v1alpha1.ResultRolledBack, reason: v1alpha1.RolledBackRolledBack, sent: []string{"shop/web=3", "undo shop/web"}},
		{name: "a failed check stays where nothing is rolled back", mode: v1alpha1.RollbackNever, outcome: v1alpha1.OutcomeFailed,
			result: v1alpha1.ResultVerifyFailed, reason: v1alpha1.VerifiedFailed, sent: []string{"shop/web=3"}},
		{name: "a person accepts a failed check", mode: v1alpha1.RollbackManual, outcome: v1alpha1.OutcomeFailed, decide: v1alpha1.DecisionApproved,
			result: v1alpha1.ResultSucceeded, reason: v1alpha1.VerifiedAccepted, sent: []string{"shop/web=3"}},
		{name: "a person has a failed check rolled back", mode: v1alpha1.RollbackManual, outcome: v1alpha1.OutcomeFailed, decide: v1alpha1.DecisionRejected,
			result: v1alpha1.ResultRolledBack, reason: v1alpha1.RolledBackRolledBack, sent: []string{"shop/web=3", "undo shop/web"}},
		{name: "a person accepts what could not be verified", mode: v1alpha1.RollbackAutomatic, outcome: v1alpha1.OutcomeUnknown, decide: v1alpha1.DecisionApproved,
			result: v1alpha1.ResultSucceeded, reason: v1alpha1.VerifiedAccepted, sent: []string{"shop/web=3"}},
		{name: "nobody says anything, so it is rolled back", mode: v1alpha1.RollbackAutomatic, outcome: v1alpha1.OutcomeUnknown, late: true,
			result: v1alpha1.ResultRolledBack, reason: v1alpha1.RolledBackRolledBack, sent: []string{"shop/web=3", "undo shop/web"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRoom(t, scale("it", onFailure(tc.mode)), owners("owners", autonomous))
			r.world.Verdicts = verdict(tc.outcome, "the check smoke says 503")
			c, after := r.settle("it")
			if tc.decide != "" || tc.late {
				if c.Status.Approvals[0].Purpose != v1alpha1.PurposeAcceptResult || len(c.Status.ApproveWith) != 1 {
					t.Fatalf("slots %+v, commands %v", c.Status.Approvals, c.Status.ApproveWith)
				}
				root := condition(c, v1alpha1.ConditionSucceeded).Message
				for _, want := range []string{"503. A person decides", c.Status.ApproveWith[0], `"decision":"Rejected"`, "To have it rolled back: "} {
					if !strings.Contains(root, want) {
						t.Errorf("it says %q, want %q", root, want)
					}
				}
				if c.Status.Phase != v1alpha1.ChangeAwaitingAcceptance || c.Status.Policy.Progress != "0/1" {
					t.Errorf("phase %s, agreed %s", c.Status.Phase, c.Status.Policy.Progress)
				}
				if summary := r.approval("it-1-result-1").Spec.Summary; !strings.Contains(summary, "503") || !strings.Contains(summary, "reject to have it rolled back") {
					t.Errorf("the question is %q", summary)
				}
			}
			switch {
			case tc.decide != "":
				r.decide("it-1-result-1", "bob", tc.decide)
				c, _ = r.settle("it")
			case tc.late:
				c, _ = r.wait("it", after)
			}
			r.ends(c, tc.result, tc.reason)
			r.sent(tc.sent...)
		})
	}
	t.Run("who cancels what has begun is told that it is too late", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners", autonomous))
		r.world.Verdicts = open(9)
		r.settle("it")
		r.edit("it", func(c *v1alpha1.ChangeRequest) { c.Spec.Cancel = true })
		c, _ := r.settle("it")
		if root := condition(c, v1alpha1.ConditionSucceeded); !strings.Contains(root.Message, saidCancelTooLate) || finished(c) {
			t.Errorf("%s: %q", summary(c), root.Message)
		}
	})
	t.Run("what was never to be rolled back is not said to be", func(t *testing.T) {
		r := newRoom(t, scale("it", onFailure(v1alpha1.RollbackNever)), owners("owners", autonomous))
		r.world.Verdicts = verdict(v1alpha1.OutcomeUnknown, "nobody answers")
		c, _ := r.settle("it")
		question, root := r.approval("it-1-result-1").Spec.Summary, condition(c, v1alpha1.ConditionSucceeded).Message
		for _, said := range []string{question, root} {
			if !strings.Contains(said, "with nothing rolled back") || strings.Contains(said, "have it rolled back") {
				t.Errorf("it says %q", said)
			}
		}
	})
	t.Run("checks that cannot be asked are unknown", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners", autonomous))
		r.world.Refuse["Verify"] = []error{errTimeout, errTimeout, errTimeout}
		c, after := r.settle("it")
		for after > 0 && c.Status.Retry != nil {
			c, after = r.wait("it", after)
		}
		if condition(c, v1alpha1.ConditionVerified).Reason != v1alpha1.VerifiedInconclusive {
			t.Errorf("%s", summary(c))
		}
	})
}

func TestRollback_failsLoudly(t *testing.T) {
	r := newRoom(t, scale("it", three), owners("owners", autonomous))
	r.world.Verdicts = verdict(v1alpha1.OutcomeFailed, "503")
	r.world.Refuse["Rollback"] = []error{nil, fault.New(fault.Terminal, pipeline.ObjectChanged, "api was changed by somebody else", nil)}
	c, _ := r.settle("it")
	r.ends(c, v1alpha1.ResultRollbackFailed, v1alpha1.RolledBackFailed)
	r.sent("shop/web=3", "shop/api=4", "shop/db=5", "undo shop/db")
	if rolled := condition(c, v1alpha1.ConditionRolledBack); rolled.Status != metav1.ConditionFalse || !strings.Contains(rolled.Message, "shop/api") {
		t.Errorf("RolledBack is %+v", rolled)
	}
	if last := r.events.events[len(r.events.events)-1]; last != "Warning RollbackFailed Succeeded" {
		t.Errorf("events %v", r.events.events)
	}
	t.Run("after it was tried often enough", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners", autonomous))
		r.world.Verdicts = verdict(v1alpha1.OutcomeFailed, "503")
		for range maxTries {
			r.world.Refuse["Rollback"] = append(r.world.Refuse["Rollback"], errTimeout)
		}
		c, after := r.settle("it")
		for after > 0 && !finished(c) {
			c, after = r.wait("it", after)
		}
		r.ends(c, v1alpha1.ResultRollbackFailed, v1alpha1.RolledBackFailed)
	})
	t.Run("and goes on where it may pass, even for a change that is held", func(t *testing.T) {
		r := newRoom(t, scale("it"), owners("owners", autonomous))
		r.world.Verdicts = verdict(v1alpha1.OutcomeFailed, "503")
		r.world.Refuse["Rollback"] = []error{errTimeout}
		_, after := r.settle("it")
		r.edit("it", func(c *v1alpha1.ChangeRequest) { c.Spec.Suspend = true })
		c, _ := r.wait("it", after)
		r.ends(c, v1alpha1.ResultRolledBack, v1alpha1.RolledBackRolledBack)
		r.sent("shop/web=3", "undo shop/web")
	})
}

func TestPlan_isTriedAgain(t *testing.T) {
	r := newRoom(t, scale("it"))
	r.world.Refuse["Plan"] = []error{errTimeout}
	c, after := r.settle("it")
	if condition(c, v1alpha1.ConditionRetrying).Reason != fault.Timeout || condition(c, v1alpha1.ConditionPlanned).Reason != v1alpha1.PlannedClusterUnavailable {
		t.Errorf("%s", summary(c))
	}
	if c, _ = r.wait("it", after); c.Status.Phase != v1alpha1.ChangeAwaitingApproval {
		t.Errorf("phase %s", c.Status.Phase)
	}
	t.Run("three times", func(t *testing.T) {
		r := newRoom(t, scale("it"))
		r.world.Refuse["Plan"] = []error{errTimeout, errTimeout, errTimeout}
		c, after := r.settle("it")
		for after > 0 && !finished(c) {
			c, after = r.wait("it", after)
		}
		r.ends(c, v1alpha1.ResultInvalid, v1alpha1.SucceededRetriesExhausted)
	})
	t.Run("as long as consent lasts, once people agreed", func(t *testing.T) {
		r := newRoom(t, scale("it"))
		_, _ = r.settle("it")
		r.approve("it-1-1", "bob")
		for range 8 {
			r.world.Refuse["Plan"] = append(r.world.Refuse["Plan"], errTimeout)
		}
		c, after := r.settle("it")
		for after > 0 && !finished(c) {
			c, after = r.wait("it", after)
		}
		r.ends(c, v1alpha1.ResultSucceeded, v1alpha1.SucceededApplied)
	})
}
