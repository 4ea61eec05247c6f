package diagnose

import (
	"regexp"
	"strings"
	"time"

	"github.com/eclusier/eclusier/internal/cluster"
)

// level is how serious the program itself calls a line.
type level int

const (
	levelUnknown level = iota
	levelDebug
	levelInfo
	levelWarning
	levelError
)

// line is one line of a log.
type line struct {
	log  *cluster.Log
	no   int
	text string
	// code is the level; access lines of an HTTP server quote what strangers send and count as information.
	level level
	at    time.Time
	// fields are those of a structured line; nil for any other.
	fields []logField
}

// maxLine bounds what is looked at of one line.
const maxLine = 4096

var (
	levelWord  = regexp.MustCompile(`(?i)(?:^|[\s\["':=|(])(trace|debug|dbg|info|information|notice|log|warn|warning|wrn|error|err|erro|severe|fatal|critical|crit|panic|emerg|alert|fail)(?:$|[\s\]"',:|)])`)
	klogPrefix = regexp.MustCompile(`^([IWEF])\d{4} \d\d:\d\d:\d\d`)
	accessLine = regexp.MustCompile(`"[A-Z]{3,7} /[^"]*"\s+\d{3}\b`)
)

var levels = map[string]level{
	"trace": levelDebug, "debug": levelDebug, "dbg": levelDebug,
	"info": levelInfo, "information": levelInfo, "notice": levelInfo, "log": levelInfo,
	"warn": levelWarning, "warning": levelWarning, "wrn": levelWarning,
}

// lines cuts a log into lines, once.
func (x *exam) lines(l *cluster.Log) []line {
	if done, ok := x.lineMemo[l]; ok {
		return done
	}
	parts := strings.Split(l.Text, "\n")
	out := make([]line, 0, len(parts))
	for i, s := range parts {
		s = strings.TrimRight(s, "\r")
		if strings.TrimSpace(s) == "" || unreadLog.MatchString(s) {
			continue
		}
		one := line{log: l, no: i + 1, text: s, fields: structured(s)}
		if len(s) > maxLine {
			one.text = s[:maxLine]
		}
		one.at, _ = cluster.LogTime(one.text, x.now)
		one.level = levelOf(one)
		out = append(out, one)
	}
	x.lineMemo[l] = out
	return out
}

// levelOf reads the level near the beginning of a line, where every logging library puts it.
func levelOf(l line) level {
	if known := structuredLevel(l.fields); known != levelUnknown {
		return known
	}
	s := l.said()
	if accessLine.MatchString(s) {
		return levelInfo
	}
	if m := klogPrefix.FindStringSubmatch(s); m != nil {
		return map[string]level{"I": levelInfo, "W": levelWarning, "E": levelError, "F": levelError}[m[1]]
	}
	head := s
	if len(head) > 120 {
		head = head[:120]
	}
	if m := levelWord.FindStringSubmatch(head); m != nil {
		if l, ok := levels[strings.ToLower(m[1])]; ok {
			return l
		}
		return levelError
	}
	return levelUnknown
}

// logsOf returns the logs of a container of a pod: of the former instance first, since it holds the end of a crash.
func (x *exam) logsOf(pod cluster.Ref, container string) []*cluster.Log {
	var former, current []*cluster.Log
	for _, l := range x.logs[pod] {
		switch {
		case container != "" && l.Container != container:
		case l.Previous:
			former = append(former, l)
		default:
			current = append(current, l)
		}
	}
	return append(former, current...)
}

// cite makes evidence of a line; focus is the byte where the point lies.
func (l line) cite(focus int) Evidence {
	return cite(LogEvidence, logSource(l.log, l.no), strings.TrimSpace(l.text), max(0, focus-len(l.text)+len(strings.TrimLeft(l.text, " \t"))))
}

// findLine returns the last line of a container's logs that contains one of the words (lower case).
func (x *exam) findLine(pod cluster.Ref, container string, words ...string) *line {
	var found *line
	for _, l := range x.logsOf(pod, container) {
		for _, one := range x.lines(l) {
			low := strings.ToLower(one.text)
			for _, w := range words {
				if strings.Contains(low, w) {
					found = &line{}
					*found = one
				}
			}
		}
	}
	return found
}

// context cites a hit and the lines after it that belong to it: the details of a database, the top of a stack.
func (x *exam) context(h hit) []Evidence {
	out := []Evidence{h.evidence()}
	lines := x.lines(h.log)
	for i := range lines {
		if lines[i].no != h.no {
			continue
		}
		for _, next := range lines[i+1 : min(i+4, len(lines))] {
			if next.level == levelInfo || next.level == levelDebug {
				break
			}
			out = append(out, next.cite(0))
		}
	}
	return out
}

// lastLine is the last line that a symptom's container logged, of the former instance where there is one.
func (x *exam) lastLine(s *symptom) *line {
	for _, p := range s.pods {
		for _, l := range x.logsOf(podRef(p), s.container) {
			if list := x.lines(l); len(list) > 0 {
				return &list[len(list)-1]
			}
		}
	}
	return nil
}
