package diagnose

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/eclusier/eclusier/internal/cluster"
)

func TestTLSCertExpired(t *testing.T) {
	t.Parallel()
	const expired = `Get "https://store/v1": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-03-02T11:57:00Z is after 2026-03-01T00:00:00Z`
	secret := func(w *world, notAfter time.Time) {
		w.Secrets = append(w.Secrets, &cluster.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "store-tls"}, Type: corev1.SecretTypeTLS, Keys: []string{"tls.crt", "tls.key"}, CertificateNotAfter: notAfter})
	}
	mounts := func(t *corev1.PodTemplateSpec) {
		t.Spec.Volumes = []corev1.Volume{{Name: "tls", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "store-tls"}}}}
	}
	t.Run("the certificate of what was called", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.deployment("store", mounts)
		w.service("store", "10.96.7.7", intstr.FromInt32(8080))
		secret(w, time.Time{})
		w.caller(expired, nil)
		w.check(t, expected{cause: "TLSCertExpired", object: "Secret/app/store-tls", evidence: []string{"certificate has expired", "store-tls"}})
	})
	t.Run("a certificate that is over needs no complaint", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.store()
		secret(w, noon.Add(-time.Hour))
		w.ingress("store", 80).Spec.TLS = []networkingv1.IngressTLS{{Hosts: []string{"example.org"}, SecretName: "store-tls"}}
		w.check(t, expected{cause: "TLSCertExpired", object: "Secret/app/store-tls", evidence: []string{"notAfter: 2026-03-02T11:00:00Z"}})
	})
	t.Run("the Certificate that should have renewed it", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.deployment("store", mounts)
		secret(w, noon.Add(-time.Hour))
		w.Others = append(w.Others, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": map[string]any{"namespace": "app", "name": "store"},
			"spec":   map[string]any{"secretName": "store-tls"},
			"status": map[string]any{"notAfter": "2026-03-02T11:00:00Z", "conditions": []any{map[string]any{"type": "Ready", "reason": "Expired", "message": "the issuer refused the order"}}},
		}})
		w.check(t, expected{cause: "TLSCertExpired", object: "Certificate/app/store", evidence: []string{"the issuer refused the order"}})
	})
	t.Run("a certificate with time left is fine", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.deployment("store", mounts)
		secret(w, noon.Add(time.Hour))
		if r := w.ask(t); r.Verdict != NoFaultFound {
			t.Errorf("verdict %s: %s", r.Verdict, r.Summary)
		}
	})
}
