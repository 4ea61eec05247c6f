package diagnose

import (
	corev1 "k8s.io/api/core/v1"
)

var topologySpread = cause{
	id: "TopologySpread", severity: High,
	check: func(x *exam) {
		for _, p := range x.placements() {
			if p.decisive == obstacleSpread {
				x.add(x.unspread(&p))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"TopologySpread.message": "The spread constraint of %[1]s over %[2]s (at most %[3]s apart) cannot be met: no node is left in the domains that are behind",
			"TopologySpread.fix":     "Give the domains of %[1]s that are behind a node that can take pods, or relax the constraint (whenUnsatisfiable: ScheduleAnyway, a larger maxSkew).",
		},
		french: map[string]string{
			"TopologySpread.message": "La contrainte de répartition de %[1]s sur %[2]s (au plus %[3]s d'écart) ne peut être tenue : aucun nœud ne reste dans les domaines en retard",
			"TopologySpread.fix":     "Donnez aux domaines de %[1]s qui sont en retard un nœud qui accepte des pods, ou assouplissez la contrainte (whenUnsatisfiable: ScheduleAnyway, un maxSkew plus grand).",
		},
	},
}

func (x *exam) unspread(p *placement) Finding {
	w := p.symptom.work
	f := x.unplaced("TopologySpread", w.ref, p)
	key, skew := "", ""
	for _, c := range p.pod.Spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		if key == "" {
			key, skew = c.TopologyKey, number(c.MaxSkew)
		}
		path := "spec.template.spec.topologySpreadConstraints[" + c.TopologyKey + "]"
		f.Evidence = append(f.Evidence,
			field(w.ref, path+".topologyKey", c.TopologyKey),
			field(w.ref, path+".maxSkew", c.MaxSkew),
			field(w.ref, path+".whenUnsatisfiable", c.WhenUnsatisfiable))
		if c.MinDomains != nil {
			f.Evidence = append(f.Evidence, field(w.ref, path+".minDomains", *c.MinDomains))
		}
	}
	f.Message = x.say("TopologySpread.message", w.ref.String(), key, skew)
	f.Fix = x.say("TopologySpread.fix", w.ref.String())
	return f
}
