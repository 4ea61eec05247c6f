package diagnose

// placementCauses concern nodes, storage, scheduling, disruption, scaling and deletion. Nodes come first, since what
// happens on a sick node is explained by it; then what is said of volumes, which the scheduler repeats.
var placementCauses = []*cause{
	&nodeNotReady, &nodeDiskPressure, &nodeMemoryPressure, &nodePIDPressure,
	&pvcPending, &pvcMultiAttach, &zoneVolumeConflict,
	&topologySpread, &hostPortConflict, &unschedulableCPU, &unschedulableMemory, &unschedulableResource,
	&unschedulableAffinity, &unschedulableTaint,
	&pdbBlocksEviction, &hpaMetricsUnavailable, &hpaMaxedOut, &namespaceStuck, &terminatingFinalizer,
}

// lastCauses look at what the others depend on.
var lastCauses = []*cause{&serviceComplaint, &scaledToZero}
