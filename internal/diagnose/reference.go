package diagnose

import (
	"cmp"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// lack is an object, or an entry of one, that pods refer to and that does not exist.
type lack struct {
	use
	symptom  *symptom
	evidence []Evidence
}

// absenceMessages are the ways in which the kubelet says that a reference leads nowhere.
var absenceMessages = map[string]*regexp.Regexp{
	"ConfigMap": regexp.MustCompile(`(?i)configmaps? "(?P<name>[^"]+)" (?:is forbidden|not found)|configmap references non-existent config key: (?P<key>[\w.-]+)|couldn't find key (?P<key2>[\w.-]+) in ConfigMap (?P<path>\S+)`),
	"Secret":    regexp.MustCompile(`(?i)secrets? "(?P<name>[^"]+)" (?:is forbidden|not found)|references non-existent secret key: (?P<key>[\w.-]+)|couldn't find key (?P<key2>[\w.-]+) in Secret (?P<path>\S+)`),
}

// lacks returns what is missing of a kind, for every open symptom of pods that were not started for want of it.
func (x *exam) lacks(kind string) []lack {
	var out []lack
	for _, s := range x.open(waiting, notStarted) {
		if s.pod() == nil || pullReasons[s.reason] {
			continue
		}
		out = append(out, x.lacksOf(kind, s)...)
	}
	return out
}

func (x *exam) lacksOf(kind string, s *symptom) []lack {
	said := x.absenceSaid(kind, s)
	var out []lack
	for _, u := range podUses(s.work.namespace(), &s.pod().Spec) {
		if u.ref.Kind != kind || u.optional || u.pull {
			continue
		}
		evidence, named := x.said(u, said)
		if !named && !x.lacking(u) {
			continue
		}
		if slices.ContainsFunc(out, func(l lack) bool { return l.ref == u.ref && l.key == u.key }) {
			continue
		}
		out = append(out, lack{use: u, symptom: s, evidence: append(evidence, field(s.work.ref, "spec.template.spec."+u.path, refersTo(u)))})
	}
	return out
}

func refersTo(u use) string {
	if u.key == "" {
		return u.ref.Name
	}
	return "{name: " + u.ref.Name + ", key: " + u.key + "}"
}

// absence is one message of the kubelet about something that is not there.
type absence struct {
	name, key string
	evidence  []Evidence
}

// absenceSaid collects what events and statuses say of objects of a kind that are not there, the last word first.
func (x *exam) absenceSaid(kind string, s *symptom) []absence {
	var out []absence
	add := func(text string, evidence ...Evidence) {
		if a, ok := readAbsence(kind, text); ok {
			a.evidence = evidence
			out = append(out, a)
		}
	}
	for _, p := range s.pods {
		for _, c := range statuses(p) {
			if w := c.State.Waiting; w != nil && w.Message != "" {
				add(w.Message, x.waitingEvidence(p, &c)...)
			}
		}
		for _, e := range slices.Backward(x.events[podRef(p)]) {
			if e.Warning {
				add(e.Message, event(e))
			}
		}
	}
	return out
}

// readAbsence reads the object and the entry that a message says are not there.
func readAbsence(kind, text string) (absence, bool) {
	re := absenceMessages[kind]
	if re == nil {
		return absence{}, false
	}
	m := re.FindStringSubmatch(text)
	if m == nil {
		return absence{}, false
	}
	group := func(name string) string { return m[re.SubexpIndex(name)] }
	return absence{
		name: cmp.Or(group("name"), lastPart(group("path"))),
		key:  cmp.Or(group("key"), group("key2")),
	}, true
}

func (x *exam) waitingEvidence(p *corev1.Pod, c *corev1.ContainerStatus) []Evidence {
	path := "status.containerStatuses[" + c.Name + "].state.waiting."
	return []Evidence{field(podRef(p), path+"message", c.State.Waiting.Message), field(podRef(p), path+"reason", c.State.Waiting.Reason)}
}

// said finds the message that is about a reference.
func (x *exam) said(u use, list []absence) ([]Evidence, bool) {
	for _, a := range list {
		if a.key != "" && a.key != u.key || a.key == "" && u.key != "" && a.name != u.ref.Name {
			continue
		}
		if a.name != "" && a.name != u.ref.Name {
			continue
		}
		return a.evidence, true
	}
	return nil, false
}

// lacking says that the snapshot shows that the reference leads nowhere.
func (x *exam) lacking(u use) bool {
	if u.key == "" {
		return x.absent(u.ref)
	}
	keys, known := x.keysOf(u.ref)
	return known && !slices.Contains(keys, u.key)
}

// keysOf returns the entries of a ConfigMap or Secret, and whether they are known.
func (x *exam) keysOf(r cluster.Ref) ([]string, bool) {
	switch o := x.objects[r].(type) {
	case *corev1.ConfigMap:
		var keys []string
		for k := range o.Data {
			keys = append(keys, k)
		}
		for k := range o.BinaryData {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		return keys, true
	case *cluster.Secret:
		return o.Keys, o.Keys != nil
	}
	return nil, false
}
