package diagnose

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var dnsFailure = cause{
	id: "DNSFailure", severity: Critical,
	check: func(x *exam) {
		for _, s := range x.open(crashing, unready, complaining) {
			if isDNS(s.work) {
				if f := x.dnsServerFault(s); f != nil {
					x.add(*f)
				}
			}
		}
	},
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		service := x.dnsService(h)
		x.want(cluster.Want{What: cluster.WantNamespace, Namespace: service.Namespace})
		if h.sig.name == unknownName {
			return x.nameFault(s, h, service)
		}
		if f := x.nameServerBlocked(s, h, service); f != nil {
			return f
		}
		return x.dnsClientFault(s, h, service)
	},
	texts: texts{
		english: map[string]string{
			"DNSFailure.message":    "Cluster DNS does not answer %[1]s, so names are not resolved: %[2]s",
			"DNSFailure.corefile":   "%[1]s holds a Corefile that CoreDNS rejects, so no name is resolved: %[2]s",
			"DNSFailure.upstream":   "The resolver to which %[1]s forwards does not answer, so names outside the cluster are not resolved: %[2]s",
			"DNSFailure.zero":       "%[1]s, which serves cluster DNS, has no replicas, so no name is resolved",
			"DNSFailure.policy":     "Pods of %[1]s do not use cluster DNS (dnsPolicy %[2]s), so names of the cluster are not resolved: %[3]s",
			"DNSFailure.unknown":    "%[1]s looks for %[2]s, a name that does not exist",
			"DNSFailure.fix":        "See why %[1]s does not answer; those who call it recover once it does.",
			"DNSFailure.fixCore":    "Correct the Corefile in %[1]s (see the line cited), then restart the DNS workload.",
			"DNSFailure.fixForward": "Let the forward of the Corefile in %[1]s name a resolver that answers, or bring that resolver back.",
			"DNSFailure.fixZero":    "Scale %[1]s up again.",
			"DNSFailure.fixPolicy":  "Set dnsPolicy of %[1]s to ClusterFirst (ClusterFirstWithHostNet on the host network) or correct its dnsConfig.",
			"DNSFailure.fixUnknown": "Correct the name %[2]s in %[1]s. Cluster DNS itself answers.",
			"DNSFailure.fixLike":    "Correct the name %[2]s in %[1]s; %[3]s may be meant. Cluster DNS itself answers.",
		},
		french: map[string]string{
			"DNSFailure.message":    "Le DNS du cluster ne répond pas à %[1]s, les noms ne sont donc pas résolus : %[2]s",
			"DNSFailure.corefile":   "%[1]s contient un Corefile que CoreDNS rejette, aucun nom n'est donc résolu : %[2]s",
			"DNSFailure.upstream":   "Le résolveur auquel %[1]s renvoie ne répond pas, les noms extérieurs au cluster ne sont donc pas résolus : %[2]s",
			"DNSFailure.zero":       "%[1]s, qui assure le DNS du cluster, n'a aucune réplique, aucun nom n'est donc résolu",
			"DNSFailure.policy":     "Les pods de %[1]s n'utilisent pas le DNS du cluster (dnsPolicy %[2]s), les noms du cluster ne sont donc pas résolus : %[3]s",
			"DNSFailure.unknown":    "%[1]s cherche %[2]s, un nom qui n'existe pas",
			"DNSFailure.fix":        "Cherchez pourquoi %[1]s ne répond pas ; ceux qui l'appellent se rétabliront ensuite.",
			"DNSFailure.fixCore":    "Corrigez le Corefile de %[1]s (voir la ligne citée), puis redémarrez la charge DNS.",
			"DNSFailure.fixForward": "Faites désigner au forward du Corefile de %[1]s un résolveur qui répond, ou rétablissez ce résolveur.",
			"DNSFailure.fixZero":    "Remettez des répliques à %[1]s.",
			"DNSFailure.fixPolicy":  "Réglez le dnsPolicy de %[1]s sur ClusterFirst (ClusterFirstWithHostNet sur le réseau de l'hôte) ou corrigez son dnsConfig.",
			"DNSFailure.fixUnknown": "Corrigez le nom %[2]s dans %[1]s. Le DNS du cluster répond.",
			"DNSFailure.fixLike":    "Corrigez le nom %[2]s dans %[1]s ; il s'agit peut-être de %[3]s. Le DNS du cluster répond.",
		},
	},
}

// dnsService is the Service of cluster DNS: the one that a line says was asked, the labelled one, or the usual name.
func (x *exam) dnsService(h hit) cluster.Ref {
	for _, p := range peersNamed(h) {
		if s := x.serviceByIP[p.host]; s != nil && p.port == "53" {
			return ref("Service", s.Namespace, s.Name)
		}
	}
	for _, r := range x.byKind["Service"] {
		if s := get[*corev1.Service](x.index, "Service", r.Namespace, r.Name); s != nil && s.Labels["k8s-app"] == "kube-dns" {
			return r
		}
	}
	return ref("Service", "kube-system", "kube-dns")
}

// isDNS says that a workload serves cluster DNS.
func isDNS(w *workload) bool {
	if app := w.template.Labels["k8s-app"]; app == "kube-dns" || app == "coredns" || app == "node-local-dns" {
		return true
	}
	return slices.ContainsFunc(w.template.Spec.Containers, func(c corev1.Container) bool { return strings.Contains(lastPart(c.Image), "coredns") })
}

// nameServerBlocked is the finding of a policy that keeps a workload from cluster DNS. A server that answers with an
// error was reached.
func (x *exam) nameServerBlocked(s *symptom, h hit, service cluster.Ref) *Finding {
	low := strings.ToLower(h.text)
	if strings.Contains(low, "misbehaving") || strings.Contains(low, "servfail") || strings.Contains(low, "refused") {
		return nil
	}
	sv := get[*corev1.Service](x.index, "Service", service.Namespace, service.Name)
	if sv == nil {
		return nil
	}
	for _, t := range x.calledService(sv, "53") {
		if f := x.blocked(s, h, t); f != nil {
			return f
		}
	}
	return nil
}

// dnsClientFault says that a workload gets no answer from cluster DNS. Where DNS itself shows why, the finding lies
// there.
func (x *exam) dnsClientFault(s *symptom, h hit, service cluster.Ref) *Finding {
	if f := x.ownResolver(s, h); f != nil {
		return f
	}
	f := x.fromLog("DNSFailure", s, h)
	f.links.needs, f.links.affects = nil, []cluster.Ref{service, s.work.ref}
	f.Object = service
	f.Message = x.say("DNSFailure.message", s.work.ref.String(), h.text[h.focus:])
	if w := x.idleBehind(service); w != nil {
		f.Object, f.links.weak = w.ref, false
		f.Message, f.Fix = x.say("DNSFailure.zero", w.ref.String()), x.say("DNSFailure.fixZero", w.ref.String())
		f.Evidence = append(f.Evidence, field(w.ref, "spec.replicas", w.desired))
		f.Evidence = append(f.Evidence, x.scaledBy(w)...)
		f.Operation = scaleOperation(w.ref, max(2, x.formerReplicas(w)))
		return f
	}
	for _, w := range x.dnsWorkloads(service) {
		for _, p := range w.pods[:min(len(w.pods), maxPodsPerSymptom)] {
			for _, c := range p.Status.ContainerStatuses {
				x.wantLogs(p, c.Name, false)
				if c.RestartCount > 0 {
					x.wantLogs(p, c.Name, true)
				}
			}
		}
		if known := x.dnsServerFault(&symptom{kind: complaining, work: w, pods: w.pods}); known != nil {
			known.Evidence = append(known.Evidence, f.Evidence...)
			known.links.explains = f.links.explains
			known.links.affects = append(known.links.affects, f.links.affects...)
			return known
		}
		f.Object = w.ref
	}
	f.links.needs = []cluster.Ref{service}
	f.Fix = x.say("DNSFailure.fix", f.Object.String())
	return f
}

func (x *exam) dnsWorkloads(service cluster.Ref) []*workload {
	sv := get[*corev1.Service](x.index, "Service", service.Namespace, service.Name)
	if sv == nil {
		return nil
	}
	return x.workloadsSelected(sv.Namespace, sv.Spec.Selector)
}

// ownResolver is the finding of a workload that asks another name server than that of the cluster for a name of it.
func (x *exam) ownResolver(s *symptom, h hit) *Finding {
	spec := &s.work.template.Spec
	inside := strings.Contains(h.given("name", "name2"), ".svc")
	without := spec.DNSPolicy == corev1.DNSNone || spec.DNSPolicy == corev1.DNSDefault || spec.HostNetwork && spec.DNSPolicy == corev1.DNSClusterFirst
	if !inside || !without {
		return nil
	}
	f := x.fromLog("DNSFailure", s, h)
	f.Message = x.say("DNSFailure.policy", s.work.ref.String(), string(spec.DNSPolicy), h.text[h.focus:])
	f.Fix = x.say("DNSFailure.fixPolicy", s.work.ref.String())
	f.Evidence = append(f.Evidence, field(s.work.ref, "spec.template.spec.dnsPolicy", spec.DNSPolicy))
	if c := spec.DNSConfig; c != nil {
		f.Evidence = append(f.Evidence, field(s.work.ref, "spec.template.spec.dnsConfig.nameservers", strings.Join(c.Nameservers, ", ")))
	}
	f.links.needs = nil
	policy := corev1.DNSClusterFirst
	if spec.HostNetwork {
		policy = corev1.DNSClusterFirstWithHostNet
	}
	f.Operation = podPatch(s.work.ref, map[string]any{"dnsPolicy": policy})
	return f
}
