package diagnose

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// rolloutConditions cites the conditions of a Deployment that say how its rollout stands.
func (x *exam) rolloutConditions(w *workload) []Evidence {
	d, ok := w.meta.(*appsv1.Deployment)
	if !ok {
		return nil
	}
	var out []Evidence
	for _, c := range d.Status.Conditions {
		switch {
		case c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse:
			out = append(out, field(w.ref, "status.conditions[Progressing].reason", c.Reason))
		case c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue:
			out = append(out, field(w.ref, "status.conditions[ReplicaFailure].message", c.Message))
		}
	}
	return out
}

// ofNewRevision says that all pods of a symptom belong to the newest ReplicaSet while an earlier one is in the history.
func (s *symptom) ofNewRevision() bool {
	set := s.work.newestSet()
	if set == nil || s.work.formerSet() == nil || len(s.pods) == 0 {
		return false
	}
	hash := set.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
	for _, p := range s.pods {
		if hash == "" || p.Labels[appsv1.DefaultDeploymentUniqueLabelKey] != hash {
			return false
		}
	}
	return true
}
