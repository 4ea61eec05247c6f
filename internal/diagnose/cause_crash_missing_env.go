package diagnose

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

var crashMissingEnv = cause{
	id: "CrashMissingEnv", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		name := x.missingName(h)
		if name == "" {
			return nil
		}
		if c := s.spec(); c != nil && x.setsVariable(s.work, c, name) {
			return nil
		}
		f := x.fromLog("CrashMissingEnv", s, h)
		f.Message = x.say("CrashMissingEnv.message", s.container, s.work.ref.String(), name)
		f.Fix = x.say("CrashMissingEnv.fix", name, s.container, s.work.ref.String())
		x.nearVariable(s, name, f)
		return f
	},
	texts: texts{
		english: map[string]string{
			"CrashMissingEnv.message": "Container %[1]s of %[2]s stops because the environment variable %[3]s is not set",
			"CrashMissingEnv.fix":     "Set %[1]s for container %[2]s of %[3]s; its value cannot be known from here.",
			"CrashMissingEnv.near":    "Set %[1]s for container %[2]s of %[3]s; %[4]s holds a similar entry %[5]s, which may be meant.",
		},
		french: map[string]string{
			"CrashMissingEnv.message": "Le conteneur %[1]s de %[2]s s'arrête parce que la variable d'environnement %[3]s n'est pas définie",
			"CrashMissingEnv.fix":     "Définissez %[1]s pour le conteneur %[2]s de %[3]s ; sa valeur ne peut pas être connue d'ici.",
			"CrashMissingEnv.near":    "Définissez %[1]s pour le conteneur %[2]s de %[3]s ; %[4]s contient une entrée voisine %[5]s, peut-être celle qu'il faut.",
		},
	},
}

// missingName is the variable that a line complains of. Settings classes name their field in the line before, in small
// letters; properties stand for the variable that is spelt with underscores.
func (x *exam) missingName(h hit) string {
	name := h.given("name", "file", "value")
	if h.sig.name == settingsField {
		name = x.fieldBefore(h)
	}
	if strings.ToUpper(name) != name {
		name = strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(name))
	}
	return name
}

// settingsField is the name of the row for fields of settings classes.
const settingsField = "settings class without a field"

var (
	settingsClass = regexp.MustCompile(`validation errors? for \w*(?i:settings|config|env|options)\w*`)
	fieldName     = regexp.MustCompile(`^\s*([A-Za-z_][A-Za-z0-9_.]*)\s*$`)
)

// fieldBefore is the field that the line before a hit names, where the lines before tell of settings: other classes are
// not filled from variables.
func (x *exam) fieldBefore(h hit) string {
	const reach = 12
	lines := x.lines(h.log)
	at := slices.IndexFunc(lines, func(l line) bool { return l.no == h.no })
	if at < 1 {
		return ""
	}
	before := lines[max(0, at-reach):at]
	m := fieldName.FindStringSubmatch(lines[at-1].text)
	if m == nil || !slices.ContainsFunc(before, func(l line) bool { return settingsClass.MatchString(l.text) }) {
		return ""
	}
	return m[1]
}

// setsVariable says that a container has a variable. One that is taken from an optional key that does not exist is not set.
func (x *exam) setsVariable(w *workload, c *corev1.Container, name string) bool {
	for _, e := range c.Env {
		if e.Name == name && (e.Value != "" || e.ValueFrom != nil && !x.optionalAbsent(w, e.ValueFrom)) {
			return true
		}
	}
	return false
}

// optionalAbsent says that a variable may be left out where its ConfigMap lacks the key, and that it does.
func (x *exam) optionalAbsent(w *workload, v *corev1.EnvVarSource) bool {
	k := v.ConfigMapKeyRef
	if k == nil || !isTrue(k.Optional) {
		return false
	}
	keys, known := x.keysOf(ref("ConfigMap", w.namespace(), k.Name))
	return known && !slices.Contains(keys, k.Key)
}

// nearVariable looks for an entry with a similar name where the container takes its variables from.
func (x *exam) nearVariable(s *symptom, name string, f *Finding) {
	c := s.spec()
	if c == nil {
		return
	}
	var own []string
	for _, e := range c.Env {
		own = append(own, e.Name)
	}
	if near := similar(name, own); near != "" {
		f.Evidence = append(f.Evidence, x.containerField(s, "env["+near+"].name", near))
	}
	for _, e := range c.EnvFrom {
		if e.ConfigMapRef == nil {
			continue
		}
		r := ref("ConfigMap", s.work.namespace(), e.ConfigMapRef.Name)
		keys, _ := x.keysOf(r)
		f.links.affects = append(f.links.affects, r)
		if len(keys) > 0 {
			f.Evidence = append(f.Evidence, field(r, "data", strings.Join(keys, ", ")))
		}
		if near := nearName(name, keys); near != "" {
			if m := get[*corev1.ConfigMap](x.index, "ConfigMap", r.Namespace, r.Name); m != nil {
				f.Evidence = append(f.Evidence, field(r, "data."+escapeDots(near), m.Data[near]))
			}
			f.Fix = x.say("CrashMissingEnv.near", name, s.container, s.work.ref.String(), r.String(), near)
		}
	}
}

// synonyms are last words of variables that mean the same.
var synonyms = [][]string{
	{"HOST", "SERVER", "HOSTNAME", "ADDR", "ADDRESS", "ENDPOINT", "URL", "URI"},
	{"USER", "USERNAME", "LOGIN"}, {"PASSWORD", "PASS", "PASSWD", "PWD"}, {"DB", "DATABASE", "DBNAME", "NAME"},
	{"ENV", "ENVIRONMENT", "STAGE"}, {"KEY", "TOKEN", "SECRET"}, {"PORT"},
}

// nearName is a candidate that is a slip of a variable's name, or says the same in another last word.
func nearName(name string, candidates []string) string {
	if near := similar(name, candidates); near != "" {
		return near
	}
	head, last := cutLast(name)
	for _, group := range synonyms {
		if !slices.Contains(group, last) {
			continue
		}
		for _, c := range candidates {
			if otherHead, otherLast := cutLast(c); otherHead == head && slices.Contains(group, otherLast) {
				return c
			}
		}
	}
	return ""
}

func cutLast(name string) (head, last string) {
	at := strings.LastIndexByte(name, '_')
	if at < 0 {
		return "", name
	}
	return name[:at], name[at+1:]
}
