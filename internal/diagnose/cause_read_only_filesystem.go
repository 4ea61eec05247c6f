package diagnose

import "strings"

var readOnlyFilesystem = cause{
	id: "ReadOnlyFilesystem", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(crashing, waiting) {
			if message, evidence := x.startFailure(s); strings.Contains(message, "read-only file system") {
				x.add(Finding{
					Cause: "ReadOnlyFilesystem", Object: s.work.ref, Evidence: evidence, links: links{explains: []*symptom{s}},
					Message: x.say("ReadOnlyFilesystem.message", s.container, s.work.ref.String(), message),
					Fix:     x.say("ReadOnlyFilesystem.fix", s.container, s.work.ref.String()),
				})
			}
		}
	},
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.fromLog("ReadOnlyFilesystem", s, h)
		f.Evidence = append(f.Evidence, x.securityFields(s, h)...)
		return f
	},
	texts: texts{
		english: map[string]string{
			"ReadOnlyFilesystem.message": "The process of container %[1]s in %[2]s writes where the file system is read-only: %[3]s",
			"ReadOnlyFilesystem.fix":     "Mount an emptyDir or a volume for container %[1]s of %[2]s where it writes, or tell it to write elsewhere; the root file system may stay read-only.",
		},
		french: map[string]string{
			"ReadOnlyFilesystem.message": "Le processus du conteneur %[1]s de %[2]s écrit là où le système de fichiers est en lecture seule : %[3]s",
			"ReadOnlyFilesystem.fix":     "Montez un emptyDir ou un volume pour le conteneur %[1]s de %[2]s là où il écrit, ou faites-le écrire ailleurs ; le système de fichiers racine peut rester en lecture seule.",
		},
	},
}
