package diagnose

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// controllerLines cites what ingress controllers log about a Service that an Ingress sends to, one line of each
// wording. It asks for their logs first.
func (x *exam) controllerLines(namespace, service string) []Evidence {
	if !x.routed(namespace, service) {
		return nil
	}
	x.wantControllers()
	var out []Evidence
	name := namespace + "/" + service
	for _, l := range x.snap.Logs {
		w := x.podWorkload[l.Pod]
		if w == nil || !isController(w) {
			continue
		}
		told := map[string]bool{}
		for _, one := range x.lines(l) {
			at := strings.Index(one.text, name)
			if at < 0 || one.level == levelInfo || !namedIn(one.text, service) {
				continue
			}
			if kind := digits.ReplaceAllString(one.text, ""); !told[kind] && len(out) < 2 {
				told[kind] = true
				out = append(out, one.cite(at))
			}
		}
	}
	return out
}

var digits = regexp.MustCompile(`[0-9]+`)

// routed says that an Ingress sends to a Service.
func (x *exam) routed(namespace, service string) bool {
	for _, r := range x.byKind["Ingress"] {
		if r.Namespace != namespace {
			continue
		}
		for _, need := range x.needsOf(r) {
			if need == ref("Service", namespace, service) {
				return true
			}
		}
	}
	return false
}

// controllerNamespaces are those in which people keep ingress controllers.
var controllerNamespaces = regexp.MustCompile(`(?i)ingress|traefik|haproxy|contour|envoy|gateway|nginx|kong|edge|infra|platform|network|routing|load-?balanc|^kube-system$`)

var controllerNames = regexp.MustCompile(`(?i)ingress|traefik|haproxy|contour|envoy|gateway|nginx|kong`)

// isController says that a workload looks like an ingress controller.
func isController(w *workload) bool {
	if controllerNames.MatchString(w.ref.Name) || controllerNames.MatchString(w.template.Labels["app.kubernetes.io/name"]) {
		return true
	}
	for i := range w.template.Spec.Containers {
		c := &w.template.Spec.Containers[i]
		if strings.Contains(c.Image, "ingress") || strings.Contains(strings.Join(c.Args, " "), "ingress-class") || strings.Contains(strings.Join(c.Args, " "), "controller-class") {
			return true
		}
	}
	return false
}

// wantControllers asks for the logs of the ingress controllers: the workloads behind the Service whose address the
// Ingresses publish and, where that leads nowhere, those in namespaces that sound like one.
func (x *exam) wantControllers() {
	x.want(cluster.Want{What: cluster.WantServices})
	published := x.publishedAddresses()
	for _, s := range x.snap.Services {
		for _, i := range s.Status.LoadBalancer.Ingress {
			if published[i.IP] || published[i.Hostname] {
				x.want(cluster.Want{What: cluster.WantNamespace, Namespace: s.Namespace})
			}
		}
		if controllerNames.MatchString(s.Name) {
			x.want(cluster.Want{What: cluster.WantNamespace, Namespace: s.Namespace})
		}
	}
	for _, n := range x.snap.Namespaces {
		if controllerNamespaces.MatchString(n.Name) {
			x.want(cluster.Want{What: cluster.WantNamespace, Namespace: n.Name})
		}
	}
	for _, w := range x.workloadList {
		if !isController(w) {
			continue
		}
		for _, p := range w.pods[:min(len(w.pods), maxPodsPerSymptom)] {
			for _, c := range runningContainers(p) {
				x.wantLogs(p, c, false)
			}
		}
	}
}

func (x *exam) publishedAddresses() map[string]bool {
	out := map[string]bool{}
	for _, r := range x.byKind["Ingress"] {
		i := get[*networkingv1.Ingress](x.index, "Ingress", r.Namespace, r.Name)
		if i == nil {
			continue
		}
		for _, a := range i.Status.LoadBalancer.Ingress {
			out[a.IP], out[a.Hostname] = true, true
		}
	}
	delete(out, "")
	return out
}

// backendPort finds the port of a Service that a backend of an Ingress names.
func backendPort(s *corev1.Service, b networkingv1.ServiceBackendPort) *corev1.ServicePort {
	for i := range s.Spec.Ports {
		p := &s.Spec.Ports[i]
		if b.Name != "" && p.Name == b.Name || b.Name == "" && p.Port == b.Number {
			return p
		}
	}
	return nil
}
