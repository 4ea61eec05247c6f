package diagnose

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

var badRolloutNewVersionCrash = cause{
	id: "BadRolloutNewVersionCrash", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(crashing) {
			if r := x.rollbackOf(s); r != nil && containerChanged(s, r.spec) && !x.workedLong(s, r) && !x.namedByLog(s) {
				x.add(x.badRollout(s, r))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"BadRolloutNewVersionCrash.message":    "The new revision %[3]s of %[2]s crashes by itself: %[1]s",
			"BadRolloutNewVersionCrash.fix":        "Go back to revision %[2]s of %[1]s, which ran %[3]s, until the new version is repaired.",
			"BadRolloutNewVersionCrash.unknown":    "container %[1]s ends and its log does not say why",
			"BadRolloutNewVersionCrash.signal":     "the process of container %[1]s is ended by signal %[2]s",
			"BadRolloutNewVersionCrash.unnumbered": "The new revision of %[2]s crashes by itself: %[1]s",
			"BadRolloutNewVersionCrash.fixImage":   "Go back to the former revision of %[1]s, which ran %[2]s, until the new version is repaired.",
		},
		french: map[string]string{
			"BadRolloutNewVersionCrash.message":    "La nouvelle révision %[3]s de %[2]s plante d'elle-même : %[1]s",
			"BadRolloutNewVersionCrash.fix":        "Revenez à la révision %[2]s de %[1]s, qui utilisait %[3]s, en attendant que la nouvelle version soit réparée.",
			"BadRolloutNewVersionCrash.unknown":    "le conteneur %[1]s s'arrête et son journal ne dit pas pourquoi",
			"BadRolloutNewVersionCrash.signal":     "le processus du conteneur %[1]s est arrêté par le signal %[2]s",
			"BadRolloutNewVersionCrash.unnumbered": "La nouvelle révision de %[2]s plante d'elle-même : %[1]s",
			"BadRolloutNewVersionCrash.fixImage":   "Revenez à la révision précédente de %[1]s, qui utilisait %[2]s, en attendant que la nouvelle version soit réparée.",
		},
	},
}

// containerChanged says that the container of a symptom has another image, command or arguments than in the former
// revision.
func containerChanged(s *symptom, former *corev1.PodSpec) bool {
	c, now := containerOf(former, s.container), s.spec()
	return c == nil || now == nil || c.Image != now.Image || !slices.Equal(c.Args, now.Args) || !slices.Equal(c.Command, now.Command)
}

// namedByLog says that the log names a cause of its own, which says more than that the revision is new.
func (x *exam) namedByLog(s *symptom) bool {
	hits := x.hitsOf(s)
	for {
		h, ok := best(hits)
		if !ok || h.sig.rank <= likely {
			return false
		}
		if x.findingFromLog(s, h) != nil {
			return true
		}
		hits = without(hits, h)
	}
}

func (x *exam) badRollout(s *symptom, r *rollback) Finding {
	f := Finding{
		Cause: "BadRolloutNewVersionCrash", Object: s.work.ref, links: links{explains: x.alsoStalled(s)},
		Operation: undoOperation(s.work.ref, r.former),
	}
	word := x.crashWord(s, &f)
	f.Message = x.say("BadRolloutNewVersionCrash.message", word, s.work.ref.String(), number(r.newest))
	image := ""
	if c := containerOf(r.spec, s.container); c != nil {
		image = c.Image
	}
	f.Fix = x.say("BadRolloutNewVersionCrash.fix", s.work.ref.String(), number(r.former), image)
	if r.former == 0 {
		f.Message = x.say("BadRolloutNewVersionCrash.unnumbered", word, s.work.ref.String())
		f.Fix = x.say("BadRolloutNewVersionCrash.fixImage", s.work.ref.String(), image)
	}
	f.Evidence = append(f.Evidence, x.ending(s)...)
	if c := s.spec(); c != nil {
		f.Evidence = append(f.Evidence, x.containerField(s, "image", c.Image))
	}
	f.Evidence = append(f.Evidence, r.evidence...)
	f.Evidence = append(f.Evidence, x.rolloutConditions(s.work)...)
	return f
}

// crashWord says how the process of a symptom fails, and adds to a finding what shows it.
func (x *exam) crashWord(s *symptom, f *Finding) string {
	h, ok := best(x.hitsOf(s))
	if !ok {
		x.wantLogs(s.pod(), s.container, true)
		f.Evidence = append(f.Evidence, x.lastWords(s)...)
		if signal := s.crashSignal(); signal != "" {
			return x.say("BadRolloutNewVersionCrash.signal", s.container, signal)
		}
		return x.say("BadRolloutNewVersionCrash.unknown", s.container)
	}
	f.Evidence = append(f.Evidence, x.context(h)...)
	if list := x.lines(h.log); len(list) > 0 && list[0].no != h.no {
		f.Evidence = append(f.Evidence, list[0].cite(0))
	}
	if signal := s.crashSignal(); signal != "" {
		f.Evidence = append(f.Evidence, x.lastWords(s)...)
		return x.say("BadRolloutNewVersionCrash.signal", s.container, signal)
	}
	return lineWord(h)
}
