package diagnose

// crashApplicationError explains what is still open from the logs. Its own id is for programs that fail in words that name no cause
// which anybody outside could know.
var crashApplicationError = cause{
	id: "CrashApplicationError", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(crashing, unready, restarted, complaining) {
			x.explainByLog(s)
		}
	},
	texts: texts{
		english: map[string]string{
			"CrashApplicationError.message": "Container %[1]s of %[2]s fails by itself: %[3]s",
			"CrashApplicationError.fix":     "The process ends with an error of its own; its developers have to look at the lines cited. No safe operation is known.",
		},
		french: map[string]string{
			"CrashApplicationError.message": "Le conteneur %[1]s de %[2]s échoue de lui-même : %[3]s",
			"CrashApplicationError.fix":     "Le processus se termine sur une erreur qui lui est propre ; ses développeurs doivent regarder les lignes citées. Aucune opération sûre n'est connue.",
		},
	},
}

// explainByLog adds the finding of the best signature in the logs of a symptom. A symptom of something that runs is
// not explained by words that name no cause.
func (x *exam) explainByLog(s *symptom) {
	hits := x.hitsOf(s)
	for {
		h, ok := best(hits)
		if !ok || h.sig.rank <= likely && s.kind != crashing && s.kind != restarted {
			return
		}
		if f := x.findingFromLog(s, h); f != nil {
			x.add(*f)
			return
		}
		hits = without(hits, h)
	}
}

func without(hits []hit, drop hit) []hit {
	var out []hit
	for _, h := range hits {
		if h.sig != drop.sig || h.no != drop.no || h.log != drop.log {
			out = append(out, h)
		}
	}
	return out
}

func (x *exam) findingFromLog(s *symptom, h hit) *Finding {
	c := x.causeOf(h.sig.cause)
	if c == nil {
		return nil
	}
	if c.fromLog != nil {
		return c.fromLog(x, s, h)
	}
	return x.fromLog(c.id, s, h)
}

// fromLog is the plain finding of a log line: at the workload, resting on the line and on how the container ended,
// needing whatever the line says was called.
func (x *exam) fromLog(id CauseID, s *symptom, h hit) *Finding {
	f := Finding{
		Cause: id, Object: s.work.ref, Evidence: append([]Evidence{h.evidence()}, x.ending(s)...),
		Message: x.say(string(id)+".message", s.container, s.work.ref.String(), lineWord(h)),
		Fix:     x.say(string(id)+".fix", s.container, s.work.ref.String(), lineWord(h)),
		links:   links{explains: []*symptom{s}, weak: s.weak()},
	}
	if h.sig.rank == dependency {
		f.links.needs = x.peers(s.work, h)
	}
	x.wantCalled(s.work, h)
	return &f
}

// lineWord is what a line says in short: the named value of its signature, or the matched text.
func lineWord(h hit) string {
	for _, name := range []string{"value", "name", "file", "peer"} {
		if v := h.vars[name]; v != "" {
			return v
		}
	}
	return h.text[h.focus:]
}
