package diagnose

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

var jobBackoffLimit = cause{
	id: "JobBackoffLimit", severity: Medium,
	check: func(x *exam) {
		for _, s := range x.open(jobFailed) {
			if deeper := x.jobCause(s); deeper != nil {
				known := x.add(*deeper)
				f := x.jobFault(s, "JobBackoffLimit")
				f.links.causedBy, f.links.echo = []*Finding{known}, true
				x.add(f)
				continue
			}
			x.add(x.jobFault(s, "JobBackoffLimit"))
		}
	},
	texts: texts{
		english: map[string]string{
			"JobBackoffLimit.message": "%[1]s has used up its retries: %[2]s",
			"JobBackoffLimit.fix":     "Repair what the runs of %[1]s stumble over (see the lines cited), then start it again; more retries would fail alike.",
		},
		french: map[string]string{
			"JobBackoffLimit.message": "%[1]s a épuisé ses tentatives : %[2]s",
			"JobBackoffLimit.fix":     "Corrigez ce sur quoi les exécutions de %[1]s échouent (voir les lignes citées), puis relancez-le ; d'autres tentatives échoueraient de même.",
		},
	},
}

// failedRun is a symptom of the container that ended a run of a Job, the last one whose log is known first.
func (x *exam) failedRun(s *symptom) *symptom {
	var found *symptom
	for _, p := range s.pods {
		for _, c := range statuses(p) {
			t := termination(&c)
			if t == nil || t.ExitCode == 0 {
				continue
			}
			one := &symptom{kind: crashing, work: s.work, pods: []*corev1.Pod{p}, container: c.Name, init: isInit(p, c.Name), since: s.since}
			if x.hasLog(p.Namespace, p.Name, c.Name, false) {
				return one
			}
			if found == nil {
				found = one
			}
		}
	}
	return found
}

// jobCause is the finding of what ended the runs of a Job, where it has a name of its own.
func (x *exam) jobCause(s *symptom) *Finding {
	run := x.failedRun(s)
	if run == nil {
		return nil
	}
	if t := termination(run.status()); t != nil && t.Reason == "OOMKilled" {
		f := x.outOfMemory(run)
		f.links.explains = []*symptom{s}
		return &f
	}
	hits := x.hitsOf(run)
	for {
		h, ok := best(hits)
		if !ok || h.sig.rank <= likely {
			return nil
		}
		if f := x.findingFromLog(run, h); f != nil {
			f.links.explains = []*symptom{s}
			return f
		}
		hits = without(hits, h)
	}
}

func (x *exam) jobFault(s *symptom, id CauseID) Finding {
	f := Finding{Cause: id, Object: s.work.ref, links: links{explains: []*symptom{s}}}
	word := s.reason
	if j, ok := s.work.meta.(*batchv1.Job); ok {
		for _, c := range j.Status.Conditions {
			if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
				f.Evidence = append(f.Evidence, field(s.work.ref, "status.conditions[Failed].reason", c.Reason), field(s.work.ref, "status.conditions[Failed].message", c.Message))
			}
		}
		f.Evidence = append(f.Evidence, field(s.work.ref, "status.failed", j.Status.Failed))
	}
	if run := x.failedRun(s); run != nil {
		if h, ok := best(x.hitsOf(run)); ok {
			word = lineWord(h)
			f.Evidence = append(f.Evidence, x.context(h)...)
		}
		f.Evidence = append(f.Evidence, x.lastWords(run)...)
		f.Evidence = append(f.Evidence, x.ending(run)...)
	}
	f.Message = x.say(string(id)+".message", s.work.ref.String(), word)
	f.Fix = x.say(string(id)+".fix", s.work.ref.String())
	return f
}
