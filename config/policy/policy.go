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

var (
	//go:embed stamp/stamp.yaml
	stamp string
	//go:embed requester.yaml
	requester string
	//go:embed status.yaml
	status string
)

// Stamp is the policy that writes who asks, and its binding, as YAML documents. It needs Kubernetes 1.36.
func Stamp() string { return stamp }

// Requester is the policy that refuses a forged requester, and its binding, as YAML documents.
func Requester() string { return requester }

// Status is the policy that lets operator alone write status, and its binding, as YAML documents. Operator is a user
// name as the API server knows it.
func Status(operator string) string {
	return strings.ReplaceAll(status, DefaultOperator, operator)
}
