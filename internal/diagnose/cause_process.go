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

var crashPortInUse = cause{
	id: "CrashPortInUse", severity: High,
	texts: texts{
		english: map[string]string{
			"CrashPortInUse.message": "The process of container %[1]s in %[2]s cannot listen because its port is taken in the pod: %[3]s",
			"CrashPortInUse.fix":     "Give container %[1]s of %[2]s a port that no other container of the pod (or process on a host network) listens on.",
		},
		french: map[string]string{
			"CrashPortInUse.message": "Le processus du conteneur %[1]s de %[2]s ne peut pas écouter parce que son port est pris dans le pod : %[3]s",
			"CrashPortInUse.fix":     "Donnez au conteneur %[1]s de %[2]s un port où aucun autre conteneur du pod (ni processus du réseau de l'hôte) n'écoute.",
		},
	},
}

var crashMissingFile = cause{
	id: "CrashMissingFile", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		if s.weak() {
			return nil
		}
		return x.fromLog("CrashMissingFile", s, h)
	},
	texts: texts{
		english: map[string]string{
			"CrashMissingFile.message": "The process of container %[1]s in %[2]s stops because a file that it needs is not there: %[3]s",
			"CrashMissingFile.fix":     "Provide the file to container %[1]s of %[2]s (its image or a mount), or correct the path it is told.",
		},
		french: map[string]string{
			"CrashMissingFile.message": "Le processus du conteneur %[1]s de %[2]s s'arrête parce qu'un fichier dont il a besoin manque : %[3]s",
			"CrashMissingFile.fix":     "Fournissez le fichier au conteneur %[1]s de %[2]s (son image ou un montage), ou corrigez le chemin qui lui est donné.",
		},
	},
}

var migrationFailed = cause{
	id: "MigrationFailed", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.fromLog("MigrationFailed", s, h)
		f.Evidence = append(f.Evidence, x.context(h)...)
		return f
	},
	texts: texts{
		english: map[string]string{
			"MigrationFailed.message": "A database migration of container %[1]s in %[2]s fails: %[3]s",
			"MigrationFailed.fix":     "Correct the migration or the data it stumbles over; %[2]s goes on once it succeeds. Data are never changed from here.",
		},
		french: map[string]string{
			"MigrationFailed.message": "Une migration de base de données du conteneur %[1]s de %[2]s échoue : %[3]s",
			"MigrationFailed.fix":     "Corrigez la migration ou les données sur lesquelles elle échoue ; %[2]s reprendra ensuite. Aucune donnée n'est modifiée d'ici.",
		},
	},
}
