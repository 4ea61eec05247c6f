package diagnose

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
