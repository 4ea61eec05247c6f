package diagnose

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// crowd is a namespace of n pods in deployments of ten, with five events each; one pod in twenty crashes, and every
// deployment has a service that the next one calls.
func crowd(n int) *world {
	w := newWorld()
	for i := range n / 10 {
		name := fmt.Sprintf("app-%04d", i)
		t := template(name)
		t.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "NEXT", Value: fmt.Sprintf("http://app-%04d:8080", (i+1)%(n/10))}}
		ten := int32(10)
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: name}, Spec: appsv1.DeploymentSpec{Replicas: &ten, Template: t, Selector: &metav1.LabelSelector{MatchLabels: t.Labels}}}
		w.Deployments = append(w.Deployments, d)
		set := w.revision(d, 1, t)
		w.Services = append(w.Services, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: name}, Spec: corev1.ServiceSpec{ClusterIP: fmt.Sprintf("10.96.%d.%d", i/250, i%250+1), Selector: map[string]string{"app": name}}})
		for j := range 10 {
			p := w.pod(fmt.Sprintf("%s-1-%d", name, j), owned("ReplicaSet", set.Name), set.Spec.Template)
			for k := range 5 {
				w.Events = append(w.Events, &cluster.Event{Namespace: "app", About: podRef(p), Reason: "Pulled", Message: "Container image already present", Count: 1, First: noon.Add(-time.Hour), Last: noon.Add(-time.Duration(k) * time.Minute)})
			}
			if (i*10+j)%20 == 0 {
				crashed(p, name, 1, "Error", "")
				w.event(podRef(p), true, "BackOff", "Back-off restarting failed container")
				w.log(p, name, "starting\ndial tcp 10.96.0.1:5432: connect: connection refused\nexiting\n")
			}
		}
	}
	return w
}

func BenchmarkDiagnose(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		w := crowd(n)
		b.Run(fmt.Sprintf("pods=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r := Diagnose(w.Snapshot, Question{Namespace: "app"}); r.Verdict != RootCauseFound {
					b.Fatal(r.Summary)
				}
			}
		})
	}
}
