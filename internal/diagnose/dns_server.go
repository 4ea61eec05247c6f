package diagnose

import (
	"net"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var (
	// corefileError is how CoreDNS rejects its configuration.
	corefileError = regexp.MustCompile(`^(?:\S+ )??(?:\[(?:FATAL|ERROR)\] )?(?:plugin/(?P<plugin>\w+): |.*Corefile:(?P<line>\d+) - |.*(?:Unknown directive|cannot load|Loop \())`)
	// upstreamError is how CoreDNS says that the resolver behind it does not answer.
	upstreamError = regexp.MustCompile(`plugin/(?:errors|forward):.*(?:->(?P<resolver>\[?[0-9a-fA-F.:]+?\]?):53\b.*(?:i/o timeout|refused|no route)|SERVFAIL|unhealthy|no healthy)`)
	// runtimePlugins are those whose lines are no fault of the configuration.
	runtimePlugins = regexp.MustCompile(`plugin/(?:errors|ready|health|reload|kubernetes)\b`)
)

// dnsServerFault is the finding of what the DNS workload of a symptom logs of its configuration or of the resolver
// behind it, nil where it logs nothing of the kind.
func (x *exam) dnsServerFault(s *symptom) *Finding {
	for _, p := range s.pods {
		for _, l := range x.logsOf(podRef(p), "") {
			for _, one := range x.lines(l) {
				if m := upstreamError.FindStringSubmatchIndex(one.text); m != nil && repeats(x.lines(l), upstreamError) {
					return x.corefileFault(s, p, coreSaying{line: one, focus: m[0], text: "upstream", directive: "forward"})
				}
				m := corefileError.FindStringSubmatch(one.text)
				if m == nil || runtimePlugins.MatchString(one.text) || one.level == levelInfo || podReady(p) {
					continue
				}
				at, err := strconv.Atoi(m[2])
				if err != nil {
					at = 0
				}
				return x.corefileFault(s, p, coreSaying{line: one, text: "corefile", directive: m[1], at: at})
			}
		}
	}
	return nil
}

func repeats(lines []line, pattern *regexp.Regexp) bool {
	n := 0
	for _, l := range lines {
		if pattern.MatchString(l.text) {
			n++
		}
	}
	return n > 1
}

// coreSaying is a line in which a name server complains of its Corefile or of what that names.
type coreSaying struct {
	line  line
	focus int
	// text is the last part of the message's name.
	text string
	// directive and at, where it is not 0, say which line of the Corefile it is about.
	directive string
	at        int
}

// corefileFault puts a fault of the name server at the ConfigMap with its Corefile, or at the workload where that is
// not known.
func (x *exam) corefileFault(s *symptom, p *corev1.Pod, said coreSaying) *Finding {
	f := &Finding{
		Cause: "DNSFailure", Object: s.work.ref, Evidence: []Evidence{said.line.cite(said.focus)},
		links: links{affects: []cluster.Ref{s.work.ref}},
	}
	if s.kind != complaining || x.symptomAt[symptomKey{kind: s.kind, work: s.work.ref, container: s.container, reason: s.reason}] == s {
		f.links.explains = append(f.links.explains, s)
	}
	for _, u := range podUses(p.Namespace, &p.Spec) {
		m := get[*corev1.ConfigMap](x.index, "ConfigMap", u.ref.Namespace, u.ref.Name)
		if u.ref.Kind != "ConfigMap" || m == nil || m.Data["Corefile"] == "" {
			continue
		}
		cited := corefileLines(m.Data["Corefile"], said.directive, said.at)
		for _, l := range cited {
			f.Evidence = append(f.Evidence, cite(FieldEvidence, u.ref.String()+" data.Corefile", l, 0))
		}
		if said.text == "corefile" || forwardsToAddress(cited) {
			f.Object = u.ref
		}
	}
	f.Message = x.say("DNSFailure."+said.text, f.Object.String(), said.line.text[said.focus:])
	f.Fix = x.say("DNSFailure.fixCore", f.Object.String())
	if said.text == "upstream" {
		f.Fix = x.say("DNSFailure.fixForward", f.Object.String())
	}
	return f
}

// corefileLines returns the lines of a Corefile with a directive, or the line of that number.
func corefileLines(corefile, directive string, at int) []string {
	var out []string
	for n, l := range strings.Split(corefile, "\n") {
		words := strings.Fields(l)
		if n+1 == at || at == 0 && directive != "" && len(words) > 0 && words[0] == directive {
			out = append(out, strings.TrimSpace(l))
		}
	}
	return out
}

// forwardsToAddress says that a forward names a resolver itself instead of leaving it to the node.
func forwardsToAddress(lines []string) bool {
	for _, l := range lines {
		words := strings.Fields(l)
		for _, w := range words[min(2, len(words)):] {
			host := strings.TrimPrefix(strings.TrimPrefix(w, "tls://"), "dns://")
			if one, _, err := net.SplitHostPort(host); err == nil {
				host = one
			}
			if net.ParseIP(host) != nil {
				return true
			}
		}
	}
	return false
}
