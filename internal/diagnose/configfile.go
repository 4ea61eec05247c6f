package diagnose

import (
	"path"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// quotedInLine are the pieces of a log line that may stand in a configuration file as well.
var quotedInLine = regexp.MustCompile(`"([^"]{3,120})"|'([^']{3,120})'|` + "`([^`]{3,120})`")

// configOf finds the ConfigMap from which the file comes that a log line complains about: by the path that the line
// names below a mount, or by a word that the line quotes and a mounted ConfigMap holds. It cites the place.
func (x *exam) configOf(s *symptom, h hit) (cluster.Ref, []Evidence) {
	c := s.spec()
	p := s.pod()
	if c == nil || p == nil {
		return cluster.Ref{}, nil
	}
	for _, m := range c.VolumeMounts {
		for _, from := range configSources(&p.Spec, m.Name) {
			o := get[*corev1.ConfigMap](x.index, "ConfigMap", p.Namespace, from.name)
			if o == nil {
				continue
			}
			r := ref("ConfigMap", p.Namespace, from.name)
			if key, ok := mountedFile(h, m, from, o); ok {
				return r, x.citeEntry(r, o, key, h)
			}
			for _, key := range sortedKeys(o.Data) {
				if evidence := x.quotedEntry(r, o, key, h); evidence != nil {
					return r, evidence
				}
			}
		}
	}
	return cluster.Ref{}, nil
}

// configSource is a ConfigMap in a volume, with the files that entries of it are mounted as under another name.
type configSource struct {
	name  string
	items []corev1.KeyToPath
}

// key is the entry that is mounted as a file.
func (c configSource) key(file string) string {
	for _, i := range c.items {
		if i.Path == file {
			return i.Key
		}
	}
	return path.Base(file)
}

// configSources are the ConfigMaps of a volume, also of a projected one.
func configSources(spec *corev1.PodSpec, volume string) []configSource {
	var out []configSource
	for _, v := range spec.Volumes {
		switch {
		case v.Name != volume:
		case v.ConfigMap != nil:
			out = append(out, configSource{v.ConfigMap.Name, v.ConfigMap.Items})
		case v.Projected != nil:
			for _, s := range v.Projected.Sources {
				if s.ConfigMap != nil {
					out = append(out, configSource{s.ConfigMap.Name, s.ConfigMap.Items})
				}
			}
		}
	}
	return out
}

// mountedFile says that the line names a file below a mount of a ConfigMap, and which entry that is.
func mountedFile(h hit, m corev1.VolumeMount, from configSource, o *corev1.ConfigMap) (string, bool) {
	file := h.vars["file"]
	if file == "" {
		at := strings.Index(h.text, m.MountPath)
		if at < 0 {
			return "", false
		}
		named := strings.FieldsFunc(h.text[at:], func(r rune) bool { return strings.ContainsRune(" \t\"':,;()[]", r) })
		if len(named) == 0 {
			return "", false
		}
		file = named[0]
	}
	below, ok := strings.CutPrefix(file, strings.TrimSuffix(m.MountPath, "/")+"/")
	switch {
	case m.SubPath != "" && file == m.MountPath:
		below = m.SubPath
	case !ok:
		return "", false
	}
	key := from.key(below)
	_, ok = o.Data[key]
	return key, ok
}

// lineOfFile finds the line number that an error names after a file.
var lineOfFile = regexp.MustCompile(`(?i)(?:line[: ]+|:)(\d{1,5})\b`)

// citeEntry cites the line of an entry that the error names by number or by what it quotes, else the entry's name.
func (x *exam) citeEntry(r cluster.Ref, o *corev1.ConfigMap, key string, h hit) []Evidence {
	if evidence := x.quotedEntry(r, o, key, h); evidence != nil {
		return evidence
	}
	lines := strings.Split(o.Data[key], "\n")
	for _, m := range lineOfFile.FindAllStringSubmatch(h.text[h.focus:], 4) {
		n := 0
		for _, c := range m[1] {
			n = n*10 + int(c-'0')
		}
		if n >= 1 && n <= len(lines) && strings.TrimSpace(lines[n-1]) != "" {
			return []Evidence{cite(FieldEvidence, r.String()+" data."+key+" line "+m[1], strings.TrimSpace(lines[n-1]), 0)}
		}
	}
	return []Evidence{field(r, "data", key)}
}

func (x *exam) quotedEntry(r cluster.Ref, o *corev1.ConfigMap, key string, h hit) []Evidence {
	for _, m := range quotedInLine.FindAllStringSubmatch(h.text, 8) {
		word := m[1] + m[2] + m[3]
		for i, one := range strings.Split(o.Data[key], "\n") {
			if at := strings.Index(one, word); at >= 0 {
				return []Evidence{cite(FieldEvidence, r.String()+" data."+key+" line "+number(i+1), strings.TrimSpace(one), at)}
			}
		}
	}
	return nil
}
