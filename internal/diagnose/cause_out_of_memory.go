package diagnose

var crashOutOfMemory = cause{
	id: "CrashOutOfMemory", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.fromLog("CrashOutOfMemory", s, h)
		if limit, ok := memoryLimit(s.spec()); ok {
			f.Evidence = append(f.Evidence, x.containerField(s, "resources.limits.memory", limit.String()))
		}
		f.Evidence = append(f.Evidence, x.memorySettings(s)...)
		return f
	},
	texts: texts{
		english: map[string]string{
			"CrashOutOfMemory.message": "The process of container %[1]s in %[2]s runs out of the memory that it allows itself: %[3]s",
			"CrashOutOfMemory.fix":     "Raise the heap of container %[1]s in %[2]s (and its memory limit with it), or find out what fills it.",
		},
		french: map[string]string{
			"CrashOutOfMemory.message": "Le processus du conteneur %[1]s de %[2]s épuise la mémoire qu'il s'accorde : %[3]s",
			"CrashOutOfMemory.fix":     "Augmentez le tas du conteneur %[1]s de %[2]s (et sa limite mémoire avec lui), ou cherchez ce qui le remplit.",
		},
	},
}
