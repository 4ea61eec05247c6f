package diagnose

import (
	"net"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var networkPolicyBlocks = cause{
	id: "NetworkPolicyBlocks", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		if f := x.blockedCall(s, h); f != nil {
			return f
		}
		f := x.dependencyFault(s, h)
		if h.sig.name == slowAnswer && len(f.links.needs) == 0 {
			return nil
		}
		return f
	},
	texts: texts{
		english: map[string]string{
			"NetworkPolicyBlocks.ingress":      "%[1]s does not admit what %[2]s sends to %[3]s: no policy that selects the receiver allows it, so the connections time out",
			"NetworkPolicyBlocks.egress":       "%[1]s does not let %[2]s reach %[3]s: no policy that selects the sender allows it, so the connections time out",
			"NetworkPolicyBlocks.fixLabel":     "Let the selector in %[1]s say %[3]s instead of %[2]s. Do not remove the policy.",
			"NetworkPolicyBlocks.fixNamespace": "Add a namespaceSelector for namespace %[3]s beside the podSelector in %[1]s: alone it means pods of %[2]s only. Do not remove the policy.",
			"NetworkPolicyBlocks.fixExcept":    "Take %[2]s out of the exceptions of the address block in %[1]s, or admit %[3]s by a rule of its own. Do not remove the policy.",
			"NetworkPolicyBlocks.fixPort":      "Let the rule in %[1]s admit port %[3]s, at which the pods listen; it admits %[2]s. Do not remove the policy.",
			"NetworkPolicyBlocks.fix":          "Add a rule to %[1]s that admits %[2]s to %[3]s, or correct the selector that was meant to. Do not remove the policy.",
		},
		french: map[string]string{
			"NetworkPolicyBlocks.ingress":      "%[1]s n'admet pas ce que %[2]s envoie à %[3]s : aucune politique qui sélectionne le destinataire ne l'autorise, les connexions expirent donc",
			"NetworkPolicyBlocks.egress":       "%[1]s ne laisse pas %[2]s joindre %[3]s : aucune politique qui sélectionne l'émetteur ne l'autorise, les connexions expirent donc",
			"NetworkPolicyBlocks.fixLabel":     "Écrivez %[3]s au lieu de %[2]s dans le sélecteur de %[1]s. Ne supprimez pas la politique.",
			"NetworkPolicyBlocks.fixNamespace": "Ajoutez un namespaceSelector pour l'espace de noms %[3]s à côté du podSelector dans %[1]s : seul, il ne désigne que des pods de %[2]s. Ne supprimez pas la politique.",
			"NetworkPolicyBlocks.fixExcept":    "Retirez %[2]s des exceptions du bloc d'adresses de %[1]s, ou admettez %[3]s par une règle à part. Ne supprimez pas la politique.",
			"NetworkPolicyBlocks.fixPort":      "Faites admettre par la règle de %[1]s le port %[3]s, sur lequel écoutent les pods ; elle admet %[2]s. Ne supprimez pas la politique.",
			"NetworkPolicyBlocks.fix":          "Ajoutez à %[1]s une règle qui admet %[2]s vers %[3]s, ou corrigez le sélecteur qui devait le faire. Ne supprimez pas la politique.",
		},
	},
}

// called is something that a workload calls, as policies see it.
type called struct {
	name     string
	service  *corev1.Service
	ends     []endpoint
	port     func(endpoint) int32
	protocol corev1.Protocol
}

// calledBy returns what a line says was called or, where it names nothing, whatever the workload is configured to call.
func (x *exam) calledBy(s *symptom, h hit) []called {
	var out []called
	named := peersNamed(h)
	for _, p := range named {
		if sv := x.service(p.host, s.work.namespace()); sv != nil {
			out = append(out, x.calledService(sv, p.port)...)
			continue
		}
		if one, ok := x.calledAddress(p, s.work.namespace()); ok {
			out = append(out, one)
		}
	}
	if len(named) > 0 {
		return out
	}
	for _, r := range x.calls(s.work) {
		if sv := get[*corev1.Service](x.index, "Service", r.Namespace, r.Name); sv != nil {
			out = append(out, x.calledService(sv, "")...)
		}
	}
	return append(out, x.calledOutside(s)...)
}

// calledAddress is a host that is no Service: a pod, or something outside the cluster, whose address is not known
// where it is called by a name.
func (x *exam) calledAddress(p peer, namespace string) (called, bool) {
	ip := net.ParseIP(p.host)
	if _, inside := x.clusterName(p.host, namespace); ip == nil && (inside || !strings.Contains(p.host, ".")) {
		return called{}, false
	}
	end := endpoint{ip: ip}
	if pod := x.podByIP[p.host]; pod != nil {
		end = podEndpoint(pod)
	}
	return called{name: p.address(), ends: []endpoint{end}, port: func(endpoint) int32 { return portNumber(p.port) }, protocol: corev1.ProtocolTCP}, true
}

// calledOutside is what the variables of a container say that it calls outside the cluster, by URL.
func (x *exam) calledOutside(s *symptom) []called {
	c := s.spec()
	if c == nil {
		return nil
	}
	var out []called
	for _, v := range x.variables(s.work, c) {
		if !strings.Contains(v.value, "://") {
			continue
		}
		p, ok := readPeer(v.value)
		if !ok || x.service(p.host, s.work.namespace()) != nil {
			continue
		}
		if one, outside := x.calledAddress(p, s.work.namespace()); outside {
			out = append(out, one)
		}
	}
	return out
}

// calledService is a Service as something that is called: its pods, at the port that its own port leads to.
func (x *exam) calledService(sv *corev1.Service, port string) []called {
	var ends []endpoint
	for _, p := range x.podsSelected(sv.Namespace, sv.Spec.Selector) {
		if !finished(p) {
			ends = append(ends, podEndpoint(p))
		}
	}
	if len(ends) == 0 {
		return nil
	}
	var out []called
	for _, sp := range sv.Spec.Ports {
		if port != "" && portNumber(port) != sp.Port && sv.Spec.ClusterIP != corev1.ClusterIPNone {
			continue
		}
		protocol := sp.Protocol
		if protocol == "" {
			protocol = corev1.ProtocolTCP
		}
		out = append(out, called{name: ref("Service", sv.Namespace, sv.Name).String(), service: sv, ends: ends, protocol: protocol, port: func(e endpoint) int32 {
			if sv.Spec.ClusterIP == corev1.ClusterIPNone && port != "" {
				return portNumber(port)
			}
			return targetPort(sp, e.pod)
		}})
	}
	return out
}

// portNumber reads a port, 0 where a text is none.
func portNumber(s string) int32 {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return 0
	}
	return int32(n)
}

// targetPort is the port of a pod that a port of a Service leads to, 0 where its name leads nowhere.
func targetPort(sp corev1.ServicePort, p *corev1.Pod) int32 {
	switch {
	case sp.TargetPort.StrVal != "":
		protocol := sp.Protocol
		if protocol == "" {
			protocol = corev1.ProtocolTCP
		}
		return declaredPort(&p.Spec, sp.TargetPort.StrVal, protocol)
	case sp.TargetPort.IntVal != 0:
		return sp.TargetPort.IntVal
	}
	return sp.Port
}

// blockedCall is the finding of the policy that keeps a workload from what a line says it called, nil if none does.
func (x *exam) blockedCall(s *symptom, h hit) *Finding {
	for _, t := range x.calledBy(s, h) {
		if f := x.blocked(s, h, t); f != nil {
			return f
		}
	}
	return nil
}

// blocked is the finding of the policy that keeps a workload from what it calls, nil if none does.
func (x *exam) blocked(s *symptom, h hit, t called) *Finding {
	if s.pod() == nil {
		return nil
	}
	from := podEndpoint(s.pod())
	for _, end := range t.ends {
		one := flow{from: from, to: end, port: t.port(end), protocol: t.protocol}
		list := x.blockers(one)
		if len(list) == 0 {
			continue
		}
		f := x.policyFault(s, t, list[0], one)
		f.Evidence = append([]Evidence{h.evidence()}, f.Evidence...)
		return f
	}
	return nil
}

func (x *exam) policyFault(s *symptom, t called, p *networkingv1.NetworkPolicy, one flow) *Finding {
	direction, text := networkingv1.PolicyTypeIngress, "NetworkPolicyBlocks.ingress"
	if x.refuses(p, one, networkingv1.PolicyTypeEgress) {
		direction, text = networkingv1.PolicyTypeEgress, "NetworkPolicyBlocks.egress"
	}
	r := ref("NetworkPolicy", p.Namespace, p.Name)
	f := &Finding{
		Cause: "NetworkPolicyBlocks", Object: r, Evidence: policyEvidence(p, direction),
		Message: x.say(text, r.String(), s.work.ref.String(), t.name), Fix: x.say("NetworkPolicyBlocks.fix", r.String(), s.work.ref.String(), t.name),
		Operation: x.admitOperation(p, direction, s, t, one),
		links:     links{explains: []*symptom{s}, affects: []cluster.Ref{s.work.ref}},
	}
	if near, ok := x.slipOf(p, direction, one); ok {
		f.Fix = x.say(near.text, r.String(), near.have, near.want)
		f.Evidence = append(near.evidence, f.Evidence...)
	}
	other := one.from
	if direction == networkingv1.PolicyTypeEgress {
		other = one.to
	}
	if other.pod != nil {
		for _, k := range sortedKeys(other.labels) {
			if !madeLabels[k] {
				f.Evidence = append(f.Evidence, entry(podRef(other.pod), "metadata.labels", k, other.labels[k]))
			}
		}
	}
	if t.service != nil {
		f.links.affects = append(f.links.affects, ref("Service", t.service.Namespace, t.service.Name))
	}
	return f
}

// madeLabels are set by controllers and mean nothing to people.
var madeLabels = map[string]bool{
	"pod-template-hash": true, "controller-revision-hash": true, "pod-template-generation": true,
	"statefulset.kubernetes.io/pod-name": true, "apps.kubernetes.io/pod-index": true,
}

// refuses says that a policy is among those that isolate the pod of one direction.
func (x *exam) refuses(p *networkingv1.NetworkPolicy, one flow, direction networkingv1.PolicyType) bool {
	end := one.to
	if direction == networkingv1.PolicyTypeEgress {
		end = one.from
	}
	return end.pod != nil && slices.Contains(x.refusing(one, direction), p)
}

// admitOperation adds the rule that is missing: exactly this sender, receiver and port. Addresses outside the cluster
// change, so nothing is proposed for them.
func (x *exam) admitOperation(p *networkingv1.NetworkPolicy, direction networkingv1.PolicyType, s *symptom, t called, one flow) *Operation {
	other, path, key, some := s.work, "/spec/ingress", "from", len(p.Spec.Ingress) > 0
	if direction == networkingv1.PolicyTypeEgress {
		if one.to.pod == nil {
			return nil
		}
		other, path, key, some = x.podWorkload[podRef(one.to.pod)], "/spec/egress", "to", len(p.Spec.Egress) > 0
	}
	if other == nil || other.selector == nil || one.port == 0 {
		return nil
	}
	who := map[string]any{"podSelector": other.selector}
	if other.namespace() != p.Namespace {
		who["namespaceSelector"] = metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: other.namespace()}}
	}
	var rule any = map[string]any{key: []any{who}, "ports": []any{map[string]any{"port": one.port, "protocol": t.protocol}}}
	if some {
		path += "/-"
	} else {
		rule = []any{rule}
	}
	return patchOperation(ref("NetworkPolicy", p.Namespace, p.Name), "json", []any{map[string]any{"op": "add", "path": path, "value": rule}})
}
