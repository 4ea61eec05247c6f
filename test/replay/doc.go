// Package replay asks about broken clusters that were written down: each folder of test/cases/scenarios is replayed onto a
// frozen API server, an AgentTask asks its question there, and the operator's answer is held against what is expected.
//
// It is the live half of what package diagnose proves from files: the same engine, but reading through the API server, as
// the namespace's service account, from kubectl apply to the status.
package replay
