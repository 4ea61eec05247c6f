package diagnose

import (
	"net"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// nameFault is the finding of a name that cluster DNS says does not exist. That is the fault of whoever wrote the name,
// unless the name does exist: then DNS answers wrongly, or the pods behind a headless Service are not ready.
func (x *exam) nameFault(s *symptom, h hit, dns cluster.Ref) *Finding {
	name := askedName(h)
	service, inside := x.clusterName(name, s.work.namespace())
	if sv := x.service(name, s.work.namespace()); sv != nil {
		f := x.dependencyFault(s, h)
		f.links.needs = []cluster.Ref{ref("Service", sv.Namespace, sv.Name)}
		if sv.Spec.ClusterIP == corev1.ClusterIPNone || x.readyBehind(sv) == 0 {
			return f
		}
		return x.dnsClientFault(s, h, dns)
	}
	if name == "" || inside && !x.absent(service) {
		f := x.dependencyFault(s, h)
		if inside {
			f.links.needs = []cluster.Ref{service}
		}
		return f
	}
	if !inside && x.dnsTroubled(s, dns) {
		return x.dnsClientFault(s, h, dns)
	}
	return x.wrongName(s, h, name, service)
}

// askedName is the name that a line says was looked up, "" where it names none.
func askedName(h hit) string {
	name := strings.ToLower(h.given("name", "name2", "peer"))
	if one, _, err := net.SplitHostPort(name); err == nil {
		name = one
	}
	if named := peersNamed(h); name == "" && len(named) > 0 {
		name = named[0].host
	}
	return name
}

func (x *exam) readyBehind(s *corev1.Service) int {
	return x.ready(x.workloadsSelected(s.Namespace, s.Spec.Selector))
}

// dnsTroubled says that cluster DNS shows trouble of its own.
func (x *exam) dnsTroubled(s *symptom, dns cluster.Ref) bool {
	for _, w := range x.dnsWorkloads(dns) {
		if w != s.work && (w.readyPods() == 0 || slices.ContainsFunc(x.symptoms, func(o *symptom) bool { return o.work == w && o.kind != restarted })) {
			return true
		}
	}
	return false
}

// wrongName puts the fault at the ConfigMap that holds the name, or else at the workload.
func (x *exam) wrongName(s *symptom, h hit, name string, service cluster.Ref) *Finding {
	f := x.fromLog("CrashBadConfig", s, h)
	f.Severity, f.Object, f.links.needs = High, s.work.ref, nil
	x.nameInVariables(f, s, name)
	x.nameInFiles(f, s, name)
	f.Evidence = append(f.Evidence, x.configuredBy(s, name)...)
	f.links.affects = []cluster.Ref{s.work.ref}
	f.Message = x.say("DNSFailure.unknown", s.work.ref.String(), name)
	f.Fix = x.say("DNSFailure.fixUnknown", f.Object.String(), name)
	if service.Name != "" {
		if like := x.likelyService(service.Namespace, service.Name); like != "" {
			f.Fix = x.say("DNSFailure.fixLike", f.Object.String(), name, ref("Service", service.Namespace, like).String())
		}
	}
	return f
}

// nameInVariables cites the variables of a container that hold a name; what one takes its value from is the object.
func (x *exam) nameInVariables(f *Finding, s *symptom, name string) {
	c := s.spec()
	if c == nil {
		return
	}
	for _, v := range x.variables(s.work, c) {
		if strings.Contains(strings.ToLower(v.value), name) {
			f.Evidence = append(f.Evidence, v.evidence)
			if v.from.Name != "" {
				f.Object = v.from
			}
		}
	}
}

// nameInFiles cites the ConfigMaps that a workload mounts whole and that hold a name; the last of them is the object.
func (x *exam) nameInFiles(f *Finding, s *symptom, name string) {
	for _, u := range podUses(s.work.namespace(), &s.work.template.Spec) {
		m := get[*corev1.ConfigMap](x.index, "ConfigMap", u.ref.Namespace, u.ref.Name)
		if u.ref.Kind != "ConfigMap" || m == nil || u.key != "" || u.container != "" {
			continue
		}
		for _, k := range sortedKeys(m.Data) {
			if at := strings.Index(strings.ToLower(m.Data[k]), name); at >= 0 {
				f.Object = u.ref
				f.Evidence = append(f.Evidence, cite(FieldEvidence, u.ref.String()+" data."+k, lineAt(m.Data[k], at), 0))
			}
		}
	}
}

// lineAt is the line of a text that holds the byte at.
func lineAt(text string, at int) string {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	if to := strings.IndexByte(text[at:], '\n'); to >= 0 {
		return strings.TrimSpace(text[from : at+to])
	}
	return strings.TrimSpace(text[from:])
}
