package diagnose

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var connectionPoolExhausted = cause{
	id: "ConnectionPoolExhausted", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.fromLog("ConnectionPoolExhausted", s, h)
		f.Evidence = append(f.Evidence, x.poolSettings(s.work, s.spec())...)
		if h.sig.name != serverLimit {
			return f
		}
		server := x.limitingServer(s, h)
		if server == nil {
			return f
		}
		return x.serverFull(f, s, server, h)
	},
	texts: texts{
		english: map[string]string{
			"ConnectionPoolExhausted.message": "All connections of the pool of container %[1]s in %[2]s are taken: %[3]s",
			"ConnectionPoolExhausted.server":  "%[1]s has no connection left for %[2]s: %[3]s",
			"ConnectionPoolExhausted.hog":     "%[1]s takes most of the connections that %[2]s has: %[3]s",
			"ConnectionPoolExhausted.fix":     "See what holds the connections of %[2]s (slow queries, a leak, more load), and size its pool for its load; a restart frees them for a while.",
			"ConnectionPoolExhausted.fixFull": "See who holds the connections of %[1]s, lower the pools of its clients or put a pooler in between; raise its limit only if its memory allows.",
		},
		french: map[string]string{
			"ConnectionPoolExhausted.message": "Toutes les connexions du pool du conteneur %[1]s de %[2]s sont prises : %[3]s",
			"ConnectionPoolExhausted.server":  "%[1]s n'a plus de connexion pour %[2]s : %[3]s",
			"ConnectionPoolExhausted.hog":     "%[1]s prend la plupart des connexions de %[2]s : %[3]s",
			"ConnectionPoolExhausted.fix":     "Cherchez ce qui retient les connexions de %[2]s (requêtes lentes, fuite, charge accrue) et dimensionnez son pool selon sa charge ; un redémarrage les libère pour un temps.",
			"ConnectionPoolExhausted.fixFull": "Cherchez qui retient les connexions de %[1]s, réduisez les pools de ses clients ou intercalez un répartiteur ; ne relevez sa limite que si sa mémoire le permet.",
		},
	},
}

var (
	poolNames  = regexp.MustCompile(`(?i)pool|max_?conn|connections?_?(?:limit|max)|max_?(?:idle|open)|(?:^|_)connections$|max_?clients`)
	limitWords = regexp.MustCompile(`(?i)\b(?:max_connections|max_user_connections|maxclients|max_client_conn|default_pool_size|maxconns)\b[=: ]*['"]?(\d{1,6})?`)
)

// poolSettings cites the variables and arguments of a container that size pools or limit connections.
func (x *exam) poolSettings(w *workload, c *corev1.Container) []Evidence {
	if c == nil {
		return nil
	}
	var out []Evidence
	for _, v := range x.variables(w, c) {
		if poolNames.MatchString(v.name) {
			out = append(out, v.evidence)
		}
	}
	for _, a := range append(append([]string{}, c.Command...), c.Args...) {
		if limitWords.MatchString(a) && len(a) < 512 {
			out = append(out, field(w.ref, "spec.template.spec.containers["+c.Name+"].args", a))
		}
	}
	return out
}

// limitingServer is the workload whose limit is reached: what was called, or the workload that says it of itself.
func (x *exam) limitingServer(s *symptom, h hit) *workload {
	if c := s.spec(); c != nil && serverImages.MatchString(c.Image) {
		return s.work
	}
	refs := x.peers(s.work, h)
	if len(refs) == 0 {
		refs = x.calls(s.work)
	}
	for _, n := range x.configuredNamespaces(s.work) {
		x.want(cluster.Want{What: cluster.WantNamespace, Namespace: n})
	}
	for _, r := range refs {
		x.want(cluster.Want{What: cluster.WantNamespace, Namespace: r.Namespace})
		sv := get[*corev1.Service](x.index, "Service", r.Namespace, r.Name)
		if sv == nil {
			continue
		}
		for _, w := range x.workloadsSelected(sv.Namespace, sv.Spec.Selector) {
			for i := range w.template.Spec.Containers {
				if serverImages.MatchString(w.template.Spec.Containers[i].Image) || len(refs) == 1 {
					return w
				}
			}
		}
	}
	return nil
}

// serverFull puts the finding at the server or, where the pools of one client alone fill it, at that client.
func (x *exam) serverFull(f *Finding, s *symptom, server *workload, h hit) *Finding {
	limit := 0
	for i := range server.template.Spec.Containers {
		c := &server.template.Spec.Containers[i]
		f.Evidence = append(f.Evidence, x.poolSettings(server, c)...)
		for _, a := range append(append([]string{}, c.Command...), c.Args...) {
			if m := limitWords.FindStringSubmatch(a); m != nil && m[1] != "" {
				limit, _ = strconv.Atoi(m[1])
			}
		}
	}
	f.Object = server.ref
	f.Message = x.say("ConnectionPoolExhausted.server", server.ref.String(), s.work.ref.String(), h.text[h.focus:])
	f.Fix = x.say("ConnectionPoolExhausted.fixFull", server.ref.String())
	f.links.affects = append(f.links.affects, s.work.ref, server.ref)
	if hog, settings := x.greediest(server, limit); hog != nil {
		f.Object = hog.ref
		f.Message = x.say("ConnectionPoolExhausted.hog", hog.ref.String(), server.ref.String(), h.text[h.focus:])
		f.Evidence = append(f.Evidence, settings...)
		f.Evidence = append(f.Evidence, field(hog.ref, "spec.replicas", hog.desired))
		f.links.affects = append(f.links.affects, hog.ref)
	}
	return f
}

var poolSize = regexp.MustCompile(`(?i)max|size|limit`)

// greediest is the client whose replicas times the size of its pool reach four fifths of a server's limit.
func (x *exam) greediest(server *workload, limit int) (*workload, []Evidence) {
	const usual = 100
	if limit == 0 {
		limit = usual
	}
	var best *workload
	var settings []Evidence
	most := limit * 4 / 5
	for _, w := range x.workloadList {
		if w == server || !x.callsServer(w, server) {
			continue
		}
		for i := range w.template.Spec.Containers {
			for _, v := range x.variables(w, &w.template.Spec.Containers[i]) {
				if n := poolOf(v); n > 0 && n*int(w.desired) >= most {
					best, settings, most = w, []Evidence{v.evidence}, n*int(w.desired)
				}
			}
		}
	}
	return best, settings
}

// callsServer says that a workload calls a Service that selects the server.
func (x *exam) callsServer(w, server *workload) bool {
	return slices.ContainsFunc(x.calls(w), func(r cluster.Ref) bool {
		sv := get[*corev1.Service](x.index, "Service", r.Namespace, r.Name)
		return sv != nil && r.Namespace == server.namespace() && len(sv.Spec.Selector) > 0 && carries(server.template.Labels, sv.Spec.Selector)
	})
}

// poolOf is the size of a connection pool that a variable sets, 0 where it sets none.
func poolOf(v variable) int {
	if !poolNames.MatchString(v.name) || !poolSize.MatchString(v.name) {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(v.value))
	if err != nil {
		return 0
	}
	return n
}
