package diagnose

import (
	"net"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var crashDependencyRefused = cause{
	id: "CrashDependencyRefused", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.fromLog("CrashDependencyRefused", s, h)
		peer := h.vars["peer"]
		if peer == "" && len(f.links.needs) > 0 {
			peer = f.links.needs[0].String()
		}
		f.Message = x.say("CrashDependencyRefused.message", s.container, s.work.ref.String(), peer)
		f.Fix = x.say("CrashDependencyRefused.fix", peer, s.work.ref.String())
		return f
	},
	texts: texts{
		english: map[string]string{
			"CrashDependencyRefused.message": "Container %[1]s of %[2]s does not work because %[3]s refuses its connections or does not answer",
			"CrashDependencyRefused.fix":     "See why %[1]s does not accept connections; %[2]s recovers once it does. There is nothing to change in the workload itself.",
		},
		french: map[string]string{
			"CrashDependencyRefused.message": "Le conteneur %[1]s de %[2]s ne fonctionne pas parce que %[3]s refuse ses connexions ou ne répond pas",
			"CrashDependencyRefused.fix":     "Cherchez pourquoi %[1]s n'accepte pas les connexions ; %[2]s se rétablira ensuite. Il n'y a rien à changer dans la charge elle-même.",
		},
	},
}

// peers returns the Services that a line of a workload's log speaks of: by address, by host name or, where it gives
// neither, by the name of a Service of the same namespace.
func (x *exam) peers(w *workload, h hit) []cluster.Ref {
	host := h.vars["peer"]
	if one, _, err := net.SplitHostPort(host); err == nil {
		host = one
	}
	if host != "" {
		if s := x.service(host, w.namespace()); s != nil {
			return []cluster.Ref{ref("Service", s.Namespace, s.Name)}
		}
		if p := x.podByIP[strings.Trim(host, "[]")]; p != nil {
			return []cluster.Ref{x.podWorkload[podRef(p)].ref}
		}
		if r, ok := clusterName(host, w.namespace()); ok {
			return []cluster.Ref{r}
		}
		if net.ParseIP(strings.Trim(host, "[]")) != nil {
			x.want(cluster.Want{What: cluster.WantServices})
		}
		return nil
	}
	return x.namedPeers(w, h)
}

// clusterName reads the Service out of a name of the form service.namespace.svc….
func clusterName(host, namespace string) (cluster.Ref, bool) {
	parts := strings.Split(strings.TrimSuffix(strings.ToLower(host), "."), ".")
	for i, p := range parts {
		if p == "svc" && i >= 2 {
			return ref("Service", parts[i-1], parts[i-2]), true
		}
	}
	return ref("Service", namespace, host), false
}

var nameInText = regexp.MustCompile(`[a-z][a-z0-9-]{1,62}`)

func (x *exam) namedPeers(w *workload, h hit) []cluster.Ref {
	for _, word := range nameInText.FindAllString(strings.ToLower(h.text), 64) {
		if s := get[*corev1.Service](x.index, "Service", w.namespace(), word); s != nil && !carries(w.template.Labels, s.Spec.Selector) {
			return []cluster.Ref{ref("Service", s.Namespace, s.Name)}
		}
	}
	calls := x.calls(w)
	if len(calls) == 1 {
		return calls
	}
	return nil
}
