// Package approval says what the decisions of people amount to.
//
// One Approval is one person's decision about one plan. Tally looks at all of them and says which count, why the others
// do not, whether there are enough, and which slots are still to be made. It is pure and looks at facts of the Approvals'
// specs alone, never at their conditions. The ChangeRequest controller calls it when it waits and again, with fresh
// reads, before it applies.
package approval

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

// Question is what people are asked.
type Question struct {
	// ChangeName and ChangeUID name the change; an Approval about another uid never counts.
	ChangeName string
	ChangeUID  string
	Purpose    v1alpha1.ApprovalPurpose
	Revision   int32
	Digest     string
	// Class, as the plan has it now.
	Class v1alpha1.Class
	// Required is how many distinct people have to agree.
	Required int32
	// Requester may not be one of them unless SelfApproval says so.
	Requester    string
	SelfApproval v1alpha1.SelfApproval
	// Person maps a name to the person behind it.
	Person func(username string) string
	// Delegated says which names submit for others and so never decide.
	Delegated func(username string) bool
	// StillAllowed says whether the one who decided may still approve the class; nil where it is not asked.
	StillAllowed func(v1alpha1.Decider) bool
	// Stands says whether a slot still asks, or was decided, under the rules of now: the approvers, and the identity guard
	// that was in place; nil where that is not asked. A refusal to apply needs no such thing.
	Stands func(*v1alpha1.Approval) bool
	// Attempt is the id of the attempt that may have consumed Approvals already; those count for it alone.
	Attempt string
	// ExpiresAt is when the question lapses, and when consent to apply does.
	ExpiresAt time.Time
	Now       time.Time
}

// Slot is what one Approval amounts to.
type Slot struct {
	Name string
	// Counts: it is one of the people who agree.
	Counts bool
	// Reason is a reason of the condition Granted, Message the sentence for it.
	Reason  string
	Message string
}

// Answer is what all of them amount to.
type Answer struct {
	Fact change.ConsentFact
	// Granted is how many people agree.
	Granted int32
	// Slots has an entry for each Approval, in the order given.
	Slots []Slot
	// Make are the numbers of the slots that are still to be made.
	Make []int32
	// RejectedBy and Because say who refused and why, where somebody did.
	RejectedBy string
	Because    string
}

// MaxSlots is how many slots a question may have, those that came to nothing included.
const MaxSlots = 20

// maxName is how long the name of an object may be.
const maxName = 253

// SlotName is the name of a slot. Where the change's own name leaves no room, a part of it is replaced by its hash.
func SlotName(changeName string, purpose v1alpha1.ApprovalPurpose, revision, slot int32) string {
	suffix := fmt.Sprintf("-%d-%d", revision, slot)
	if purpose == v1alpha1.PurposeAcceptResult {
		suffix = fmt.Sprintf("-%d-result-%d", revision, slot)
	}
	if len(changeName)+len(suffix) > maxName {
		sum := sha256.Sum256([]byte(changeName))
		hash := hex.EncodeToString(sum[:])[:16]
		changeName = changeName[:maxName-len(suffix)-len(hash)] + hash
	}
	return changeName + suffix
}

// Tally says what the approvals amount to. The order in which they are given does not matter.
func Tally(q Question, approvals []v1alpha1.Approval) Answer {
	a := Answer{Slots: make([]Slot, len(approvals))}
	people, names, open := map[string]string{}, map[string]bool{}, int32(0)
	for _, i := range bySlot(approvals) {
		apv := &approvals[i]
		slot := q.examine(apv, people)
		a.Slots[i], names[apv.Name] = slot, true
		switch {
		case slot.Counts:
			a.Granted++
		case slot.Reason == v1alpha1.GrantedPending:
			open++
		case slot.Reason == v1alpha1.GrantedRejected && a.RejectedBy == "":
			a.RejectedBy, a.Because = apv.Spec.DecidedBy.Username, apv.Spec.Reason
		}
	}
	a.Make = q.missing(a.Granted+open, names)
	a.Fact = q.fact(a)
	return a
}

// bySlot are the places of the approvals in the order of their slots.
func bySlot(approvals []v1alpha1.Approval) []int {
	order := make([]int, len(approvals))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		x, y := approvals[i], approvals[j]
		return cmp.Or(cmp.Compare(x.Spec.Slot, y.Spec.Slot), cmp.Compare(x.Name, y.Name))
	})
	return order
}

// missing are the numbers of the slots to make where have are decided for the change or may still be. A name that is
// taken, by whatever Approval, is not used again; where all are, nothing is made, and the question lapses in its time.
func (q Question) missing(have int32, taken map[string]bool) []int32 {
	var numbers []int32
	for n := int32(1); n <= MaxSlots && have+int32(len(numbers)) < q.required(); n++ {
		if !taken[SlotName(q.ChangeName, q.Purpose, q.Revision, n)] {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// required is how many people have to agree: where anybody is asked at all, at least one.
func (q Question) required() int32 { return max(q.Required, 1) }

func (q Question) fact(a Answer) change.ConsentFact {
	granted := a.Granted >= q.required()
	switch {
	case a.RejectedBy != "":
		return change.ConsentRejected
	case granted && q.Purpose == v1alpha1.PurposeAcceptResult:
		return change.ConsentGranted
	case !q.Now.Before(q.ExpiresAt):
		return change.ConsentExpired
	case granted:
		return change.ConsentGranted
	case len(a.Make) > 0:
		return change.ConsentUnasked
	}
	return change.ConsentAwaited
}

// about says whether the approval is about this question and no other.
func (q Question) about(apv *v1alpha1.Approval) bool {
	s := apv.Spec
	return s.ChangeRequestRef.UID == q.ChangeUID && s.ChangeRequestRef.Name == q.ChangeName && s.Purpose == q.Purpose &&
		s.Revision == q.Revision && s.PlanDigest == q.Digest && s.Class == q.Class && apv.DeletionTimestamp == nil
}

// examine runs through what disqualifies an approval, in order; people collects those who count.
func (q Question) examine(apv *v1alpha1.Approval, people map[string]string) Slot {
	s := apv.Spec
	lapsed := !q.Now.Before(s.ExpiresAt.Time)
	switch {
	case !q.about(apv):
		return not(apv, v1alpha1.GrantedSuperseded, "This question is no longer asked: there is a newer plan, or the change is another one. Nothing is left to decide here")
	case q.Stands != nil && !q.refusesToApply(s) && !q.Stands(apv):
		return not(apv, v1alpha1.GrantedSuperseded, "Since this was asked, the rules changed, or nobody vouched for who decides, so it is asked anew in another slot")
	case s.Decision == v1alpha1.DecisionApproved || s.Decision == v1alpha1.DecisionRejected:
		return q.examineDecision(apv, lapsed, people)
	case lapsed:
		return not(apv, v1alpha1.GrantedExpired, "Nobody decided in time. Create the ChangeRequest again to ask once more")
	}
	return not(apv, v1alpha1.GrantedPending, "Waiting for one person to decide")
}

// examineDecision looks at what was decided and by whom.
func (q Question) examineDecision(apv *v1alpha1.Approval, lapsed bool, people map[string]string) Slot {
	s := apv.Spec
	if s.DecidedBy == nil || s.DecidedBy.Username == "" {
		return not(apv, v1alpha1.GrantedNotAllowed, "It is not known who decided, so the decision does not count. Another slot is made")
	}
	if reason, message := q.disqualified(s); reason != "" {
		return not(apv, reason, message)
	}
	who := s.DecidedBy.Username
	person := q.person(who)
	switch {
	case s.Decision == v1alpha1.DecisionRejected:
		return not(apv, v1alpha1.GrantedRejected, who+" refused the change")
	case s.AcknowledgedDigest != q.Digest:
		return not(apv, v1alpha1.GrantedSuperseded, "The decision acknowledges another plan, so it does not count. Another slot is made")
	case lapsed && q.Purpose == v1alpha1.PurposeApply:
		return not(apv, v1alpha1.GrantedExpired, "The agreement was not used in time. Create the ChangeRequest again to ask once more")
	case apv.Status.ConsumedBy != "" && apv.Status.ConsumedBy != q.Attempt:
		return not(apv, v1alpha1.GrantedConsumed, "The agreement has been used once, and counts once")
	case people[person] != "":
		return not(apv, v1alpha1.GrantedDuplicatePerson, who+" has agreed already in "+people[person]+", and one person counts once. Another slot is made")
	}
	people[person] = apv.Name
	return Slot{Name: apv.Name, Counts: true, Reason: v1alpha1.GrantedApproved, Message: who + " agreed"}
}

// not is a slot that does not count.
func not(apv *v1alpha1.Approval, reason, message string) Slot {
	return Slot{Name: apv.Name, Reason: reason, Message: message}
}

// refusesToApply says whether somebody refused that the plan is applied, which changes nothing anywhere. To refuse a
// result has it rolled back, and asks for as much as to agree does.
func (q Question) refusesToApply(s v1alpha1.ApprovalSpec) bool {
	return s.Decision == v1alpha1.DecisionRejected && q.Purpose == v1alpha1.PurposeApply
}

// disqualified says why the one who decided may not: a reason of the condition Granted and the sentence for it. Both are
// empty where he may. Whoever asked for a change may withdraw it.
func (q Question) disqualified(s v1alpha1.ApprovalSpec) (reason, message string) {
	by := *s.DecidedBy
	other := q.SelfApproval != v1alpha1.SelfApprovalAllow && !q.refusesToApply(s)
	switch {
	case v1alpha1.IsServiceAccount(by.Username):
		return v1alpha1.GrantedNotAllowed, by.Username + " is no person, so it may not decide about any change. Another slot is made"
	case q.Delegated != nil && q.Delegated(by.Username):
		return v1alpha1.GrantedNotAllowed, by.Username + " submits changes for others, so it may not decide about any. Another slot is made"
	case other && q.Requester == "":
		return v1alpha1.GrantedOwnRequest, "It is not known who asked for the change, so nobody is known to be somebody else. Create the ChangeRequest again"
	case other && q.person(by.Username) == q.person(q.Requester):
		return v1alpha1.GrantedOwnRequest, by.Username + " asked for the change, so somebody else has to decide. Another slot is made"
	case q.StillAllowed != nil && !q.StillAllowed(by):
		return v1alpha1.GrantedNotAllowed, by.Username + " may not decide about changes of class " + string(q.Class) + " here any more. Another slot is made"
	}
	return "", ""
}

func (q Question) person(username string) string {
	if q.Person == nil {
		return username
	}
	return q.Person(username)
}
