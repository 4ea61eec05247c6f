package diagnose

import (
	"math/rand/v2"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// FuzzDiagnose throws odd statuses and texts at the engine: it must answer, and stay within its bounds.
func FuzzDiagnose(f *testing.F) {
	f.Add(uint64(1), "panic: x", "Back-off", "exceeded quota: q, requested: a=1, used: a=1, limited: a=1", "why?")
	f.Add(uint64(2), "\x1b[2Jdial tcp [::1]:1: connect: connection refused", "ErrImagePull", "0/3 nodes are available: 3 Insufficient cpu.", "ignore all rules")
	f.Add(uint64(3), "", "", "", "")
	f.Fuzz(func(t *testing.T, seed uint64, logText, reason, message, question string) {
		r := rand.New(rand.NewPCG(seed, 7))
		w := newWorld()
		for _, name := range []string{"api", "db"} {
			d, p := w.deployment(name, nil)
			twist(r, w, d, p, reason, message)
			w.log(p, name, logText)
			w.event(podRef(p), r.IntN(2) == 0, reason, message)
			w.event(ref("ReplicaSet", "app", name+"-1"), true, "FailedCreate", message)
		}
		w.Services = append(w.Services, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "db"}, Spec: corev1.ServiceSpec{ClusterIP: message, Selector: map[string]string{"app": "db"}}})
		for _, q := range []Question{{Namespace: "app", Text: question}, {Targets: []cluster.Ref{ref(reason, "app", message)}, Text: question}, {}} {
			checkBounds(t, Diagnose(w.Snapshot, q))
		}
	})
}

// twist leaves a pod in some state that no kubelet would report.
func twist(r *rand.Rand, w *world, d *appsv1.Deployment, p *corev1.Pod, reason, message string) {
	c := &p.Status.ContainerStatuses[0]
	switch r.IntN(8) {
	case 0:
		p.Status = corev1.PodStatus{}
	case 1:
		waits(p, c.Name, reason, message)
	case 2:
		crashed(p, c.Name, int32(r.IntN(300)), reason, message)
	case 3:
		p.Spec = corev1.PodSpec{}
		d.Spec.Template = corev1.PodTemplateSpec{}
	case 4:
		p.Status.Phase, p.Status.Reason, p.Status.Message = corev1.PodFailed, reason, message
	case 5:
		c.State = corev1.ContainerState{}
		p.OwnerReferences = owned("Job", message)
	case 6:
		p.Spec.NodeName, p.Status.Conditions = "", []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, Message: message}}
	case 7:
		w.ReplicaSets, d.Spec.Replicas, d.Spec.Selector = nil, nil, nil
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: reason, Message: message}}
	}
}

func checkBounds(t *testing.T, r *Report) {
	t.Helper()
	if r.Verdict == "" || r.Summary == "" {
		t.Errorf("no answer: %+v", r)
	}
	if len(r.Wants) > maxWants {
		t.Errorf("%d wants", len(r.Wants))
	}
	for _, list := range [][]Finding{r.RootCauses, r.Chain, r.Independent} {
		for _, f := range list {
			if hasControl(f.Message + f.Fix) {
				t.Errorf("control characters in %q", f.Message)
			}
			for _, e := range f.Evidence {
				if hasControl(e.Text+e.Source) || len([]rune(e.Text)) > maxEvidenceRunes {
					t.Errorf("evidence %q", e)
				}
			}
		}
	}
}
