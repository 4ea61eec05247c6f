package cli

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/policy"
)

// supposed is the label of a namespace that stands for those whose labels are not known.
const supposed = "eclusier.io/labels-not-known"

// selected finds the policies that fit the namespaces. Those that may fit one whose labels are not known are taken to fit,
// and to leave it to the built-in default nevertheless: the answer is never looser than the cluster's. Notes name them.
func (r *rules) selected(touched []string) (found policy.Selected, notes []string) {
	var namespaces []policy.Namespace
	var unknown []string
	for _, name := range touched {
		known, ok := r.namespaces[name]
		if !ok && name != "" && !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
		namespaces = append(namespaces, policy.Namespace{Name: name, Labels: named(known, name)})
	}
	policies := slices.Clone(r.policies)
	for i, p := range policies {
		doubtful := slices.DeleteFunc(slices.Clone(unknown), func(name string) bool { return !mayFit(p, name) })
		if len(doubtful) == 0 {
			continue
		}
		policies[i].Spec.NamespaceSelector = metav1.LabelSelector{MatchLabels: map[string]string{supposed: ""}}
		namespaces = append(namespaces, policy.Namespace{Name: doubtful[0], Labels: map[string]string{supposed: ""}})
		notes = append(notes, fmt.Sprintf("policy %s may fit, and is taken to: the labels of namespace %s are not known; give the Namespace with --policies",
			p.Name, strings.Join(doubtful, ", ")))
	}
	return policy.Select(policies, namespaces), notes
}

// named adds the label that every namespace has to the others of one.
func named(others map[string]string, name string) map[string]string {
	return labels.Merge(others, labels.Set{corev1.LabelMetadataName: name})
}

// mayFit says whether a policy fits a namespace or not as labels say that are not known.
func mayFit(p v1alpha1.ChangePolicy, namespace string) bool {
	selector, err := metav1.LabelSelectorAsSelector(&p.Spec.NamespaceSelector)
	if err != nil {
		return false // whoever selects takes it to fit everything
	}
	asked, selectable := selector.Requirements()
	doubtful := false
	for _, one := range asked {
		if one.Key() != corev1.LabelMetadataName {
			doubtful = true
		} else if !one.Matches(labels.Set{corev1.LabelMetadataName: namespace}) {
			return false
		}
	}
	return selectable && doubtful
}
