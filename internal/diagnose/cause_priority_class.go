package diagnose

import "regexp"

var priorityAbsent = regexp.MustCompile(`no PriorityClass with name (\S+) was found`)

var missingPriorityClass = cause{
	id: "MissingPriorityClass", severity: High,
	check: func(x *exam) {
		for _, r := range x.denials() {
			if m := priorityAbsent.FindStringSubmatch(r.message); m != nil {
				at := ref("PriorityClass", "", m[1])
				f := x.refused(r, "MissingPriorityClass", at)
				f.Absent = true
				f.Message = x.say("MissingPriorityClass.message", m[1], r.work.ref.String())
				f.Fix = x.say("MissingPriorityClass.fix", m[1], r.work.ref.String())
				x.add(f)
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"MissingPriorityClass.message": "PriorityClass %[1]s, which %[2]s names, does not exist",
			"MissingPriorityClass.fix":     "Create PriorityClass %[1]s or correct priorityClassName in %[2]s.",
		},
		french: map[string]string{
			"MissingPriorityClass.message": "La PriorityClass %[1]s, que %[2]s désigne, n'existe pas",
			"MissingPriorityClass.fix":     "Créez la PriorityClass %[1]s ou corrigez priorityClassName dans %[2]s.",
		},
	},
}
