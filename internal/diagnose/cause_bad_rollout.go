package diagnose

import "strings"

var badRolloutNewVersionCrash = cause{
	id: "BadRolloutNewVersionCrash", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(crashing) {
			if s.ofNewRevision() && x.imageChanged(s) && !x.namedByLog(s) {
				x.add(x.badRollout(s))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"BadRolloutNewVersionCrash.message": "The new revision %[3]s of %[2]s crashes by itself: %[1]s",
			"BadRolloutNewVersionCrash.fix":     "Go back to revision %[2]s of %[1]s, which ran %[3]s, until the new version is repaired.",
			"BadRolloutNewVersionCrash.unknown": "container %[1]s ends and its log does not say why",
		},
		french: map[string]string{
			"BadRolloutNewVersionCrash.message": "La nouvelle révision %[3]s de %[2]s plante d'elle-même : %[1]s",
			"BadRolloutNewVersionCrash.fix":     "Revenez à la révision %[2]s de %[1]s, qui utilisait %[3]s, en attendant que la nouvelle version soit réparée.",
			"BadRolloutNewVersionCrash.unknown": "le conteneur %[1]s s'arrête et son journal ne dit pas pourquoi",
		},
	},
}

// imageChanged says that the container of a symptom has another image, command or variables than in the former revision.
func (x *exam) imageChanged(s *symptom) bool {
	former := s.work.formerSet()
	c := containerOf(&former.Spec.Template.Spec, s.container)
	now := s.spec()
	return c == nil || now == nil || c.Image != now.Image || strings.Join(c.Args, " ") != strings.Join(now.Args, " ") || strings.Join(c.Command, " ") != strings.Join(now.Command, " ")
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

func (x *exam) badRollout(s *symptom) Finding {
	newest, former := s.work.newestSet(), s.work.formerSet()
	word := x.say("BadRolloutNewVersionCrash.unknown", s.container)
	f := Finding{
		Cause: "BadRolloutNewVersionCrash", Object: s.work.ref, links: links{explains: x.alsoStalled(s)},
		Operation: undoOperation(s.work.ref, revision(former)),
	}
	if h, ok := best(x.hitsOf(s)); ok {
		word = lineWord(h)
		f.Evidence = append(f.Evidence, x.context(h)...)
		if list := x.lines(h.log); len(list) > 0 && list[0].no != h.no {
			f.Evidence = append(f.Evidence, list[0].cite(0))
		}
	} else {
		f.Evidence = append(f.Evidence, x.lastWords(s)...)
	}
	f.Message = x.say("BadRolloutNewVersionCrash.message", word, s.work.ref.String(), number(revision(newest)))
	image := ""
	if c := containerOf(&former.Spec.Template.Spec, s.container); c != nil {
		image = c.Image
	}
	f.Fix = x.say("BadRolloutNewVersionCrash.fix", s.work.ref.String(), number(revision(former)), image)
	f.Evidence = append(f.Evidence, x.ending(s)...)
	if c := s.spec(); c != nil {
		f.Evidence = append(f.Evidence, x.containerField(s, "image", c.Image))
	}
	f.Evidence = append(f.Evidence, field(ref("ReplicaSet", former.Namespace, former.Name), "status.readyReplicas", former.Status.ReadyReplicas))
	f.Evidence = append(f.Evidence, x.rolloutConditions(s.work)...)
	return f
}
