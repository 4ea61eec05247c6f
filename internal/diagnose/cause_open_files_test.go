package diagnose

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestTooManyOpenFiles(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.caller("accept4: too many open files", func(t *corev1.PodTemplateSpec) {
		t.Spec.Containers[0].Command = []string{"sh", "-c", "ulimit -n 256; exec serve"}
	})
	w.check(t, expected{cause: "TooManyOpenFiles", object: "Deployment/app/caller", evidence: []string{"ulimit -n 256"}})
}
