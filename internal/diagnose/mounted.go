package diagnose

import (
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

const (
	// maxMounted is how much is looked at of one mounted file.
	maxMounted = 64 << 10
	// maxMountedHosts is up to how many hosts in its files a program depends on; what watches or scrapes many depends on
	// none of them.
	maxMountedHosts = 6
)

// mountedHost finds hosts in configuration files: in URLs, by their full name in the cluster, and in the lists of
// upstream servers of proxies.
var mountedHost = regexp.MustCompile(`\w{2,}://(?:[^@/\s"']*@)?([a-z0-9][a-z0-9.-]*)|\b([a-z0-9-]+\.[a-z0-9-]+\.svc)\b|\bserver(?:\s+[\w-]+)?\s+([a-z0-9][a-z0-9.-]*):\d{2,5}\b`)

// mountedHosts are the hosts that files name which a workload mounts from ConfigMaps.
func (x *exam) mountedHosts(w *workload) []string {
	var out []string
	for _, v := range w.template.Spec.Volumes {
		for _, name := range configMapsOf(v) {
			m := get[*corev1.ConfigMap](x.index, "ConfigMap", w.namespace(), name)
			if m == nil {
				continue
			}
			for _, key := range sortedKeys(m.Data) {
				text := m.Data[key]
				for _, found := range mountedHost.FindAllStringSubmatch(text[:min(len(text), maxMounted)], 64) {
					if host := found[1] + found[2] + found[3]; !slices.Contains(out, host) {
						out = append(out, host)
					}
				}
			}
		}
	}
	return out
}

func configMapsOf(v corev1.Volume) []string {
	var out []string
	if v.ConfigMap != nil {
		out = append(out, v.ConfigMap.Name)
	}
	if v.Projected != nil {
		for _, s := range v.Projected.Sources {
			if s.ConfigMap != nil {
				out = append(out, s.ConfigMap.Name)
			}
		}
	}
	return out
}

// mountedCalls adds the Services that mounted files name, unless they are many.
func (x *exam) mountedCalls(w *workload, found map[cluster.Ref]bool) {
	var services []cluster.Ref
	for _, host := range x.mountedHosts(w) {
		s := x.service(host, w.namespace())
		if s == nil || len(s.Spec.Selector) > 0 && carries(w.template.Labels, s.Spec.Selector) {
			continue
		}
		if r := ref("Service", s.Namespace, s.Name); !slices.Contains(services, r) {
			services = append(services, r)
		}
	}
	if len(services) > maxMountedHosts {
		return
	}
	for _, r := range services {
		found[r] = true
	}
}
