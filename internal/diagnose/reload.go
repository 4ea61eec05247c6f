package diagnose

import (
	"regexp"

	corev1 "k8s.io/api/core/v1"
)

var (
	// reloadFailed recognises that a running program refuses a configuration and goes on with the former one.
	reloadFailed = regexp.MustCompile(`(?i)(?:(?:fail(?:ed|ure)?|error|unable|could not|cannot|can't)\b.{0,40}\b(?:re-?load|restart failed|apply(?:ing)? (?:the )?(?:new )?config)|re-?load(?:ing|ed)?\b.{0,80}\b(?:fail(?:ed|ure)?|error|reject|invalid|abort)|\brestart failed:|` +
		`(?:keep(?:ing)?|us(?:e|ing)|continu\w+ with) (?:the )?(?:old|previous|current|last|former)(?: known)?(?: good| valid| working)? (?:\w+ )?config|configuration file \S+ test failed|configuration file "[^"]+" contains errors|rejected (?:new )?config|config for \S+ rejected)`)
	// aboutConfig are words without which a failed reload may be of anything.
	aboutConfig = regexp.MustCompile(`(?i)config|corefile|\[emerg\]|\.conf\b|\.ya?ml|\.toml|\bnginx\b|\bhaproxy\b|\brules?\b|directive|syntax|pars(?:e|ing)|backend`)
	// reloadDone recognises that a later reload went well.
	reloadDone = regexp.MustCompile(`(?i)completed loading of config|\bconfig(?:uration)?\b.{0,30}\b(?:re-?loaded|loaded|applied)|re-?load(?:ed|ing)?\b.{0,30}\b(?:success|complete|done|finished)|successfully (?:re-?loaded|applied)`)
)

var reloadSignature = signature{name: "reload refused", cause: "CrashBadConfig", rank: decisive}

// refusedReloads adds the configurations that programs refuse while they go on running with the former one. It is what
// is told where nothing worse is.
func (x *exam) refusedReloads() {
	for _, w := range x.workloadList {
		for _, p := range w.pods {
			if h := x.refusedReload(p); h != nil {
				x.add(x.reloadFault(&symptom{kind: complaining, work: w, pods: []*corev1.Pod{p}, container: h.log.Container}, *h))
				break
			}
		}
	}
}

// refusedReload is the last line of a pod's present logs that tells of a refused configuration, unless a reload went
// well after it.
func (x *exam) refusedReload(p *corev1.Pod) *hit {
	var found *hit
	for _, l := range x.logsOf(podRef(p), "") {
		if c := statusOf(p, l.Container); l.Previous || c == nil || c.State.Running == nil {
			continue
		}
		for _, one := range x.lines(l) {
			if at := refusesConfig(one); at >= 0 {
				found = &hit{line: one, sig: &reloadSignature, focus: at, vars: map[string]string{}, count: 1, last: one}
			} else if found != nil && found.log == l && reloadDone.MatchString(one.text) {
				found = nil
			}
		}
	}
	return found
}

// refusesConfig is where a line tells of a refused configuration, -1 where it tells of nothing or of something else that
// failed on the way.
func refusesConfig(one line) int {
	at := reloadFailed.FindStringIndex(one.text)
	if at == nil || one.level == levelInfo || one.level == levelDebug || !aboutConfig.MatchString(one.text) {
		return -1
	}
	if h, ok := match(one); ok && h.sig.cause != "CrashBadConfig" && h.sig.rank > likely {
		return -1
	}
	return at[0]
}

func (x *exam) reloadFault(s *symptom, h hit) Finding {
	w := s.work.ref
	f := Finding{
		Cause: "CrashBadConfig", Object: w, Severity: Medium, Evidence: x.context(h), links: links{weak: true},
		Message: x.say("CrashBadConfig.reload", s.container, w.String(), h.text[h.focus:]),
		Fix:     x.say("CrashBadConfig.fixReload", w.String()),
	}
	if r, evidence := x.configOf(s, h); evidence != nil {
		f.Object = r
		f.links.affects = append(f.links.affects, w)
		f.Evidence = append(f.Evidence, evidence...)
	}
	return f
}
