package diagnose

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// service adds a Service that selects app=name and sends port 80 to the target.
func (w *world) service(name, ip string, target intstr.IntOrString) *corev1.Service {
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: name},
		Spec: corev1.ServiceSpec{
			ClusterIP: ip, Selector: map[string]string{"app": name},
			Ports: []corev1.ServicePort{{Port: 80, Protocol: corev1.ProtocolTCP, TargetPort: target}},
		},
	}
	w.Services = append(w.Services, s)
	return s
}

// caller adds a workload that is not ready and whose log says a line again and again.
func (w *world) caller(line string, edit func(*corev1.PodTemplateSpec)) *corev1.Pod {
	_, p := w.deployment("caller", edit)
	idles(p, "caller")
	at := noon.Add(-3 * time.Minute).Format(time.RFC3339)
	w.current(p, "caller", at+" ERROR "+line+"\n"+at+" ERROR "+line+"\n")
	return p
}

// ingress adds an Ingress that sends example.org/ to a port of a Service.
func (w *world) ingress(service string, port int32) *networkingv1.Ingress {
	i := &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "front"},
		Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{Host: "example.org", IngressRuleValue: networkingv1.IngressRuleValue{
			HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{{Path: "/", Backend: networkingv1.IngressBackend{
				Service: &networkingv1.IngressServiceBackend{Name: service, Port: networkingv1.ServiceBackendPort{Number: port}},
			}}}},
		}}}},
	}
	w.Ingresses = append(w.Ingresses, i)
	return i
}

func (w *world) policy(name string, spec networkingv1.NetworkPolicySpec) {
	w.NetworkPolicies = append(w.NetworkPolicies, &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: name}, Spec: spec})
}

func selecting(app string) metav1.LabelSelector {
	return metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

// store adds a healthy workload with its Service at 10.96.7.7.
func (w *world) store() *corev1.Pod {
	_, p := w.deployment("store", nil)
	p.Status.PodIP = "10.244.9.9"
	w.service("store", "10.96.7.7", intstr.FromInt32(8080))
	return p
}

// dns adds cluster DNS with its Service at 10.96.0.10 and its ConfigMap.
func (w *world) dns() (*appsv1.Deployment, *corev1.Pod, *corev1.ConfigMap) {
	d, p := w.deployment("names", func(t *corev1.PodTemplateSpec) {
		t.Labels = map[string]string{"app": "names", "k8s-app": "kube-dns"}
		t.Spec.Containers[0].Image = "registry.example.com/coredns:1"
		t.Spec.Volumes = []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: "names"},
		}}}}
	})
	d.Namespace, p.Namespace, p.Labels = "kube-system", "kube-system", d.Spec.Template.Labels
	for _, r := range w.ReplicaSets {
		if r.OwnerReferences[0].Name == "names" {
			r.Namespace = "kube-system"
		}
	}
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "names"}, Data: map[string]string{"Corefile": ".:53 {\n    errors\n    forward . 192.0.2.1\n    cahce 30\n}\n"}}
	w.ConfigMaps = append(w.ConfigMaps, m)
	w.Services = append(w.Services, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-dns", Labels: map[string]string{"k8s-app": "kube-dns"}},
		Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.10", Selector: map[string]string{"k8s-app": "kube-dns"}, Ports: []corev1.ServicePort{
			{Name: "dns", Port: 53, Protocol: corev1.ProtocolUDP}, {Name: "dns-tcp", Port: 53, Protocol: corev1.ProtocolTCP},
		}},
	})
	return d, p, m
}
