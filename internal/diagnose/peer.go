package diagnose

import (
	"net"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// peer is what a line of a log says was called.
type peer struct {
	host string
	// port is empty where the line gives none.
	port string
}

// address prints host and port as people write them.
func (p peer) address() string {
	if p.port == "" {
		return p.host
	}
	return net.JoinHostPort(p.host, p.port)
}

// peerPatterns find what was called in the words of many clients, the surest first. Group 1 is the host, with or
// without a port; group 2, where there is one, the port.
var peerPatterns = []*regexp.Regexp{
	re(`dial (?:tcp|udp)[46]? (\S+?:\d{1,5})\b`),
	re(`->\[?([0-9a-fA-F.:]+?)\]?:(\d{1,5})\b`),
	re(`upstream: "\w+://([^/"]+)`),
	re(`E(?:CONNREFUSED|TIMEDOUT|HOSTUNREACH|NETUNREACH|CONNRESET) (\S+?:\d{1,5})\b`),
	re(`(?:server at|to server on|connect to) "([^"\s]+)"(?: \([^)]*\))?,? port (\d+)`),
	re(`(?i)(?:for|to|host) "?([A-Za-z0-9.-]+)"?,? port:? ?(\d+)`),
	re(`host=['"]?([A-Za-z0-9.-]+)['"]?,? (?:\w+=\S+ )*?port=(\d+)`),
	re(`[a-z][\w.-]*/(\d+\.\d+\.\d+\.\d+):(\d+)`),
	re(`(?i)server on '([^'\s:]+)(?::(\d+))?'`),
	re(`\b([a-z0-9-]+(?:\.[a-z0-9-]+)+\.svc(?:\.[a-z0-9-]+)*(?::\d{1,5})?)\b`),
	re(`(?i)connect(?:ing|ion|ed)?\b (?:to|with) (?:server )?(?:node \S+ )?\[?["'(]?([a-z0-9][\w.-]*[\w](?::\d{1,5}))`),
	re(`\w{2,}://(?:[^@/\s"']*@)?([A-Za-z0-9.-]+(?::\d{1,5})?)`),
	re(`\b((?:\d{1,3}\.){3}\d{1,3}:\d{1,5})\b`),
	re(`(?:^|[\s"'(=\[])([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*:\d{2,5})\b`),
	re(`host=['"]?([A-Za-z0-9.-]+)`),
}

// fieldsBefore is the place in peerPatterns before which the fields of a line are looked at: what a program says that
// it calls is surer than addresses in its words.
const fieldsBefore = 9

// sourceFile recognises file:line, which looks like host:port.
var sourceFile = regexp.MustCompile(`\.(?:go|py|js|mjs|ts|rb|java|kt|rs|cs|php|c|cc|cpp|ex|erl|scala|lua|pl):\d+$`)

// peersNamed returns what a line says was called, the surest first, each once.
func peersNamed(h hit) []peer {
	var out []peer
	add := func(host, port string) {
		host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
		if sourceFile.MatchString(host) || host == "" {
			return
		}
		if one, p, err := net.SplitHostPort(host); err == nil {
			host, port = one, p
		}
		if p := (peer{strings.Trim(host, "[]"), port}); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	add(h.vars["peer"], h.vars["port"])
	said := h.line
	if h.sig == &gatewayLine && h.fields == nil {
		said.text = h.text[h.focus:]
	}
	for i, p := range peerPatterns {
		if i == fieldsBefore {
			for _, f := range peerFields(said) {
				add(f.host, f.port)
			}
		}
		for _, m := range p.FindAllStringSubmatch(said.text, 4) {
			port := ""
			if len(m) > 2 {
				port = m[2]
			}
			add(m[1], port)
		}
	}
	return out
}

// peers returns the Services that a line of a workload's log speaks of: by address, by host name or, where it gives
// neither, by the name of a Service of the same namespace.
func (x *exam) peers(w *workload, h hit) []cluster.Ref {
	named := peersNamed(h)
	for _, p := range named {
		if r, ok := x.known(p.host, w.namespace()); ok {
			return []cluster.Ref{r}
		}
	}
	for _, p := range named {
		if r, ok := x.clusterName(p.host, w.namespace()); ok {
			return []cluster.Ref{r}
		}
		if net.ParseIP(p.host) != nil {
			x.want(cluster.Want{What: cluster.WantServices})
		}
	}
	if len(named) > 0 {
		return x.peersByPort(w, named)
	}
	return x.namedPeers(w, h)
}

// wantCalled asks for the namespaces of what a line says was called, whatever else the line says. Logs are read only
// where they matter, so this leads nowhere far.
func (x *exam) wantCalled(w *workload, h hit) {
	for _, p := range peersNamed(h) {
		r, ok := x.calledName(p.host, w.namespace())
		if ok && r.Namespace != w.namespace() && get[*corev1.Namespace](x.index, "Namespace", "", r.Namespace) != nil {
			x.want(cluster.Want{What: cluster.WantNamespace, Namespace: r.Namespace})
		}
	}
}

// peersByPort finds the Service behind an address of the cluster that nobody has any more, as that of a pod which was
// replaced: the only one with its port that the workload is configured to call or, failing that, of its namespace.
func (x *exam) peersByPort(w *workload, named []peer) []cluster.Ref {
	for _, p := range named {
		ip := net.ParseIP(p.host)
		if ip == nil || !ip.IsPrivate() || p.port == "" {
			continue
		}
		for _, list := range [][]cluster.Ref{x.calls(w), x.servicesIn(w.namespace())} {
			fitting := slices.DeleteFunc(slices.Clone(list), func(r cluster.Ref) bool {
				s := get[*corev1.Service](x.index, "Service", r.Namespace, r.Name)
				return s == nil || !slices.ContainsFunc(s.Spec.Ports, func(one corev1.ServicePort) bool { return one.Port == portNumber(p.port) })
			})
			if len(fitting) == 1 {
				return fitting
			}
		}
	}
	return nil
}

func (x *exam) servicesIn(namespace string) []cluster.Ref {
	var out []cluster.Ref
	for _, s := range x.servicesNS[namespace] {
		out = append(out, ref("Service", s.Namespace, s.Name))
	}
	return out
}

// known finds the Service, or the workload of the pod, that a host is.
func (x *exam) known(host, namespace string) (cluster.Ref, bool) {
	if s := x.service(host, namespace); s != nil {
		return ref("Service", s.Namespace, s.Name), true
	}
	if p := x.podByIP[host]; p != nil {
		return x.podWorkload[podRef(p)].ref, true
	}
	return cluster.Ref{}, false
}

// clusterName reads the Service out of a name that can only be one of the cluster: service.namespace.svc…, or
// service.namespace where there is such a namespace.
func (x *exam) clusterName(host, namespace string) (cluster.Ref, bool) {
	parts := strings.Split(strings.TrimSuffix(strings.ToLower(host), "."), ".")
	for i, p := range parts {
		if p == "svc" && i >= 2 {
			return ref("Service", parts[i-1], parts[i-2]), true
		}
	}
	if n := len(parts); n == 2 || n == 3 {
		if get[*corev1.Namespace](x.index, "Namespace", "", parts[n-1]) != nil {
			return ref("Service", parts[n-1], parts[n-2]), true
		}
	}
	if len(parts) == 1 && net.ParseIP(host) == nil && validName.MatchString(host) {
		return ref("Service", namespace, host), true
	}
	return cluster.Ref{}, false
}

var (
	validName  = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)
	nameInText = regexp.MustCompile(`[a-z][a-z0-9-]{2,62}`)
)

// namedPeers finds the Service that a line without an address speaks of: the one it names, or the only one that the
// workload is configured to call.
func (x *exam) namedPeers(w *workload, h hit) []cluster.Ref {
	for _, word := range nameInText.FindAllString(strings.ToLower(h.text), 64) {
		if s := get[*corev1.Service](x.index, "Service", w.namespace(), word); s != nil && !carries(w.template.Labels, s.Spec.Selector) {
			return []cluster.Ref{ref("Service", s.Namespace, s.Name)}
		}
	}
	if calls := x.calls(w); len(calls) == 1 {
		return calls
	}
	return nil
}

// configuredBy cites the variables and arguments that name what was called, and the variables' ConfigMaps.
func (x *exam) configuredBy(s *symptom, hosts ...string) []Evidence {
	c := s.spec()
	if c == nil {
		return nil
	}
	holds := func(value string) bool {
		return slices.ContainsFunc(hosts, func(h string) bool { return len(h) > 2 && namedIn(value, h) })
	}
	var out []Evidence
	for _, v := range x.variables(s.work, c) {
		if holds(v.value) && len(out) < 3 {
			out = append(out, v.evidence)
		}
	}
	for _, a := range slices.Concat(c.Command, c.Args) {
		if len(a) < 512 && holds(a) && len(out) < 3 {
			out = append(out, x.containerField(s, "args", a))
		}
	}
	return out
}

// configuredNamespaces are the other namespaces in which variables, arguments or files of a workload name a Service.
func (x *exam) configuredNamespaces(w *workload) []string {
	var out []string
	add := func(address string) {
		host, _, _ := strings.Cut(address, ":")
		r, ok := x.clusterName(host, w.namespace())
		if ok && r.Namespace != w.namespace() && !slices.Contains(out, r.Namespace) {
			out = append(out, r.Namespace)
		}
	}
	for i := range w.template.Spec.Containers {
		c := &w.template.Spec.Containers[i]
		for _, v := range x.variables(w, c) {
			for _, m := range addressPattern.FindAllString(v.value, 16) {
				add(m)
			}
		}
		for _, a := range slices.Concat(c.Command, c.Args) {
			for _, m := range addressPattern.FindAllString(a[:min(len(a), maxLine)], 16) {
				add(m)
			}
		}
	}
	for _, host := range x.mountedHosts(w) {
		add(host)
	}
	return out
}

// variable is an environment variable of a container whose value is known.
type variable struct {
	name, value string
	// from is the ConfigMap that it is taken from; its zero value where the workload sets it itself.
	from     cluster.Ref
	evidence Evidence
}

// variables lists those of a container that the workload sets itself or takes from ConfigMaps.
func (x *exam) variables(w *workload, c *corev1.Container) []variable {
	var out []variable
	fromMap := func(name, mapName, key string) {
		m := get[*corev1.ConfigMap](x.index, "ConfigMap", w.namespace(), mapName)
		if m == nil {
			return
		}
		if v, ok := m.Data[key]; ok {
			r := ref("ConfigMap", w.namespace(), mapName)
			out = append(out, variable{name, v, r, entry(r, "data", key, v)})
		}
	}
	for _, f := range c.EnvFrom {
		if f.ConfigMapRef == nil {
			continue
		}
		if keys, ok := x.keysOf(ref("ConfigMap", w.namespace(), f.ConfigMapRef.Name)); ok {
			for _, k := range keys {
				fromMap(f.Prefix+k, f.ConfigMapRef.Name, k)
			}
		}
	}
	for _, e := range c.Env {
		switch {
		case e.ValueFrom == nil:
			out = append(out, variable{e.Name, e.Value, cluster.Ref{}, entry(w.ref, "spec.template.spec.containers["+c.Name+"].env", e.Name, e.Value)})
		case e.ValueFrom.ConfigMapKeyRef != nil:
			fromMap(e.Name, e.ValueFrom.ConfigMapKeyRef.Name, e.ValueFrom.ConfigMapKeyRef.Key)
		}
	}
	return out
}

var looksLikeNumber = regexp.MustCompile(`^(?:[0-9.]+|true|false|null|yes|no|on|off)$`)

// entry cites an entry of a map as YAML shows it: a string that could be read as something else stands in quotes.
func entry(r cluster.Ref, path, key, value string) Evidence {
	if looksLikeNumber.MatchString(value) {
		value = "'" + value + "'"
	}
	return field(r, path+"."+strings.ReplaceAll(key, ".", `\.`), value)
}
