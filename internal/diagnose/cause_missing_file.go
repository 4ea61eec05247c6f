package diagnose

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
