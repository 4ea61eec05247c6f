// Package policy says what the platform's owners think of a plan: whether it may be applied, who has to agree, and when.
//
// It combines every ChangePolicy that fits the namespaces of a change into one verdict, field by field the strictest
// answer, so that adding a policy never loosens anything. It is pure: policies, plan and time go in, a verdict with its
// reasons comes out. The ChangeRequest controller calls it, and the plugin's "policy test".
package policy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"
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
	// maxTTL is the longest that a policy can say.
	maxTTL = 168 * time.Hour
	// doubleQuorum is how many people have to agree to a change of something protected, and where the matrix wants two.
	doubleQuorum = 2
)

// Namespace is a namespace that a change belongs to or touches.
type Namespace struct {
	Name   string
	Labels map[string]string
}

// Selected are the policies that fit a change, in the order of their names.
type Selected struct {
	policies []v1alpha1.ChangePolicy
	// bare are the namespaces that no policy fits: there the built-in default speaks beside the policies of the others.
	bare []string
	// people maps every name that has aliases to the one person behind it.
	people map[string]string
}

// Select returns the policies that fit any of the namespaces. A policy whose selector cannot be read fits every change,
// and Judge denies it: what cannot be understood does not open the gate.
func Select(policies []v1alpha1.ChangePolicy, namespaces []Namespace) Selected {
	var s Selected
	covered := make([]bool, len(namespaces))
	for _, p := range policies {
		if fits(p, namespaces, covered) {
			s.policies = append(s.policies, p)
		}
	}
	sort.Slice(s.policies, func(i, j int) bool { return s.policies[i].Name < s.policies[j].Name })
	for i, ns := range namespaces {
		if !covered[i] {
			s.bare = append(s.bare, ns.Name)
		}
	}
	slices.Sort(s.bare)
	s.bare = slices.Compact(s.bare)
	s.people = peopleOf(s.policies)
	return s
}

// fits says whether the policy fits any of the namespaces, and notes which.
func fits(p v1alpha1.ChangePolicy, namespaces []Namespace, covered []bool) bool {
	selector, err := metav1.LabelSelectorAsSelector(&p.Spec.NamespaceSelector)
	if err != nil {
		return true
	}
	fit := false
	for i, ns := range namespaces {
		if selector.Matches(labels.Set(ns.Labels)) {
			fit, covered[i] = true, true
		}
	}
	return fit
}

// unruled says that the built-in default speaks, alone or beside policies.
func (s Selected) unruled() bool { return len(s.policies) == 0 || len(s.bare) > 0 }

// Fingerprint identifies the policies and their generations, and the namespaces that they leave to the built-in default,
// so that a change of any of them is noticed.
func (s Selected) Fingerprint() string {
	sum := sha256.New()
	for _, p := range s.policies {
		fmt.Fprintf(sum, "%s/%s/%d\n", p.Name, p.UID, p.Generation)
	}
	if len(s.policies) > 0 {
		for _, name := range s.bare {
			fmt.Fprintf(sum, "none for %s\n", name)
		}
	}
	return "policies:" + hex.EncodeToString(sum.Sum(nil))[:32]
}

// TTL is how long consent may be awaited and used: the shortest that any policy says, and the default where one says
// nothing.
func (s Selected) TTL() time.Duration {
	ttl := maxTTL
	if s.unruled() {
		ttl = DefaultTTL
	}
	for _, p := range s.policies {
		said := DefaultTTL
		if p.Spec.ApprovalTTL != nil {
			said = p.Spec.ApprovalTTL.Duration
		}
		ttl = min(ttl, said)
	}
	return ttl
}

// SelfApproval is Allow only where policies alone speak and every one says so.
func (s Selected) SelfApproval() v1alpha1.SelfApproval {
	if s.unruled() {
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
	if person, known := s.people[username]; known {
		return person
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
	// Required is how many people have to agree; 0 where nobody has to, or where nobody's consent would help.
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

// Judge combines what every policy says of the plan that the requester asked for. Where no policy fits, one person has to
// agree, and only the default service account may be used.
func (s Selected) Judge(requester string, p change.Plan, risk v1alpha1.Risk) Verdict {
	if v := refuseAlways(p); v != nil {
		return *v
	}
	if v := s.faceless(requester); v != nil {
		return *v
	}
	if n := len(s.Approvers()); n > maxApproverSets {
		return *denied(fmt.Sprintf("built-in: %d policies name approvers for this change, and at most %d can", n, maxApproverSets))
	}
	var verdicts []Verdict
	for _, policy := range s.policies {
		verdicts = append(verdicts, judge(policy, p, risk))
	}
	if s.unruled() {
		verdicts = append(verdicts, s.builtin(p))
	}
	if v := wholeNamespace(p); v != nil {
		verdicts = append(verdicts, *v)
	}
	return combine(verdicts)
}

// wholeNamespace wants two people to agree where a namespace is deleted with all that is in it, whatever the policies say.
func wholeNamespace(p change.Plan) *Verdict {
	for _, e := range p.Effects {
		if e.Verb == change.VerbDelete && e.Object.Kind == "Namespace" && e.Object.APIVersion == "v1" {
			why := fmt.Sprintf("built-in: deleting namespace %s takes everything in it along (%d to agree)", e.Object.Name, doubleQuorum)
			return &Verdict{Verdict: v1alpha1.PolicyApprovalRequired, Required: doubleQuorum, DecidedBy: []string{why}}
		}
	}
	return nil
}

// faceless denies what a service account asked for, unless every policy says that it submits for others: whoever may act
// as it could otherwise ask as the account and agree as himself.
func (s Selected) faceless(requester string) *Verdict {
	if !v1alpha1.IsServiceAccount(requester) {
		return nil
	}
	without := slices.IndexFunc(s.policies, func(p v1alpha1.ChangePolicy) bool {
		return !slices.Contains(p.Spec.DelegatedSubmitters, requester)
	})
	switch {
	case s.unruled():
		return denied("built-in: " + requester + " is a service account, and no ChangePolicy lists it in spec.delegatedSubmitters: ask as yourself")
	case without >= 0:
		return refuse(s.policies[without], requester+" is a service account that spec.delegatedSubmitters does not list: ask as yourself")
	}
	return nil
}

// combine takes the strictest answer of each field. The reasons of the strictest verdicts come first, and those of the
// others after them as far as there is room.
func combine(verdicts []Verdict) Verdict {
	slices.SortStableFunc(verdicts, func(a, b Verdict) int {
		return cmp.Or(cmp.Compare(strictness[b.Verdict], strictness[a.Verdict]), cmp.Compare(b.Required, a.Required))
	})
	all := Verdict{Verdict: verdicts[0].Verdict, Required: verdicts[0].Required}
	for _, v := range verdicts {
		all.ReviewAfterwards = all.ReviewAfterwards || v.ReviewAfterwards
		all.DecidedBy = append(all.DecidedBy, v.DecidedBy...)
	}
	all.DecidedBy = bound(all.DecidedBy)
	return all
}

// Bounds of what v1alpha1.PolicyStatus and v1alpha1.ApprovalSpec hold.
const (
	maxReasons      = 20
	maxReason       = 512
	maxApproverSets = 10
)

func bound(reasons []string) []string {
	if len(reasons) > maxReasons {
		reasons = append(reasons[:maxReasons-1:maxReasons-1], fmt.Sprintf("and %d more rules", len(reasons)-maxReasons+1))
	}
	for i, r := range reasons {
		if runes := []rune(r); len(runes) > maxReason {
			reasons[i] = string(runes[:maxReason-1]) + "…"
		}
	}
	return reasons
}

// builtin is the verdict where no policy fits.
func (s Selected) builtin(p change.Plan) Verdict {
	if v := account(nil, "default", p); v != nil {
		return *v
	}
	why := "default: every change needs the consent of one person other than the requester"
	if len(s.policies) > 0 {
		why = fmt.Sprintf("%s, in namespace %s, which no policy fits", why, s.bare[0])
	}
	return Verdict{Verdict: v1alpha1.PolicyApprovalRequired, Required: DefaultQuorum, DecidedBy: []string{why}}
}

// refuseAlways is what no policy can allow.
func refuseAlways(p change.Plan) *Verdict {
	for _, e := range p.Effects {
		o := e.Object
		what := o.Kind + " " + o.Name
		switch {
		case o.Kind == "Secret" && o.APIVersion == "v1":
			return denied("built-in: Secrets are not changed through eclusier; change " + o.Namespace + "/" + o.Name + " where it is kept")
		case group(o.APIVersion) == v1alpha1.GroupVersion.Group:
			return denied("built-in: eclusier does not change its own objects (" + what + ")")
		case group(o.APIVersion) == crdGroup && strings.HasSuffix(o.Name, "."+v1alpha1.GroupVersion.Group):
			return denied("built-in: eclusier does not change its own definitions (" + what + ")")
		case group(o.APIVersion) == admissionGroup && strings.HasPrefix(o.Name, ownNames):
			return denied("built-in: eclusier does not change the policies that vouch for its own decisions (" + what + ")")
		case installs(o):
			return denied("built-in: eclusier does not change its own installation, nor who may approve or what it may do itself (" + what + ")")
		}
	}
	return nil
}

// installs says whether an object is part of eclusier's installation: anything in its namespace, and the accounts and
// roles that it goes by everywhere. Whoever means to change them does so without eclusier.
func installs(o change.Object) bool {
	switch {
	case o.Namespace == change.OwnNamespace, o.APIVersion == "v1" && o.Kind == "Namespace" && o.Name == change.OwnNamespace:
		return true
	case group(o.APIVersion) == rbacGroup, o.APIVersion == "v1" && o.Kind == "ServiceAccount":
		return strings.HasPrefix(o.Name, ownNames)
	}
	return false
}

// Where eclusier's own definitions, admission policies and roles are, and how their names begin.
const (
	crdGroup       = "apiextensions.k8s.io"
	admissionGroup = "admissionregistration.k8s.io"
	rbacGroup      = "rbac.authorization.k8s.io"
	ownNames       = "eclusier-"
)

func denied(why string) *Verdict {
	return &Verdict{Verdict: v1alpha1.PolicyDenied, DecidedBy: []string{why}}
}
