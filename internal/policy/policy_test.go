package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

var shop = Namespace{Name: "shop", Labels: map[string]string{"team": "shop", "env": "test"}}

// everywhere is a policy that fits every namespace and says nothing.
func everywhere(name string) v1alpha1.ChangePolicy {
	return v1alpha1.ChangePolicy{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "uid", Generation: 3}}
}

func labelled(name, key, value string) v1alpha1.ChangePolicy {
	p := everywhere(name)
	p.Spec.NamespaceSelector.MatchLabels = map[string]string{key: value}
	return p
}

// unreadablePolicy is one whose selector cannot be understood.
func unreadablePolicy(name string) v1alpha1.ChangePolicy {
	p := everywhere(name)
	p.Spec.NamespaceSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "team", Operator: "Near"}}
	return p
}

func selected(policies ...v1alpha1.ChangePolicy) Selected { return Select(policies, []Namespace{shop}) }

func withPolicy(set func(*v1alpha1.ChangePolicySpec)) Selected {
	p := everywhere("p")
	set(&p.Spec)
	return selected(p)
}

func effect(operation v1alpha1.OperationName, verb change.Verb, apiVersion, kind string) change.Effect {
	return change.Effect{Operation: operation, Verb: verb, Object: change.Object{
		APIVersion: apiVersion, Kind: kind, Resource: strings.ToLower(kind) + "s", Namespace: "shop", Name: "web",
	}}
}

var (
	scale  = effect("scale", change.VerbUpdate, "apps/v1", "Deployment")
	remove = effect("delete", change.VerbDelete, "v1", "ConfigMap")
)

func losing(e change.Effect, what change.Loss) change.Effect {
	e.Destroys = what
	return e
}

func planOf(effects ...change.Effect) change.Plan {
	return change.Plan{ServiceAccount: "shop/eclusier-applier", Effects: effects}
}

func risk(impact v1alpha1.Impact, reversibility v1alpha1.Reversibility) v1alpha1.Risk {
	return v1alpha1.Risk{Class: v1alpha1.ClassLow, Impact: impact, Reversibility: reversibility}
}

var small = risk(v1alpha1.ImpactLow, v1alpha1.Reversible)

func rule(set func(*v1alpha1.ChangeRule)) []v1alpha1.ChangeRule {
	r := v1alpha1.ChangeRule{Name: "r"}
	set(&r)
	return []v1alpha1.ChangeRule{r}
}

func kinds(kinds ...string) []v1alpha1.ChangeRule {
	return rule(func(r *v1alpha1.ChangeRule) { r.Kinds = kinds })
}

func TestSelected_Judge_onePolicy(t *testing.T) {
	const denied, asks, allowed = v1alpha1.PolicyDenied, v1alpha1.PolicyApprovalRequired, v1alpha1.PolicyAllowed
	for _, tc := range []struct {
		name     string
		set      func(*v1alpha1.ChangePolicySpec)
		plan     change.Plan
		want     v1alpha1.PolicyVerdict
		required int32
		says     string
		reason   string
	}{
		{"a policy that says nothing", func(*v1alpha1.ChangePolicySpec) {}, planOf(scale), asks, 1, "p@3: consent for class Low (1 to agree)", "one person is the least"},
		{"a quorum", func(s *v1alpha1.ChangePolicySpec) { s.Quorum = 3 }, planOf(scale), asks, 3, "(3 to agree)", "the owners want three"},
		{"a deletion where nothing is deleted", func(s *v1alpha1.ChangePolicySpec) { s.Destructive = v1alpha1.DestructiveForbid }, planOf(scale, remove), denied, 0, "destructive: Forbid, and ConfigMap web", "one deletion is enough"},
		{"no deletion where nothing is deleted", func(s *v1alpha1.ChangePolicySpec) { s.Destructive = v1alpha1.DestructiveForbid }, planOf(scale), asks, 1, "", "it deletes nothing"},
		{"a loss where nothing is deleted", func(s *v1alpha1.ChangePolicySpec) { s.Destructive = v1alpha1.DestructiveForbid }, planOf(losing(scale, change.LossClaims)), denied, 0, "lets something be deleted (claims)", "who deletes it makes no difference"},
		{"a loss with something new where nothing is deleted", func(s *v1alpha1.ChangePolicySpec) { s.Destructive = v1alpha1.DestructiveForbid },
			planOf(losing(effect("apply", change.VerbCreate, "apps/v1", "ReplicaSet"), change.LossPods)), denied, 0, "ReplicaSet web lets something be deleted", "it makes one thing and deletes another"},
		{"a loss where nothing is sent", func(s *v1alpha1.ChangePolicySpec) { s.Destructive = v1alpha1.DestructiveForbid }, planOf(losing(effect("scale", change.VerbNone, "apps/v1", "Deployment"), change.LossClaims)), asks, 1, "", "it is as it was"},
		{"a deletion where that is allowed", func(s *v1alpha1.ChangePolicySpec) { s.Destructive = v1alpha1.DestructiveAllow }, planOf(remove), asks, 1, "", "with consent"},
		{"a kind that is denied", func(s *v1alpha1.ChangePolicySpec) { s.Deny = kinds("Deployment") }, planOf(remove, scale), denied, 0, `deny rule "r" fits scale of Deployment web`, "one effect is enough"},
		{"a kind that is denied, in other letters", func(s *v1alpha1.ChangePolicySpec) { s.Deny = kinds("deployment") }, planOf(scale), denied, 0, "", "nobody means another kind"},
		{"a kind that is denied by its resource", func(s *v1alpha1.ChangePolicySpec) { s.Deny = kinds("deployments.apps") }, planOf(scale), denied, 0, "", "nobody means nothing"},
		{"a kind of its group that is denied", func(s *v1alpha1.ChangePolicySpec) { s.Deny = kinds("Deployment.apps") }, planOf(scale), denied, 0, "", "it is of that group"},
		{"the kind of another group that is denied", func(s *v1alpha1.ChangePolicySpec) { s.Deny = kinds("Deployment.example.org") }, planOf(scale), asks, 1, "", "it is another kind"},
		{"every kind that is denied", func(s *v1alpha1.ChangePolicySpec) { s.Deny = kinds("*") }, planOf(scale), denied, 0, "", "a full stop"},
		{"an operation that is denied", func(s *v1alpha1.ChangePolicySpec) {
			s.Deny = rule(func(r *v1alpha1.ChangeRule) { r.Operations = []v1alpha1.OperationName{"scale"} })
		}, planOf(scale), denied, 0, "", "it is that operation"},
		{"an operation that is denied on another kind", func(s *v1alpha1.ChangePolicySpec) {
			s.Deny = rule(func(r *v1alpha1.ChangeRule) {
				r.Operations, r.Kinds = []v1alpha1.OperationName{"scale"}, []string{"StatefulSet"}
			})
		}, planOf(scale), asks, 1, "", "a rule fits with all its lists"},
		{"another pipeline that is denied", func(s *v1alpha1.ChangePolicySpec) {
			s.Deny = rule(func(r *v1alpha1.ChangeRule) { r.Pipelines = []v1alpha1.Pipeline{"Terraform"} })
		}, planOf(scale), asks, 1, "", "this is Kubernetes"},
		{"this pipeline that is denied", func(s *v1alpha1.ChangePolicySpec) {
			s.Deny = rule(func(r *v1alpha1.ChangeRule) { r.Pipelines = []v1alpha1.Pipeline{v1alpha1.PipelineKubernetes} })
		}, planOf(scale), denied, 0, "", "this is Kubernetes"},
		{"a kind that is allowed", func(s *v1alpha1.ChangePolicySpec) { s.Allow = kinds("Deployment") }, planOf(scale), asks, 1, "", "allowed is not agreed to"},
		{"one kind that is allowed and one that is not", func(s *v1alpha1.ChangePolicySpec) { s.Allow = kinds("Deployment") }, planOf(scale, remove), denied, 0, "no allow rule fits delete of ConfigMap web", "every effect must be allowed"},
		{"a kind that is allowed and denied", func(s *v1alpha1.ChangePolicySpec) { s.Allow, s.Deny = kinds("*"), kinds("Deployment") }, planOf(scale), denied, 0, "deny rule", "deny wins"},
		{"another service account", func(*v1alpha1.ChangePolicySpec) {}, change.Plan{ServiceAccount: "shop/admin"}, denied, 0, `"admin" may not be used`, "the default alone may"},
		{"another service account that is allowed", func(s *v1alpha1.ChangePolicySpec) { s.ServiceAccounts = []string{"admin"} }, change.Plan{ServiceAccount: "shop/admin"}, asks, 1, "", "the owners said so"},
		{"the default service account where another is allowed", func(s *v1alpha1.ChangePolicySpec) { s.ServiceAccounts = []string{"admin"} }, planOf(scale), denied, 0, "only admin", "the list is the whole list"},
		{"an account without a namespace", func(*v1alpha1.ChangePolicySpec) {}, change.Plan{ServiceAccount: "eclusier-applier"}, denied, 0, "may not be used", "it is not known whose"},
		{"a protected namespace", func(s *v1alpha1.ChangePolicySpec) { s.Protected = &v1alpha1.Protected{Namespaces: []string{"shop"}} }, planOf(scale), asks, 2, "namespace shop is protected (2 to agree)", "two people"},
		{"another protected namespace", func(s *v1alpha1.ChangePolicySpec) { s.Protected = &v1alpha1.Protected{Namespaces: []string{"bank"}} }, planOf(scale), asks, 1, "", "it is not touched"},
		{"a protected namespace itself", func(s *v1alpha1.ChangePolicySpec) { s.Protected = &v1alpha1.Protected{Namespaces: []string{"web"}} },
			planOf(change.Effect{Verb: change.VerbUpdate, Object: change.Object{APIVersion: "v1", Kind: "Namespace", Name: "web"}}), asks, 2, "", "its labels choose its policies"},
		{"a protected object", func(s *v1alpha1.ChangePolicySpec) {
			s.Protected = &v1alpha1.Protected{Objects: []v1alpha1.ProtectedObject{{Kind: "Deployment.apps", Namespace: "shop", Name: "web"}}}
		}, planOf(remove, scale), asks, 2, "Deployment web is protected", "two people"},
		{"a protected object of another namespace", func(s *v1alpha1.ChangePolicySpec) {
			s.Protected = &v1alpha1.Protected{Objects: []v1alpha1.ProtectedObject{{Kind: "Deployment", Namespace: "bank"}}}
		}, planOf(scale), asks, 1, "", "it is not touched"},
		{"something protected with a greater quorum", func(s *v1alpha1.ChangePolicySpec) {
			s.Quorum, s.Protected = 4, &v1alpha1.Protected{Namespaces: []string{"shop"}}
		}, planOf(scale), asks, 4, "", "two is the least"},
		{"something protected where the matrix lets it pass", func(s *v1alpha1.ChangePolicySpec) {
			s.Autonomy, s.Protected = v1alpha1.AutonomyMatrix, &v1alpha1.Protected{Namespaces: []string{"shop"}}
		}, planOf(scale), asks, 2, "", "what is protected is never autonomous"},
		{"something protected where the matrix denies it", func(s *v1alpha1.ChangePolicySpec) {
			s.Autonomy, s.Matrix = v1alpha1.AutonomyMatrix, &v1alpha1.RiskMatrix{LowReversible: v1alpha1.AnswerDeny}
			s.Protected = &v1alpha1.Protected{Namespaces: []string{"shop"}}
		}, planOf(scale), denied, 0, "matrix cell", "protection softens nothing"},
		{"the matrix without a word", func(s *v1alpha1.ChangePolicySpec) { s.Autonomy = v1alpha1.AutonomyMatrix }, planOf(scale), allowed, 0, "needs nobody's consent", "low and reversible"},
		{"the matrix with a quorum", func(s *v1alpha1.ChangePolicySpec) { s.Autonomy, s.Quorum = v1alpha1.AutonomyMatrix, 3 }, planOf(scale), allowed, 0, "", "a quorum is of those who are asked"},
		{"a matrix that is turned off", func(s *v1alpha1.ChangePolicySpec) {
			s.Autonomy, s.Matrix = v1alpha1.AutonomyDisabled, &v1alpha1.RiskMatrix{}
		}, planOf(scale), asks, 1, "", "off is off"},
		{"a schedule that cannot be read", func(s *v1alpha1.ChangePolicySpec) { s.Windows = []v1alpha1.Window{allow("soon", "1h", "")} }, planOf(scale), denied, 0, "cannot be read", "what is not understood opens nothing"},
		{"a Secret", func(s *v1alpha1.ChangePolicySpec) { s.Allow = kinds("*") }, planOf(effect("apply", change.VerbNone, "v1", "Secret")), denied, 0, "Secrets are not changed", "no policy allows it"},
		{"a kind of the same name", func(*v1alpha1.ChangePolicySpec) {}, planOf(effect("apply", change.VerbUpdate, "example.org/v1", "Secret")), asks, 1, "", "it is no Secret"},
		{"an Approval", func(s *v1alpha1.ChangePolicySpec) { s.Allow = kinds("*") }, planOf(effect("patch", change.VerbUpdate, "eclusier.io/v1alpha1", "Approval")), denied, 0, "its own objects", "no change agrees to changes"},
		{"eclusier's own definitions", func(*v1alpha1.ChangePolicySpec) {}, planOf(change.Effect{Verb: change.VerbDelete, Object: change.Object{
			APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Name: "approvals.eclusier.io",
		}}), denied, 0, "its own definitions", "all consent would be gone"},
		{"other definitions", func(*v1alpha1.ChangePolicySpec) {}, planOf(change.Effect{Verb: change.VerbUpdate, Object: change.Object{
			APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Name: "shops.example.org",
		}}), asks, 1, "", "they are somebody's"},
		{"what vouches for decisions", func(*v1alpha1.ChangePolicySpec) {}, planOf(change.Effect{Verb: change.VerbUpdate, Object: change.Object{
			APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingAdmissionPolicyBinding", Name: "eclusier-check-decision",
		}}), denied, 0, "vouch for its own decisions", "nobody could be believed any more"},
		{"eclusier's own role", func(*v1alpha1.ChangePolicySpec) {}, planOf(change.Effect{Verb: change.VerbUpdate, Object: change.Object{
			APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "eclusier-approver-low",
		}}), denied, 0, "its own installation", "it would widen who may agree"},
		{"eclusier's own account", func(*v1alpha1.ChangePolicySpec) {}, planOf(change.Effect{Verb: change.VerbDelete, Object: change.Object{
			APIVersion: "v1", Kind: "ServiceAccount", Namespace: "shop", Name: "eclusier-applier",
		}}), denied, 0, "its own installation", "it would cut itself off"},
		{"something in eclusier's namespace", func(*v1alpha1.ChangePolicySpec) {}, planOf(change.Effect{Verb: change.VerbUpdate, Object: change.Object{
			APIVersion: "apps/v1", Kind: "Deployment", Namespace: "eclusier-system", Name: "operator",
		}}), denied, 0, "its own installation", "it would cut itself off"},
		{"somebody's role", func(*v1alpha1.ChangePolicySpec) {}, planOf(change.Effect{Verb: change.VerbUpdate, Object: change.Object{
			APIVersion: "rbac.authorization.k8s.io/v1", Kind: "Role", Namespace: "shop", Name: "readers",
		}}), asks, 1, "", "it is somebody's"},
		{"a whole namespace that is deleted", func(s *v1alpha1.ChangePolicySpec) { s.Autonomy = v1alpha1.AutonomyMatrix }, planOf(change.Effect{Verb: change.VerbDelete, Object: change.Object{
			APIVersion: "v1", Kind: "Namespace", Name: "old",
		}}), asks, 2, "takes everything in it along (2 to agree)", "two people, whatever the matrix says"},
		{"a namespace that is changed", func(*v1alpha1.ChangePolicySpec) {}, planOf(change.Effect{Verb: change.VerbUpdate, Object: change.Object{
			APIVersion: "v1", Kind: "Namespace", Name: "old",
		}}), asks, 1, "", "it stays"},
		{"other admission policies", func(*v1alpha1.ChangePolicySpec) {}, planOf(change.Effect{Verb: change.VerbUpdate, Object: change.Object{
			APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingAdmissionPolicy", Name: "no-latest",
		}}), asks, 1, "", "they are somebody's"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := withPolicy(tc.set).Judge("dora", tc.plan, small)
			if got.Verdict != tc.want || got.Required != tc.required {
				t.Errorf("Judge() = %+v, want %s of %d: %s", got, tc.want, tc.required, tc.reason)
			}
			if len(got.DecidedBy) == 0 || !strings.Contains(got.DecidedBy[0], tc.says) {
				t.Errorf("decided by %q, want %q first", got.DecidedBy, tc.says)
			}
		})
	}
}

func TestSelected_Judge_whoAsks(t *testing.T) {
	const ci = "system:serviceaccount:shop:ci"
	lists := func(name string, accounts ...string) v1alpha1.ChangePolicy {
		p := v1alpha1.ChangePolicy{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1}}
		p.Spec.DelegatedSubmitters = accounts
		return p
	}
	const asks, denied = v1alpha1.PolicyApprovalRequired, v1alpha1.PolicyDenied
	for _, tc := range []struct {
		name     string
		by       string
		policies []v1alpha1.ChangePolicy
		want     v1alpha1.PolicyVerdict
		says     string
		reason   string
	}{
		{"a person without a policy", "dora", nil, asks, "default", "somebody else agrees"},
		{"a service account without a policy", ci, nil, denied, "no ChangePolicy lists it", "whoever may act as it would agree to his own wish"},
		{"a service account that a policy lists", ci, []v1alpha1.ChangePolicy{lists("p", ci)}, asks, "consent", "the owners answer for it"},
		{"another service account than the listed one", ci, []v1alpha1.ChangePolicy{lists("p", "system:serviceaccount:argocd:sync")}, denied, "does not list", "names are exact"},
		{"a service account that one policy of two lists", ci, []v1alpha1.ChangePolicy{lists("p", ci), lists("q")}, denied, "q@1", "a policy never loosens another"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := selected(tc.policies...).Judge(tc.by, planOf(scale), small)
			if got.Verdict != tc.want || !strings.Contains(got.DecidedBy[0], tc.says) {
				t.Errorf("Judge() = %+v, want %s, %q: %s", got, tc.want, tc.says, tc.reason)
			}
		})
	}
}

func TestSelected_Judge_matrix(t *testing.T) {
	const low, medium, high = v1alpha1.ImpactLow, v1alpha1.ImpactMedium, v1alpha1.ImpactHigh
	const there, back = v1alpha1.Irreversible, v1alpha1.Reversible
	defaults, wide := &v1alpha1.RiskMatrix{}, &v1alpha1.RiskMatrix{
		LowReversible: v1alpha1.AnswerDoubleApproval, LowIrreversible: v1alpha1.AnswerDeny, MediumReversible: v1alpha1.AnswerApproval,
		MediumIrreversible: v1alpha1.AnswerAutonomous, HighReversible: v1alpha1.AnswerAutonomous, HighIrreversible: v1alpha1.AnswerAutonomousThenReview,
	}
	for _, tc := range []struct {
		name   string
		matrix *v1alpha1.RiskMatrix
		risk   v1alpha1.Risk
		want   v1alpha1.PolicyVerdict
		people int32
		review bool
		reason string
	}{
		{"low, reversible", defaults, risk(low, back), v1alpha1.PolicyAllowed, 0, false, "autonomous"},
		{"low, irreversible", defaults, risk(low, there), v1alpha1.PolicyAllowed, 0, false, "autonomous, and in the audit"},
		{"medium, reversible", defaults, risk(medium, back), v1alpha1.PolicyAllowed, 0, true, "autonomous, and somebody looks at it"},
		{"medium, irreversible", defaults, risk(medium, there), v1alpha1.PolicyApprovalRequired, 1, false, "a person first"},
		{"high, reversible", defaults, risk(high, back), v1alpha1.PolicyApprovalRequired, 1, false, "a person first"},
		{"high, irreversible", defaults, risk(high, there), v1alpha1.PolicyApprovalRequired, 2, false, "two people first"},
		{"no matrix", nil, risk(high, there), v1alpha1.PolicyApprovalRequired, 2, false, "the same as an empty one"},
		{"low that wants two", wide, risk(low, back), v1alpha1.PolicyApprovalRequired, 2, false, "the owners said so"},
		{"low that is denied", wide, risk(low, there), v1alpha1.PolicyDenied, 0, false, "the owners said so"},
		{"medium that wants one", wide, risk(medium, back), v1alpha1.PolicyApprovalRequired, 1, false, "the owners said so"},
		{"medium and irreversible that wants none", wide, risk(medium, there), v1alpha1.PolicyAllowed, 0, false, "the owners said so"},
		{"high that wants none", wide, risk(high, back), v1alpha1.PolicyApprovalRequired, 1, false, "high is never autonomous"},
		{"high that wants none but a review", wide, risk(high, there), v1alpha1.PolicyApprovalRequired, 1, false, "high is never autonomous"},
		{"a risk that is not known", defaults, risk("Huge", back), v1alpha1.PolicyDenied, 0, false, "there is no cell for it"},
		{"an answer that is not known", &v1alpha1.RiskMatrix{LowReversible: "Perhaps"}, risk(low, back), v1alpha1.PolicyDenied, 0, false, "what is not understood opens nothing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := withPolicy(func(s *v1alpha1.ChangePolicySpec) { s.Autonomy, s.Matrix = v1alpha1.AutonomyMatrix, tc.matrix }).Judge("dora", planOf(scale), tc.risk)
			if got.Verdict != tc.want || got.Required != tc.people || got.ReviewAfterwards != tc.review {
				t.Errorf("Judge() = %+v, want %s of %d, review %v: %s", got, tc.want, tc.people, tc.review, tc.reason)
			}
		})
	}
}

// TestSelect tells which policies speak for which namespaces, and that where none does, the built-in default does.
func TestSelect(t *testing.T) {
	autonomous := labelled("autonomous", "team", "shop")
	autonomous.Spec.Autonomy, autonomous.Spec.SelfApproval = v1alpha1.AutonomyMatrix, v1alpha1.SelfApprovalAllow
	autonomous.Spec.ServiceAccounts, autonomous.Spec.ApprovalTTL = []string{"eclusier-applier", "admin"}, &metav1.Duration{Duration: 72 * time.Hour}
	bank := Namespace{Name: "bank", Labels: map[string]string{"team": "bank"}}
	asAdmin := change.Plan{ServiceAccount: "shop/admin", Effects: []change.Effect{scale}}
	for _, tc := range []struct {
		name       string
		policies   []v1alpha1.ChangePolicy
		namespaces []Namespace
		plan       change.Plan
		want       v1alpha1.PolicyVerdict
		says       string
		self       v1alpha1.SelfApproval
		ttl        time.Duration
		reason     string
	}{
		{"no policy at all", nil, []Namespace{shop}, planOf(scale), v1alpha1.PolicyApprovalRequired, "default:", v1alpha1.SelfApprovalForbid, 24 * time.Hour, "one other person"},
		{"no policy, and another account", nil, []Namespace{shop}, asAdmin, v1alpha1.PolicyDenied, "default:", v1alpha1.SelfApprovalForbid, 24 * time.Hour, "the default alone may"},
		{"a policy that fits", []v1alpha1.ChangePolicy{autonomous}, []Namespace{shop}, asAdmin, v1alpha1.PolicyAllowed, "autonomous@3", v1alpha1.SelfApprovalAllow, 72 * time.Hour, "its word is the only one"},
		{"a policy for others", []v1alpha1.ChangePolicy{autonomous}, []Namespace{bank}, planOf(scale), v1alpha1.PolicyApprovalRequired, "default:", v1alpha1.SelfApprovalForbid, 24 * time.Hour, "its word does not count here"},
		{"a policy for one of two namespaces", []v1alpha1.ChangePolicy{autonomous}, []Namespace{shop, bank}, planOf(scale), v1alpha1.PolicyApprovalRequired, "in namespace bank, which no policy fits", v1alpha1.SelfApprovalForbid, 24 * time.Hour, "the bank gave nothing away"},
		{"an account for one of two namespaces", []v1alpha1.ChangePolicy{autonomous}, []Namespace{shop, bank}, asAdmin, v1alpha1.PolicyDenied, "default:", v1alpha1.SelfApprovalForbid, 24 * time.Hour, "the bank gave nothing away"},
		{"policies for both namespaces", []v1alpha1.ChangePolicy{autonomous, labelled("careful", "team", "bank")}, []Namespace{shop, bank}, planOf(scale), v1alpha1.PolicyApprovalRequired, "careful@3", v1alpha1.SelfApprovalForbid, 24 * time.Hour, "the stricter one"},
		{"a selector that cannot be read", []v1alpha1.ChangePolicy{unreadablePolicy("broken"), autonomous}, []Namespace{shop}, planOf(scale), v1alpha1.PolicyDenied, "broken@3: the policy cannot be read", v1alpha1.SelfApprovalForbid, 24 * time.Hour, "whom it was for is not known"},
		{"a selector that cannot be read, for nobody", []v1alpha1.ChangePolicy{unreadablePolicy("broken")}, nil, planOf(scale), v1alpha1.PolicyDenied, "broken@3", v1alpha1.SelfApprovalForbid, 24 * time.Hour, "whom it was for is not known"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := Select(tc.policies, tc.namespaces)
			got := s.Judge("dora", tc.plan, small)
			if got.Verdict != tc.want || !strings.Contains(got.DecidedBy[0], tc.says) {
				t.Errorf("Judge() = %+v, want %s by %q: %s", got, tc.want, tc.says, tc.reason)
			}
			if s.SelfApproval() != tc.self || s.TTL() != tc.ttl {
				t.Errorf("self-approval %s and TTL %s, want %s and %s: %s", s.SelfApproval(), s.TTL(), tc.self, tc.ttl, tc.reason)
			}
		})
	}
}

func TestSelected_Fingerprint(t *testing.T) {
	base := selected(everywhere("a"), everywhere("b")).Fingerprint()
	if again := selected(everywhere("b"), everywhere("a")).Fingerprint(); again != base {
		t.Error("the order in which policies are listed is none of theirs")
	}
	edited, recreated := everywhere("b"), everywhere("b")
	edited.Generation++
	recreated.UID = "another"
	for how, s := range map[string]Selected{
		"edited": selected(everywhere("a"), edited), "recreated": selected(everywhere("a"), recreated), "gone": selected(everywhere("a")),
		"joined by another": selected(everywhere("a"), everywhere("b"), everywhere("c")), "all gone": selected(),
	} {
		if s.Fingerprint() == base {
			t.Errorf("a policy that is %s has the same fingerprint", how)
		}
	}
}

func TestSelected_Fingerprint_namespaceThatIsRelabelled(t *testing.T) {
	policies := []v1alpha1.ChangePolicy{labelled("shop", "team", "shop")}
	till := Namespace{Name: "till", Labels: map[string]string{"team": "shop"}}
	before := Select(policies, []Namespace{shop, till}).Fingerprint()
	till.Labels = map[string]string{"team": "bank"}
	if after := Select(policies, []Namespace{shop, till}).Fingerprint(); after == before {
		t.Error("a namespace that no policy fits any more was judged by one that did")
	}
}

func TestSelected_Judge_fitsIntoTheStatus(t *testing.T) {
	var policies []v1alpha1.ChangePolicy
	for i := range 30 {
		policies = append(policies, everywhere(fmt.Sprintf("p%02d", i)))
	}
	policies[29].Spec.Deny = rule(func(r *v1alpha1.ChangeRule) { r.Name, r.Kinds = strings.Repeat("ü", 600), []string{"*"} })
	got := selected(policies...).Judge("dora", planOf(scale), small)
	if len(got.DecidedBy) != 20 || got.DecidedBy[19] != "and 11 more rules" {
		t.Errorf("decided by %q", got.DecidedBy)
	}
	if first := got.DecidedBy[0]; !strings.HasPrefix(first, "p29@3: deny rule") || utf8.RuneCountInString(first) != 512 {
		t.Errorf("the rule that decided is not the first, or too long: %q", first)
	}
}

func TestSelected_Approvers(t *testing.T) {
	ada := []v1alpha1.Subject{{Kind: v1alpha1.SubjectUser, Name: "ada"}}
	one, other := everywhere("one"), everywhere("other")
	one.Spec.Approvers, other.Spec.Approvers = ada, []v1alpha1.Subject{{Kind: v1alpha1.SubjectGroup, Name: "sre"}}
	sets := selected(other, everywhere("none"), one).Approvers()
	if len(sets) != 2 || sets[0].Policy != "one" || sets[1].Policy != "other" || sets[0].Subjects[0] != ada[0] {
		t.Errorf("Approvers() = %+v", sets)
	}
	var policies []v1alpha1.ChangePolicy
	for i := range 11 {
		p := everywhere(fmt.Sprint("p", i))
		p.Spec.Approvers = ada
		policies = append(policies, p)
	}
	if got := selected(policies[:10]...).Judge("dora", planOf(scale), small); got.Verdict != v1alpha1.PolicyApprovalRequired {
		t.Errorf("ten sets of approvers fit into an Approval: %+v", got)
	}
	if got := selected(policies...).Judge("dora", planOf(scale), small); got.Verdict != v1alpha1.PolicyDenied || !strings.Contains(got.DecidedBy[0], "11 policies name approvers") {
		t.Errorf("eleven sets of approvers do not fit into an Approval, and none may be left out: %+v", got)
	}
}

func alias(person string, usernames ...string) v1alpha1.Alias {
	return v1alpha1.Alias{Person: person, Usernames: usernames}
}

func TestSelected_Person(t *testing.T) {
	one, other := everywhere("one"), everywhere("other")
	one.Spec.Aliases = []v1alpha1.Alias{alias("alice", "alice@corp", "alice-admin"), alias("bob", "bob", "bob-admin"), alias("dora", "dora", "dora-admin")}
	other.Spec.Aliases = []v1alpha1.Alias{alias("al", "alice-admin", "root"), alias("bob", "bob@home"), alias("joint", "dora-admin", "erik"), alias("erik", "erik", "erik-admin")}
	foreign := labelled("foreign", "team", "bank")
	foreign.Spec.Aliases = []v1alpha1.Alias{alias("all", "alice@corp", "bob", "carol")}
	s := selected(one, other, foreign)
	for _, tc := range []struct {
		name, a, b string
		same       bool
		reason     string
	}{
		{"two names of one policy", "alice@corp", "alice-admin", true, "it says so"},
		{"two names that a third connects", "alice@corp", "root", true, "each policy says half of it"},
		{"one person of two policies", "bob-admin", "bob@home", true, "a person has one name"},
		{"a chain of three", "dora", "erik-admin", true, "one link after the other"},
		{"two people", "alice@corp", "bob", false, "nobody connects them"},
		{"a name without an alias", "carol", "bob", false, "the policy that connects them is for others"},
		{"a name and the name of a person", "dora", "alice", false, "names of people are no usernames"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if same := s.Person(tc.a) == s.Person(tc.b); same != tc.same {
				t.Errorf("%s is %s and %s is %s: %s", tc.a, s.Person(tc.a), tc.b, s.Person(tc.b), tc.reason)
			}
		})
	}
	if got := s.Person("carol"); got != "carol" {
		t.Errorf("Person(carol) = %q", got)
	}
}

func TestSelected_Delegated(t *testing.T) {
	one, other := everywhere("one"), everywhere("other")
	one.Spec.DelegatedSubmitters = []string{"system:serviceaccount:argocd:controller"}
	s := selected(one, other)
	if !s.Delegated("system:serviceaccount:argocd:controller") || s.Delegated("alice") {
		t.Error("those that any policy names submit for others, and nobody else")
	}
}

// anyPolicy draws a policy, of this small world, that may say anything.
func anyPolicy(name string) *rapid.Generator[v1alpha1.ChangePolicy] {
	users := rapid.SampledFrom([]string{"ada", "bob", "carol", "dora"})
	answers := rapid.SampledFrom([]v1alpha1.MatrixAnswer{"", "Autonomous", "AutonomousThenReview", "Approval", "DoubleApproval", "Deny"})
	rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) v1alpha1.ChangeRule {
		return v1alpha1.ChangeRule{Name: "r", Kinds: []string{rapid.SampledFrom([]string{"*", "Deployment", "ConfigMap", "Node"}).Draw(t, "kind")}}
	}), 0, 1)
	return rapid.Custom(func(t *rapid.T) v1alpha1.ChangePolicy {
		if rapid.IntRange(0, 30).Draw(t, "readable") == 0 {
			return unreadablePolicy(name)
		}
		p := everywhere(name)
		p.Spec = v1alpha1.ChangePolicySpec{
			Allow: rules.Draw(t, "allow"), Quorum: rapid.Int32Range(0, 5).Draw(t, "quorum"),
			Destructive:  rapid.SampledFrom([]v1alpha1.Destructive{"", v1alpha1.DestructiveAllow, v1alpha1.DestructiveForbid}).Draw(t, "destructive"),
			Autonomy:     rapid.SampledFrom([]v1alpha1.Autonomy{"", v1alpha1.AutonomyMatrix, v1alpha1.AutonomyMatrix}).Draw(t, "autonomy"),
			SelfApproval: rapid.SampledFrom([]v1alpha1.SelfApproval{"", v1alpha1.SelfApprovalAllow, v1alpha1.SelfApprovalAllow}).Draw(t, "self"),
			Windows:      rapid.SliceOfN(rapid.Custom(anyWindow), 0, 2).Draw(t, "windows"),
		}
		if rapid.IntRange(0, 4).Draw(t, "denies") == 0 {
			p.Spec.Deny = rules.Draw(t, "deny")
		}
		if rapid.Bool().Draw(t, "has a matrix") {
			p.Spec.Matrix = &v1alpha1.RiskMatrix{LowReversible: answers.Draw(t, "lr"), LowIrreversible: answers.Draw(t, "li"), MediumReversible: answers.Draw(t, "mr"),
				MediumIrreversible: answers.Draw(t, "mi"), HighReversible: answers.Draw(t, "hr"), HighIrreversible: answers.Draw(t, "hi")}
		}
		if rapid.Bool().Draw(t, "has a TTL") {
			p.Spec.ApprovalTTL = &metav1.Duration{Duration: time.Duration(rapid.IntRange(1, 168).Draw(t, "hours")) * time.Hour}
		}
		if rapid.IntRange(0, 3).Draw(t, "protects") == 0 {
			p.Spec.Protected = &v1alpha1.Protected{Namespaces: []string{"shop"}}
		}
		if rapid.Bool().Draw(t, "names approvers") {
			p.Spec.Approvers = []v1alpha1.Subject{{Kind: v1alpha1.SubjectUser, Name: users.Draw(t, "approver")}}
		}
		if rapid.Bool().Draw(t, "has aliases") {
			p.Spec.Aliases = []v1alpha1.Alias{alias(users.Draw(t, "person"), users.Draw(t, "one"), users.Draw(t, "other"))}
		}
		if rapid.Bool().Draw(t, "has accounts") {
			p.Spec.ServiceAccounts = rapid.SliceOfN(rapid.SampledFrom([]string{"eclusier-applier", "admin"}), 1, 2).Draw(t, "accounts")
		}
		if rapid.Bool().Draw(t, "has submitters") {
			p.Spec.DelegatedSubmitters = []string{users.Draw(t, "who never decides"), rapid.SampledFrom([]string{submitter, "x"}).Draw(t, "submitter")}
		}
		return p
	})
}

// submitter is a service account that policies may list.
const submitter = "system:serviceaccount:argocd:sync"

// TestSelected_anotherPolicyNeverLoosens proves, field by field, that adding a policy to some only ever tightens them.
func TestSelected_anotherPolicyNeverLoosens(t *testing.T) {
	plans := rapid.SampledFrom([]change.Plan{planOf(scale), planOf(remove), planOf(scale, remove), {ServiceAccount: "shop/admin", Effects: []change.Effect{scale}}})
	impacts := rapid.SampledFrom([]v1alpha1.Impact{v1alpha1.ImpactLow, v1alpha1.ImpactMedium, v1alpha1.ImpactHigh})
	rapid.Check(t, func(t *rapid.T) {
		var policies []v1alpha1.ChangePolicy
		for i := range rapid.IntRange(1, 3).Draw(t, "policies") {
			policies = append(policies, anyPolicy(fmt.Sprint("p", i)).Draw(t, "policy"))
		}
		another := anyPolicy(rapid.SampledFrom([]string{"a", "p0x", "z"}).Draw(t, "name")).Draw(t, "another")
		before, after := selected(policies...), selected(append(slices.Clone(policies), another)...)

		p := plans.Draw(t, "plan")
		r := risk(impacts.Draw(t, "impact"), rapid.SampledFrom([]v1alpha1.Reversibility{v1alpha1.Reversible, v1alpha1.Irreversible}).Draw(t, "reversibility"))
		by := rapid.SampledFrom([]string{"dora", submitter}).Draw(t, "requester")
		was, is := before.Judge(by, p, r), after.Judge(by, p, r)
		if strictness[is.Verdict] < strictness[was.Verdict] {
			t.Fatalf("%s became %s", was.Verdict, is.Verdict)
		}
		if is.Verdict == was.Verdict && is.Verdict != v1alpha1.PolicyDenied && (is.Required < was.Required || (was.ReviewAfterwards && !is.ReviewAfterwards)) {
			t.Fatalf("%+v became %+v", was, is)
		}
		if (is.Verdict == v1alpha1.PolicyApprovalRequired) != (is.Required > 0) || is.Required > 5 {
			t.Fatalf("%+v", is)
		}
		if after.TTL() > before.TTL() {
			t.Fatalf("consent lasts %s instead of %s", after.TTL(), before.TTL())
		}
		if before.SelfApproval() == v1alpha1.SelfApprovalForbid && after.SelfApproval() != v1alpha1.SelfApprovalForbid {
			t.Fatal("the requester may agree now")
		}
		for _, set := range before.Approvers() {
			if !slices.ContainsFunc(after.Approvers(), func(s v1alpha1.ApproverSet) bool {
				return s.Policy == set.Policy && slices.Equal(s.Subjects, set.Subjects)
			}) {
				t.Fatalf("the approvers of %s are not asked any more", set.Policy)
			}
		}
		now := at("2026-01-01T00:00:00Z").Add(time.Duration(rapid.IntRange(0, 365*24).Draw(t, "hour")) * time.Hour)
		if after.Opening(now, nil).Open && !before.Opening(now, nil).Open {
			t.Fatal("a closed window is open now")
		}
		for _, u := range []string{"ada", "bob", "carol", "dora"} {
			if before.Delegated(u) && !after.Delegated(u) {
				t.Fatalf("%s may decide now", u)
			}
			for _, v := range []string{"ada", "bob", "carol", "dora"} {
				if before.Person(u) == before.Person(v) && after.Person(u) != after.Person(v) {
					t.Fatalf("%s and %s count twice now", u, v)
				}
			}
		}
	})
}
