package v1alpha1

// Planned says whether a change has been turned into effects that can be shown.
const (
	// ConditionPlanned is True while status.plan is the plan for the live objects.
	ConditionPlanned = "Planned"

	// PlannedPlanned surfaces when the plan is stored and shown.
	PlannedPlanned = "Planned"
	// PlannedInvalid surfaces (False) when the change cannot be made as it is written; the message says what to write.
	PlannedInvalid = "Invalid"
	// PlannedTargetNotFound surfaces (False) when an object of the change does not exist.
	PlannedTargetNotFound = "TargetNotFound"
	// PlannedPlannerForbidden surfaces (False) when eclusier-planner may not read or dry-run what is needed.
	PlannedPlannerForbidden = "PlannerForbidden"
	// PlannedManagedByGitOps surfaces (False) when Argo CD or Flux would revert the change and spec.delivery is Auto.
	PlannedManagedByGitOps = "ManagedByGitOps"
	// PlannedNothingToDo surfaces (True) when the objects are already as the change wants them.
	PlannedNothingToDo = "NothingToDo"
	// PlannedClusterUnavailable surfaces (Unknown) when the API server did not answer in time.
	PlannedClusterUnavailable = "ClusterUnavailable"
	// PlannedInternalError surfaces (Unknown, then False) when eclusier itself failed at making the plan; its log says why.
	PlannedInternalError = "InternalError"
)

// Approved says whether the plan may be applied.
const (
	// ConditionApproved is True once policy and people agree to the current plan.
	ConditionApproved = "Approved"

	// ApprovedAllowed surfaces when policy asks for nobody's consent.
	ApprovedAllowed = "AllowedByPolicy"
	// ApprovedGranted surfaces when enough people agreed.
	ApprovedGranted = "Granted"
	// ApprovedAwaitingApproval surfaces (Unknown) while people are asked; status.approveWith is the command.
	ApprovedAwaitingApproval = "AwaitingApproval"
	// ApprovedAwaitingWindow surfaces (Unknown) while the change waits for a window, a freeze to end, or spec.notBefore.
	ApprovedAwaitingWindow = "AwaitingWindow"
	// ApprovedDenied surfaces (False) when a policy forbids the change.
	ApprovedDenied = "DeniedByPolicy"
	// ApprovedRejected surfaces (False) when a person said no.
	ApprovedRejected = "Rejected"
	// ApprovedExpired surfaces (False) when consent was not given, or not used, in time.
	ApprovedExpired = "Expired"
	// ApprovedIdentityGuardMissing surfaces (Unknown) when the admission policies that vouch for identities are missing
	// or weaker than they should be: nothing is applied until they are back.
	ApprovedIdentityGuardMissing = "IdentityGuardMissing"
)

// Applied says whether the plan has been carried out.
const (
	// ConditionApplied is True once every operation has had its effect.
	ConditionApplied = "Applied"

	// AppliedApplied surfaces when every operation has had its effect.
	AppliedApplied = "Applied"
	// AppliedApplying surfaces (Unknown) while an attempt is open.
	AppliedApplying = "Applying"
	// AppliedAwaitingTurn surfaces (Unknown) while another change is at work on one of the objects.
	AppliedAwaitingTurn = "AwaitingTurn"
	// AppliedFailed surfaces (False) when an operation failed; the ones before it have had their effect.
	AppliedFailed = "ApplyFailed"
	// AppliedApplierForbidden surfaces (False) when the service account may not do what was approved.
	AppliedApplierForbidden = "ApplierForbidden"
	// AppliedInterrupted surfaces (Unknown) while an attempt that was cut off is being inspected, and where that does not
	// tell what it did.
	AppliedInterrupted = "Interrupted"
)

// For a change, Verified says whether it did what it was to do.
const (
	// VerifiedVerified surfaces when every check holds.
	VerifiedVerified = "Verified"
	// VerifiedVerifying surfaces (Unknown) while checks are being made.
	VerifiedVerifying = "Verifying"
	// VerifiedFailed surfaces (False) when a check does not hold.
	VerifiedFailed = "VerifyFailed"
	// VerifiedInconclusive surfaces (Unknown) when a check could not be asked: a person decides.
	VerifiedInconclusive = "VerifyInconclusive"
	// VerifiedAccepted surfaces (True) when a person accepted a result that could not be verified.
	VerifiedAccepted = "AcceptedByPerson"
)

// RolledBack says whether a failed change was undone. It is present only once there was something to undo.
const (
	// ConditionRolledBack is True once everything is as it was.
	ConditionRolledBack = "RolledBack"

	// RolledBackRolledBack surfaces when everything is as it was.
	RolledBackRolledBack = "RolledBack"
	// RolledBackRollingBack surfaces (Unknown) while it is being undone.
	RolledBackRollingBack = "RollingBack"
	// RolledBackFailed surfaces (False) when not everything could be undone: a person has to look.
	RolledBackFailed = "RollbackFailed"
)

// Reasons of Succeeded that only changes have; their other reasons are those of the condition that decided.
const (
	// SucceededApplied surfaces (True) when the change was applied and verified.
	SucceededApplied = "ChangeSucceeded"
	// SucceededDryRun surfaces (True) when spec.dryRun wanted a plan and nothing more.
	SucceededDryRun = "DryRunPlanned"
	// SucceededDrifted surfaces (Unknown) while a new plan is made because live objects changed, and (False) when they
	// changed under every plan.
	SucceededDrifted = "Drifted"
)

// Drifted (abnormal-true) says that the live objects changed since the plan was approved, so that people are asked again.
const (
	// ConditionDrifted is True from the moment another digest was seen until the new plan is decided.
	ConditionDrifted = "Drifted"

	// DriftedPlanChanged surfaces when planning again gave another digest.
	DriftedPlanChanged = "PlanChanged"
	// DriftedTargetChanged surfaces when the change cannot be planned any more on the objects as they are now.
	DriftedTargetChanged = "TargetChanged"
	// DriftedStoredPlanUnusable surfaces when the stored plan is gone, damaged or not the one that was shown.
	DriftedStoredPlanUnusable = "StoredPlanUnusable"
)

// Granted is the root condition of an Approval.
const (
	// ConditionGranted is True once the decision counts towards the change.
	ConditionGranted = "Granted"

	// GrantedPending surfaces (Unknown) while nobody has decided.
	GrantedPending = "Pending"
	// GrantedApproved surfaces when the decision counts.
	GrantedApproved = "Approved"
	// GrantedConsumed surfaces (True) when the approval was used by an attempt to apply.
	GrantedConsumed = "Consumed"
	// GrantedRejected surfaces (False) when a person said no.
	GrantedRejected = "Rejected"
	// GrantedExpired surfaces (False) when spec.expiresAt passed first.
	GrantedExpired = "Expired"
	// GrantedSuperseded surfaces (False) when there is a newer plan, or the change it was about is gone.
	GrantedSuperseded = "Superseded"
	// GrantedDuplicatePerson surfaces (False) when the same person has decided another slot of the plan.
	GrantedDuplicatePerson = "DuplicatePerson"
	// GrantedNotAllowed surfaces (False) when the one who decided may not approve this class here (any more).
	GrantedNotAllowed = "NotAllowed"
	// GrantedOwnRequest surfaces (False) when the one who decided asked for the change.
	GrantedOwnRequest = "OwnRequest"
)

// Ready is the root condition of a ChangePolicy.
const (
	// ConditionReady is True once the policy can be used.
	ConditionReady = "Ready"

	// ReadyReady surfaces when the policy can be used.
	ReadyReady = "Ready"
	// ReadyInvalid surfaces (False) when a schedule, time zone or selector cannot be read: every change that the policy
	// fits is denied until it is corrected.
	ReadyInvalid = "Invalid"
)
