package kubernetes_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// TestPlan_account: who deletes the account has changes made no more, and one that is made again is another.
func TestPlan_account(t *testing.T) {
	s := newStage(t)
	s.have(web)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: v1alpha1.DefaultApplierName}}
	first := digest(t, s.plan(scaleWeb))
	if err := admin.Delete(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	s.refuses("Invalid", "the service account NS/eclusier-applier, as which the change would be made, does not exist", scaleWeb)
	s.create(account)
	if digest(t, s.plan(scaleWeb)) == first {
		t.Error("another account makes the same plan")
	}
}
