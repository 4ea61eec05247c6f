package guard

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Served are the kinds that the guard looks at, as far as the API server serves them: what waits for the guard is woken by
// a change of one.
func Served(mapper meta.RESTMapper) ([]client.Object, error) {
	kinds := map[string]client.Object{
		"ValidatingAdmissionPolicy":        &admissionregistrationv1.ValidatingAdmissionPolicy{},
		"ValidatingAdmissionPolicyBinding": &admissionregistrationv1.ValidatingAdmissionPolicyBinding{},
		"MutatingAdmissionPolicy":          &admissionregistrationv1.MutatingAdmissionPolicy{},
		"MutatingAdmissionPolicyBinding":   &admissionregistrationv1.MutatingAdmissionPolicyBinding{},
	}
	var served []client.Object
	for kind, object := range kinds {
		gvk := admissionregistrationv1.SchemeGroupVersion.WithKind(kind)
		_, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		switch {
		case meta.IsNoMatchError(err):
			continue
		case err != nil:
			return nil, fmt.Errorf("asking for %s: %w", kind, err)
		}
		served = append(served, object)
	}
	return served, nil
}
