package diagnose

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
