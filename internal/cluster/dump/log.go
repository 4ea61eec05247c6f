package dump

import (
	"bufio"
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/eclusier/eclusier/internal/cluster"
)

// logPath reads from a path whose log a file is.
func logPath(name string) (cluster.Log, bool) {
	parts := strings.Split(path.Clean(name), "/")
	dir, base := parts[:len(parts)-1], parts[len(parts)-1]
	stem, isLog := strings.CutSuffix(base, ".log")
	if !isLog || len(dir) == 0 {
		return cluster.Log{}, false
	}
	for _, layout := range []func([]string, string) (cluster.Log, bool){mustGatherLog, scenarioLog, bundleLog} {
		if log, ok := layout(dir, stem); ok {
			return log, true
		}
	}
	return cluster.Log{}, false
}

// mustGatherLog reads …/namespaces/<ns>/pods/<pod>/<container>/<container>/logs/current.log
func mustGatherLog(dir []string, stem string) (cluster.Log, bool) {
	at := lastIndex(dir, "pods")
	if dir[len(dir)-1] != "logs" || stem != "current" && stem != "previous" || at < 1 || at+3 >= len(dir) {
		return cluster.Log{}, false
	}
	return newLog(dir[at-1], dir[at+1], dir[at+2], stem == "previous"), true
}

// scenarioLog reads logs/<ns>_<pod>_<container>[.previous].log
func scenarioLog(dir []string, stem string) (cluster.Log, bool) {
	stem, previous := strings.CutSuffix(stem, ".previous")
	f := strings.Split(stem, "_")
	if dir[len(dir)-1] != "logs" || len(f) != 3 {
		return cluster.Log{}, false
	}
	return newLog(f[0], f[1], f[2], previous), true
}

// bundleLog reads …/logs/<ns>/<pod>/<container>[-previous].log
func bundleLog(dir []string, stem string) (cluster.Log, bool) {
	n := len(dir)
	if n < 3 || dir[n-3] != "logs" {
		return cluster.Log{}, false
	}
	stem, previous := strings.CutSuffix(stem, "-previous")
	return newLog(dir[n-2], dir[n-1], stem, previous), true
}

func newLog(namespace, pod, container string, previous bool) cluster.Log {
	return cluster.Log{Pod: cluster.Ref{Kind: "Pod", Namespace: namespace, Name: pod}, Container: container, Previous: previous}
}

func lastIndex(list []string, word string) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == word {
			return i
		}
	}
	return -1
}

// log adds a log. truncated says that its beginning was cut off before.
func (l *loader) log(log cluster.Log, text string, truncated bool) {
	short := string(tail([]byte(text)))
	log.Truncated = truncated || len(short) < len(text)
	log.Text = short
	l.all.Logs = append(l.all.Logs, &log)
}

// tail returns the end of a log within the port's bounds, beginning with a whole line.
func tail(data []byte) []byte {
	if len(data) > cluster.TailBytes {
		data = data[len(data)-cluster.TailBytes:]
		if at := bytes.IndexByte(data, '\n'); at >= 0 {
			data = data[at+1:]
		}
	}
	lines := 0
	for i := len(data) - 1; i > 0; i-- {
		if data[i-1] == '\n' {
			if lines++; lines >= cluster.TailLines {
				return data[i:]
			}
		}
	}
	return data
}

// logMarker begins and ends the log of a container in the output of kubectl cluster-info dump. The end follows right behind
// the last line where that has no line break.
var logMarker = regexp.MustCompile(`^(.*)==== (START|END) logs for container (\S+) of pod (\S+?)/(\S+?) ====$`)

// isDumpStream says that data holds logs between markers, alone or among objects.
func isDumpStream(data []byte) bool {
	return bytes.Contains(data, []byte("==== START logs for container "))
}

// begins says that a line, as logMarker read it, begins a log.
func begins(marker []string) bool { return marker != nil && marker[2] == "START" && marker[1] == "" }

// ends says that a line, as logMarker read it, ends the log.
func ends(marker []string, l *cluster.Log) bool {
	return marker != nil && marker[2] == "END" && marker[3] == l.Container && marker[5] == l.Pod.Name
}

// stream reads objects and logs that follow one another, as kubectl cluster-info dump prints them.
func (l *loader) stream(name string, data []byte) {
	var objects, text bytes.Buffer
	var current *cluster.Log
	in := bufio.NewReader(bytes.NewReader(data))
	for {
		line, err := in.ReadString('\n')
		m := logMarker.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		switch {
		case current == nil && begins(m):
			one := newLog(m[4], m[5], m[3], false)
			current = &one
			text.Reset()
		case current != nil && ends(m, current):
			text.WriteString(m[1])
			l.log(*current, text.String(), false)
			current = nil
		case current != nil:
			text.WriteString(line)
		default:
			objects.WriteString(line)
		}
		if err != nil {
			break
		}
	}
	if current != nil {
		l.log(*current, text.String(), false)
		l.gap(name, cluster.GapTruncated, "the log of "+current.Pod.String()+" has no end marker")
	}
	l.documents(name, objects.Bytes())
}
