// Package e2e asks questions about workloads that really fail: the operator's binary, as its own service account,
// against the local control plane with its scheduler and controllers, from kubectl apply to the answer.
//
// Its tests start a control plane for the package and give every case a namespace of its own.
package e2e
