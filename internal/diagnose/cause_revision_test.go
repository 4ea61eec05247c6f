package diagnose

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// history adds a ControllerRevision with the image of its template.
func (w *world) history(kind, name string, n int64, image string) {
	t := template(name)
	t.Spec.Containers[0].Image = image
	raw, err := json.Marshal(map[string]any{"spec": map[string]any{"template": t}})
	if err != nil {
		panic(err)
	}
	w.ControllerRevs = append(w.ControllerRevs, &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "app", Name: fmt.Sprintf("%s-%d", name, n), OwnerReferences: owned(kind, name),
			Labels: map[string]string{appsv1.ControllerRevisionHashLabelKey: fmt.Sprint(n)},
		},
		Data: runtime.RawExtension{Raw: raw}, Revision: n,
	})
}

// agent adds a DaemonSet on two nodes, half rolled out from image v1 to v2.
func (w *world) agent() (fresh *corev1.Pod) {
	t := template("agent")
	t.Spec.Containers[0].Image = "agent:v2"
	w.DaemonSets = append(w.DaemonSets, &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "agent", CreationTimestamp: before(48 * time.Hour)},
		Spec:       appsv1.DaemonSetSpec{Template: t, Selector: &metav1.LabelSelector{MatchLabels: t.Labels}},
		Status:     appsv1.DaemonSetStatus{DesiredNumberScheduled: 2, UpdatedNumberScheduled: 1, NumberReady: 1},
	})
	for i, image := range []string{"agent:v1", "agent:v2"} {
		one := *t.DeepCopy()
		one.Labels[appsv1.ControllerRevisionHashLabelKey] = fmt.Sprint(i + 1)
		one.Spec.Containers[0].Image = image
		fresh = w.pod(fmt.Sprintf("agent-%d", i), owned("DaemonSet", "agent"), one)
	}
	return fresh
}

func TestBadRollout_ofADaemonSetThatDiesBySignal(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	w.history("DaemonSet", "agent", 1, "agent:v1")
	w.history("DaemonSet", "agent", 2, "agent:v2")
	crashed(w.agent(), "agent", 139, "Error", "")
	w.check(t, expected{
		cause: "BadRolloutNewVersionCrash", object: "DaemonSet/app/agent",
		evidence: []string{"exitCode: 139", "image: agent:v2", "updatedNumberScheduled: 1"},
	})
	r := w.ask(t)
	if op := r.RootCauses[0].Operation; op == nil || op.Undo == nil || op.Undo.ToRevision != 1 {
		t.Errorf("does not go back to revision 1: %+v", op)
	}
}

func TestBadRollout_isNotSaidWhereTheFormerRevisionFailsToo(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	w.history("DaemonSet", "agent", 1, "agent:v1")
	w.history("DaemonSet", "agent", 2, "agent:v2")
	crashed(w.agent(), "agent", 139, "Error", "")
	crashed(w.Pods[0], "agent", 139, "Error", "")
	for _, f := range w.ask(t).RootCauses {
		if f.Cause == "BadRolloutNewVersionCrash" {
			t.Errorf("blames the new revision although the former one crashes as well: %s", f.Message)
		}
	}
}

func TestBadRollout_ofAStatefulSet(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	tmpl := template("db")
	tmpl.Spec.Containers[0].Image = "db:v2"
	tmpl.Labels[appsv1.ControllerRevisionHashLabelKey] = "2"
	one := int32(1)
	w.StatefulSets = append(w.StatefulSets, &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "db"},
		Spec:       appsv1.StatefulSetSpec{Replicas: &one, Template: tmpl, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}},
		Status:     appsv1.StatefulSetStatus{Replicas: 1, UpdatedReplicas: 1, UpdateRevision: "2", CurrentRevision: "1"},
	})
	w.history("StatefulSet", "db", 1, "db:v1")
	w.history("StatefulSet", "db", 2, "db:v2")
	p := w.pod("db-0", owned("StatefulSet", "db"), tmpl)
	crashed(p, "db", 2, "Error", "")
	w.log(p, "db", "panic: index of the journal is out of range\n")
	w.check(t, expected{cause: "BadRolloutNewVersionCrash", object: "StatefulSet/app/db", evidence: []string{"panic: index", "image: db:v2"}})
}

func TestBadRollout_isNotSaidOfARevisionThatWorkedForDays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		age  time.Duration
		want bool
	}{
		"two hours old": {2 * time.Hour, true},
		"a week old":    {7 * 24 * time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld("app")
			w.history("DaemonSet", "agent", 1, "agent:v1")
			w.history("DaemonSet", "agent", 2, "agent:v2")
			w.ControllerRevs[1].CreationTimestamp = before(c.age)
			p := w.agent()
			crashed(p, "agent", 1, "Error", "")
			w.log(p, "agent", "panic: index out of range\n")
			roots := w.ask(t).RootCauses
			if got := len(roots) > 0 && roots[0].Cause == "BadRolloutNewVersionCrash"; got != c.want {
				t.Errorf("blames the new revision: %v, want %v", got, c.want)
			}
		})
	}
}
