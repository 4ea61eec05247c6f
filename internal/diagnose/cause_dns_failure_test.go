package diagnose

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestDNSFailure(t *testing.T) {
	t.Parallel()
	const misbehaves = "lookup store.app.svc on 10.96.0.10:53: server misbehaving"
	t.Run("a Corefile with an unknown directive breaks all names", func(t *testing.T) {
		t.Parallel()
		w := newWorld("kube-system")
		_, p, _ := w.dns()
		crashed(p, "names", 1, "Error", "")
		w.log(p, "names", "/etc/coredns/Corefile:4 - Error during parsing: Unknown directive 'cahce'")
		w.caller("lookup store.app.svc on 10.96.0.10:53: read udp 10.244.1.1:5->10.96.0.10:53: read: connection refused", nil)
		w.check(t, expected{cause: "DNSFailure", object: "ConfigMap/kube-system/names", evidence: []string{"cahce 30", "Unknown directive"}})
	})
	t.Run("a resolver that does not answer leaves names outside unresolved", func(t *testing.T) {
		t.Parallel()
		w := newWorld("kube-system")
		_, p, _ := w.dns()
		w.current(p, "names", "[ERROR] plugin/errors: 2 api.example. A: read udp 10.244.1.1:4->192.0.2.1:53: i/o timeout\n[ERROR] plugin/errors: 2 api.example. AAAA: read udp 10.244.1.1:5->192.0.2.1:53: i/o timeout\n")
		w.caller("lookup api.example on 10.96.0.10:53: server misbehaving", nil)
		w.check(t, expected{cause: "DNSFailure", object: "ConfigMap/kube-system/names", evidence: []string{"forward . 192.0.2.1", "lookup api.example"}})
	})
	t.Run("name servers without replicas are what has to change", func(t *testing.T) {
		t.Parallel()
		w := newWorld("kube-system")
		d, p, _ := w.dns()
		none := int32(0)
		d.Spec.Replicas = &none
		w.remove(p)
		w.caller(misbehaves, nil)
		w.check(t, expected{cause: "DNSFailure", object: "Deployment/kube-system/names", evidence: []string{"replicas: 0"}})
	})
	t.Run("name servers that run out of memory are the root, the names the consequence", func(t *testing.T) {
		t.Parallel()
		w := newWorld("kube-system")
		_, p, _ := w.dns()
		crashed(p, "names", 137, "OOMKilled", "")
		w.caller(misbehaves, nil)
		w.check(t, expected{cause: "OOMKilled", object: "Deployment/kube-system/names", chain: []CauseID{"DNSFailure"}})
	})
	t.Run("a name that is misspelled is the caller's fault", func(t *testing.T) {
		t.Parallel()
		w := newWorld("kube-system")
		w.dns()
		w.store()
		w.caller("dial tcp: lookup stroe on 10.96.0.10:53: no such host", func(t *corev1.PodTemplateSpec) {
			t.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "STORE_URL", Value: "http://stroe/v1"}}
		})
		w.check(t, expected{cause: "CrashBadConfig", object: "Deployment/app/caller", evidence: []string{"STORE_URL: http://stroe/v1"}})
	})
	t.Run("pods that bypass cluster DNS cannot find its names", func(t *testing.T) {
		t.Parallel()
		w := newWorld("kube-system")
		w.dns()
		w.store()
		w.caller("lookup store.app.svc on 192.0.2.53:53: server misbehaving", func(t *corev1.PodTemplateSpec) { t.Spec.DNSPolicy = corev1.DNSDefault })
		w.check(t, expected{cause: "DNSFailure", object: "Deployment/app/caller", evidence: []string{"dnsPolicy: Default"}})
	})
}
