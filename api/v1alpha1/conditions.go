package v1alpha1

// The reason of an Event is the reason of the condition it announces. A message is one redacted sentence that says what
// to do next where a person must act, and does not change from pass to pass while nothing else does.

// Accepted says whether the task can be worked on as it is written.
const (
	// ConditionAccepted is True once prompt, requester and service account are in order.
	ConditionAccepted = "Accepted"

	// AcceptedAccepted surfaces when the task is in order and its requester is vouched for by the API server.
	AcceptedAccepted = "Accepted"
	// AcceptedPromptEmpty surfaces (False) when the prompt holds nothing but white space.
	AcceptedPromptEmpty = "PromptEmpty"
	// AcceptedPromptTooLong surfaces (False) when the prompt is longer than MaxPromptBytes.
	AcceptedPromptTooLong = "PromptTooLong"
	// AcceptedPromptUnreadable surfaces (False) when the prompt holds bytes or control characters that are not text.
	AcceptedPromptUnreadable = "PromptUnreadable"
	// AcceptedRequesterUnknown surfaces (False) when nobody vouches for who asked: spec.requestedBy is unset, or the task
	// was created before the admission policies were last put in force.
	AcceptedRequesterUnknown = "RequesterUnknown"
	// AcceptedIdentityGuardMissing surfaces (Unknown) when the admission policies that vouch for the requester are
	// missing or weaker than they should be.
	AcceptedIdentityGuardMissing = "IdentityGuardMissing"
	// AcceptedServiceAccountNotFound surfaces (False) when the service account to read as does not exist.
	AcceptedServiceAccountNotFound = "ServiceAccountNotFound"
	// AcceptedServiceAccountNotAllowed surfaces (False) when the operator has not been granted the right to read as the
	// service account.
	AcceptedServiceAccountNotAllowed = "ServiceAccountNotAllowed"
)

// TargetResolved says whether everything that the task is about was found.
const (
	// ConditionTargetResolved is True once every target is known to exist and to be meant.
	ConditionTargetResolved = "TargetResolved"

	// TargetResolvedTargetsFound surfaces when every named target exists.
	TargetResolvedTargetsFound = "TargetsFound"
	// TargetResolvedNamespaceOnly surfaces (True) when nothing is named, so that the task is about its namespace.
	TargetResolvedNamespaceOnly = "NamespaceOnly"
	// TargetResolvedTargetNotFound surfaces (False) when a named target does not exist; the message lists near misses.
	TargetResolvedTargetNotFound = "TargetNotFound"
	// TargetResolvedTargetAmbiguous surfaces (False) when a name fits several objects; the message lists them.
	TargetResolvedTargetAmbiguous = "TargetAmbiguous"
	// TargetResolvedHostsNotSupportedYet surfaces (False) when the target is a host.
	TargetResolvedHostsNotSupportedYet = "HostsNotSupportedYet"
	// TargetResolvedReaderForbidden surfaces (False) when the service account may not look the target up.
	TargetResolvedReaderForbidden = "ReaderForbidden"
	// TargetResolvedClusterUnavailable surfaces (Unknown) when the API server did not answer in time.
	TargetResolvedClusterUnavailable = "ClusterUnavailable"
)

// Classified says whether the task is known to be a question or a wish to change something.
const (
	// ConditionClassified is True once the intent is certain enough.
	ConditionClassified = "Classified"

	// ClassifiedExplicitIntent surfaces when spec.intent says it.
	ClassifiedExplicitIntent = "ExplicitIntent"
	// ClassifiedRuleMatched surfaces when a rule recognised the prompt with a confidence of at least 0.7.
	ClassifiedRuleMatched = "RuleMatched"
	// ClassifiedClarificationNeeded surfaces (False) when the confidence is strictly below 0.7 or no rule fired.
	ClassifiedClarificationNeeded = "ClarificationNeeded"
	// ClassifiedOutOfScope surfaces (False) when the prompt is not about operations.
	ClassifiedOutOfScope = "OutOfScope"
)

// Diagnosed says whether the targets were looked at, and what came of it.
const (
	// ConditionDiagnosed is True once the diagnosis has a verdict, an inconclusive one included.
	ConditionDiagnosed = "Diagnosed"

	// DiagnosedRootCauseFound surfaces when at least one root cause is named with evidence.
	DiagnosedRootCauseFound = string(VerdictRootCauseFound)
	// DiagnosedNoFaultFound surfaces when what was looked at is healthy.
	DiagnosedNoFaultFound = string(VerdictNoFaultFound)
	// DiagnosedInconclusive surfaces when the evidence does not suffice; status.missing says what would.
	DiagnosedInconclusive = string(VerdictInconclusive)
	// DiagnosedReaderForbidden surfaces (False) when the service account may read nothing that is needed.
	DiagnosedReaderForbidden = "ReaderForbidden"
	// DiagnosedClusterUnavailable surfaces (Unknown) when the API server did not answer in time.
	DiagnosedClusterUnavailable = "ClusterUnavailable"
)

// ChangeProposed says whether a wish to change something has become a ChangeRequest.
const (
	// ConditionChangeProposed is True once status.changeRequests names it.
	ConditionChangeProposed = "ChangeProposed"

	// ChangeProposedChangeProposed surfaces when the ChangeRequest is created; whether it is applied is for policy and
	// people to say.
	ChangeProposedChangeProposed = "ChangeProposed"
	// ChangeProposedNotExpressible surfaces (False) when rules cannot turn the wish into operations; the message says why,
	// and what to write.
	ChangeProposedNotExpressible = "NotExpressible"
	// ChangeProposedNameTaken surfaces (False) when another ChangeRequest bears the name that the task's is to have.
	ChangeProposedNameTaken = "ChangeNameTaken"
	// ChangeProposedRefused surfaces (False) when the API server does not take the ChangeRequest.
	ChangeProposedRefused = "ChangeRefused"
)

// ConditionVerified is True once the answer has been judged.
const ConditionVerified = "Verified"

// Succeeded is the root condition: it sums up the others and is the one to wait for.
const (
	// ConditionSucceeded is True with an answer or a change that was made, False when the task ended without, Unknown while
	// it goes on.
	ConditionSucceeded = "Succeeded"

	// SucceededProgressing surfaces (Unknown) while the task is being worked on.
	SucceededProgressing = "Progressing"
	// SucceededSuspended surfaces (Unknown) while spec.suspend holds the task.
	SucceededSuspended = "Suspended"
	// SucceededIdentityGuardMissing surfaces (Unknown) while the admission policies are missing or too weak.
	SucceededIdentityGuardMissing = AcceptedIdentityGuardMissing
	// SucceededRootCauseFound surfaces (True) when the answer names a root cause.
	SucceededRootCauseFound = DiagnosedRootCauseFound
	// SucceededNoFaultFound surfaces (True) when the answer is that nothing is wrong.
	SucceededNoFaultFound = DiagnosedNoFaultFound
	// SucceededInconclusive surfaces (True) when the answer is an honest "not known", with what is missing.
	SucceededInconclusive = DiagnosedInconclusive
	// SucceededPromptEmpty surfaces (False) when Accepted has that reason.
	SucceededPromptEmpty = AcceptedPromptEmpty
	// SucceededPromptTooLong surfaces (False) when Accepted has that reason.
	SucceededPromptTooLong = AcceptedPromptTooLong
	// SucceededPromptUnreadable surfaces (False) when Accepted has that reason.
	SucceededPromptUnreadable = AcceptedPromptUnreadable
	// SucceededRequesterUnknown surfaces (False) when Accepted has that reason.
	SucceededRequesterUnknown = AcceptedRequesterUnknown
	// SucceededServiceAccountNotFound surfaces (False) when Accepted has that reason.
	SucceededServiceAccountNotFound = AcceptedServiceAccountNotFound
	// SucceededServiceAccountNotAllowed surfaces (False) when Accepted has that reason.
	SucceededServiceAccountNotAllowed = AcceptedServiceAccountNotAllowed
	// SucceededTargetNotFound surfaces (False) when TargetResolved has that reason.
	SucceededTargetNotFound = TargetResolvedTargetNotFound
	// SucceededTargetAmbiguous surfaces (False) when TargetResolved has that reason.
	SucceededTargetAmbiguous = TargetResolvedTargetAmbiguous
	// SucceededHostsNotSupportedYet surfaces (False) when TargetResolved has that reason.
	SucceededHostsNotSupportedYet = TargetResolvedHostsNotSupportedYet
	// SucceededReaderForbidden surfaces (False) when TargetResolved or Diagnosed has that reason.
	SucceededReaderForbidden = DiagnosedReaderForbidden
	// SucceededClarificationNeeded surfaces (False) when Classified has that reason; the message says what to write.
	SucceededClarificationNeeded = ClassifiedClarificationNeeded
	// SucceededOutOfScope surfaces (False) when Classified has that reason.
	SucceededOutOfScope = ClassifiedOutOfScope
	// SucceededNotExpressible surfaces (False) when ChangeProposed has that reason.
	SucceededNotExpressible = ChangeProposedNotExpressible
	// SucceededChangeNameTaken surfaces (False) when ChangeProposed has that reason.
	SucceededChangeNameTaken = ChangeProposedNameTaken
	// SucceededChangeRefused surfaces (False) when ChangeProposed has that reason.
	SucceededChangeRefused = ChangeProposedRefused
	// SucceededAwaitingChange surfaces (Unknown) while the task waits for the end of its ChangeRequest, however long people
	// take to agree.
	SucceededAwaitingChange = "AwaitingChange"
	// SucceededChangeDenied surfaces (False) when a policy forbids the change.
	SucceededChangeDenied = "ChangeDenied"
	// SucceededChangeRejected surfaces (False) when a person said no to the change.
	SucceededChangeRejected = "ChangeRejected"
	// SucceededChangeExpired surfaces (False) when nobody agreed to the change in time.
	SucceededChangeExpired = "ChangeExpired"
	// SucceededChangeInvalid surfaces (False) when the change cannot be planned.
	SucceededChangeInvalid = "ChangeInvalid"
	// SucceededChangeApplyFailed surfaces (False) when applying the change failed and what was done stays.
	SucceededChangeApplyFailed = "ChangeApplyFailed"
	// SucceededChangeVerifyFailed surfaces (False) when a check failed after the change and what was done stays.
	SucceededChangeVerifyFailed = "ChangeVerifyFailed"
	// SucceededChangeRolledBack surfaces (False) when the change failed and everything is as it was.
	SucceededChangeRolledBack = "ChangeRolledBack"
	// SucceededChangeRollbackFailed surfaces (False) when the change failed and could not be undone: a person has to look.
	SucceededChangeRollbackFailed = "ChangeRollbackFailed"
	// SucceededChangeGone surfaces (False) when somebody deleted the ChangeRequest before it ended.
	SucceededChangeGone = "ChangeGone"
	// SucceededCancelled surfaces (False) when spec.cancel ended the task, or that of its ChangeRequest did.
	SucceededCancelled = "Cancelled"
	// SucceededWallClockExceeded surfaces (False) when limits.wallClock ran out before there was an answer.
	SucceededWallClockExceeded = "WallClockExceeded"
	// SucceededRetriesExhausted surfaces (False) when a passing fault did not pass within the attempts.
	SucceededRetriesExhausted = "RetriesExhausted"
)

// The conditions below are abnormal-true: present only while they are True.
const (
	// ConditionRetrying says that a step failed and is tried again; its reason is the fault's, and its message reads
	// "attempt 2 of 3, next at …".
	ConditionRetrying = "Retrying"
	// ConditionCircuitOpen names the dependency that is not called for the moment, and until when.
	ConditionCircuitOpen = "CircuitOpen"
	// ConditionAwaitingInput says that a person has to answer first.
	ConditionAwaitingInput = "AwaitingInput"
	// ConditionLoopDetected says that the work was going round in circles and was stopped.
	ConditionLoopDetected = "LoopDetected"
	// ConditionDeadLettered says that the attempts are spent and the task is kept for a person.
	ConditionDeadLettered = "DeadLettered"
)

// Degraded (abnormal-true) says that the answer rests on less than it should.
const (
	// ConditionDegraded is True while status.degradation is above 0 or status.missing is not empty.
	ConditionDegraded = "Degraded"

	// DegradedEvidenceMissing surfaces when something that was wanted could not be read; status.missing says what.
	DegradedEvidenceMissing = "EvidenceMissing"
)

// BudgetExhausted (abnormal-true) says which limit ended the task.
const (
	// ConditionBudgetExhausted is True once a limit is reached.
	ConditionBudgetExhausted = "BudgetExhausted"

	// BudgetExhaustedWallClock surfaces when limits.wallClock ran out.
	BudgetExhaustedWallClock = "WallClock"
)

// Reconciling and Stalled (abnormal-true) are read by kstatus, and so by kubectl wait, Argo CD and Flux.
const (
	// ConditionReconciling is True while the task is being worked on; its reason is that of Succeeded.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is True once the task ended without an answer, or cannot go on until a person acts; its reason
	// is that of Succeeded.
	ConditionStalled = "Stalled"
)
