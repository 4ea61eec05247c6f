package diagnose

var crashDependencyRefused = cause{
	id: "CrashDependencyRefused", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		if h.sig == &gatewayLine {
			if f := x.blockedCall(s, h); f != nil {
				return f
			}
		}
		return x.dependencyFault(s, h)
	},
	texts: texts{
		english: map[string]string{
			"CrashDependencyRefused.message": "Container %[1]s of %[2]s does not work because %[3]s refuses its connections or does not answer",
			"CrashDependencyRefused.unnamed": "Container %[1]s of %[2]s does not work because something that it calls does not answer: %[3]s",
			"CrashDependencyRefused.fix":     "See why %[1]s does not accept connections; %[2]s recovers once it does. There is nothing to change in the workload itself.",
		},
		french: map[string]string{
			"CrashDependencyRefused.message": "Le conteneur %[1]s de %[2]s ne fonctionne pas parce que %[3]s refuse ses connexions ou ne répond pas",
			"CrashDependencyRefused.unnamed": "Le conteneur %[1]s de %[2]s ne fonctionne pas parce que ce qu'il appelle ne répond pas : %[3]s",
			"CrashDependencyRefused.fix":     "Cherchez pourquoi %[1]s n'accepte pas les connexions ; %[2]s se rétablira ensuite. Il n'y a rien à changer dans la charge elle-même.",
		},
	},
}

// dependencyFault says that a workload fails since what it calls does not answer. It needs whatever the line names.
func (x *exam) dependencyFault(s *symptom, h hit) *Finding {
	const id = "CrashDependencyRefused"
	f := x.fromLog(id, s, h)
	f.links.echo = h.sig == &gatewayLine && s.kind == complaining
	f.links.needs = x.peers(s.work, h)
	named := peersNamed(h)
	called := ""
	if len(named) > 0 {
		called = named[0].address()
	}
	for _, r := range f.links.needs {
		called = r.String()
		if w := x.idleBehind(r); w != nil {
			f.Evidence = append(f.Evidence, x.scaledBy(w)...)
		}
	}
	for _, p := range named {
		f.Evidence = append(f.Evidence, x.configuredBy(s, p.host)...)
	}
	f.Message = x.say(id+".message", s.container, s.work.ref.String(), called)
	if called == "" {
		called = lineWord(h)
		f.Message = x.say(id+".unnamed", s.container, s.work.ref.String(), called)
	}
	f.Fix = x.say(id+".fix", called, s.work.ref.String())
	return f
}
