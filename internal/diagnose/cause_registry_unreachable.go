package diagnose

var registryUnreachable = cause{
	id: "RegistryUnreachable", severity: High,
	check: func(x *exam) {
		for _, p := range x.pulls() {
			switch kind := pullKind(p); {
			case kind == "TLSCertExpired":
				f := x.registryFault(p, "RegistryUnreachable")
				f.Cause = kind
				x.add(f)
			case kind == "RegistryUnreachable", kind == "" && p.message != "" && len(p.evidence) > 2:
				x.add(x.registryFault(p, "RegistryUnreachable"))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"RegistryUnreachable.message": "The registry of image %[1]s (container %[2]s of %[3]s) cannot be reached from the node or does not answer properly",
			"RegistryUnreachable.fix":     "See why the node does not reach the registry of %[1]s: its name, the network, a proxy, its certificate. There is nothing to change in the workload.",
		},
		french: map[string]string{
			"RegistryUnreachable.message": "Le registre de l'image %[1]s (conteneur %[2]s de %[3]s) n'est pas joignable depuis le nœud ou ne répond pas correctement",
			"RegistryUnreachable.fix":     "Cherchez pourquoi le nœud n'atteint pas le registre de %[1]s : son nom, le réseau, un mandataire, son certificat. Il n'y a rien à changer dans la charge.",
		},
	},
}

func (x *exam) registryFault(p pull, id CauseID) Finding {
	return Finding{
		Cause: id, Object: p.work.ref, Evidence: p.evidence, links: links{explains: []*symptom{p.symptom}},
		Message: x.say(string(id)+".message", p.image, p.container, p.work.ref.String()),
		Fix:     x.say(string(id)+".fix", p.image),
	}
}
