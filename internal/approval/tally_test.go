package approval

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

const (
	digest  = "sha256:1111111111111111111111111111111111111111111111111111111111111111"
	another = "sha256:2222222222222222222222222222222222222222222222222222222222222222"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// asked is the question whether the change "web" of bob may be applied, to one person.
func asked() Question {
	return Question{
		ChangeName: "web", ChangeUID: "u1", Purpose: v1alpha1.PurposeApply, Revision: 2, Digest: digest,
		Class: v1alpha1.ClassMedium, Required: 1, Requester: "bob", SelfApproval: v1alpha1.SelfApprovalForbid,
		ExpiresAt: now.Add(time.Hour), Now: now,
	}
}

// slot is an undecided slot of that question.
func slot(number int32) v1alpha1.Approval {
	return v1alpha1.Approval{
		ObjectMeta: metav1.ObjectMeta{Name: SlotName("web", v1alpha1.PurposeApply, 2, number)},
		Spec: v1alpha1.ApprovalSpec{
			ChangeRequestRef: v1alpha1.ChangeReference{Name: "web", UID: "u1"}, Purpose: v1alpha1.PurposeApply, Revision: 2,
			PlanDigest: digest, Class: v1alpha1.ClassMedium, Slot: number, Decision: v1alpha1.DecisionPending,
			ExpiresAt: metav1.NewTime(now.Add(time.Hour)),
		},
	}
}

func approvedBy(who string, number int32) v1alpha1.Approval {
	apv := slot(number)
	apv.Spec.Decision, apv.Spec.AcknowledgedDigest, apv.Spec.DecidedBy = v1alpha1.DecisionApproved, digest, &v1alpha1.Decider{Username: who}
	return apv
}

func rejectedBy(who string, number int32) v1alpha1.Approval {
	apv := slot(number)
	apv.Spec.Decision, apv.Spec.Reason, apv.Spec.DecidedBy = v1alpha1.DecisionRejected, "not today", &v1alpha1.Decider{Username: who}
	return apv
}

// aboutResult turns question and slots into those about a result.
func aboutResult(q *Question, slots ...*v1alpha1.Approval) {
	q.Purpose = v1alpha1.PurposeAcceptResult
	for _, apv := range slots {
		apv.Spec.Purpose = v1alpha1.PurposeAcceptResult
		apv.Name = SlotName("web", v1alpha1.PurposeAcceptResult, apv.Spec.Revision, apv.Spec.Slot)
	}
}

func only(names ...string) func(v1alpha1.Decider) bool {
	return func(by v1alpha1.Decider) bool { return slices.Contains(names, by.Username) }
}

// TestTally_oneAgreement goes through all that keeps the agreement of alice, which would do, from counting.
func TestTally_oneAgreement(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(q *Question, apv *v1alpha1.Approval)
		counts bool
		want   string
		fact   change.ConsentFact
		reason string
	}{
		{"nothing is against it", func(*Question, *v1alpha1.Approval) {}, true, v1alpha1.GrantedApproved, change.ConsentGranted, "alice is somebody else and may"},
		{"it is about a change of another name", func(_ *Question, a *v1alpha1.Approval) { a.Spec.ChangeRequestRef.Name = "api" }, false, v1alpha1.GrantedSuperseded, change.ConsentUnasked, "another question"},
		{"it is about a former change of the name", func(_ *Question, a *v1alpha1.Approval) { a.Spec.ChangeRequestRef.UID = "u0" }, false, v1alpha1.GrantedSuperseded, change.ConsentUnasked, "whoever recreates a change asks anew"},
		{"it is about the result", func(_ *Question, a *v1alpha1.Approval) { a.Spec.Purpose = v1alpha1.PurposeAcceptResult }, false, v1alpha1.GrantedSuperseded, change.ConsentUnasked, "another question"},
		{"it is about a former revision", func(_ *Question, a *v1alpha1.Approval) { a.Spec.Revision = 1 }, false, v1alpha1.GrantedSuperseded, change.ConsentUnasked, "another plan"},
		{"it is about another plan", func(_ *Question, a *v1alpha1.Approval) { a.Spec.PlanDigest = another }, false, v1alpha1.GrantedSuperseded, change.ConsentUnasked, "another plan"},
		{"it is about another class", func(_ *Question, a *v1alpha1.Approval) { a.Spec.Class = v1alpha1.ClassLow }, false, v1alpha1.GrantedSuperseded, change.ConsentUnasked, "who may approve Low may not approve Medium"},
		{"it is being deleted", func(_ *Question, a *v1alpha1.Approval) { at := metav1.NewTime(now); a.DeletionTimestamp = &at }, false, v1alpha1.GrantedSuperseded, change.ConsentUnasked, "it is taken away"},
		{"it acknowledges another plan", func(_ *Question, a *v1alpha1.Approval) { a.Spec.AcknowledgedDigest = another }, false, v1alpha1.GrantedSuperseded, change.ConsentUnasked, "something else was seen"},
		{"it acknowledges nothing", func(_ *Question, a *v1alpha1.Approval) { a.Spec.AcknowledgedDigest = "" }, false, v1alpha1.GrantedSuperseded, change.ConsentUnasked, "nobody approves unseen"},
		{"its own time has passed", func(_ *Question, a *v1alpha1.Approval) { a.Spec.ExpiresAt = metav1.NewTime(now) }, false, v1alpha1.GrantedExpired, change.ConsentUnasked, "consent lapses at that moment"},
		{"the question's time has passed", func(q *Question, _ *v1alpha1.Approval) { q.ExpiresAt = now }, true, v1alpha1.GrantedApproved, change.ConsentExpired, "it was not used in time"},
		{"it was used by another attempt", func(q *Question, a *v1alpha1.Approval) { a.Status.ConsumedBy, q.Attempt = "apply-1", "apply-2" }, false, v1alpha1.GrantedConsumed, change.ConsentUnasked, "it counts once"},
		{"it was used and no attempt is under way", func(_ *Question, a *v1alpha1.Approval) { a.Status.ConsumedBy = "apply-1" }, false, v1alpha1.GrantedConsumed, change.ConsentUnasked, "it counts once"},
		{"it was used by this attempt", func(q *Question, a *v1alpha1.Approval) { a.Status.ConsumedBy, q.Attempt = "apply-1", "apply-1" }, true, v1alpha1.GrantedApproved, change.ConsentGranted, "an interrupted attempt goes on"},
		{"nobody is named", func(_ *Question, a *v1alpha1.Approval) { a.Spec.DecidedBy = nil }, false, v1alpha1.GrantedNotAllowed, change.ConsentUnasked, "nobody vouches for it"},
		{"an empty name", func(_ *Question, a *v1alpha1.Approval) { a.Spec.DecidedBy.Username = "" }, false, v1alpha1.GrantedNotAllowed, change.ConsentUnasked, "nobody vouches for it"},
		{"a service account", func(_ *Question, a *v1alpha1.Approval) { a.Spec.DecidedBy.Username = "system:serviceaccount:shop:ci" }, false, v1alpha1.GrantedNotAllowed, change.ConsentUnasked, "no person"},
		{"the requester", func(q *Question, _ *v1alpha1.Approval) { q.Requester = "alice" }, false, v1alpha1.GrantedOwnRequest, change.ConsentUnasked, "nobody agrees with himself"},
		{"the requester under another name", func(q *Question, _ *v1alpha1.Approval) {
			q.Person = func(string) string { return "one" }
		}, false, v1alpha1.GrantedOwnRequest, change.ConsentUnasked, "two accounts are one person"},
		{"the requester where that is allowed", func(q *Question, _ *v1alpha1.Approval) {
			q.Requester, q.SelfApproval = "alice", v1alpha1.SelfApprovalAllow
		}, true, v1alpha1.GrantedApproved, change.ConsentGranted, "the owners said so"},
		{"the requester where nothing is said", func(q *Question, _ *v1alpha1.Approval) { q.Requester, q.SelfApproval = "alice", "" }, false, v1alpha1.GrantedOwnRequest, change.ConsentUnasked, "unset is forbidden"},
		{"an unknown requester", func(q *Question, _ *v1alpha1.Approval) { q.Requester = "" }, false, v1alpha1.GrantedOwnRequest, change.ConsentUnasked, "alice may be the one"},
		{"one who submits for others", func(q *Question, _ *v1alpha1.Approval) {
			q.Delegated = func(username string) bool { return username == "alice" }
		}, false, v1alpha1.GrantedNotAllowed, change.ConsentUnasked, "whom it speaks for is not known"},
		{"one who may not any more", func(q *Question, _ *v1alpha1.Approval) { q.StillAllowed = only("carol") }, false, v1alpha1.GrantedNotAllowed, change.ConsentUnasked, "rights are asked again"},
		{"one who still may", func(q *Question, _ *v1alpha1.Approval) { q.StillAllowed = only("alice") }, true, v1alpha1.GrantedApproved, change.ConsentGranted, "rights are asked again"},
		{"it was asked under rules that are gone", func(q *Question, _ *v1alpha1.Approval) {
			q.Stands = func(*v1alpha1.Approval) bool { return false }
		}, false, v1alpha1.GrantedSuperseded, change.ConsentUnasked, "the rules are others now"},
		{"a word that is no decision", func(_ *Question, a *v1alpha1.Approval) { a.Spec.Decision = "Maybe" }, false, v1alpha1.GrantedPending, change.ConsentAwaited, "only Approved is yes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q, apv := asked(), approvedBy("alice", 1)
			tc.change(&q, &apv)
			a := Tally(q, []v1alpha1.Approval{apv})
			got := a.Slots[0]
			if got.Counts != tc.counts || got.Reason != tc.want || a.Fact != tc.fact {
				t.Errorf("slot %+v, fact %d, want counts %v, %s, fact %d: %s", got, a.Fact, tc.counts, tc.want, tc.fact, tc.reason)
			}
			if got.Name != apv.Name || got.Message == "" {
				t.Errorf("slot %+v does not say which it is and why", got)
			}
			if granted := a.Granted == 1; granted != tc.counts {
				t.Errorf("granted %d", a.Granted)
			}
		})
	}
}

// TestTally_oneRefusal goes through whose refusal stops a change, and whose has a result rolled back.
func TestTally_oneRefusal(t *testing.T) {
	gone := func(*v1alpha1.Approval) bool { return false }
	for _, tc := range []struct {
		name          string
		change        func(q *Question, apv *v1alpha1.Approval)
		apply, result bool
		reason        string
	}{
		{"of one who may", func(*Question, *v1alpha1.Approval) {}, true, true, "a no is a no"},
		{"of one who still may", func(q *Question, _ *v1alpha1.Approval) { q.StillAllowed = only("carol") }, true, true, "a no is a no"},
		{"of one who may not", func(q *Question, _ *v1alpha1.Approval) { q.StillAllowed = only("alice") }, false, false, "whoever cannot agree cannot block"},
		{"of one who submits for others", func(q *Question, _ *v1alpha1.Approval) { q.Delegated = func(string) bool { return true } }, false, false, "no person decided"},
		{"of a service account", func(_ *Question, a *v1alpha1.Approval) { a.Spec.DecidedBy.Username = "system:serviceaccount:a:b" }, false, false, "no person decided"},
		{"of nobody", func(_ *Question, a *v1alpha1.Approval) { a.Spec.DecidedBy = nil }, false, false, "no person decided"},
		{"of the requester", func(q *Question, _ *v1alpha1.Approval) { q.Requester = "carol" }, true, false, "he may withdraw it, and not judge it"},
		{"of the requester where that is allowed", func(q *Question, _ *v1alpha1.Approval) {
			q.Requester, q.SelfApproval = "carol", v1alpha1.SelfApprovalAllow
		}, true, true, "the owners said so"},
		{"under rules that are gone", func(q *Question, _ *v1alpha1.Approval) { q.Stands = gone }, true, false, "to stop needs no rules, to undo does"},
		{"of another plan", func(_ *Question, a *v1alpha1.Approval) { a.Spec.PlanDigest = another }, false, false, "another question"},
		{"that nobody used in time", func(_ *Question, a *v1alpha1.Approval) { a.Spec.ExpiresAt = metav1.NewTime(now) }, true, true, "a no does not lapse"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for purpose, want := range map[v1alpha1.ApprovalPurpose]bool{v1alpha1.PurposeApply: tc.apply, v1alpha1.PurposeAcceptResult: tc.result} {
				q, apv := asked(), rejectedBy("carol", 1)
				if purpose == v1alpha1.PurposeAcceptResult {
					aboutResult(&q, &apv)
				}
				tc.change(&q, &apv)
				a := Tally(q, []v1alpha1.Approval{apv})
				if rejected := a.Fact == change.ConsentRejected; rejected != want {
					t.Errorf("%s: rejected %v, want %v: %s", purpose, rejected, want, tc.reason)
				}
				if want && (a.RejectedBy != "carol" || a.Because != "not today") {
					t.Errorf("%s: refused by %q because %q", purpose, a.RejectedBy, a.Because)
				}
				if !want && !slices.Equal(a.Make, []int32{2}) && a.Fact != change.ConsentRejected {
					t.Errorf("%s: makes %v, want another slot", purpose, a.Make)
				}
			}
		})
	}
}

func TestTally_severalPeople(t *testing.T) {
	aliases := func(username string) string { return strings.TrimSuffix(username, "-admin") }
	expired := slot(1)
	expired.Spec.ExpiresAt = metav1.NewTime(now)
	foreign := slot(1)
	foreign.Spec.ChangeRequestRef.UID = "u0"
	for _, tc := range []struct {
		name    string
		change  func(q *Question)
		slots   []v1alpha1.Approval
		fact    change.ConsentFact
		granted int32
		makes   []int32
		reason  string
	}{
		{"nobody was asked", nil, nil, change.ConsentUnasked, 0, []int32{1}, "one person is needed"},
		{"two are needed and nobody was asked", func(q *Question) { q.Required = 2 }, nil, change.ConsentUnasked, 0, []int32{1, 2}, "two people are needed"},
		{"nobody is needed", func(q *Question) { q.Required = 0 }, nil, change.ConsentUnasked, 0, []int32{1}, "who asks nobody has not asked"},
		{"nobody has decided", nil, []v1alpha1.Approval{slot(1)}, change.ConsentAwaited, 0, nil, "it is asked"},
		{"nobody decided in time", func(q *Question) { q.ExpiresAt = now }, []v1alpha1.Approval{expired}, change.ConsentExpired, 0, []int32{2}, "time is up"},
		{"one of two agreed", func(q *Question) { q.Required = 2 }, []v1alpha1.Approval{approvedBy("alice", 1), slot(2)}, change.ConsentAwaited, 1, nil, "one more is asked"},
		{"two of two agreed", func(q *Question) { q.Required = 2 }, []v1alpha1.Approval{approvedBy("alice", 1), approvedBy("carol", 2)}, change.ConsentGranted, 2, nil, "two people agree"},
		{"one agreed twice", func(q *Question) { q.Required = 2 }, []v1alpha1.Approval{approvedBy("alice", 1), approvedBy("alice", 2)}, change.ConsentUnasked, 1, []int32{3}, "one person counts once"},
		{"one agreed under two names", func(q *Question) { q.Required, q.Person = 2, aliases },
			[]v1alpha1.Approval{approvedBy("alice", 1), approvedBy("alice-admin", 2)}, change.ConsentUnasked, 1, []int32{3}, "one person counts once"},
		{"the requester agreed under another name", func(q *Question) { q.Person = aliases }, []v1alpha1.Approval{approvedBy("bob-admin", 1)}, change.ConsentUnasked, 0, []int32{2}, "bob asked"},
		{"one agreed and one refused", func(q *Question) { q.Required = 2 }, []v1alpha1.Approval{approvedBy("alice", 1), rejectedBy("carol", 2)}, change.ConsentRejected, 1, []int32{3}, "one no is enough"},
		{"enough agreed and one refused", nil, []v1alpha1.Approval{approvedBy("alice", 1), rejectedBy("carol", 2)}, change.ConsentRejected, 1, nil, "one no is enough"},
		{"one agreed and then refused", func(q *Question) { q.Required = 2 }, []v1alpha1.Approval{approvedBy("alice", 1), rejectedBy("alice", 2)}, change.ConsentRejected, 1, []int32{3}, "the no is what holds"},
		{"more are needed than when it was asked", func(q *Question) { q.Required = 3 }, []v1alpha1.Approval{approvedBy("alice", 1)}, change.ConsentUnasked, 1, []int32{2, 3}, "the policies became stricter"},
		{"fewer are needed than when it was asked", nil, []v1alpha1.Approval{approvedBy("alice", 1), slot(2)}, change.ConsentGranted, 1, nil, "the policies became milder"},
		{"a slot is gone", func(q *Question) { q.Required = 2 }, []v1alpha1.Approval{approvedBy("alice", 2)}, change.ConsentUnasked, 1, []int32{1}, "its number is free"},
		{"a slot of a former change of the name is still there", nil, []v1alpha1.Approval{foreign}, change.ConsentUnasked, 0, []int32{2}, "its name is taken"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q := asked()
			if tc.change != nil {
				tc.change(&q)
			}
			a := Tally(q, tc.slots)
			if a.Fact != tc.fact || a.Granted != tc.granted || !slices.Equal(a.Make, tc.makes) {
				t.Errorf("fact %d, granted %d, makes %v, want %d, %d, %v: %s", a.Fact, a.Granted, a.Make, tc.fact, tc.granted, tc.makes, tc.reason)
			}
		})
	}
}

func TestTally_result(t *testing.T) {
	q, apv := asked(), approvedBy("alice", 1)
	aboutResult(&q, &apv)
	q.ExpiresAt, apv.Spec.ExpiresAt = now.Add(-time.Minute), metav1.NewTime(now.Add(-time.Minute))
	if a := Tally(q, []v1alpha1.Approval{apv}); a.Fact != change.ConsentGranted {
		t.Errorf("a result that was accepted and is looked at late is %d: to keep what there is does no harm", a.Fact)
	}
	pending := slot(1)
	aboutResult(&q, &pending)
	pending.Spec.ExpiresAt = apv.Spec.ExpiresAt
	if a := Tally(q, []v1alpha1.Approval{pending}); a.Fact != change.ConsentExpired || a.Slots[0].Reason != v1alpha1.GrantedExpired {
		t.Errorf("a result that nobody judged in time: %+v", a)
	}
}

// TestTally_slotsRunOut tells how one person who agrees again and again cannot have slots made for ever.
func TestTally_slotsRunOut(t *testing.T) {
	q := asked()
	q.Required = 2
	var slots []v1alpha1.Approval
	for range 3 * MaxSlots {
		for _, n := range Tally(q, slots).Make {
			if n > MaxSlots {
				t.Fatalf("slot %d is made, and the API server takes %d", n, MaxSlots)
			}
			slots = append(slots, approvedBy("alice", n))
		}
	}
	a := Tally(q, slots)
	if len(slots) != MaxSlots || a.Fact != change.ConsentAwaited || a.Granted != 1 {
		t.Errorf("%d slots, fact %d, granted %d", len(slots), a.Fact, a.Granted)
	}
	q.Now = q.ExpiresAt
	if a := Tally(q, slots); a.Fact != change.ConsentExpired {
		t.Errorf("fact %d, want that it lapses in its time", a.Fact)
	}
}

// anySlots draws what may have become of the slots of a question.
func anySlots(t *rapid.T) []v1alpha1.Approval {
	people := rapid.SampledFrom([]string{"alice", "alice-admin", "bob", "carol", "dora", "system:serviceaccount:a:b"})
	var slots []v1alpha1.Approval
	for n := range rapid.Int32Range(0, 6).Draw(t, "slots") {
		apv := slot(n + 1)
		switch rapid.SampledFrom([]string{"pending", "approved", "approved", "approved", "rejected"}).Draw(t, "decision") {
		case "approved":
			apv = approvedBy(people.Draw(t, "who"), n+1)
		case "rejected":
			apv = rejectedBy(people.Draw(t, "who"), n+1)
		}
		switch rapid.IntRange(0, 9).Draw(t, "flaw") {
		case 0:
			apv.Spec.PlanDigest = another
		case 1:
			apv.Spec.ExpiresAt = metav1.NewTime(now)
		case 2:
			apv.Status.ConsumedBy = "apply-1"
		}
		slots = append(slots, apv)
	}
	return slots
}

func anyQuestion(t *rapid.T) Question {
	q := asked()
	q.Required = rapid.Int32Range(0, 5).Draw(t, "required")
	q.Person = func(username string) string { return strings.TrimSuffix(username, "-admin") }
	if rapid.Bool().Draw(t, "asked again") {
		q.StillAllowed = only("alice", "bob", "carol")
	}
	return q
}

func TestTally_orderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, slots := anyQuestion(t), anySlots(t)
		one := Tally(q, slots)
		other := Tally(q, rapid.Permutation(slots).Draw(t, "order"))
		byName := func(x, y Slot) int { return strings.Compare(x.Name, y.Name) }
		slices.SortFunc(one.Slots, byName)
		slices.SortFunc(other.Slots, byName)
		if !reflect.DeepEqual(one, other) {
			t.Fatalf("%+v\nand in another order\n%+v", one, other)
		}
	})
}

func TestTally_samePersonNeverRaisesGranted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, slots := anyQuestion(t), anySlots(t)
		before := Tally(q, slots)
		for i, s := range before.Slots {
			if !s.Counts {
				continue
			}
			again := approvedBy(slots[i].Spec.DecidedBy.Username, 7)
			if after := Tally(q, append(slices.Clone(slots), again)); after.Granted != before.Granted {
				t.Fatalf("granted %d, and %d once %s agrees again", before.Granted, after.Granted, again.Spec.DecidedBy.Username)
			}
		}
	})
}

// TestTally_grantsOnlyWhatPeopleAgreedTo counts the people a second time, from the words of the design.
func TestTally_grantsOnlyWhatPeopleAgreedTo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, slots := anyQuestion(t), anySlots(t)
		a := Tally(q, slots)
		agree, refused := map[string]bool{}, false
		for _, apv := range slots {
			s := apv.Spec
			mayDecide := s.DecidedBy != nil && !strings.HasPrefix(s.DecidedBy.Username, "system:") && (q.StillAllowed == nil || q.StillAllowed(*s.DecidedBy))
			refused = refused || (mayDecide && s.Decision == v1alpha1.DecisionRejected && s.PlanDigest == digest)
			if mayDecide && s.Decision == v1alpha1.DecisionApproved && s.PlanDigest == digest && now.Before(s.ExpiresAt.Time) &&
				apv.Status.ConsumedBy == "" && q.Person(s.DecidedBy.Username) != "bob" {
				agree[q.Person(s.DecidedBy.Username)] = true
			}
		}
		if int(a.Granted) != len(agree) {
			t.Fatalf("granted %d, but %v agree", a.Granted, agree)
		}
		want := len(agree) > 0 && len(agree) >= int(q.Required) && !refused
		if granted := a.Fact == change.ConsentGranted; granted != want {
			t.Fatalf("granted %v, want %v: %v agree, %d required, refused %v", granted, want, agree, q.Required, refused)
		}
		if open := int32(len(slots)) + int32(len(a.Make)); a.Fact == change.ConsentUnasked && len(a.Make) == 0 || open > MaxSlots {
			t.Fatalf("nothing to make, or too much: %+v", a)
		}
	})
}

func TestSlotName(t *testing.T) {
	long := strings.Repeat("a", 250)
	for _, tc := range []struct {
		name, change string
		purpose      v1alpha1.ApprovalPurpose
		want         string
	}{
		{"of a plan", "web", v1alpha1.PurposeApply, "web-2-1"},
		{"of a result", "web", v1alpha1.PurposeAcceptResult, "web-2-result-1"},
		{"of a change with a long name", long, v1alpha1.PurposeApply, strings.Repeat("a", 233) + SlotName(long, v1alpha1.PurposeApply, 2, 1)[233:]},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := SlotName(tc.change, tc.purpose, 2, 1)
			if got != tc.want || len(validation.IsDNS1123Subdomain(got)) != 0 {
				t.Errorf("SlotName() = %q, want %q", got, tc.want)
			}
		})
	}
	if one, other := SlotName(long+"b", v1alpha1.PurposeApply, 2, 1), SlotName(long+"c", v1alpha1.PurposeApply, 2, 1); one == other {
		t.Errorf("two changes have the slot %s", one)
	}
}
