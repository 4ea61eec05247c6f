package inventory

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/diagnose"
)

// maker is an object that says what pods look like.
type maker struct {
	object metav1.Object
	labels map[string]string
	spec   *corev1.PodSpec
}

// makersOf returns the workloads of a snapshot, and its pods as makers of themselves.
func makersOf(s *cluster.Snapshot) map[cluster.Ref]*maker {
	makers := map[cluster.Ref]*maker{}
	add := func(kind string, o metav1.Object, t *corev1.PodTemplateSpec) {
		makers[refOf(kind, o)] = &maker{o, t.Labels, &t.Spec}
	}
	for _, o := range s.Deployments {
		add("Deployment", o, &o.Spec.Template)
	}
	for _, o := range s.ReplicaSets {
		add("ReplicaSet", o, &o.Spec.Template)
	}
	for _, o := range s.StatefulSets {
		add("StatefulSet", o, &o.Spec.Template)
	}
	for _, o := range s.DaemonSets {
		add("DaemonSet", o, &o.Spec.Template)
	}
	for _, o := range s.Jobs {
		add("Job", o, &o.Spec.Template)
	}
	for _, o := range s.CronJobs {
		add("CronJob", o, &o.Spec.JobTemplate.Spec.Template)
	}
	for _, o := range s.Controllers {
		if o.Spec.Template != nil {
			add("ReplicationController", o, o.Spec.Template)
		}
	}
	for _, o := range s.Pods {
		makers[refOf("Pod", o)] = &maker{o, o.Labels, &o.Spec}
	}
	return makers
}

func refOf(kind string, o metav1.Object) cluster.Ref {
	return cluster.Ref{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()}
}

// made tells whether an object was made by another maker, which says the same about pods and is what people know.
func (g *graph) made(m *maker) bool {
	c := metav1.GetControllerOfNoCopy(m.object)
	return c != nil && g.makers[g.owner(m.object.GetNamespace(), *c)] != nil
}

// pods adds what pods refer to, for every maker that nothing else made, and the nodes that pods run on. The claims of a
// StatefulSet are named by its pods alone.
func (g *graph) pods() {
	for from, m := range g.makers {
		made := g.made(m)
		for _, r := range diagnose.PodReferences(from.Namespace, m.spec) {
			if !made || from.Kind == "Pod" && r.Ref.Kind == "PersistentVolumeClaim" {
				g.add(from, r.Ref, r.Path)
			}
		}
		if from.Kind == "Pod" {
			g.add(from, cluster.Ref{Kind: "Node", Name: m.spec.NodeName}, "runs on")
		}
		if !made {
			g.add(from, cluster.Ref{Kind: "PriorityClass", Name: m.spec.PriorityClassName}, "priorityClassName")
		}
	}
	for _, o := range g.snap.StatefulSets {
		g.add(refOf("StatefulSet", o), cluster.Ref{Kind: "Service", Namespace: o.Namespace, Name: o.Spec.ServiceName}, "serviceName")
	}
	for _, o := range g.snap.Autoscalers {
		t := o.Spec.ScaleTargetRef
		g.add(refOf("HorizontalPodAutoscaler", o), cluster.Ref{Kind: t.Kind, Namespace: o.Namespace, Name: t.Name}, "scales")
	}
}

// selectors adds the workloads whose pods are selected.
func (g *graph) selectors() {
	for _, o := range g.snap.Services {
		if len(o.Spec.Selector) > 0 {
			g.selected(refOf("Service", o), labels.SelectorFromSet(o.Spec.Selector))
		}
	}
	for _, o := range g.snap.DisruptionBudgets {
		g.selectedBy(refOf("PodDisruptionBudget", o), o.Spec.Selector)
	}
	for _, o := range g.snap.NetworkPolicies {
		g.selectedBy(refOf("NetworkPolicy", o), &o.Spec.PodSelector)
	}
}

func (g *graph) selectedBy(from cluster.Ref, selector *metav1.LabelSelector) {
	if s, err := metav1.LabelSelectorAsSelector(selector); err == nil {
		g.selected(from, s)
	}
}

func (g *graph) selected(from cluster.Ref, selector labels.Selector) {
	for to, m := range g.makers {
		if to.Namespace == from.Namespace && selector.Matches(labels.Set(m.labels)) && !g.made(m) {
			g.add(from, to, selects)
		}
	}
}

// network adds what Ingresses route to.
func (g *graph) network() {
	for _, o := range g.snap.Ingresses {
		from := refOf("Ingress", o)
		route := func(b *networkingv1.IngressBackend) {
			if b != nil && b.Service != nil {
				g.add(from, cluster.Ref{Kind: "Service", Namespace: o.Namespace, Name: b.Service.Name}, "routes to")
			}
		}
		route(o.Spec.DefaultBackend)
		for _, rule := range o.Spec.Rules {
			if rule.HTTP == nil {
				continue
			}
			for i := range rule.HTTP.Paths {
				route(&rule.HTTP.Paths[i].Backend)
			}
		}
		for _, t := range o.Spec.TLS {
			g.add(from, cluster.Ref{Kind: "Secret", Namespace: o.Namespace, Name: t.SecretName}, "tls")
		}
		if class := o.Spec.IngressClassName; class != nil {
			g.add(from, cluster.Ref{Kind: "IngressClass", Name: *class}, "ingressClassName")
		}
	}
}

// storage adds the volumes and classes of claims.
func (g *graph) storage() {
	for _, o := range g.snap.Claims {
		from := refOf("PersistentVolumeClaim", o)
		g.add(from, cluster.Ref{Kind: "PersistentVolume", Name: o.Spec.VolumeName}, "bound to")
		if class := o.Spec.StorageClassName; class != nil {
			g.add(from, cluster.Ref{Kind: "StorageClass", Name: *class}, "storageClassName")
		}
	}
	for _, o := range g.snap.Volumes {
		g.add(refOf("PersistentVolume", o), cluster.Ref{Kind: "StorageClass", Name: o.Spec.StorageClassName}, "storageClassName")
	}
}

// access adds what service accounts use and what bindings grant to them.
func (g *graph) access() {
	for _, o := range g.snap.ServiceAccounts {
		for _, p := range o.ImagePullSecrets {
			g.add(refOf("ServiceAccount", o), cluster.Ref{Kind: "Secret", Namespace: o.Namespace, Name: p.Name}, "imagePullSecrets")
		}
	}
	for _, o := range g.snap.RoleBindings {
		role := cluster.Ref{Kind: o.RoleRef.Kind, Name: o.RoleRef.Name}
		if role.Kind == "Role" {
			role.Namespace = o.Namespace
		}
		g.add(refOf("RoleBinding", o), role, "grants")
		for _, to := range o.Subjects {
			g.subject(refOf("RoleBinding", o), to.Kind, to.Namespace, to.Name)
		}
	}
	for _, o := range g.snap.ClusterBindings {
		g.add(refOf("ClusterRoleBinding", o), cluster.Ref{Kind: o.RoleRef.Kind, Name: o.RoleRef.Name}, "grants")
		for _, to := range o.Subjects {
			g.subject(refOf("ClusterRoleBinding", o), to.Kind, to.Namespace, to.Name)
		}
	}
}

// subject adds an account that a binding grants something to; users and groups are no objects.
func (g *graph) subject(from cluster.Ref, kind, namespace, name string) {
	if kind == "ServiceAccount" {
		g.add(from, cluster.Ref{Kind: kind, Namespace: cmp.Or(namespace, from.Namespace), Name: name}, "grants to")
	}
}
