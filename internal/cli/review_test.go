package cli_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cli"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/transcript"
)

// digest is that of the plan.
const digest = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

// changeCondition sets a condition of a change.
func changeCondition(c *v1alpha1.ChangeRequest, kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&c.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(noon),
	})
}

// planned fills in a plan.
func planned(c *v1alpha1.ChangeRequest) {
	c.Status.Plan = &v1alpha1.PlanStatus{
		Revision: 1, Digest: digest, Summary: "scale Deployment shop/checkout from 2 to 3", Counts: v1alpha1.EffectCounts{Update: 1},
		Risk: v1alpha1.Risk{
			Class: v1alpha1.ClassMedium, Impact: v1alpha1.ImpactMedium, Reversibility: v1alpha1.Reversible,
			Reasons: []string{"Deployment shop/checkout goes from 2 to 3 replicas, in production"},
		},
		DiffRef:   "plan-0f3c-1",
		PlannedAt: metav1.NewTime(noon.Add(-2 * time.Minute)), ExpiresAt: metav1.NewTime(noon.Add(24*time.Hour - 2*time.Minute)),
	}
	changeCondition(c, v1alpha1.ConditionPlanned, metav1.ConditionTrue, v1alpha1.PlannedPlanned, "One object to change")
}

// waitingFor makes two people's consent awaited.
func waitingFor(c *v1alpha1.ChangeRequest) {
	planned(c)
	c.Status.Phase = v1alpha1.ChangeAwaitingApproval
	c.Status.Policy = &v1alpha1.PolicyStatus{
		Verdict: v1alpha1.PolicyApprovalRequired, Digest: digest, RequiredApprovals: 2, Progress: "1/2", Fingerprint: "policies:1",
		DecidedBy: []string{"shop@3: namespace shop is protected (2 to agree)"},
	}
	changeCondition(c, v1alpha1.ConditionApproved, metav1.ConditionUnknown, v1alpha1.ApprovedAwaitingApproval, "1 of 2 people agreed. To agree: kubectl patch approval mine-1-2 -n shop --type=merge -p '…'")
	changeCondition(c, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ApprovedAwaitingApproval, "1 of 2 people agreed")
}

// done makes a change succeed.
func done(c *v1alpha1.ChangeRequest) {
	c.Status.Phase, c.Status.Result = v1alpha1.ChangeSucceeded, v1alpha1.ResultSucceeded
	changeCondition(c, v1alpha1.ConditionApproved, metav1.ConditionTrue, v1alpha1.ApprovedGranted, "bob and carol agreed")
	changeCondition(c, v1alpha1.ConditionApplied, metav1.ConditionTrue, v1alpha1.AppliedApplied, "Applied")
	changeCondition(c, v1alpha1.ConditionVerified, metav1.ConditionTrue, v1alpha1.VerifiedVerified, "Every check holds")
	changeCondition(c, v1alpha1.ConditionSucceeded, metav1.ConditionTrue, v1alpha1.SucceededApplied, "scale Deployment shop/checkout from 2 to 3: applied and verified")
}

// rejected makes somebody refuse it.
func rejected(c *v1alpha1.ChangeRequest) {
	waitingFor(c)
	c.Status.Phase, c.Status.Result = v1alpha1.ChangeRejected, v1alpha1.ResultRejected
	changeCondition(c, v1alpha1.ConditionApproved, metav1.ConditionFalse, v1alpha1.ApprovedRejected, "bob refused the change")
	changeCondition(c, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ApprovedRejected, "bob refused the change: not before the backup is done")
	c.Status.Failure = &v1alpha1.Failure{Type: v1alpha1.ApprovedRejected, Message: "bob refused the change: not before the backup is done", Remedies: []string{"Talk to bob, then create another ChangeRequest."}}
}

const diffText = `--- Deployment shop/checkout
+++ Deployment shop/checkout
@@ -5,7 +5,7 @@
   name: checkout
   namespace: shop
 spec:
-  replicas: 2
+  replicas: 3
   selector:
     matchLabels:
       app: checkout
`

// theChange is a change of the namespace shop.
func theChange(fill ...func(*v1alpha1.ChangeRequest)) *v1alpha1.ChangeRequest {
	c := &v1alpha1.ChangeRequest{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "mine", UID: "u1", CreationTimestamp: metav1.NewTime(noon.Add(-3 * time.Minute))},
		Spec: v1alpha1.ChangeRequestSpec{
			Reason: "the sale begins at nine", RequestedBy: &v1alpha1.Requester{Username: "dora"},
			Kubernetes: v1alpha1.KubernetesChange{Operations: []v1alpha1.Operation{{Scale: &v1alpha1.ScaleOperation{
				Target: v1alpha1.OperationTarget{Kind: "Deployment", Name: "checkout"}, Replicas: 3,
			}}}},
		},
	}
	for _, f := range fill {
		f(c)
	}
	return c
}

// slot is one of the Approvals of the change.
func slot(n int32, fill ...func(*v1alpha1.Approval)) *v1alpha1.Approval {
	a := &v1alpha1.Approval{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprintf("mine-1-%d", n)},
		Spec: v1alpha1.ApprovalSpec{
			ChangeRequestRef: v1alpha1.ChangeReference{Name: "mine", UID: "u1"}, Purpose: v1alpha1.PurposeApply, Revision: 1, PlanDigest: digest,
			Class: v1alpha1.ClassMedium, RequestedBy: v1alpha1.Requester{Username: "dora"}, Summary: "scale Deployment shop/checkout from 2 to 3",
			Diff: diffText, Slot: n, ExpiresAt: metav1.NewTime(noon.Add(24*time.Hour - 2*time.Minute)),
			SelfApproval: v1alpha1.SelfApprovalForbid, Decision: v1alpha1.DecisionPending,
		},
	}
	for _, f := range fill {
		f(a)
	}
	return a
}

// by makes somebody decide.
func by(who string, decision v1alpha1.Decision, reason string) func(*v1alpha1.Approval) {
	return func(a *v1alpha1.Approval) {
		a.Spec.Decision, a.Spec.AcknowledgedDigest, a.Spec.Reason = decision, digest, reason
		a.Spec.DecidedBy = &v1alpha1.Decider{Username: who}
	}
}

// granted says what became of a decision.
func granted(status metav1.ConditionStatus, reason, message string) func(*v1alpha1.Approval) {
	return func(a *v1alpha1.Approval) {
		a.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionGranted, Status: status, Reason: reason, Message: message}}
	}
}

// keptDouble is what the operator keeps: nothing, or content by change; err says why it cannot be read.
type keptDouble struct {
	entries []transcript.Entry
	content map[string][]byte
	err     error
}

// Get returns the content.
func (k keptDouble) Get(_ context.Context, key transcript.Key) ([]byte, error) {
	if k.err != nil {
		return nil, k.err
	}
	if content, ok := k.content[key.UID]; ok {
		return content, nil
	}
	return nil, fault.New(fault.Terminal, fault.NotFound, "it is not kept", nil)
}

// List returns the entries.
func (k keptDouble) List(context.Context, transcript.Kind, string) ([]transcript.Entry, error) {
	return k.entries, k.err
}

func TestReview(t *testing.T) {
	checks := func(c *v1alpha1.ChangeRequest) {
		c.Spec.Checks = []v1alpha1.Check{
			{Name: "web-answers", Timeout: &metav1.Duration{Duration: 2 * time.Minute}, HTTPGet: &v1alpha1.HTTPGetCheck{URL: "https://shop.example/healthz", ExpectedStatus: 204}},
			{Name: "three", CEL: &v1alpha1.CELCheck{Target: v1alpha1.OperationTarget{Kind: "Deployment", Name: "checkout"}, Expression: "object.status.readyReplicas >= 3"}},
			{Name: "calm", NoNewWarnings: &v1alpha1.NothingNewCheck{}}, {Name: "sane", NoNewFaults: &v1alpha1.NothingNewCheck{}},
			{Name: "ready", ObjectReady: &v1alpha1.TargetOperation{Target: v1alpha1.OperationTarget{Kind: "Service", Name: "checkout"}}},
		}
	}
	doubtful := func(c *v1alpha1.ChangeRequest) {
		p := c.Status.Plan
		p.Risk.Reversibility, p.Risk.Class = v1alpha1.Irreversible, v1alpha1.ClassHigh
		p.NotDryRun = []string{"ConfigMap data/settings: the namespace data does not exist yet, so that the API server cannot say what would become of it"}
		p.NotShown = []string{"ConfigMap shop/settings: what looks like a secret: data.password (9 characters)"}
		p.Notes = []string{"Deployment shop/checkout: field manager helm owns spec.replicas and may set it back\x1b[31m"}
		c.Status.Drift = &v1alpha1.DriftStatus{Revision: 1, Count: 1, Reason: "PlanChanged", Message: "somebody scaled it"}
		c.Status.ApproveWith = []string{`kubectl patch approval mine-1-2 -n shop --type=merge -p '{"spec":{"decision":"Approved","acknowledgedDigest":"` + digest + `"}}'`}
	}
	named := func(a *v1alpha1.Approval) {
		a.Spec.Approvers = []v1alpha1.ApproverSet{{Policy: "shop", Subjects: []v1alpha1.Subject{{Kind: v1alpha1.SubjectGroup, Name: "sre"}, {Kind: v1alpha1.SubjectUser, Name: "erin"}}}}
	}
	inconclusive := func(a *v1alpha1.Approval) {
		a.Name, a.Spec.Purpose = "mine-1-result-1", v1alpha1.PurposeAcceptResult
	}
	agreed := slot(1, by("bob", v1alpha1.DecisionApproved, "ok with me"), granted(metav1.ConditionTrue, v1alpha1.GrantedApproved, "bob agreed"))
	foreign := slot(3, func(a *v1alpha1.Approval) { a.Name, a.Spec.ChangeRequestRef.UID = "mine-9-1", "another" })
	for _, c := range []struct {
		name    string
		objects []client.Object
		args    []string
	}{
		{"unplanned", []client.Object{theChange()}, nil},
		{"awaiting", []client.Object{theChange(waitingFor), agreed, slot(2), foreign}, nil},
		{"doubtful", []client.Object{theChange(waitingFor, checks, doubtful), agreed, slot(2, named)}, nil},
		{"ascii", []client.Object{theChange(waitingFor, checks, doubtful), agreed, slot(2, named)}, []string{"--ascii"}},
		{"rejected", []client.Object{theChange(rejected), agreed, slot(2, by("bob", v1alpha1.DecisionRejected, "not before the backup is done"),
			granted(metav1.ConditionFalse, v1alpha1.GrantedRejected, "bob refused the change"))}, nil},
		{"inconclusive", []client.Object{theChange(waitingFor), agreed,
			slot(2, by("erin", v1alpha1.DecisionApproved, ""), granted(metav1.ConditionFalse, v1alpha1.GrantedNotAllowed, "erin may not approve changes of class Medium here any more")),
			slot(1, inconclusive)}, nil},
		{"done", []client.Object{theChange(waitingFor, done)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: newTasks(t, c.objects...), kept: keptDouble{}}
			got := s.run(append([]string{"review", "mine"}, c.args...)...)
			if got.code != cli.ExitDone {
				t.Fatalf("exit code %d, %q", got.code, got.err)
			}
			golden(t, "review-"+c.name+".golden", got.out)
			for _, line := range strings.Split(got.out, "\n") {
				if len([]rune(line)) > 80 && !strings.Contains(line, "kubectl patch") && !strings.Contains(line, digest) {
					t.Errorf("wider than 80: %q", line)
				}
			}
		})
	}
}

func TestReview_inColourAndForPrograms(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t, theChange(waitingFor), slot(1), slot(2)), kept: keptDouble{}, color: true}
	golden(t, "review-color.golden", s.run("review", "mine").out)
	s.color = false
	if got := s.run("review", "mine-1-2", "-o", "json"); got.code != cli.ExitDone || !strings.Contains(got.out, `"kind": "ChangeRequest"`) || !strings.Contains(got.out, `"kind": "Approval"`) {
		t.Errorf("exit code %d, %q", got.code, got.out)
	}
}

func TestReview_findsTheChangeOfAName(t *testing.T) {
	other := theChange(waitingFor)
	other.UID = "u2"
	for _, c := range []struct {
		name, arg string
		objects   []client.Object
		want      string
	}{
		{"the change", "mine", []client.Object{theChange(waitingFor), slot(1)}, ""},
		{"an Approval", "mine-1-1", []client.Object{theChange(waitingFor), slot(1)}, ""},
		{"an Approval with its kind", "apv/mine-1-1", []client.Object{theChange(waitingFor), slot(1)}, ""},
		{"the change with its kind", "chg/mine", []client.Object{theChange(waitingFor), slot(1)}, ""},
		{"nothing", "yours", nil, "there is no ChangeRequest or Approval yours in namespace shop"},
		{"a change that does not exist", "chg/yours", nil, "there is no ChangeRequest yours in namespace shop"},
		{"an Approval whose change is another one now", "mine-1-1", []client.Object{other, slot(1)}, "is gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: newTasks(t, c.objects...), kept: keptDouble{}}
			got := s.run("review", c.arg)
			if c.want == "" && got.code != cli.ExitDone || c.want != "" && (got.code != cli.ExitTrouble || !strings.Contains(got.err, c.want)) {
				t.Errorf("exit code %d, %q; want %q", got.code, got.err, c.want)
			}
		})
	}
}

func TestCompletion_ofTheNamesOfChanges(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t, theChange(waitingFor))}
	if got := s.run("__complete", "approve", ""); !strings.Contains(got.out, "mine\tscale Deployment shop/checkout from 2 to 3") {
		t.Errorf("completes to %q", got.out)
	}
}

func TestReview_saysWhenAChangeMayBegin(t *testing.T) {
	limited := func(c *v1alpha1.ChangeRequest) {
		c.Spec.NotBefore, c.Spec.Deadline = &metav1.Time{Time: noon.Add(time.Hour)}, &metav1.Time{Time: noon.Add(2 * time.Hour)}
		c.Spec.TaskRef = &v1alpha1.LocalReference{Name: "more-carts"}
	}
	s := &shell{t: t, tasks: newTasks(t, theChange(limited)), kept: keptDouble{}}
	got := s.run("review", "mine")
	for _, want := range []string{"not before 2026-03-02T13:00:00Z, not after 2026-03-02T14:00:00Z", "dora, through AgentTask more-carts"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("lacks %q: %q", want, got.out)
		}
	}
}
