package diagnose

var registryRateLimited = cause{
	id: "RegistryRateLimited", severity: Medium,
	check: func(x *exam) {
		for _, p := range x.pulls() {
			if pullKind(p) == "RegistryRateLimited" {
				x.add(x.registryFault(p, "RegistryRateLimited"))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"RegistryRateLimited.message": "The registry refuses image %[1]s (container %[2]s of %[3]s) for now because too many were fetched",
			"RegistryRateLimited.fix":     "Wait for the limit to pass, or fetch %[1]s with an account or through a mirror.",
		},
		french: map[string]string{
			"RegistryRateLimited.message": "Le registre refuse pour l'instant l'image %[1]s (conteneur %[2]s de %[3]s) parce que trop ont été téléchargées",
			"RegistryRateLimited.fix":     "Attendez la fin de la limite, ou téléchargez %[1]s avec un compte ou par un miroir.",
		},
	},
}
