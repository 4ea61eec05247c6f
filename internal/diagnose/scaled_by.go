package diagnose

import (
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

var (
	scalerNames  = regexp.MustCompile(`(?i)scal|saver|sleep|shutdown|hibernat|uptime|janitor|keda|green|schedul`)
	scalingWords = regexp.MustCompile(`(?i)scal|replica|sleep|shut ?down|hibernat|->\s*0|\bto 0\b|\bset 0\b`)
	fromReplicas = regexp.MustCompile(`(?i)(?:from (\d{1,4}) to 0\b|\b(\d{1,4})\s*->\s*0\b|to 0 from (\d{1,4})\b)`)
)

// scaledBy cites who gave a workload no replicas, as far as events, annotations and the logs of those who scale in its
// namespace tell. It asks for these logs first.
func (x *exam) scaledBy(w *workload) []Evidence {
	var out []Evidence
	for _, e := range x.events[w.ref] {
		if fromReplicas.MatchString(e.Message) {
			out = append(out, event(e))
		}
	}
	out = append(out, scalingNotes(w)...)
	for _, p := range x.podsByNS[w.namespace()] {
		if scalerNames.MatchString(p.Name) {
			x.wantAllLogs(p)
		}
	}
	for _, l := range x.snap.Logs {
		if l.Pod.Namespace != w.namespace() && !scalerNames.MatchString(l.Pod.Name) {
			continue
		}
		for _, one := range x.lines(l) {
			if at := scalingOf(one.text, w.ref.Name); at >= 0 && len(out) < 4 {
				out = append(out, one.cite(at))
			}
		}
	}
	return out
}

// scalingNotes cites the annotations of a workload that speak of scaling.
func scalingNotes(w *workload) []Evidence {
	if w.meta == nil {
		return nil
	}
	var out []Evidence
	annotations := w.meta.GetAnnotations()
	for _, k := range sortedKeys(annotations) {
		if scalingWords.MatchString(annotations[k]) && len(annotations[k]) < 256 {
			out = append(out, entry(w.ref, "metadata.annotations", k, annotations[k]))
		}
	}
	return out
}

// scalingOf is where a line that speaks of scaling names the workload, -1 where it does not.
func scalingOf(text, name string) int {
	at := strings.Index(text, name)
	if at < 0 || !namedIn(text[at:], name) || !scalingWords.MatchString(text) {
		return -1
	}
	return at
}

func (x *exam) wantAllLogs(p *corev1.Pod) {
	for _, c := range p.Status.ContainerStatuses {
		if c.State.Running != nil || c.State.Terminated != nil {
			x.wantLogs(p, c.Name, false)
		}
	}
}

// formerReplicas is how many replicas a workload had before it was given none, 1 where nothing tells.
func (x *exam) formerReplicas(w *workload) int32 {
	for _, e := range x.scaledBy(w) {
		m := fromReplicas.FindStringSubmatch(e.Text)
		if m == nil {
			continue
		}
		if n, err := strconv.ParseInt(m[1]+m[2]+m[3], 10, 32); err == nil && n > 0 {
			return int32(n)
		}
	}
	return 1
}
