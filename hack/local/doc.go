// Package local runs eclusier on a developer's machine: a control plane as a child process, the CRDs, roles and
// policies of config/, and the operator as a local process that acts as its own service account.
//
// The demo and the end-to-end tests stand on it, so that what they show is what an installation does: the operator
// holds a token of system:serviceaccount:eclusier-system:eclusier-operator and nothing else. Nothing here ships.
package local
