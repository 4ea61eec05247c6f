// Package approval says what the decisions of people amount to.
//
// One Approval is one person's decision about one plan. Tally looks at all of them and says which count, why the others
// do not, whether there are enough, and which slots are still to be made. It is pure and looks at facts of the Approvals'
// specs alone, never at their conditions. The ChangeRequest controller calls it when it waits and again, with fresh
// reads, before it applies.
package approval

import (
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
	// that was in place; nil where that is not asked. A refusal needs no such thing.
	Stands func(*v1alpha1.Approval) bool
	// Attempt is the id of the attempt that may have consumed Approvals already; those count for it alone.
	Attempt string
	// ExpiresAt is when consent lapses.
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

// Tally says what the approvals amount to.
func Tally(q Question, approvals []v1alpha1.Approval) Answer {
	var a Answer
	people := map[string]string{}
	open, highest := int32(0), int32(0)
	ordered := slices.Clone(approvals)
	slices.SortStableFunc(ordered, func(x, y v1alpha1.Approval) int { return int(x.Spec.Slot - y.Spec.Slot) })
	verdicts := map[string]Slot{}
	for i := range ordered {
		apv := &ordered[i]
		slot := q.examine(apv, people)
		verdicts[apv.Name] = slot
		if !q.about(apv) {
			continue
		}
		highest = max(highest, apv.Spec.Slot)
		switch {
		case slot.Counts:
			a.Granted++
		case slot.Reason == v1alpha1.GrantedPending:
			open++
		case slot.Reason == v1alpha1.GrantedRejected && a.RejectedBy == "":
			a.RejectedBy, a.Because = apv.Spec.DecidedBy.Username, apv.Spec.Reason
		}
	}
	for i := range approvals {
		a.Slots = append(a.Slots, verdicts[approvals[i].Name])
	}
	for n := a.Granted + open; n < q.Required; n++ {
		highest++
		a.Make = append(a.Make, highest)
	}
	a.Fact = q.fact(a)
	return a
}

func (q Question) fact(a Answer) change.ConsentFact {
	switch {
	case a.RejectedBy != "":
		return change.ConsentRejected
	case !q.Now.Before(q.ExpiresAt):
		return change.ConsentExpired
	case a.Granted >= q.Required:
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
	not := func(reason, message string) Slot { return Slot{Name: apv.Name, Reason: reason, Message: message} }
	if !q.about(apv) {
		return not(v1alpha1.GrantedSuperseded, "This question is no longer asked: there is a newer plan, or the change is another one. Nothing is left to decide here")
	}
	expired := !q.Now.Before(s.ExpiresAt.Time)
	if q.Stands != nil && s.Decision != v1alpha1.DecisionRejected && !q.Stands(apv) {
		return not(v1alpha1.GrantedSuperseded, "The rules changed since this was asked, so it is asked anew in another slot")
	}
	if s.Decision == v1alpha1.DecisionPending || s.Decision == "" {
		if expired {
			return not(v1alpha1.GrantedExpired, "Nobody decided in time. Create the ChangeRequest again to ask once more")
		}
		return not(v1alpha1.GrantedPending, "Waiting for one person to decide")
	}
	if s.DecidedBy == nil || s.DecidedBy.Username == "" {
		return not(v1alpha1.GrantedNotAllowed, "It is not known who decided, so the decision does not count. Another slot is made")
	}
	who := s.DecidedBy.Username
	if s.Decision == v1alpha1.DecisionRejected {
		return not(v1alpha1.GrantedRejected, who+" refused the change")
	}
	switch {
	case s.Decision != v1alpha1.DecisionApproved || s.AcknowledgedDigest != q.Digest:
		return not(v1alpha1.GrantedSuperseded, "The decision acknowledges another plan, so it does not count")
	case expired:
		return not(v1alpha1.GrantedExpired, "The agreement was not used in time. Create the ChangeRequest again to ask once more")
	case apv.Status.ConsumedBy != "" && apv.Status.ConsumedBy != q.Attempt:
		return not(v1alpha1.GrantedConsumed, "The agreement has been used once, and counts once")
	}
	return q.examinePerson(apv.Name, *s.DecidedBy, people)
}

// examinePerson looks at who agreed.
func (q Question) examinePerson(name string, by v1alpha1.Decider, people map[string]string) Slot {
	not := func(reason, message string) Slot { return Slot{Name: name, Reason: reason, Message: message} }
	person := q.person(by.Username)
	switch {
	case q.Delegated != nil && q.Delegated(by.Username):
		return not(v1alpha1.GrantedNotAllowed, by.Username+" submits changes for others, so it may not agree to any. Another slot is made")
	case q.SelfApproval != v1alpha1.SelfApprovalAllow && person == q.person(q.Requester):
		return not(v1alpha1.GrantedOwnRequest, by.Username+" asked for the change, so somebody else has to agree. Another slot is made")
	case people[person] != "":
		return not(v1alpha1.GrantedDuplicatePerson, by.Username+" has agreed already in "+people[person]+", and one person counts once. Another slot is made")
	case q.StillAllowed != nil && !q.StillAllowed(by):
		return not(v1alpha1.GrantedNotAllowed, by.Username+" may not approve changes of class "+string(q.Class)+" here any more. Another slot is made")
	}
	people[person] = name
	return Slot{Name: name, Counts: true, Reason: v1alpha1.GrantedApproved, Message: by.Username + " agreed"}
}

func (q Question) person(username string) string {
	if q.Person == nil {
		return username
	}
	return q.Person(username)
}
