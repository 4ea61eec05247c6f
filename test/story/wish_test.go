package story

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// TestAWishBecomesAChange follows a wish to its ChangeRequest, and its withdrawal back to the task.
func TestAWishBecomesAChange(t *testing.T) {
	task := asked(t, "wish", "scale deployment web in shop to 2", func(task *v1alpha1.AgentTask) { task.Spec.CorrelationID = "wish-1" })
	task, before := until(t, task, "proposed", func(task *v1alpha1.AgentTask) bool { return len(task.Status.ChangeRequests) == 1 })
	if c := condition(task, v1alpha1.ConditionSucceeded); c.Status != metav1.ConditionUnknown || c.Reason != v1alpha1.SucceededAwaitingChange {
		t.Errorf("while people are asked, Succeeded is %+v", c)
	}
	change := &v1alpha1.ChangeRequest{}
	key := client.ObjectKey{Namespace: "shop", Name: task.Status.ChangeRequests[0].Name}
	if err := scene.Client.Get(t.Context(), key, change); err != nil {
		t.Fatal(err)
	}
	if !metav1.IsControlledBy(change, task) || change.Spec.TaskRef.Name != "wish" || string(change.UID) != task.Status.ChangeRequests[0].UID {
		t.Errorf("the change does not belong to the task: %+v", change.ObjectMeta)
	}
	if change.Spec.RequestedBy.Username != task.Spec.RequestedBy.Username || change.Annotations["eclusier.io/correlation-id"] != "wish-1" {
		t.Errorf("asked by %+v, correlated by %v", change.Spec.RequestedBy, change.Annotations)
	}
	if scale := change.Spec.Kubernetes.Operations[0].Scale; scale == nil || scale.Replicas != 2 || scale.Target.Name != "web" {
		t.Errorf("operations: %+v", change.Spec.Kubernetes.Operations)
	}

	patch(t, task, `{"spec":{"cancel":true}}`)
	task, _ = until(t, task, "finished", finished)
	if err := scene.Client.Get(t.Context(), key, change); err != nil {
		t.Fatal(err)
	}
	if !change.Spec.Cancel || change.Status.Result == "" || task.Status.ChangeRequests[0].Result != change.Status.Result {
		t.Errorf("cancel %t, result %q, and the task says %+v", change.Spec.Cancel, change.Status.Result, task.Status.ChangeRequests)
	}
	if before != 1 || len(eventsAbout(t, task)) != 1 {
		t.Errorf("%d status writes until the change is proposed, and %d events in all, want one of each", before, len(eventsAbout(t, task)))
	}
	all := &v1alpha1.ChangeRequestList{}
	if err := scene.Client.List(t.Context(), all, client.InNamespace("shop")); err != nil {
		t.Fatal(err)
	}
	ours := 0
	for _, c := range all.Items {
		if strings.HasPrefix(c.Name, "wish-") {
			ours++
		}
	}
	if ours != 1 {
		t.Errorf("%d ChangeRequests, want one", ours)
	}
}
