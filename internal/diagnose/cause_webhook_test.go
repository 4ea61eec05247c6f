package diagnose

import (
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestAdmissionWebhookUnavailable(t *testing.T) {
	t.Parallel()
	const failed = `Internal error occurred: failed calling webhook "pods.guard.example": failed to call webhook: Post "https://guard.app.svc:443/check?timeout=5s": `
	guarded := func() *world {
		w := newWorld()
		d, _ := w.deployment("shop", nil)
		w.ValidatingWebhooks = append(w.ValidatingWebhooks, &admissionregistrationv1.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: "guard"},
			Webhooks:   []admissionregistrationv1.ValidatingWebhook{{Name: "pods.guard.example", ClientConfig: admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "app", Name: "guard"}}}},
		})
		w.refuses(d, failed+`no endpoints available for service "guard"`)
		return w
	}
	t.Run("a backend that does not exist leaves the configuration at fault", func(t *testing.T) {
		t.Parallel()
		guarded().check(t, expected{cause: "AdmissionWebhookUnavailable", object: "ValidatingWebhookConfiguration/guard", evidence: []string{"failurePolicy: Fail", "no endpoints available"}})
	})
	t.Run("a backend without replicas is what has to change", func(t *testing.T) {
		t.Parallel()
		w := guarded()
		d, p := w.deployment("guard", nil)
		w.remove(p)
		none := int32(0)
		d.Spec.Replicas = &none
		w.service("guard", "10.96.7.9", intstr.FromInt32(8443))
		w.event(ref("Deployment", "app", "guard"), false, "ScalingReplicaSet", "Scaled down replica set guard-1 from 3 to 0")
		w.check(t, expected{cause: "AdmissionWebhookUnavailable", object: "Deployment/app/guard", evidence: []string{"replicas: 0", "from 3 to 0"}})
		if op := w.ask(t).RootCauses[0].Operation; op == nil || op.Scale == nil || op.Scale.Replicas != 3 {
			t.Errorf("proposes %+v, want the former three replicas", op)
		}
	})
	t.Run("a backend that crashes is the root, the webhook its consequence", func(t *testing.T) {
		t.Parallel()
		w := guarded()
		_, p := w.deployment("guard", nil)
		crashed(p, "guard", 137, "OOMKilled", "")
		w.service("guard", "10.96.7.9", intstr.FromInt32(8080))
		w.check(t, expected{cause: "OOMKilled", object: "Deployment/app/guard", chain: []CauseID{"AdmissionWebhookUnavailable"}})
	})
}
