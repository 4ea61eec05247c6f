package diagnose

// placementCauses concern scheduling, nodes, storage, disruption, scaling and deletion.
var placementCauses = []*cause{}
