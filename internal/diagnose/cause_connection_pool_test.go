package diagnose

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestConnectionPoolExhausted(t *testing.T) {
	t.Parallel()
	t.Run("a pool of the caller", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.caller("QueuePool limit of size 2 overflow 0 reached, connection timed out, timeout 30.00", func(t *corev1.PodTemplateSpec) {
			t.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "DB_POOL_SIZE", Value: "2"}}
		})
		w.check(t, expected{cause: "ConnectionPoolExhausted", object: "Deployment/app/caller", evidence: []string{"DB_POOL_SIZE: '2'"}})
	})
	full := func(w *world) {
		w.deployment("store", func(t *corev1.PodTemplateSpec) {
			t.Spec.Containers[0].Image = "registry.example.com/postgres:17"
			t.Spec.Containers[0].Args = []string{"-c", "max_connections=50"}
		})
		w.service("store", "10.96.7.7", intstr.FromInt32(8080))
		w.caller("connection to server at \"store\" (10.96.7.7), port 80 failed: FATAL: sorry, too many clients already", nil)
	}
	t.Run("the limit of the server", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		full(w)
		w.check(t, expected{cause: "ConnectionPoolExhausted", object: "Deployment/app/store", evidence: []string{"max_connections=50"}})
	})
	t.Run("another client whose pools alone fill the server", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		full(w)
		w.deployment("report", func(t *corev1.PodTemplateSpec) {
			t.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "DB_HOST", Value: "store"}, {Name: "DB_POOL_MAX", Value: "48"}}
		})
		w.check(t, expected{cause: "ConnectionPoolExhausted", object: "Deployment/app/report", evidence: []string{"DB_POOL_MAX: '48'", "too many clients"}})
	})
}
