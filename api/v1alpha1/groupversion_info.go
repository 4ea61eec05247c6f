// Package v1alpha1 holds the kinds of the API group eclusier.io.
//
// It says what people may write, what the API server refuses at once, and which conditions and reasons the operator
// answers with. It depends on apimachinery alone and decides nothing: the controllers do.
//
// +kubebuilder:object:generate=true
// +groupName=eclusier.io
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// GroupVersion is the group and version of every kind in this package.
	GroupVersion = schema.GroupVersion{Group: "eclusier.io", Version: "v1alpha1"}

	schemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme makes the kinds of this package known to a scheme.
	AddToScheme = schemeBuilder.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&AgentTask{}, &AgentTaskList{},
		&Approval{}, &ApprovalList{},
		&ChangePolicy{}, &ChangePolicyList{},
		&ChangeRequest{}, &ChangeRequestList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
