package diagnose

var crashBadConfig = cause{
	id: "CrashBadConfig", severity: High,
	check: func(x *exam) { x.refusedReloads() },
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		if s.weak() {
			return nil
		}
		f := x.fromLog("CrashBadConfig", s, h)
		f.Evidence = append(x.context(h), f.Evidence...)
		if r, evidence := x.configOf(s, h); evidence != nil {
			f.Object = r
			f.links.affects = append(f.links.affects, s.work.ref)
			f.Message = x.say("CrashBadConfig.map", s.container, s.work.ref.String(), lineWord(h), r.String())
			f.Fix = x.say("CrashBadConfig.fixMap", r.String(), s.work.ref.String())
			f.Evidence = append(evidence, f.Evidence...)
		}
		return f
	},
	texts: texts{
		english: map[string]string{
			"CrashBadConfig.message":   "Container %[1]s of %[2]s stops because it rejects its configuration: %[3]s",
			"CrashBadConfig.map":       "Container %[1]s of %[2]s stops because it rejects its configuration from %[4]s: %[3]s",
			"CrashBadConfig.reload":    "Container %[1]s of %[2]s refuses its new configuration and goes on with the former one: %[3]s",
			"CrashBadConfig.fixReload": "Correct the configuration of %[1]s as the line cited says; until then no change of it takes effect, and a restart would fail.",
			"CrashBadConfig.fix":       "Correct the configuration or the arguments of container %[1]s in %[2]s as the line cited says.",
			"CrashBadConfig.fixMap":    "Correct the line cited in %[1]s, then restart %[2]s.",
		},
		french: map[string]string{
			"CrashBadConfig.message":   "Le conteneur %[1]s de %[2]s s'arrête parce qu'il refuse sa configuration : %[3]s",
			"CrashBadConfig.map":       "Le conteneur %[1]s de %[2]s s'arrête parce qu'il refuse sa configuration de %[4]s : %[3]s",
			"CrashBadConfig.reload":    "Le conteneur %[1]s de %[2]s refuse sa nouvelle configuration et continue avec la précédente : %[3]s",
			"CrashBadConfig.fixReload": "Corrigez la configuration de %[1]s comme le dit la ligne citée ; d'ici là aucune modification ne prend effet, et un redémarrage échouerait.",
			"CrashBadConfig.fix":       "Corrigez la configuration ou les arguments du conteneur %[1]s de %[2]s comme le dit la ligne citée.",
			"CrashBadConfig.fixMap":    "Corrigez la ligne citée de %[1]s, puis redémarrez %[2]s.",
		},
	},
}
