package kubernetes_test

import (
	"os"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

// TestShippedRoles: what config/rbac grants is enough for what it is meant for, and no more is needed.
func TestShippedRoles(t *testing.T) {
	s := bareStage(t)
	for file, account := range map[string]string{
		"planner": v1alpha1.DefaultPlannerName, "applier": v1alpha1.DefaultApplierName, "reader": v1alpha1.DefaultServiceAccountName,
	} {
		text, err := os.ReadFile("../../../config/rbac/" + file + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range strings.Split(string(text), "\n---\n") {
			role := s.object(document)
			if err := admin.Create(t.Context(), role); client.IgnoreAlreadyExists(err) != nil {
				t.Fatal(err)
			}
		}
		s.create(&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: account},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: account},
			Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: s.namespace, Name: account}}})
	}
	s.have(web, store, nightly, cfg)
	r := s.request(
		`setImage: {target: {kind: Deployment, name: web}, container: web, image: "web:2"}`,
		`scale: {target: {kind: Deployment, name: web}, replicas: 3}`,
		`scale: {target: {kind: StatefulSet, name: store}, replicas: 2}`,
		`restart: {target: {kind: StatefulSet, name: store}}`,
		`suspend: {target: {kind: CronJob, name: nightly}}`,
		`delete: {target: {kind: cm, name: cfg}}`,
		`apply: {manifest: {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}}}`,
		`apply: {manifest: `+front+`}`,
	)
	r.Change.Spec.Checks = []v1alpha1.Check{{Name: "quiet", NoNewWarnings: &v1alpha1.NothingNewCheck{}}}
	p, err := s.Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range p.Plan.Effects {
		if e.NotDryRun != "" || e.Verb == change.VerbNone || e.Inverse == nil {
			t.Errorf("operation %d: %+v", i+1, e)
		}
	}
	done := s.apply(p)
	s.says(s.verify(p, time.Now(), time.Second), v1alpha1.OutcomeOpen, "is not ready")
	s.undo(p, done)
}
