package diagnose

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestServicePortMismatch(t *testing.T) {
	t.Parallel()
	const refused = "store: dial tcp 10.96.7.7:80: connect: connection refused"
	t.Run("a named port that no container declares", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.store()
		w.Services[0].Spec.Ports[0].TargetPort = intstr.FromString("http")
		w.check(t, expected{cause: "ServicePortMismatch", object: "Service/app/store", evidence: []string{"targetPort: http", "containerPort: 8080"}})
	})
	t.Run("a number on which nothing listens, and a caller that is refused", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.store()
		w.Services[0].Spec.Ports[0].TargetPort = intstr.FromInt32(9090)
		w.caller(refused, nil)
		w.check(t, expected{cause: "ServicePortMismatch", object: "Service/app/store", evidence: []string{"targetPort: 9090", "connection refused"}, chain: []CauseID{"CrashDependencyRefused"}})
	})
	t.Run("a process that says that it listens elsewhere than it declares", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		p := w.store()
		w.current(p, "store", "INFO store listening on 0.0.0.0:3000\n")
		w.caller(refused, nil)
		w.check(t, expected{cause: "ServicePortMismatch", object: "Service/app/store", evidence: []string{"listening on 0.0.0.0:3000"}})
	})
	t.Run("a caller that uses a port which the Service does not have", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.store()
		w.caller("store: dial tcp 10.96.7.7:8443: i/o timeout", nil)
		w.check(t, expected{cause: "ServicePortMismatch", object: "Service/app/store", evidence: []string{"ports: 80"}})
	})
	t.Run("a port that is not declared is no fault as long as nobody is refused", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.store()
		w.Services[0].Spec.Ports[0].TargetPort = intstr.FromInt32(9090)
		if r := w.ask(t); r.Verdict != NoFaultFound {
			t.Errorf("verdict %s: %s", r.Verdict, r.Summary)
		}
	})
}
