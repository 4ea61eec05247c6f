package diagnose

import "regexp"

var limitRangeMessage = regexp.MustCompile(`(?:maximum|minimum) [\w./-]+ usage per (?:Container|Pod|PersistentVolumeClaim) is [^,]+(?:, but (?:limit|request) is \S+|\.\s+No (?:limit|request) is specified)|max limit to request ratio per (?:Container|Pod) is [^,]+, but (?:provided ratio is \S+|no \w+ is specified)`)

var limitRangeViolation = cause{
	id: "LimitRangeViolation", severity: High,
	check: func(x *exam) {
		for _, r := range x.denials() {
			word := limitRangeMessage.FindString(r.message)
			if word == "" {
				continue
			}
			f := x.refused(r, "LimitRangeViolation", r.work.ref)
			f.Message = x.say("LimitRangeViolation.message", r.work.ref.String(), word)
			f.Fix = x.say("LimitRangeViolation.fix", r.work.ref.String(), word)
			for _, name := range x.namesOf("LimitRange", r.work.namespace()) {
				f.links.affects = append(f.links.affects, ref("LimitRange", r.work.namespace(), name))
			}
			for i := range r.work.template.Spec.Containers {
				c := &r.work.template.Spec.Containers[i]
				s := &symptom{work: r.work, container: c.Name}
				for name, q := range c.Resources.Limits {
					f.Evidence = append(f.Evidence, x.containerField(s, "resources.limits."+escapeDots(string(name)), q.String()))
				}
				for name, q := range c.Resources.Requests {
					f.Evidence = append(f.Evidence, x.containerField(s, "resources.requests."+escapeDots(string(name)), q.String()))
				}
			}
			x.add(f)
		}
	},
	texts: texts{
		english: map[string]string{
			"LimitRangeViolation.message": "The pods of %[1]s are outside the bounds of the namespace's LimitRange: %[2]s",
			"LimitRangeViolation.fix":     "Bring the requests and limits of %[1]s within the bounds, or have the LimitRange changed by whoever owns it.",
		},
		french: map[string]string{
			"LimitRangeViolation.message": "Les pods de %[1]s sont hors des bornes de la LimitRange de l'espace de noms : %[2]s",
			"LimitRangeViolation.fix":     "Ramenez les requêtes et limites de %[1]s dans les bornes, ou faites changer la LimitRange par son responsable.",
		},
	},
}
