// Package policy says what the platform's owners think of a plan: whether it may be applied, who has to agree, and when.
//
// It combines every ChangePolicy that fits the namespaces of a change into one verdict, field by field the strictest
// answer, so that adding a policy never loosens anything. It is pure: policies, plan and time go in, a verdict with its
// reasons comes out. The ChangeRequest controller calls it, and the plugin's "policy test".
package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

// Defaults of what no policy says.
const (
	DefaultTTL    = 24 * time.Hour
	DefaultQuorum = 1
	// protectedQuorum is how many people have to agree to a change of something protected.
	protectedQuorum = 2
)

// Namespace is a namespace that a change belongs to or touches.
type Namespace struct {
	Name   string
	Labels map[string]string
}

// Selected are the policies that fit a change, in the order of their names.
type Selected struct {
	policies []v1alpha1.ChangePolicy
}

// Select returns the policies that fit any of the namespaces. A policy whose selector cannot be read fits every change,
// and Judge denies it: what cannot be understood does not open the gate.
func Select(policies []v1alpha1.ChangePolicy, namespaces []Namespace) Selected {
	var s Selected
	for _, p := range policies {
		if fits(p, namespaces) {
			s.policies = append(s.policies, p)
		}
	}
	sort.Slice(s.policies, func(i, j int) bool { return s.policies[i].Name < s.policies[j].Name })
	return s
}

func fits(p v1alpha1.ChangePolicy, namespaces []Namespace) bool {
	selector, err := metav1.LabelSelectorAsSelector(&p.Spec.NamespaceSelector)
	if err != nil {
		return true
	}
	for _, ns := range namespaces {
		if selector.Matches(labels.Set(ns.Labels)) {
			return true
		}
	}
	return false
}

// Fingerprint identifies the policies and their generations, so that a change of any of them is noticed.
func (s Selected) Fingerprint() string {
	sum := sha256.New()
	for _, p := range s.policies {
		fmt.Fprintf(sum, "%s/%s/%d\n", p.Name, p.UID, p.Generation)
	}
	return "policies:" + hex.EncodeToString(sum.Sum(nil))[:32]
}

// TTL is how long consent may be awaited and used: the shortest that any policy says.
func (s Selected) TTL() time.Duration {
	ttl := DefaultTTL
	for _, p := range s.policies {
		if t := p.Spec.ApprovalTTL; t != nil && t.Duration < ttl {
			ttl = t.Duration
		}
	}
	return ttl
}

// SelfApproval is Allow only where there is a policy and every one says so.
func (s Selected) SelfApproval() v1alpha1.SelfApproval {
	if len(s.policies) == 0 {
		return v1alpha1.SelfApprovalForbid
	}
	for _, p := range s.policies {
		if p.Spec.SelfApproval != v1alpha1.SelfApprovalAllow {
			return v1alpha1.SelfApprovalForbid
		}
	}
	return v1alpha1.SelfApprovalAllow
}

// Approvers are the sets that whoever decides must be in, one for each policy that names approvers.
func (s Selected) Approvers() []v1alpha1.ApproverSet {
	var sets []v1alpha1.ApproverSet
	for _, p := range s.policies {
		if len(p.Spec.Approvers) > 0 {
			sets = append(sets, v1alpha1.ApproverSet{Policy: p.Name, Subjects: p.Spec.Approvers})
		}
	}
	return sets
}

// Person is the person behind a name: an alias where a policy knows one, the name itself otherwise.
func (s Selected) Person(username string) string {
	for _, p := range s.policies {
		for _, a := range p.Spec.Aliases {
			for _, u := range a.Usernames {
				if u == username {
					return "person:" + a.Person
				}
			}
		}
	}
	return username
}

// Delegated says whether the name is a service account that submits for others.
func (s Selected) Delegated(username string) bool {
	for _, p := range s.policies {
		for _, d := range p.Spec.DelegatedSubmitters {
			if d == username {
				return true
			}
		}
	}
	return false
}

// Verdict is what the policies say of a plan.
type Verdict struct {
	Verdict v1alpha1.PolicyVerdict
	// Required is how many people have to agree, 0 where nobody has to.
	Required int32
	// DecidedBy names the policies, their generations and the rules that led there.
	DecidedBy []string
	// ReviewAfterwards: a person is to look at the change once it is done.
	ReviewAfterwards bool
}

// strictness orders verdicts.
var strictness = map[v1alpha1.PolicyVerdict]int{
	v1alpha1.PolicyAllowed: 0, v1alpha1.PolicyApprovalRequired: 1, v1alpha1.PolicyDenied: 2,
}

// Judge combines what every policy says of the plan. Without a policy, one person has to agree; two, where the plan can
// do great harm that cannot be undone.
func (s Selected) Judge(p change.Plan, risk v1alpha1.Risk) Verdict {
	if v := refuseAlways(p); v != nil {
		return *v
	}
	if len(s.policies) == 0 {
		return builtin(p)
	}
	var verdict Verdict
	for i, policy := range s.policies {
		v := judge(policy, p, risk)
		if i == 0 || strictness[v.Verdict] > strictness[verdict.Verdict] {
			verdict.Verdict = v.Verdict
		}
		verdict.Required = max(verdict.Required, v.Required)
		verdict.ReviewAfterwards = verdict.ReviewAfterwards || v.ReviewAfterwards
		verdict.DecidedBy = append(verdict.DecidedBy, v.DecidedBy...)
	}
	if verdict.Verdict == v1alpha1.PolicyAllowed {
		verdict.Required = 0
	}
	return verdict
}

// builtin is the verdict where no policy fits.
func builtin(p change.Plan) Verdict {
	if v := account(nil, "default", p); v != nil {
		return *v
	}
	return Verdict{
		Verdict:   v1alpha1.PolicyApprovalRequired,
		Required:  DefaultQuorum,
		DecidedBy: []string{"default: every change needs the consent of one person other than the requester"},
	}
}

// refuseAlways is what no policy can allow.
func refuseAlways(p change.Plan) *Verdict {
	for _, e := range p.Effects {
		if e.Object.Kind == "Secret" && e.Object.APIVersion == "v1" {
			return denied("built-in: Secrets are not changed through eclusier; change " + e.Object.Namespace + "/" + e.Object.Name + " where it is kept")
		}
		if group(e.Object.APIVersion) == v1alpha1.GroupVersion.Group {
			return denied("built-in: eclusier does not change its own objects (" + e.Object.Kind + " " + e.Object.Name + ")")
		}
	}
	return nil
}

func denied(why string) *Verdict {
	return &Verdict{Verdict: v1alpha1.PolicyDenied, DecidedBy: []string{why}}
}
