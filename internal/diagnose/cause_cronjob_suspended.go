package diagnose

import "time"

var cronJobSuspended = cause{
	id: "CronJobSuspended", severity: Medium,
	check: func(x *exam) {
		for _, c := range x.snap.CronJobs {
			if !isTrue(c.Spec.Suspend) {
				continue
			}
			r := ref("CronJob", c.Namespace, c.Name)
			f := Finding{
				Cause: "CronJobSuspended", Object: r, links: links{onDemand: true},
				Message:   x.say("CronJobSuspended.message", r.String()),
				Fix:       x.say("CronJobSuspended.fix", r.String()),
				Operation: resumeOperation(r),
				Evidence:  []Evidence{field(r, "spec.suspend", true), field(r, "spec.schedule", c.Spec.Schedule)},
			}
			if t := c.Status.LastScheduleTime; t != nil {
				f.Evidence = append(f.Evidence, field(r, "status.lastScheduleTime", t.UTC().Format(time.RFC3339)))
				f.Message = x.say("CronJobSuspended.since", r.String(), t.UTC().Format(time.RFC3339))
			}
			for k, v := range c.Annotations {
				if x.mentionsSuspension(v) {
					f.Evidence = append(f.Evidence, cite(FieldEvidence, r.String()+" metadata.annotations", k+": "+v, 0))
				}
			}
			x.add(f)
		}
	},
	texts: texts{
		english: map[string]string{
			"CronJobSuspended.message": "%[1]s is suspended, so it starts no runs",
			"CronJobSuspended.since":   "%[1]s is suspended; its last run was scheduled at %[2]s",
			"CronJobSuspended.fix":     "Resume %[1]s (spec.suspend: false), after asking whoever suspended it why.",
		},
		french: map[string]string{
			"CronJobSuspended.message": "%[1]s est suspendu et ne lance donc aucune exécution",
			"CronJobSuspended.since":   "%[1]s est suspendu ; sa dernière exécution était prévue à %[2]s",
			"CronJobSuspended.fix":     "Réactivez %[1]s (spec.suspend: false), après avoir demandé à qui l'a suspendu pourquoi.",
		},
	},
}

func (x *exam) mentionsSuspension(v string) bool {
	return len(v) < 400 && suspension.MatchString(v)
}
