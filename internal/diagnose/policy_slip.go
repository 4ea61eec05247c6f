package diagnose

import (
	"fmt"
	"slices"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// slip is the one point in which a rule misses a connection that it nearly admits.
type slip struct {
	// text is the id of the text that says how to correct it; have is what the rule says, want what it would have to say.
	text, have, want string
	evidence         []Evidence
}

// slipOf finds the rule of a policy that misses a connection by a single point: a label written wrong, an exception
// that covers the address, a port.
func (x *exam) slipOf(p *networkingv1.NetworkPolicy, direction networkingv1.PolicyType, f flow) (slip, bool) {
	other := f.from
	if direction == networkingv1.PolicyTypeEgress {
		other = f.to
	}
	for _, r := range rules(p, direction) {
		if !admitsPort(r.ports, f) {
			continue
		}
		for _, one := range r.peers {
			if s, ok := x.peerSlip(p, one, direction, other); ok {
				return s, true
			}
		}
	}
	for _, r := range rules(p, direction) {
		if x.admits(p, policyRule{peers: r.peers}, direction, f) && !admitsPort(r.ports, f) && f.port != 0 {
			return slip{"NetworkPolicyBlocks.fixPort", rulePorts(r.ports), number(f.port), nil}, true
		}
	}
	return slip{}, false
}

func rulePorts(ports []networkingv1.NetworkPolicyPort) string {
	var out []string
	for _, one := range ports {
		if one.Port != nil {
			out = append(out, one.Port.String())
		}
	}
	return strings.Join(out, ", ")
}

// peerSlip finds the point in which a peer of a rule misses one end of a connection.
func (x *exam) peerSlip(p *networkingv1.NetworkPolicy, one networkingv1.NetworkPolicyPeer, direction networkingv1.PolicyType, other endpoint) (slip, bool) {
	if b := one.IPBlock; b != nil {
		return exceptSlip(p, *b, direction, other)
	}
	if other.pod == nil {
		return slip{}, false
	}
	isPod := one.PodSelector == nil || selects(one.PodSelector, other.labels)
	namespace := x.namespaceLabels(other.namespace)
	switch {
	case one.NamespaceSelector == nil && other.namespace != p.Namespace:
		return namespaceSlip(p, one.PodSelector, other)
	case isPod && one.NamespaceSelector != nil:
		return labelSlip(one.NamespaceSelector, namespace, ref("Namespace", "", other.namespace))
	case one.PodSelector != nil && (one.NamespaceSelector == nil || selects(one.NamespaceSelector, namespace)):
		return labelSlip(one.PodSelector, other.labels, podRef(other.pod))
	}
	return slip{}, false
}

// namespaceSlip finds a selector of pods that alone never reaches into the namespace of those that it describes.
func namespaceSlip(p *networkingv1.NetworkPolicy, pods *metav1.LabelSelector, other endpoint) (slip, bool) {
	if pods == nil || len(pods.MatchLabels) == 0 || !selects(pods, other.labels) {
		return slip{}, false
	}
	return slip{
		"NetworkPolicyBlocks.fixNamespace", p.Namespace, other.namespace,
		[]Evidence{field(podRef(other.pod), "metadata.namespace", other.namespace)},
	}, true
}

func exceptSlip(p *networkingv1.NetworkPolicy, b networkingv1.IPBlock, direction networkingv1.PolicyType, other endpoint) (slip, bool) {
	if other.ip == nil || !inBlock(&networkingv1.IPBlock{CIDR: b.CIDR}, other.ip) {
		return slip{}, false
	}
	at := slices.IndexFunc(b.Except, func(cidr string) bool { return inBlock(&networkingv1.IPBlock{CIDR: cidr}, other.ip) })
	if at < 0 {
		return slip{}, false
	}
	path := "spec." + strings.ToLower(string(direction)) + ".ipBlock.except"
	return slip{
		"NetworkPolicyBlocks.fixExcept", b.Except[at], other.ip.String(),
		[]Evidence{field(ref("NetworkPolicy", p.Namespace, p.Name), path, b.Except[at])},
	}, true
}

// labelSlip finds the label that alone keeps a selector from what it should select: a value or a key that is a slip
// away from one that is there.
func labelSlip(s *metav1.LabelSelector, labels map[string]string, who cluster.Ref) (slip, bool) {
	var wrong []string
	for _, k := range sortedKeys(s.MatchLabels) {
		if v, ok := labels[k]; !ok || v != s.MatchLabels[k] {
			wrong = append(wrong, k)
		}
	}
	if len(s.MatchExpressions) > 0 {
		return expressionSlip(s, labels, who, len(wrong))
	}
	if len(wrong) != 1 {
		return slip{}, false
	}
	key, value := wrong[0], s.MatchLabels[wrong[0]]
	if actual, ok := labels[key]; ok && slipAway(value, actual) {
		return newLabelSlip(key, value, key, actual, who), true
	}
	for _, actual := range sortedKeys(labels) {
		if labels[actual] == value && slipAway(key, actual) {
			return newLabelSlip(key, value, actual, value, who), true
		}
	}
	return slip{}, false
}

// expressionSlip finds the value that alone keeps the expressions of a selector from what it should select.
func expressionSlip(s *metav1.LabelSelector, labels map[string]string, who cluster.Ref, wrongLabels int) (slip, bool) {
	if wrongLabels > 0 {
		return slip{}, false
	}
	var found slip
	for _, e := range s.MatchExpressions {
		if selects(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{e}}, labels) {
			continue
		}
		actual := labels[e.Key]
		at := slices.IndexFunc(e.Values, func(v string) bool { return slipAway(v, actual) })
		if found.text != "" || e.Operator != metav1.LabelSelectorOpIn || at < 0 {
			return slip{}, false
		}
		found = newLabelSlip(e.Key, e.Values[at], e.Key, actual, who)
	}
	return found, found.text != ""
}

// slipAway says that a word is another one written wrong: a few letters differ, or the same letters stand in another
// order.
func slipAway(written, meant string) bool {
	letters := func(s string) string { return string(slices.Sorted(slices.Values([]rune(s)))) }
	return written != meant && (similar(written, []string{meant}) == meant || letters(written) == letters(meant))
}

func newLabelSlip(key, value, realKey, realValue string, who cluster.Ref) slip {
	return slip{
		"NetworkPolicyBlocks.fixLabel", fmt.Sprintf("%s: %s", key, value), fmt.Sprintf("%s: %s", realKey, realValue),
		[]Evidence{entry(who, "metadata.labels", realKey, realValue)},
	}
}
