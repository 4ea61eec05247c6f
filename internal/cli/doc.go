// Package cli is the kubectl plugin: it asks, shows and diagnoses on behalf of the person who runs it.
//
// It acts with that person's own rights and decides nothing: classification, diagnosis and reading are handed in or
// imported, and what is printed was written by the operator or by the same engine. It changes nothing in a cluster but
// creating AgentTasks. Only cmd/kubectl-eclusier calls it.
package cli
