package diagnose

var expiredToken = cause{
	id: "ExpiredToken", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		if s.kind == complaining && h.level < levelError && h.level != levelUnknown {
			// A server that warns of its callers' old tokens does its work.
			return nil
		}
		return x.credentialFault("ExpiredToken", s, s, h)
	},
	texts: texts{
		english: map[string]string{
			"ExpiredToken.message": "A token that %[1]s uses has expired: %[2]s",
			"ExpiredToken.secret":  "The token that %[1]s takes from %[3]s has expired: %[2]s",
			"ExpiredToken.fix":     "Have a new token issued, put it into %[1]s and let %[2]s take it. No operation can issue a token.",
		},
		french: map[string]string{
			"ExpiredToken.message": "Un jeton utilisé par %[1]s a expiré : %[2]s",
			"ExpiredToken.secret":  "Le jeton que %[1]s prend dans %[3]s a expiré : %[2]s",
			"ExpiredToken.fix":     "Faites émettre un nouveau jeton, mettez-le dans %[1]s et laissez %[2]s le prendre. Aucune opération ne peut émettre un jeton.",
		},
	},
}
