package diagnose

import (
	"regexp"
	"slices"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// staleWords recognise complaints that what a Service holds is old, which is the doing of whatever should renew it.
var staleWords = regexp.MustCompile(`(?i)\bstale\b|out[- ]?of[- ]?date|outdated|too old|\bexpired (?:snapshot|cache|data|index|list|feed)|(?:not|no longer|never) (?:been )?(?:updated|refreshed|renewed|imported|synchroni[sz]ed|replicated)|no (?:new|fresh|recent) (?:data|records?|rows|messages|events|snapshots?|version)|last (?:update|refresh|sync|import|snapshot|successful run)\b|lag(?:ging)?\b|behind by|p[ée]rim[ée]|obsol[èe]te|pas (?:été )?(?:mis à jour|actualis)`)

// feedingNames recognise by their names workloads that bring data in.
var feedingNames = regexp.MustCompile(`(?i)import|ingest|load|sync|feed|etl|crawl|fetch|refresh|replicat|consum|index|export|publish|collect|pull|writer|worker|batch|update`)

// namespacedName finds namespace/name in words of a program.
var namespacedName = regexp.MustCompile(`\b([a-z0-9][a-z0-9-]{0,62})/([a-z0-9][a-z0-9.-]{0,62}[a-z0-9])\b`)

// findFeeders lets a complaint about old data need what should renew them: what is configured to call the same Service
// and brings data in, and what the log of the Service names as such.
func (x *exam) findFeeders(f *Finding, s *symptom, c grievance) {
	if !staleWords.MatchString(c.said()) {
		return
	}
	for _, service := range c.about {
		for _, r := range x.callersOf(service) {
			if r != s.work.ref {
				f.links.needs = append(f.links.needs, r)
			}
		}
		for _, w := range x.servedBy(service) {
			x.namedFeeders(f, w)
		}
	}
}

// callersOf are the CronJobs that are configured to call a Service, and the workloads that are and bring data in.
func (x *exam) callersOf(service cluster.Ref) []cluster.Ref {
	var out []cluster.Ref
	for _, c := range x.snap.CronJobs {
		w := &workload{ref: ref("CronJob", c.Namespace, c.Name), meta: c, template: &c.Spec.JobTemplate.Spec.Template}
		if slices.Contains(x.calls(w), service) {
			out = append(out, w.ref)
		}
	}
	for _, w := range x.workloadList {
		if w.ref.Kind != "Job" && feedingNames.MatchString(w.ref.Name) && slices.Contains(x.calls(w), service) {
			out = append(out, w.ref)
		}
	}
	return out
}

// namedFeeders reads in the log of what serves old data who writes them.
func (x *exam) namedFeeders(f *Finding, w *workload) {
	for _, p := range w.pods {
		for _, l := range x.logs[podRef(p)] {
			for _, one := range x.lines(l) {
				for _, m := range namespacedName.FindAllStringSubmatch(one.text, 8) {
					if x.addFeeder(f, m[1], m[2]) {
						f.Evidence = append(f.Evidence, one.cite(0))
					}
				}
			}
		}
	}
}

// addFeeder takes up a workload or CronJob that a log names, asks for its namespace, and says whether it is new.
func (x *exam) addFeeder(f *Finding, namespace, name string) bool {
	if !slices.ContainsFunc(x.byKind["Namespace"], func(r cluster.Ref) bool { return r.Name == namespace }) {
		return false
	}
	x.want(cluster.Want{What: cluster.WantNamespace, Namespace: namespace})
	added := false
	for _, kind := range []string{"CronJob", "Deployment", "StatefulSet", "DaemonSet", "Job"} {
		r := ref(kind, namespace, name)
		_, cron := x.objects[r].(*batchv1.CronJob)
		if (cron || x.workloads[r] != nil) && !slices.Contains(f.links.needs, r) {
			f.links.needs = append(f.links.needs, r)
			added = true
		}
	}
	return added
}
