package diagnose

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var cronJobMissedSchedules = cause{
	id: "CronJobMissedSchedules", severity: Medium,
	check: func(x *exam) {
		for _, c := range x.snap.CronJobs {
			f := x.missedSchedules(c)
			if f == nil {
				continue
			}
			f.links.echo = x.refusesJobs(f.Object)
			if f.links.echo {
				f.links.needs = append(f.links.needs, f.Object)
			}
			x.add(*f)
		}
	},
	texts: texts{
		english: map[string]string{
			"CronJobMissedSchedules.active":      "%[1]s skips its runs because a former one, %[2]s, is still active and its concurrencyPolicy forbids a second",
			"CronJobMissedSchedules.deadline":    "%[1]s skips its runs because none could be started within its startingDeadlineSeconds of %[2]s",
			"CronJobMissedSchedules.message":     "%[1]s has missed its schedule",
			"CronJobMissedSchedules.fixActive":   "See why %[2]s does not end and give the Job template an activeDeadlineSeconds; deleting the run loses its work, so that is for its owner to decide.",
			"CronJobMissedSchedules.fixDeadline": "Give %[1]s a longer startingDeadlineSeconds, at least as long as the controller may be late (more than 10 s).",
			"CronJobMissedSchedules.fix":         "See the events of %[1]s and whether the controller manager runs.",
		},
		french: map[string]string{
			"CronJobMissedSchedules.active":      "%[1]s saute ses exécutions parce qu'une précédente, %[2]s, est encore active et que sa concurrencyPolicy en interdit une seconde",
			"CronJobMissedSchedules.deadline":    "%[1]s saute ses exécutions parce qu'aucune n'a pu commencer dans ses startingDeadlineSeconds de %[2]s",
			"CronJobMissedSchedules.message":     "%[1]s a manqué son horaire",
			"CronJobMissedSchedules.fixActive":   "Cherchez pourquoi %[2]s ne se termine pas et donnez au modèle de Job des activeDeadlineSeconds ; supprimer l'exécution perd son travail, c'est à son responsable d'en décider.",
			"CronJobMissedSchedules.fixDeadline": "Donnez à %[1]s des startingDeadlineSeconds plus longs, au moins autant que le retard possible du contrôleur (plus de 10 s).",
			"CronJobMissedSchedules.fix":         "Regardez les événements de %[1]s et si le gestionnaire de contrôleurs tourne.",
		},
	},
}

// refusesJobs says that the Jobs of a CronJob cannot be created, so that its missed runs are a consequence.
func (x *exam) refusesJobs(r cluster.Ref) bool {
	return slices.ContainsFunc(x.symptoms, func(s *symptom) bool { return s.kind == notCreated && s.work.ref == r })
}

func (x *exam) missedSchedules(c *batchv1.CronJob) *Finding {
	if isTrue(c.Spec.Suspend) {
		return nil
	}
	r := ref("CronJob", c.Namespace, c.Name)
	missed := x.lastEvent([]cluster.Ref{r}, "MissSchedule", "TooManyMissedTimes", "FailedNeedsStart", "JobAlreadyActive", "UnparseableSchedule", "InvalidSchedule", "UnknownTimeZone")
	due, late := x.overdue(c)
	if missed != nil && !x.recent(missed.Last, restartMemory) {
		missed = nil
	}
	if missed == nil && !late {
		return nil
	}
	f := &Finding{Cause: "CronJobMissedSchedules", Object: r, Message: x.say("CronJobMissedSchedules.message", r.String()), Fix: x.say("CronJobMissedSchedules.fix", r.String())}
	if missed != nil {
		f.Evidence = append(f.Evidence, event(missed))
	}
	f.Evidence = append(f.Evidence, field(r, "spec.schedule", c.Spec.Schedule))
	if t := c.Status.LastScheduleTime; t != nil {
		f.Evidence = append(f.Evidence, field(r, "status.lastScheduleTime", t.UTC().Format(time.RFC3339)))
	}
	if late {
		f.Evidence = append(f.Evidence, cite(AbsenceEvidence, r.String(), "no run since "+due.UTC().Format(time.RFC3339), 0))
	}
	if c.Spec.ConcurrencyPolicy == batchv1.ForbidConcurrent && len(c.Status.Active) > 0 {
		job := ref("Job", c.Namespace, c.Status.Active[0].Name)
		f.links.needs = append(f.links.needs, job)
		f.links.affects = append(f.links.affects, job)
		f.Message = x.say("CronJobMissedSchedules.active", r.String(), job.Name)
		f.Fix = x.say("CronJobMissedSchedules.fixActive", r.String(), job.Name)
		f.Evidence = append(f.Evidence, field(r, "spec.concurrencyPolicy", c.Spec.ConcurrencyPolicy), field(r, "status.active", job.Name))
	} else if d := c.Spec.StartingDeadlineSeconds; d != nil {
		f.Message = x.say("CronJobMissedSchedules.deadline", r.String(), number(*d))
		f.Fix = x.say("CronJobMissedSchedules.fixDeadline", r.String())
		f.Evidence = append(f.Evidence, field(r, "spec.startingDeadlineSeconds", *d))
		f.Operation = patchOperation(r, "merge", map[string]any{"spec": map[string]any{"startingDeadlineSeconds": max(*d*2, 120)}})
	}
	return f
}

// overdue says since when a CronJob should have run again: two runs were due since its last one.
func (x *exam) overdue(c *batchv1.CronJob) (time.Time, bool) {
	last := c.CreationTimestamp.Time
	if c.Status.LastScheduleTime != nil {
		last = c.Status.LastScheduleTime.Time
	}
	if c.Spec.TimeZone != nil || last.IsZero() {
		return time.Time{}, false
	}
	schedule, ok := parseCron(c.Spec.Schedule)
	if !ok {
		return time.Time{}, false
	}
	first := schedule.next(last)
	second := schedule.next(first)
	const late = 2 * time.Minute
	return first, !second.IsZero() && x.now.Sub(second) > late
}
