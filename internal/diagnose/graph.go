package diagnose

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// needsOf returns what an object directly depends on, as Kubernetes itself states it: a service on the workloads it
// selects, a workload on its claims and configuration, an ingress on its services.
func (x *exam) needsOf(r cluster.Ref) []cluster.Ref {
	switch o := x.objects[r].(type) {
	case *networkingv1.Ingress:
		return ingressNeeds(o)
	case *corev1.Service:
		return x.serviceNeeds(o)
	case *autoscalingv2.HorizontalPodAutoscaler:
		return []cluster.Ref{ref(o.Spec.ScaleTargetRef.Kind, r.Namespace, o.Spec.ScaleTargetRef.Name)}
	case *policyv1.PodDisruptionBudget:
		if o.Spec.Selector == nil {
			return nil
		}
		return workloadRefs(x.workloadsSelected(r.Namespace, o.Spec.Selector.MatchLabels))
	case *batchv1.CronJob:
		return x.cronNeeds(r)
	case *corev1.PersistentVolumeClaim:
		return claimNeeds(o)
	}
	if w := x.workloads[r]; w != nil {
		return x.workloadNeeds(w)
	}
	if w := x.podWorkload[r]; w != nil {
		return []cluster.Ref{w.ref}
	}
	if r.Kind == "ReplicaSet" {
		for _, o := range ownersOf(x, r) {
			return []cluster.Ref{o}
		}
	}
	return nil
}

func ownersOf(x *exam, r cluster.Ref) []cluster.Ref {
	o := x.objects[r]
	if o == nil {
		return nil
	}
	var out []cluster.Ref
	for _, owner := range o.GetOwnerReferences() {
		out = append(out, ref(owner.Kind, r.Namespace, owner.Name))
	}
	return out
}

func ingressNeeds(i *networkingv1.Ingress) []cluster.Ref {
	var out []cluster.Ref
	add := func(b *networkingv1.IngressBackend) {
		if b != nil && b.Service != nil {
			out = append(out, ref("Service", i.Namespace, b.Service.Name))
		}
	}
	add(i.Spec.DefaultBackend)
	for _, rule := range i.Spec.Rules {
		if rule.HTTP == nil {
			continue
		}
		for p := range rule.HTTP.Paths {
			add(&rule.HTTP.Paths[p].Backend)
		}
	}
	for _, t := range i.Spec.TLS {
		if t.SecretName != "" {
			out = append(out, ref("Secret", i.Namespace, t.SecretName))
		}
	}
	return out
}

func (x *exam) serviceNeeds(s *corev1.Service) []cluster.Ref {
	if len(s.Spec.Selector) == 0 {
		return nil
	}
	return workloadRefs(x.workloadsSelected(s.Namespace, s.Spec.Selector))
}

func workloadRefs(list []*workload) []cluster.Ref {
	out := make([]cluster.Ref, 0, len(list))
	for _, w := range list {
		out = append(out, w.ref)
	}
	return out
}

// cronNeeds are the Jobs of a CronJob, newest last.
func (x *exam) cronNeeds(r cluster.Ref) []cluster.Ref {
	var out []cluster.Ref
	for _, j := range x.jobsOf[r] {
		out = append(out, ref("Job", j.Namespace, j.Name))
	}
	return out
}

func claimNeeds(c *corev1.PersistentVolumeClaim) []cluster.Ref {
	var out []cluster.Ref
	if c.Spec.VolumeName != "" {
		out = append(out, ref("PersistentVolume", "", c.Spec.VolumeName))
	}
	if n := c.Spec.StorageClassName; n != nil && *n != "" {
		out = append(out, ref("StorageClass", "", *n))
	}
	return out
}

func (x *exam) workloadNeeds(w *workload) []cluster.Ref {
	var out []cluster.Ref
	for _, u := range podUses(w.namespace(), &w.template.Spec) {
		out = append(out, u.ref)
	}
	for _, p := range w.pods {
		for _, v := range p.Spec.Volumes {
			if v.PersistentVolumeClaim != nil {
				out = append(out, ref("PersistentVolumeClaim", p.Namespace, v.PersistentVolumeClaim.ClaimName))
			}
		}
	}
	if w.ref.Kind == "Job" {
		out = append(out, ownersOf(x, w.ref)...)
	}
	return out
}

const (
	// maxHops is how many calls from service to service a fault is followed through workloads that show none.
	maxHops = 3
	// maxReach bounds how many objects are looked at behind one.
	maxReach = 400
)

// reach returns what an object depends on directly or through others, itself included, the nearest first. The
// dependencies of workloads on other services are followed too (calls), but only so far: what lies behind many
// healthy services does not explain anything.
func (x *exam) reach(r cluster.Ref) map[cluster.Ref]bool {
	if done, ok := x.reachMemo[r]; ok {
		return done
	}
	type stop struct {
		ref  cluster.Ref
		hops int
	}
	seen := map[cluster.Ref]bool{r: true}
	for next := []stop{{r, 0}}; len(next) > 0 && len(seen) < maxReach; next = next[1:] {
		at := next[0]
		visit := func(list []cluster.Ref, hops int) {
			for _, d := range list {
				if !seen[d] {
					seen[d] = true
					next = append(next, stop{d, hops})
				}
			}
		}
		visit(x.needsOf(at.ref), at.hops)
		if w := x.workloads[at.ref]; w != nil && at.hops < maxHops {
			visit(x.calls(w), at.hops+1)
		}
	}
	x.reachMemo[r] = seen
	return seen
}

// addressPattern finds host[:port] pieces in the values of variables and arguments.
var addressPattern = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*(?::\d{2,5})?`)

// calls returns the Services that a workload is configured to call: named in variables, arguments and the
// ConfigMaps it takes its variables or files from, as a URL, host:port or service name.
func (x *exam) calls(w *workload) []cluster.Ref {
	if done, ok := x.callMemo[w]; ok {
		return done
	}
	found := map[cluster.Ref]bool{}
	for i := range w.template.Spec.Containers {
		x.containerCalls(w, &w.template.Spec.Containers[i], found)
	}
	for i := range w.template.Spec.InitContainers {
		x.containerCalls(w, &w.template.Spec.InitContainers[i], found)
	}
	x.mountedCalls(w, found)
	out := make([]cluster.Ref, 0, len(found))
	for r := range found {
		out = append(out, r)
	}
	slices.SortFunc(out, compareRefs)
	x.callMemo[w] = out
	return out
}

func (x *exam) containerCalls(w *workload, c *corev1.Container, found map[cluster.Ref]bool) {
	for _, e := range c.Env {
		x.addressed(w.namespace(), e.Value, found)
		if v := e.ValueFrom; v != nil && v.ConfigMapKeyRef != nil {
			if m := get[*corev1.ConfigMap](x.index, "ConfigMap", w.namespace(), v.ConfigMapKeyRef.Name); m != nil {
				x.addressed(w.namespace(), m.Data[v.ConfigMapKeyRef.Key], found)
			}
		}
	}
	for _, a := range slices.Concat(c.Command, c.Args) {
		x.addressed(w.namespace(), a, found)
	}
	for _, f := range c.EnvFrom {
		if f.ConfigMapRef == nil {
			continue
		}
		if m := get[*corev1.ConfigMap](x.index, "ConfigMap", w.namespace(), f.ConfigMapRef.Name); m != nil {
			for _, v := range m.Data {
				x.addressed(w.namespace(), v, found)
			}
		}
	}
}

// addressed adds the Services that a configured value names. A bare word counts only if it is a host in a URL or
// carries a port, or is the whole value: any other word may mean anything.
func (x *exam) addressed(namespace, value string, found map[cluster.Ref]bool) {
	const most = 2048
	if value == "" || len(value) > most {
		return
	}
	add := func(host string) {
		if s := x.service(host, namespace); s != nil {
			found[ref("Service", s.Namespace, s.Name)] = true
		}
	}
	if u, err := url.Parse(value); err == nil && u.Hostname() != "" {
		add(u.Hostname())
	}
	for _, m := range addressPattern.FindAllString(value, 32) {
		host, _, port := strings.Cut(m, ":")
		if port || strings.Contains(host, ".") || m == value {
			add(host)
		}
	}
}

func compareRefs(a, b cluster.Ref) int { return strings.Compare(a.String(), b.String()) }
