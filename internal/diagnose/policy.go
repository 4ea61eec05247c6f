package diagnose

import (
	"net"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/eclusier/eclusier/internal/cluster"
)

// endpoint is one end of a connection as network policies see it: a pod, or an address outside the cluster.
type endpoint struct {
	namespace string
	labels    map[string]string
	ip        net.IP
	// pod is nil for an address outside.
	pod *corev1.Pod
}

func podEndpoint(p *corev1.Pod) endpoint {
	return endpoint{namespace: p.Namespace, labels: p.Labels, ip: net.ParseIP(p.Status.PodIP), pod: p}
}

// flow is a connection that policies admit or not.
type flow struct {
	from, to endpoint
	port     int32
	protocol corev1.Protocol
}

// blockers returns the policies that keep a connection away, the likeliest culprit first: those that select one end
// while no policy of that end admits it. Nil means that it is admitted.
func (x *exam) blockers(f flow) []*networkingv1.NetworkPolicy {
	var out []*networkingv1.NetworkPolicy
	if f.from.pod != nil {
		out = append(out, x.refusing(f, networkingv1.PolicyTypeEgress)...)
	}
	if f.to.pod != nil {
		out = append(out, x.refusing(f, networkingv1.PolicyTypeIngress)...)
	}
	return out
}

// refusing returns the policies of one direction that isolate its pod, or nil if one of them admits the connection.
func (x *exam) refusing(f flow, direction networkingv1.PolicyType) []*networkingv1.NetworkPolicy {
	isolated := f.to
	if direction == networkingv1.PolicyTypeEgress {
		isolated = f.from
	}
	if isolated.pod.Spec.HostNetwork {
		return nil
	}
	var out []*networkingv1.NetworkPolicy
	for _, r := range x.byKind["NetworkPolicy"] {
		p := get[*networkingv1.NetworkPolicy](x.index, "NetworkPolicy", r.Namespace, r.Name)
		if p == nil || p.Namespace != isolated.namespace || !directs(p, direction) || !selects(&p.Spec.PodSelector, isolated.labels) {
			continue
		}
		for _, rule := range rules(p, direction) {
			if x.admits(p, rule, direction, f) {
				return nil
			}
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b *networkingv1.NetworkPolicy) int {
		if d := x.intent(b, direction, f) - x.intent(a, direction, f); d != 0 {
			return d
		}
		return b.CreationTimestamp.Compare(a.CreationTimestamp.Time)
	})
	return out
}

// policyRule is an ingress or egress rule.
type policyRule struct {
	peers []networkingv1.NetworkPolicyPeer
	ports []networkingv1.NetworkPolicyPort
}

func rules(p *networkingv1.NetworkPolicy, direction networkingv1.PolicyType) []policyRule {
	var out []policyRule
	if direction == networkingv1.PolicyTypeEgress {
		for _, r := range p.Spec.Egress {
			out = append(out, policyRule{r.To, r.Ports})
		}
		return out
	}
	for _, r := range p.Spec.Ingress {
		out = append(out, policyRule{r.From, r.Ports})
	}
	return out
}

// directs says that a policy concerns a direction; without policyTypes it is ingress, and egress if it has such rules.
func directs(p *networkingv1.NetworkPolicy, direction networkingv1.PolicyType) bool {
	if len(p.Spec.PolicyTypes) > 0 {
		return slices.Contains(p.Spec.PolicyTypes, direction)
	}
	return direction == networkingv1.PolicyTypeIngress || len(p.Spec.Egress) > 0
}

func (x *exam) admits(p *networkingv1.NetworkPolicy, r policyRule, direction networkingv1.PolicyType, f flow) bool {
	other := f.from
	if direction == networkingv1.PolicyTypeEgress {
		other = f.to
	}
	if len(r.peers) > 0 && !slices.ContainsFunc(r.peers, func(one networkingv1.NetworkPolicyPeer) bool { return x.isPeer(p, one, other) }) {
		return false
	}
	return admitsPort(r.ports, f)
}

// isPeer says that an end of a connection is what a rule means.
func (x *exam) isPeer(p *networkingv1.NetworkPolicy, one networkingv1.NetworkPolicyPeer, other endpoint) bool {
	if b := one.IPBlock; b != nil {
		return inBlock(b, other.ip)
	}
	if other.pod == nil {
		return false
	}
	if one.NamespaceSelector != nil {
		if !selects(one.NamespaceSelector, x.namespaceLabels(other.namespace)) {
			return false
		}
	} else if other.namespace != p.Namespace {
		return false
	}
	return one.PodSelector == nil || selects(one.PodSelector, other.labels)
}

// inBlock says that an address is in a block. One that is not known may be: policies are blamed only for what is sure.
func inBlock(b *networkingv1.IPBlock, ip net.IP) bool {
	if ip == nil {
		return true
	}
	within := func(cidr string) bool {
		_, block, err := net.ParseCIDR(cidr)
		return err == nil && block.Contains(ip)
	}
	return within(b.CIDR) && !slices.ContainsFunc(b.Except, within)
}

func admitsPort(ports []networkingv1.NetworkPolicyPort, f flow) bool {
	if len(ports) == 0 || f.port == 0 {
		return true
	}
	return slices.ContainsFunc(ports, func(one networkingv1.NetworkPolicyPort) bool {
		if one.Protocol != nil && *one.Protocol != f.protocol || one.Protocol == nil && f.protocol != corev1.ProtocolTCP {
			return false
		}
		switch {
		case one.Port == nil:
			return true
		case one.Port.StrVal != "":
			return f.to.pod != nil && declaredPort(&f.to.pod.Spec, one.Port.StrVal, f.protocol) == f.port
		case one.EndPort != nil:
			return f.port >= one.Port.IntVal && f.port <= *one.EndPort
		}
		return one.Port.IntVal == f.port
	})
}

// declaredPort is the number of a named port of a pod, 0 where no container declares it.
func declaredPort(spec *corev1.PodSpec, name string, protocol corev1.Protocol) int32 {
	for _, c := range slices.Concat(spec.Containers, spec.InitContainers) {
		for _, p := range c.Ports {
			if p.Name == name && (p.Protocol == protocol || p.Protocol == "" && protocol == corev1.ProtocolTCP) {
				return p.ContainerPort
			}
		}
	}
	return 0
}

// intent is higher for a policy that was made to admit such traffic and misses it, than for one that speaks of
// something else.
func (x *exam) intent(p *networkingv1.NetworkPolicy, direction networkingv1.PolicyType, f flow) int {
	best := 0
	if _, ok := x.slipOf(p, direction, f); ok {
		best = 3
	}
	for _, r := range rules(p, direction) {
		score := 0
		if len(r.ports) > 0 && admitsPort(r.ports, f) {
			score = 2
		} else if x.admits(p, policyRule{peers: r.peers}, direction, f) {
			score = 1
		}
		best = max(best, score)
	}
	return best
}

func (x *exam) namespaceLabels(name string) map[string]string {
	if n := get[*corev1.Namespace](x.index, "Namespace", "", name); n != nil {
		return labels.Merge(labels.Set{corev1.LabelMetadataName: name}, n.Labels)
	}
	return map[string]string{corev1.LabelMetadataName: name}
}

// selects says that a label selector fits; a selector that cannot be read fits nothing.
func selects(s *metav1.LabelSelector, set map[string]string) bool {
	selector, err := metav1.LabelSelectorAsSelector(s)
	return err == nil && selector.Matches(labels.Set(set))
}

// policyEvidence cites what a policy selects and admits, next to what the refused end carries.
func policyEvidence(p *networkingv1.NetworkPolicy, direction networkingv1.PolicyType) []Evidence {
	r := ref("NetworkPolicy", p.Namespace, p.Name)
	out := []Evidence{
		field(r, "metadata.name", p.Name),
		field(r, "spec.podSelector", metav1.FormatLabelSelector(&p.Spec.PodSelector)),
		field(r, "spec.policyTypes", p.Spec.PolicyTypes),
	}
	path := "spec." + strings.ToLower(string(direction))
	list := rules(p, direction)
	if len(list) == 0 {
		out = append(out, cite(AbsenceEvidence, r.String()+" "+path, path+": []", 0))
	}
	for _, one := range list {
		for _, peer := range one.peers {
			out = append(out, peerEvidence(r, path, peer)...)
		}
		for _, port := range one.ports {
			if port.Port != nil {
				out = append(out, field(r, path+".ports.port", port.Port.String()))
			}
		}
	}
	return out
}

func peerEvidence(r cluster.Ref, path string, peer networkingv1.NetworkPolicyPeer) []Evidence {
	var out []Evidence
	add := func(at string, s *metav1.LabelSelector) {
		if s == nil {
			return
		}
		for _, k := range sortedKeys(s.MatchLabels) {
			out = append(out, entry(r, path+"."+at+".matchLabels", k, s.MatchLabels[k]))
		}
		if len(s.MatchExpressions) > 0 {
			out = append(out, field(r, path+"."+at, metav1.FormatLabelSelector(s)))
		}
	}
	add("podSelector", peer.PodSelector)
	add("namespaceSelector", peer.NamespaceSelector)
	if peer.IPBlock != nil {
		out = append(out, field(r, path+".ipBlock.cidr", peer.IPBlock.CIDR))
	}
	return out
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
