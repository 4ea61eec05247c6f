package diagnose

import (
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func portRule(n int32) []networkingv1.NetworkPolicyPort {
	p := intstr.FromInt32(n)
	return []networkingv1.NetworkPolicyPort{{Port: &p}}
}

const timesOut = "store: dial tcp 10.96.7.7:80: i/o timeout"

func TestNetworkPolicyBlocks(t *testing.T) {
	t.Parallel()
	other := selecting("other")
	for _, c := range []struct {
		name   string
		line   string
		spec   networkingv1.NetworkPolicySpec
		blocks bool
	}{
		{"an ingress rule for somebody else keeps the caller out", timesOut, networkingv1.NetworkPolicySpec{
			PodSelector: selecting("store"), Ingress: []networkingv1.NetworkPolicyIngressRule{{From: []networkingv1.NetworkPolicyPeer{{PodSelector: &other}}, Ports: portRule(8080)}},
		}, true},
		{"an ingress rule for the Service's port instead of the pod's keeps it out", timesOut, networkingv1.NetworkPolicySpec{
			PodSelector: selecting("store"), Ingress: []networkingv1.NetworkPolicyIngressRule{{Ports: portRule(80)}},
		}, true},
		{"an egress policy without rules keeps it in", timesOut, networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{}, PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		}, true},
		{"an egress policy keeps it from an address outside", "partner: dial tcp 203.0.113.9:443: i/o timeout", networkingv1.NetworkPolicySpec{
			PodSelector: selecting("caller"), PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
			Egress: []networkingv1.NetworkPolicyEgressRule{{To: []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "203.0.113.0/24", Except: []string{"203.0.113.8/29"}}}}}},
		}, true},
		{"a policy that admits the caller is not to blame", timesOut, networkingv1.NetworkPolicySpec{
			PodSelector: selecting("store"), Ingress: []networkingv1.NetworkPolicyIngressRule{{Ports: portRule(8080)}},
		}, false},
		{"a policy about other pods is not to blame", timesOut, networkingv1.NetworkPolicySpec{PodSelector: other}, false},
		{"a refused connection was not dropped by a policy", "store: dial tcp 10.96.7.7:80: connect: connection refused", networkingv1.NetworkPolicySpec{PodSelector: selecting("store")}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.store()
			w.caller(c.line, nil)
			w.policy("fence", c.spec)
			want := expected{cause: "CrashDependencyRefused", object: "Deployment/app/caller"}
			if c.blocks {
				want = expected{cause: "NetworkPolicyBlocks", object: "NetworkPolicy/app/fence", evidence: []string{"i/o timeout", "name: fence"}}
			}
			w.check(t, want)
		})
	}
}

func TestNetworkPolicyThatForbidsNameResolution(t *testing.T) {
	t.Parallel()
	w := newWorld("kube-system")
	w.dns()
	w.caller("lookup store on 10.96.0.10:53: read udp 10.244.1.1:5000->10.96.0.10:53: i/o timeout", nil)
	w.policy("fence", networkingv1.NetworkPolicySpec{
		PodSelector: selecting("caller"), PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		Egress: []networkingv1.NetworkPolicyEgressRule{{Ports: portRule(5432)}},
	})
	w.check(t, expected{cause: "NetworkPolicyBlocks", object: "NetworkPolicy/app/fence", evidence: []string{"lookup store"}})
}

func TestNetworkPolicyThatShutsOutTheIngressController(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.store()
	w.ingress("store", 80)
	_, front := w.deployment("nginx-ingress", nil)
	line := `2026/03/02 11:57:00 [error] 7#7: *1 upstream timed out (110: Operation timed out) while connecting to upstream, client: 192.0.2.7, server: example.org, request: "GET / HTTP/1.1", upstream: "http://10.244.9.9:8080/"` + "\n"
	w.current(front, "nginx-ingress", line+line)
	other := selecting("other")
	w.policy("fence", networkingv1.NetworkPolicySpec{
		PodSelector: selecting("store"), Ingress: []networkingv1.NetworkPolicyIngressRule{{From: []networkingv1.NetworkPolicyPeer{{PodSelector: &other}}}},
	})
	w.check(t, expected{cause: "NetworkPolicyBlocks", object: "NetworkPolicy/app/fence", evidence: []string{"upstream timed out"}})
}
