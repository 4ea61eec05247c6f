package diagnose

import (
	"testing"
)

func TestClockSkew(t *testing.T) {
	t.Parallel()
	w := newWorld()
	p := w.caller("token used before issued", nil)
	d := w.Deployments[0]
	two := int32(2)
	d.Spec.Replicas = &two
	fine := w.pod("caller-1-y", owned("ReplicaSet", "caller-1"), d.Spec.Template)
	fine.Spec.NodeName = "node-b"
	w.check(t, expected{cause: "ClockSkew", object: "Node/node-a", evidence: []string{"token used before issued", "nodeName: " + p.Spec.NodeName}})
}
