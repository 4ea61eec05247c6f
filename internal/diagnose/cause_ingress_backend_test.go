package diagnose

import (
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
)

func TestIngressBackendMissing(t *testing.T) {
	t.Parallel()
	t.Run("a Service that does not exist", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.store()
		w.ingress("stroe", 80)
		w.check(t, expected{cause: "IngressBackendMissing", object: "Ingress/app/front", evidence: []string{"name: stroe"}})
	})
	t.Run("a port that the Service does not have", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.store()
		w.ingress("store", 8080)
		w.check(t, expected{cause: "IngressBackendMissing", object: "Ingress/app/front", evidence: []string{"number: 8080"}})
	})
	t.Run("a class that does not exist", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.store()
		class := "outer"
		w.ingress("store", 80).Spec.IngressClassName = &class
		w.check(t, expected{cause: "IngressBackendMissing", object: "Ingress/app/front", evidence: []string{"ingressClassName: outer"}})
	})
	t.Run("a certificate that does not exist", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.store()
		w.ingress("store", 80).Spec.TLS = []networkingv1.IngressTLS{{SecretName: "front-tls"}}
		w.check(t, expected{cause: "MissingSecret", object: "Secret/app/front-tls", evidence: []string{"secretName: front-tls"}})
	})
	t.Run("an Ingress whose backend exists is fine", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.store()
		w.ingress("store", 80)
		if r := w.ask(t); r.Verdict != NoFaultFound {
			t.Errorf("verdict %s: %s", r.Verdict, r.Summary)
		}
	})
}
