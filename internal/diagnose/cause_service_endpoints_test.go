package diagnose

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestServiceWithoutEndpointsIsAnEcho(t *testing.T) {
	t.Parallel()
	w := newWorld()
	p := w.store()
	crashed(p, "store", 137, "OOMKilled", "")
	w.caller("store: dial tcp 10.96.7.7:80: connect: connection refused", nil)
	w.check(t, expected{cause: "OOMKilled", object: "Deployment/app/store", chain: []CauseID{"CrashDependencyRefused", "ServiceWithoutEndpoints"}}, ref("Deployment", "app", "caller"))
}

func TestAnAddressThatNobodyHasAnyMoreIsKnownByItsPort(t *testing.T) {
	t.Parallel()
	w := newWorld()
	p := w.store()
	w.Services[0].Spec.ClusterIP, w.Services[0].Spec.Ports[0].Port = corev1.ClusterIPNone, 8080
	crashed(p, "store", 137, "OOMKilled", "")
	w.caller("store: dial tcp 10.244.3.3:8080: connect: connection refused", nil)
	w.check(t, expected{cause: "OOMKilled", object: "Deployment/app/store", chain: []CauseID{"CrashDependencyRefused"}}, ref("Deployment", "app", "caller"))
}
