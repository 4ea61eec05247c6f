package diagnose

import (
	"testing"
)

func TestServiceWithoutEndpointsIsAnEcho(t *testing.T) {
	t.Parallel()
	w := newWorld()
	p := w.store()
	crashed(p, "store", 137, "OOMKilled", "")
	w.caller("store: dial tcp 10.96.7.7:80: connect: connection refused", nil)
	w.check(t, expected{cause: "OOMKilled", object: "Deployment/app/store", chain: []CauseID{"CrashDependencyRefused", "ServiceWithoutEndpoints"}}, ref("Deployment", "app", "caller"))
}
