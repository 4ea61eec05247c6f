package diagnose

import batchv1 "k8s.io/api/batch/v1"

var jobDeadline = cause{
	id: "JobDeadline", severity: Medium,
	check: func(x *exam) {
		for _, s := range x.open(jobFailed) {
			if s.reason == batchv1.JobReasonDeadlineExceeded {
				f := x.jobFault(s, "JobDeadline")
				if j, ok := s.work.meta.(*batchv1.Job); ok && j.Spec.ActiveDeadlineSeconds != nil {
					f.Evidence = append(f.Evidence, field(s.work.ref, "spec.activeDeadlineSeconds", *j.Spec.ActiveDeadlineSeconds))
					f.Message = x.say("JobDeadline.message", s.work.ref.String(), number(*j.Spec.ActiveDeadlineSeconds))
				}
				x.add(f)
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"JobDeadline.message": "%[1]s was stopped because it ran longer than its activeDeadlineSeconds of %[2]s",
			"JobDeadline.fix":     "Give %[1]s a longer activeDeadlineSeconds or make it faster, then run it again. A Job cannot be changed once it has failed.",
		},
		french: map[string]string{
			"JobDeadline.message": "%[1]s a été arrêté parce qu'il a duré plus que ses activeDeadlineSeconds de %[2]s",
			"JobDeadline.fix":     "Donnez à %[1]s des activeDeadlineSeconds plus longs ou rendez-le plus rapide, puis relancez-le. Un Job ne peut plus être changé après son échec.",
		},
	},
}
