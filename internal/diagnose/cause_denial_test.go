package diagnose

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestPodsThatTheAPIServerRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(*world)
		want expected
	}{
		"a full quota": {
			func(w *world) {
				d, _ := w.deployment("api", nil)
				w.refuses(d, `pods "api-1-z" is forbidden: exceeded quota: team, requested: pods=1, used: pods=5, limited: pods=5`)
			},
			expected{cause: "QuotaExceeded", object: "ResourceQuota/app/team", evidence: []string{"exceeded quota: team"}},
		},
		"a quota that wants limits stated": {
			func(w *world) {
				d, _ := w.deployment("api", nil)
				w.refuses(d, `pods "api-1-z" is forbidden: failed quota: team: must specify limits.cpu for: api`)
			},
			expected{cause: "QuotaExceeded", object: "Deployment/app/api", evidence: []string{"must specify limits.cpu"}},
		},
		"a pod outside a limit range": {
			func(w *world) {
				d, _ := w.deployment("api", nil)
				w.refuses(d, `pods "api-1-z" is forbidden: maximum memory usage per Container is 32Mi, but limit is 64Mi`)
			},
			expected{cause: "LimitRangeViolation", object: "Deployment/app/api", evidence: []string{"maximum memory usage per Container is 32Mi", "memory: 64Mi"}},
		},
		"a pod that Pod Security refuses": {
			func(w *world) {
				w.Namespaces[0].Labels = map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}
				d, _ := w.deployment("api", nil)
				w.refuses(d, `pods "api-1-z" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true (pod or container "api" must set securityContext.runAsNonRoot=true)`)
			},
			expected{cause: "PodSecurityRejected", object: "Deployment/app/api", evidence: []string{"violates PodSecurity", "pod-security.kubernetes.io/enforce: restricted"}},
		},
		"a service account that does not exist": {
			func(w *world) {
				d, _ := w.deployment("api", func(t *corev1.PodTemplateSpec) { t.Spec.ServiceAccountName = "api" })
				w.refuses(d, `pods "api-1-" is forbidden: error looking up service account app/api: serviceaccount "api" not found`)
			},
			expected{cause: "ServiceAccountMissing", object: "ServiceAccount/app/api", evidence: []string{`serviceaccount "api" not found`, "serviceAccountName: api"}},
		},
		"an admission policy that denies": {
			func(w *world) {
				d, _ := w.deployment("api", nil)
				w.refuses(d, `pods "api-1-z" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'no-latest' denied request: the tag latest is not allowed`)
			},
			expected{cause: "AdmissionDenied", object: "Deployment/app/api", evidence: []string{"the tag latest is not allowed"}},
		},
		"a priority class that does not exist": {
			func(w *world) {
				d, _ := w.deployment("api", nil)
				w.refuses(d, `pods "api-1-z" is forbidden: no PriorityClass with name gold was found`)
			},
			expected{cause: "MissingPriorityClass", object: "PriorityClass/gold", evidence: []string{"no PriorityClass"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			c.make(w)
			w.check(t, c.want)
		})
	}
}
