package diagnose

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func labelled(pairs ...string) *metav1.LabelSelector {
	s := &metav1.LabelSelector{MatchLabels: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		s.MatchLabels[pairs[i]] = pairs[i+1]
	}
	return s
}

func TestTheSlipOfAPolicyIsNamed(t *testing.T) {
	t.Parallel()
	from := func(peer networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort) networkingv1.NetworkPolicySpec {
		return networkingv1.NetworkPolicySpec{PodSelector: selecting("store"), Ingress: []networkingv1.NetworkPolicyIngressRule{{From: []networkingv1.NetworkPolicyPeer{peer}, Ports: ports}}}
	}
	for _, c := range []struct {
		name  string
		spec  networkingv1.NetworkPolicySpec
		fix   string
		cites []string
	}{
		{"the value of a namespace's label", from(networkingv1.NetworkPolicyPeer{NamespaceSelector: labelled("tier", "frontned")}, portRule(8080)),
			"say tier: frontend instead of tier: frontned", []string{"tier: frontned", "tier: frontend"}},
		{"the key of a namespace's label", from(networkingv1.NetworkPolicyPeer{NamespaceSelector: labelled("teir", "frontend")}, nil),
			"say tier: frontend instead of teir: frontend", []string{"teir: frontend"}},
		{"the label of a pod", from(networkingv1.NetworkPolicyPeer{PodSelector: labelled("app", "callerr")}, nil),
			"say app: caller instead of app: callerr", []string{"app: caller"}},
		{"the port", from(networkingv1.NetworkPolicyPeer{PodSelector: labelled("app", "caller")}, portRule(80)), "admit port 8080", []string{"port: 80"}},
		{"a value of an expression", from(networkingv1.NetworkPolicyPeer{NamespaceSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: []string{"backend", "frontent"}},
		}}}, nil), "say tier: frontend instead of tier: frontent", []string{"tier: frontend"}},
		{"a label that is quite another is no slip", from(networkingv1.NetworkPolicyPeer{PodSelector: labelled("app", "backup")}, nil), "Add a rule to", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.Namespaces[0].Labels = map[string]string{"tier": "frontend"}
			w.store()
			w.caller(timesOut, nil)
			w.policy("fence", c.spec)
			w.check(t, expected{cause: "NetworkPolicyBlocks", object: "NetworkPolicy/app/fence", evidence: c.cites})
			if fix := w.ask(t).RootCauses[0].Fix; !strings.Contains(fix, c.fix) {
				t.Errorf("advises %q, want %q", fix, c.fix)
			}
		})
	}
}

func TestAPodSelectorAloneDoesNotReachIntoAnotherNamespace(t *testing.T) {
	t.Parallel()
	w := newWorld("data")
	w.store()
	w.moved("data", "store")
	w.caller("http://store.data.svc: dial tcp 10.96.7.7:80: i/o timeout", nil)
	w.policy("fence", networkingv1.NetworkPolicySpec{PodSelector: selecting("store"), Ingress: []networkingv1.NetworkPolicyIngressRule{{
		From: []networkingv1.NetworkPolicyPeer{{PodSelector: labelled("app", "caller")}},
	}}})
	w.NetworkPolicies[0].Namespace = "data"
	w.check(t, expected{cause: "NetworkPolicyBlocks", object: "NetworkPolicy/data/fence", evidence: []string{"namespace: app"}})
	if fix := w.ask(t).RootCauses[0].Fix; !strings.Contains(fix, "namespaceSelector for namespace app") {
		t.Errorf("advises %q", fix)
	}
}

func TestThePolicyWithTheSlipIsBlamedBeforeOneThatDeniesAll(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.store()
	w.caller(timesOut, nil)
	w.policy("deny-all", networkingv1.NetworkPolicySpec{PodSelector: metav1.LabelSelector{}, PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}})
	w.policy("fence", networkingv1.NetworkPolicySpec{PodSelector: selecting("store"), Ingress: []networkingv1.NetworkPolicyIngressRule{{
		From: []networkingv1.NetworkPolicyPeer{{PodSelector: labelled("app", "callre")}},
	}}})
	w.check(t, expected{cause: "NetworkPolicyBlocks", object: "NetworkPolicy/app/fence"})
}

func TestPoliciesAndWhatLiesOutsideTheCluster(t *testing.T) {
	t.Parallel()
	egress := func(to ...networkingv1.NetworkPolicyPeer) networkingv1.NetworkPolicySpec {
		return networkingv1.NetworkPolicySpec{
			PodSelector: selecting("caller"), PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
			Egress: []networkingv1.NetworkPolicyEgressRule{{To: to}},
		}
	}
	world := networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: []string{"203.0.113.0/24"}}}
	for _, c := range []struct {
		name, url string
		spec      networkingv1.NetworkPolicySpec
		blocks    bool
		cites     []string
	}{
		{"an exception covers the address", "https://203.0.113.7/v1", egress(world), true, []string{"203.0.113.0/24"}},
		{"the address is not in the exception", "https://198.51.100.7/v1", egress(world), false, nil},
		{"a name may lie in the block", "https://partner.example.org/v1", egress(world), false, nil},
		{"a name outside, where only pods are admitted", "https://partner.example.org/v1", egress(networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{}}), true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.caller("sending failed: connect timed out", func(t *corev1.PodTemplateSpec) { calling(c.url)(t) })
			w.policy("fence", c.spec)
			r := w.ask(t)
			blocked := len(r.RootCauses) > 0 && r.RootCauses[0].Cause == "NetworkPolicyBlocks"
			if blocked != c.blocks {
				t.Fatalf("blames the policy: %t, want %t: %+v", blocked, c.blocks, r.RootCauses)
			}
			if blocked {
				w.check(t, expected{cause: "NetworkPolicyBlocks", object: "NetworkPolicy/app/fence", evidence: c.cites})
			}
		})
	}
}
