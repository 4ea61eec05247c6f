package diagnose

var rolloutPaused = cause{
	id: "RolloutPaused", severity: Low,
	check: func(x *exam) {
		for _, d := range x.snap.Deployments {
			w := x.workloads[ref("Deployment", d.Namespace, d.Name)]
			if !d.Spec.Paused || d.Status.UpdatedReplicas >= orOne(d.Spec.Replicas) {
				continue
			}
			x.add(Finding{
				Cause: "RolloutPaused", Object: w.ref, links: links{onDemand: true},
				Message:   x.say("RolloutPaused.message", w.ref.String()),
				Fix:       x.say("RolloutPaused.fix", w.ref.String()),
				Evidence:  []Evidence{field(w.ref, "spec.paused", true), field(w.ref, "status.updatedReplicas", d.Status.UpdatedReplicas)},
				Operation: patchOperation(w.ref, "merge", map[string]any{"spec": map[string]any{"paused": false}}),
			})
		}
	},
	texts: texts{
		english: map[string]string{
			"RolloutPaused.message": "The rollout of %[1]s is paused, so its new revision does not arrive",
			"RolloutPaused.fix":     "Resume the rollout of %[1]s (spec.paused: false), after asking whoever paused it why.",
		},
		french: map[string]string{
			"RolloutPaused.message": "Le déploiement de %[1]s est en pause, sa nouvelle révision n'arrive donc pas",
			"RolloutPaused.fix":     "Reprenez le déploiement de %[1]s (spec.paused: false), après avoir demandé à qui l'a mis en pause pourquoi.",
		},
	},
}
