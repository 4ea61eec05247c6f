package diagnose

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

var crashMissingEnv = cause{
	id: "CrashMissingEnv", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		name := h.vars["name"]
		if name == "" {
			return nil
		}
		if c := s.spec(); c != nil && setsVariable(c, name) {
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

func setsVariable(c *corev1.Container, name string) bool {
	for _, e := range c.Env {
		if e.Name == name && (e.Value != "" || e.ValueFrom != nil) {
			return true
		}
	}
	return false
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
