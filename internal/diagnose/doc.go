// Package diagnose finds the root cause of what is wrong in a cluster, from a snapshot of it, and proves it.
//
// It decides what is broken, what follows from what, and which object has to change. It never changes anything, has
// no clock and does no I/O: Diagnose is a pure, total function of a snapshot and a question. What it would like to see
// beside the snapshot it says in Report.Wants; Investigate runs the loop of reading and diagnosing over the port of
// package cluster. The task controller and the command line call it.
//
// How it works, in four steps (diagnose.go):
//
//  1. An index joins the objects of the snapshot: owners, selectors, references, nodes, claims, events, logs.
//  2. Symptoms are taken down: what visibly does not work, grouped by workload (symptom.go).
//  3. Causes explain symptoms. Each cause is one file, cause_*.go, with its check and its texts; the ordered lists in
//     causes.go are the whole repertoire. A cause may need another fault to be complete ("the database refuses
//     connections"); such needs are what the causal graph is made of.
//  4. The needs are resolved along the dependencies that Kubernetes itself states (graph.go, link.go). What nothing
//     else causes is a root; what was asked about decides which roots answer and which are reported apart.
//
// Text from logs, events and annotations is untrusted. It is cited as evidence, cleaned, bounded and redacted
// (evidence.go), and never read as an instruction.
package diagnose
