package diagnose

import "slices"

// The repertoire, in the order of the checks: what a status states outright comes before what must be concluded, and
// what explains a symptom keeps later checks from explaining it again.
var allCauses = causes()

// causesByID are the same by id.
var causesByID = func() map[CauseID]*cause {
	out := map[CauseID]*cause{}
	for _, c := range causes() {
		if known := out[c.id]; known == nil || known.fromLog == nil {
			out[c.id] = c
		}
	}
	return out
}()

func causes() []*cause {
	return slices.Concat(statedCauses, placementCauses, networkCauses, workloadCauses, lastCauses)
}

// statedCauses are those that the status of a pod or workload states outright.
var statedCauses = []*cause{
	&statefulSetStuckRollout, &oomKilled,
	&imageNotFound, &imagePullUnauthorized, &imageArchMismatch, &registryUnreachable, &registryRateLimited,
	&missingConfigMap, &missingSecret, &missingSecretKey, &crashBadCommand, &runAsNonRootViolation, &readOnlyFilesystem,
	&quotaExceeded, &limitRangeViolation, &podSecurityRejected, &serviceAccountMissing, &missingPriorityClass,
	&evictedEphemeralStorage, &priorityPreempted, &cronJobSuspended, &cronJobMissedSchedules, &scaledToZero, &rolloutPaused,
}

// workloadCauses are concluded from logs, probes and rollouts; the most general come last.
var workloadCauses = []*cause{
	&admissionDenied, &invalidPodSpec, &sidecarNotReady, &livenessProbeTooAggressive, &readinessProbeWrong,
	&initContainerFailing, &jobDeadline, &jobBackoffLimit, &badRolloutNewVersionCrash,
	&crashMissingEnv, &crashDependencyRefused, &crashBadConfig, &crashPermissionDenied, &diskFullInContainer,
	&crashOutOfMemory, &crashPortInUse, &crashMissingFile, &migrationFailed, &crashApplicationError,
	&readinessProbeFailing, &deploymentProgressDeadline,
}
