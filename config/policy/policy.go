// Package policy holds the admission policies that vouch for identities, exactly as they are installed.
//
// The same files are installed by kustomize and compared with the cluster by package guard, so that there is one copy of
// what is expected.
package policy

import (
	_ "embed"
	"strings"
)

// DefaultOperator is the account that the files name as the operator.
const DefaultOperator = "system:serviceaccount:eclusier-system:eclusier-operator"

// Separator is what stands between two YAML documents.
const Separator = "\n---\n"

var (
	//go:embed stamp/stamp.yaml
	stampRequester string
	//go:embed stamp/change.yaml
	stampChange string
	//go:embed stamp/decision.yaml
	stampDecision string
	//go:embed requester.yaml
	requester string
	//go:embed status.yaml
	status string
	//go:embed change.yaml
	change string
	//go:embed approval.yaml
	approval string
	//go:embed planner.yaml
	planner string
)

// Stamps are the policies that write who asks and who decides, and their bindings, as YAML documents. They need Kubernetes
// 1.36. Operator is a user name as the API server knows it.
func Stamps(operator string) string {
	return documents(operator, stampRequester, stampChange, stampDecision)
}

// Checks are the policies that refuse what nobody may write (a forged requester or decision, a status that operator did
// not write, a real write of the planner), and their bindings, as YAML documents.
func Checks(operator string) string {
	return documents(operator, requester, status, change, approval, planner)
}

// Requester is the one of Checks that refuses a forged requester of an AgentTask, and its binding, as YAML documents.
func Requester() string { return requester }

func documents(operator string, files ...string) string {
	return strings.ReplaceAll(strings.Join(files, Separator), DefaultOperator, operator)
}
