package dump

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/internal/cluster"
)

// loader gathers the objects and logs of a dump.
type loader struct {
	all     cluster.Snapshot
	files   int
	bytes   int64
	objects int
	// kinds are the kinds that the dump holds at all; the absence of an object of another kind says nothing.
	kinds map[string]bool
	seen  map[string]bool
	// newest is the newest moment that an object speaks of, newestLog that a log does.
	newest, newestLog time.Time
}

func newLoader() *loader { return &loader{kinds: map[string]bool{}, seen: map[string]bool{}} }

// gap records that a file could not be read.
func (l *loader) gap(file string, reason cluster.GapReason, detail string) {
	l.all.Gaps = append(l.all.Gaps, cluster.Gap{Resource: "files", Reason: reason, Detail: file + ": " + detail})
}

// documents reads a file of YAML documents or JSON values.
func (l *loader) documents(name string, data []byte) {
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		l.values(name, trimmed)
		return
	}
	r := yaml.NewYAMLReader(newBufReader(data))
	for n := 1; ; n++ {
		doc, err := r.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			l.gap(name, cluster.GapUnavailable, err.Error())
			return
		}
		if len(bytes.TrimSpace(doc)) == 0 {
			continue
		}
		asJSON, err := sigsyaml.YAMLToJSON(doc)
		if err != nil {
			l.gap(name, cluster.GapUnavailable, fmt.Sprintf("document %d: %v", n, err))
			continue
		}
		l.value(name, asJSON)
	}
}

// values reads one JSON value after the other.
func (l *loader) values(name string, data []byte) {
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			l.gap(name, cluster.GapUnavailable, err.Error())
			return
		}
		l.value(name, raw)
	}
}

// header is what tells objects and lists apart.
type header struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []json.RawMessage `json:"items"`
}

// value reads one object, a list of objects, or an array of objects.
func (l *loader) value(name string, raw []byte) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return
	}
	if raw[0] == '[' {
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			l.gap(name, cluster.GapUnavailable, err.Error())
			return
		}
		kind, version := kindOfFolder(name)
		l.items(name, items, kind, version)
		return
	}
	var h header
	if err := json.Unmarshal(raw, &h); err != nil {
		l.gap(name, cluster.GapUnavailable, err.Error())
		return
	}
	if strings.HasSuffix(h.Kind, "List") {
		kind := strings.TrimSuffix(h.Kind, "List")
		if kind != "" {
			l.kinds[kind] = true
		}
		l.items(name, h.Items, kind, h.APIVersion)
		return
	}
	if h.Kind == "" && h.Items != nil {
		kind, version := kindOfFolder(name)
		l.items(name, h.Items, kind, version)
		return
	}
	if h.Kind != "" && h.APIVersion != "" {
		l.object(name, h.Kind, h.APIVersion, raw)
	}
}

// items reads the objects of a list, which may leave their kind to the list.
func (l *loader) items(name string, items []json.RawMessage, kind, version string) {
	for _, raw := range items {
		h := header{}
		if err := json.Unmarshal(raw, &h); err != nil {
			l.gap(name, cluster.GapUnavailable, err.Error())
			continue
		}
		if h.Kind == "" {
			h.Kind, h.APIVersion = kind, version
		}
		if h.Kind != "" {
			l.object(name, h.Kind, h.APIVersion, raw)
		}
	}
}

// object adds one object. The same object in a second file is left out.
func (l *loader) object(name, kind, version string, raw []byte) {
	var meta struct {
		Metadata struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &meta); err != nil {
		l.gap(name, cluster.GapUnavailable, err.Error())
		return
	}
	if meta.Metadata.Name == "" && kind != "Event" {
		return
	}
	group, _, grouped := strings.Cut(version, "/")
	if !grouped {
		group = ""
	}
	key := strings.Join([]string{group, kind, meta.Metadata.Namespace, meta.Metadata.Name}, "/")
	if meta.Metadata.Name != "" && l.seen[key] {
		return
	}
	l.seen[key] = true
	if err := l.add(kind, group, version, raw); err != nil {
		l.gap(name, cluster.GapUnavailable, kind+" "+meta.Metadata.Name+": "+err.Error())
		return
	}
	l.kinds[kind] = true
	l.objects++
	l.moments(raw)
}

// momentPattern finds the timestamps that say when something was, not until when something holds.
var momentPattern = regexp.MustCompile(`"(?:creationTimestamp|lastTransitionTime|lastUpdateTime|lastHeartbeatTime|lastProbeTime|startedAt|finishedAt|startTime|completionTime|lastTimestamp|firstTimestamp|eventTime|lastObservedTime|renewTime|lastScheduleTime|lastSuccessfulTime|lastScaleTime)":\s*"(\d{4}-[^"]{15,30})"`)

func (l *loader) moments(raw []byte) {
	for _, m := range momentPattern.FindAllSubmatch(raw, -1) {
		if t, err := time.Parse(time.RFC3339Nano, string(m[1])); err == nil && t.After(l.newest) {
			l.newest = t
		}
	}
}

// kindOfFolder guesses the kind of objects that do not say it from the path of their file: pods/shop.json.
func kindOfFolder(name string) (kind, version string) {
	for dir := strings.TrimSuffix(name, path.Ext(name)); dir != "." && dir != "/" && dir != ""; dir = path.Dir(dir) {
		if k, ok := plurals[strings.ToLower(path.Base(dir))]; ok {
			return k.kind, k.version
		}
	}
	return "", ""
}

// finish settles the moment of the dump. Logs count only close to what the objects say, since the clock of a
// container may be wrong.
func (l *loader) finish() *Dump {
	const trust = 10 * time.Minute
	now := l.newest
	for _, log := range l.all.Logs {
		for _, line := range lastLines(log.Text) {
			if t, ok := cluster.LogTime(line, now); ok && t.After(l.newestLog) && (now.IsZero() || t.Before(now.Add(trust))) {
				l.newestLog = t
			}
		}
	}
	if l.newestLog.After(now) {
		now = l.newestLog
	}
	l.all.Now = now.UTC()
	return newDump(l)
}

// lastLines are the last few lines of a log: the newest.
func lastLines(text string) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[max(0, len(lines)-20):]
}
