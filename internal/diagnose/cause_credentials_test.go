package diagnose

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

func TestRefusedCredentials(t *testing.T) {
	t.Parallel()
	fromSecret := func(names ...string) func(*corev1.PodTemplateSpec) {
		return func(t *corev1.PodTemplateSpec) {
			for _, n := range names {
				t.Spec.Containers[0].EnvFrom = append(t.Spec.Containers[0].EnvFrom, corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: n}}})
			}
		}
	}
	for _, c := range []struct {
		name    string
		line    string
		secrets []string
		cause   CauseID
		object  string
	}{
		{"the only Secret holds the password", `FATAL: password authentication failed for user "shop"`, []string{"keys"}, "CredentialsRejected", "Secret/app/keys"},
		{"of two Secrets the one named after the database", `ERROR 1045 (28000): Access denied for user 'x'@'10.1.1.1' (using password: YES)`, []string{"mysql-login", "smtp-login"}, "CredentialsRejected", "Secret/app/mysql-login"},
		{"without a Secret it is the workload", `NOAUTH Authentication required.`, nil, "CredentialsRejected", "Deployment/app/caller"},
		{"two alike Secrets leave it at the workload", `FATAL: password authentication failed for user "x"`, []string{"first", "second"}, "CredentialsRejected", "Deployment/app/caller"},
		{"a token that is over is told from one that is wrong", `401 Client Error: Unauthorized: token has expired`, []string{"api-token"}, "ExpiredToken", "Secret/app/api-token"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			for _, n := range c.secrets {
				w.Secrets = append(w.Secrets, &cluster.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: n}, Type: corev1.SecretTypeOpaque, Keys: []string{"value"}})
			}
			w.caller(c.line, fromSecret(c.secrets...))
			w.check(t, expected{cause: c.cause, object: c.object})
		})
	}
}

func TestFailedLoginsInTheLogOfAServerAreTheClients(t *testing.T) {
	t.Parallel()
	w := newWorld()
	_, server := w.deployment("store", func(t *corev1.PodTemplateSpec) { t.Spec.Containers[0].Image = "registry.example.com/mysql:8" })
	_, client := w.deployment("web", nil)
	client.Status.PodIP = "10.244.5.5"
	line := noon.Add(-2*time.Minute).Format(time.RFC3339) + " 9 [Warning] Access denied for user 'shop'@'10.244.5.5' (using password: YES)\n"
	w.current(server, "store", line+line)
	w.check(t, expected{cause: "CredentialsRejected", object: "Deployment/app/web", evidence: []string{"Access denied for user"}})
}
