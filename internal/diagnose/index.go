package diagnose

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// index joins the objects of a snapshot so that a check can go from one to the next in constant time. It is built
// once, in time linear in the objects.
type index struct {
	snap    *cluster.Snapshot
	objects map[cluster.Ref]metav1.Object
	byKind  map[string][]cluster.Ref

	// workloads holds every workload by its reference, workloadList in a stable order.
	workloads    map[cluster.Ref]*workload
	workloadList []*workload
	podWorkload  map[cluster.Ref]*workload
	podsOnNode   map[string][]*corev1.Pod
	podsByLabel  map[labelKey][]*corev1.Pod
	workByLabel  map[labelKey][]*workload
	podsByNS     map[string][]*corev1.Pod
	podByIP      map[string]*corev1.Pod
	jobsOf       map[cluster.Ref][]*batchv1.Job

	serviceByIP map[string]*corev1.Service
	servicesNS  map[string][]*corev1.Service
	slices      map[cluster.Ref][]*discoveryv1.EndpointSlice

	events map[cluster.Ref][]*cluster.Event
	logs   map[cluster.Ref][]*cluster.Log

	served map[cluster.Want]bool
	gaps   []cluster.Gap
}

type labelKey struct{ namespace, key, value string }

func ref(kind, namespace, name string) cluster.Ref {
	return cluster.Ref{Kind: kind, Namespace: namespace, Name: name}
}

// get returns the object of that kind and name, or the zero value (a nil pointer) where the snapshot has none.
func get[T metav1.Object](x *index, kind, namespace, name string) T {
	o, _ := x.objects[ref(kind, namespace, name)].(T)
	return o
}

func newIndex(s *cluster.Snapshot) *index {
	x := &index{
		snap: s, objects: map[cluster.Ref]metav1.Object{}, byKind: map[string][]cluster.Ref{},
		workloads: map[cluster.Ref]*workload{}, podWorkload: map[cluster.Ref]*workload{},
		podsOnNode: map[string][]*corev1.Pod{}, podsByLabel: map[labelKey][]*corev1.Pod{},
		workByLabel: map[labelKey][]*workload{}, podsByNS: map[string][]*corev1.Pod{}, podByIP: map[string]*corev1.Pod{},
		jobsOf: map[cluster.Ref][]*batchv1.Job{}, serviceByIP: map[string]*corev1.Service{},
		servicesNS: map[string][]*corev1.Service{}, slices: map[cluster.Ref][]*discoveryv1.EndpointSlice{},
		events: map[cluster.Ref][]*cluster.Event{}, logs: map[cluster.Ref][]*cluster.Log{},
		served: map[cluster.Want]bool{}, gaps: s.Gaps,
	}
	for _, w := range s.Read {
		x.served[w] = true
	}
	x.addObjects()
	x.addPods()
	x.addWorkloads()
	x.addServices()
	for _, e := range s.Events {
		x.events[e.About] = append(x.events[e.About], e)
	}
	for _, list := range x.events {
		slices.SortStableFunc(list, func(a, b *cluster.Event) int { return a.Last.Compare(b.Last) })
	}
	for _, l := range s.Logs {
		x.logs[l.Pod] = append(x.logs[l.Pod], l)
	}
	return x
}

func addAll[T metav1.Object](x *index, kind string, list []T) {
	for _, o := range list {
		r := ref(kind, o.GetNamespace(), o.GetName())
		if _, double := x.objects[r]; !double {
			x.byKind[kind] = append(x.byKind[kind], r)
		}
		x.objects[r] = o
	}
}

func (x *index) addObjects() {
	s := x.snap
	addAll(x, "Namespace", s.Namespaces)
	addAll(x, "Node", s.Nodes)
	addAll(x, "Pod", s.Pods)
	addAll(x, "Service", s.Services)
	addAll(x, "EndpointSlice", s.EndpointSlices)
	addAll(x, "ConfigMap", s.ConfigMaps)
	addAll(x, "Secret", s.Secrets)
	addAll(x, "ServiceAccount", s.ServiceAccounts)
	addAll(x, "PersistentVolumeClaim", s.Claims)
	addAll(x, "PersistentVolume", s.Volumes)
	addAll(x, "ResourceQuota", s.Quotas)
	addAll(x, "LimitRange", s.LimitRanges)
	addAll(x, "ReplicationController", s.Controllers)
	addAll(x, "Deployment", s.Deployments)
	addAll(x, "ReplicaSet", s.ReplicaSets)
	addAll(x, "StatefulSet", s.StatefulSets)
	addAll(x, "DaemonSet", s.DaemonSets)
	addAll(x, "ControllerRevision", s.ControllerRevs)
	addAll(x, "Job", s.Jobs)
	addAll(x, "CronJob", s.CronJobs)
	addAll(x, "HorizontalPodAutoscaler", s.Autoscalers)
	addAll(x, "PodDisruptionBudget", s.DisruptionBudgets)
	addAll(x, "Ingress", s.Ingresses)
	addAll(x, "IngressClass", s.IngressClasses)
	addAll(x, "NetworkPolicy", s.NetworkPolicies)
	addAll(x, "StorageClass", s.StorageClasses)
	addAll(x, "VolumeAttachment", s.VolumeAttachments)
	addAll(x, "CSINode", s.CSINodes)
	addAll(x, "PriorityClass", s.PriorityClasses)
	addAll(x, "ValidatingWebhookConfiguration", s.ValidatingWebhooks)
	addAll(x, "MutatingWebhookConfiguration", s.MutatingWebhooks)
	addAll(x, "ValidatingAdmissionPolicy", s.ValidatingPolicies)
	addAll(x, "Role", s.Roles)
	addAll(x, "RoleBinding", s.RoleBindings)
	addAll(x, "ClusterRole", s.ClusterRoles)
	addAll(x, "ClusterRoleBinding", s.ClusterBindings)
	for _, o := range s.Others {
		addAll(x, o.GetKind(), []metav1.Object{o})
	}
}

func (x *index) addPods() {
	for _, p := range x.snap.Pods {
		x.podsByNS[p.Namespace] = append(x.podsByNS[p.Namespace], p)
		if p.Spec.NodeName != "" {
			x.podsOnNode[p.Spec.NodeName] = append(x.podsOnNode[p.Spec.NodeName], p)
		}
		for k, v := range p.Labels {
			key := labelKey{p.Namespace, k, v}
			x.podsByLabel[key] = append(x.podsByLabel[key], p)
		}
		if ip := p.Status.PodIP; ip != "" && !p.Spec.HostNetwork && !finished(p) {
			x.podByIP[ip] = p
		}
	}
}

func (x *index) addServices() {
	for _, s := range x.snap.Services {
		x.servicesNS[s.Namespace] = append(x.servicesNS[s.Namespace], s)
		for _, ip := range append([]string{s.Spec.ClusterIP}, s.Spec.ClusterIPs...) {
			if ip != "" && ip != corev1.ClusterIPNone {
				x.serviceByIP[ip] = s
			}
		}
	}
	for _, e := range x.snap.EndpointSlices {
		if name := e.Labels[discoveryv1.LabelServiceName]; name != "" {
			r := ref("Service", e.Namespace, name)
			x.slices[r] = append(x.slices[r], e)
		}
	}
}

// podsSelected returns the pods of a namespace that carry all of these labels; none for an empty selector, which for
// a Service means that its endpoints are made by somebody else.
func (x *index) podsSelected(namespace string, selector map[string]string) []*corev1.Pod {
	list := rarest(x.podsByLabel, namespace, selector)
	return slices.DeleteFunc(slices.Clone(list), func(p *corev1.Pod) bool { return !carries(p.Labels, selector) })
}

// workloadsSelected returns the workloads of a namespace whose pod template carries all of these labels.
func (x *index) workloadsSelected(namespace string, selector map[string]string) []*workload {
	list := rarest(x.workByLabel, namespace, selector)
	return slices.DeleteFunc(slices.Clone(list), func(w *workload) bool { return !carries(w.template.Labels, selector) })
}

func rarest[T any](by map[labelKey][]T, namespace string, selector map[string]string) []T {
	var best []T
	first := true
	for k, v := range selector {
		list := by[labelKey{namespace, k, v}]
		if first || len(list) < len(best) {
			best, first = list, false
		}
	}
	return best
}

func carries(labels, selector map[string]string) bool {
	for k, v := range selector {
		if got, ok := labels[k]; !ok || got != v {
			return false
		}
	}
	return true
}

// service finds the Service that a host name of a URL, a log or a variable means, seen from a namespace: an address,
// "db", "db.data", "db.data.svc", "db.data.svc.cluster.local", or a pod of a headless service ("db-0.db.data").
func (x *index) service(host, namespace string) *corev1.Service {
	host = strings.Trim(strings.TrimSuffix(strings.ToLower(host), "."), "[]")
	if s := x.serviceByIP[host]; s != nil {
		return s
	}
	parts := strings.Split(host, ".")
	if at := slices.Index(parts, "svc"); at >= 2 {
		parts = parts[:at]
		return get[*corev1.Service](x, "Service", parts[len(parts)-1], parts[len(parts)-2])
	}
	switch len(parts) {
	case 1:
		return get[*corev1.Service](x, "Service", namespace, parts[0])
	case 2:
		if s := get[*corev1.Service](x, "Service", parts[1], parts[0]); s != nil {
			return s
		}
		return get[*corev1.Service](x, "Service", namespace, parts[1])
	case 3:
		return get[*corev1.Service](x, "Service", parts[2], parts[1])
	}
	return nil
}

// whole says whether everything of a namespace (empty: of the cluster) that is called resource was read, so that an
// object that is not in the snapshot does not exist.
func (x *index) whole(resource, namespace string) bool {
	want := cluster.Want{What: cluster.WantNamespace, Namespace: namespace}
	if namespace == "" {
		want = cluster.Want{What: cluster.WantCluster}
	}
	if !x.served[want] {
		return false
	}
	for _, g := range x.gaps {
		if g.Want == want && (g.Resource == "" || g.Resource == resource) {
			return false
		}
	}
	return true
}

// resources are the plural names of the kinds whose absence matters.
var resources = map[string]string{
	"ConfigMap": "configmaps", "Secret": "secrets", "ServiceAccount": "serviceaccounts", "Service": "services",
	"PersistentVolumeClaim": "persistentvolumeclaims", "PersistentVolume": "persistentvolumes",
	"StorageClass": "storageclasses", "Node": "nodes", "Namespace": "namespaces", "PriorityClass": "priorityclasses",
	"IngressClass": "ingressclasses", "Pod": "pods", "Deployment": "deployments", "StatefulSet": "statefulsets",
	"EndpointSlice": "endpointslices", "NetworkPolicy": "networkpolicies", "Role": "roles", "RoleBinding": "rolebindings",
	"ClusterRole": "clusterroles", "ClusterRoleBinding": "clusterrolebindings", "DaemonSet": "daemonsets", "Job": "jobs",
	"CronJob": "cronjobs", "ReplicaSet": "replicasets", "HorizontalPodAutoscaler": "horizontalpodautoscalers",
}

// absent says that an object certainly does not exist: its list was read and does not hold it.
func (x *index) absent(r cluster.Ref) bool {
	if _, there := x.objects[r]; there {
		return false
	}
	if r.Kind == "Service" && x.served[cluster.Want{What: cluster.WantServices}] {
		return true
	}
	for _, g := range x.gaps {
		if g.Want == wantObject(r) {
			return g.Reason == cluster.GapNotFound
		}
	}
	resource, known := resources[r.Kind]
	return known && x.whole(resource, r.Namespace)
}

func (x *index) exists(r cluster.Ref) bool {
	_, there := x.objects[r]
	return there
}

// asked says that a want was already tried, served or not.
func (x *index) asked(w cluster.Want) bool {
	if x.served[w] {
		return true
	}
	return slices.ContainsFunc(x.gaps, func(g cluster.Gap) bool { return g.Want == w })
}

func wantObject(r cluster.Ref) cluster.Want {
	return cluster.Want{What: cluster.WantObject, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
}
