package diagnose

import (
	"regexp"

	"github.com/eclusier/eclusier/internal/cluster"
)

// unmeasured recognises the words of metric servers and adapters that get no figures from what they measure.
var unmeasured = regexp.MustCompile(`(?i)failed to scrape|unable to (?:fully )?(?:scrape|collect|fetch)\b.{0,30}\bmetrics|unable to scrape|no metrics to serve|unable to update list of all metrics|unable to fetch metrics`)

// blindServer adds a finding for each workload behind a metric API whose own log says that it gets no figures, and so
// tells a server that is blind from one that is down.
func (x *exam) blindServer(services []cluster.Ref) []*Finding {
	var out []*Finding
	for _, service := range services {
		for _, w := range x.servedBy(service) {
			if f := x.blindWorkload(w); f != nil {
				out = append(out, x.add(*f))
			}
		}
	}
	return out
}

func (x *exam) blindWorkload(w *workload) *Finding {
	x.wantRunningLogs(w, maxPodsPerSymptom)
	first := x.firstLine(w, unmeasured)
	if first == nil {
		return nil
	}
	at := unmeasured.FindStringIndex(first.text)[0]
	f := &Finding{
		Cause: "HPAMetricsUnavailable", Object: w.ref, Evidence: []Evidence{first.cite(at)},
		Message: x.say("HPAMetricsUnavailable.server", w.ref.String(), first.text[at:]),
		Fix:     x.say("HPAMetricsUnavailable.fixServer", w.ref.String()),
	}
	for _, s := range x.symptomsOf[w] {
		if s.kind == unready && !s.explained() {
			f.links.explains = append(f.links.explains, s)
			if e := x.unhealthy(s, "Readiness probe"); e != nil {
				f.Evidence = append(f.Evidence, event(e))
			}
		}
	}
	return f
}

// firstLine is the first line of a workload's present logs that fits a pattern and is no information.
func (x *exam) firstLine(w *workload, pattern *regexp.Regexp) *line {
	for _, p := range w.pods {
		for _, l := range x.logsOf(podRef(p), "") {
			for _, one := range x.lines(l) {
				if !l.Previous && one.level != levelInfo && one.level != levelDebug && pattern.MatchString(one.text) {
					return &one
				}
			}
		}
	}
	return nil
}
