package guard

import (
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lastChange is when an object was created or last written by anybody. What the API server keeps of that is who wrote
// which fields when, and a write that only takes a field away leaves no time; but where it was made to a policy, the
// controller that writes its status follows, and that one leaves its time. An object in its first generation is as it was
// created: what was written to it since concerns nothing that counts.
func lastChange(object client.Object) time.Time {
	last := object.GetCreationTimestamp().Time
	if object.GetGeneration() <= 1 {
		return last
	}
	for _, entry := range object.GetManagedFields() {
		if entry.Time != nil && entry.Time.After(last) {
			last = entry.Time.Time
		}
	}
	return last
}

// Trim drops from the cache which fields of an object were written by whom. Of admission policies and their bindings it
// keeps when they were written, which Check asks for. It is a cache's transform function.
func Trim(object any) (any, error) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return object, nil //nolint:nilerr // what is no object has nothing to drop
	}
	if !guards(object) {
		accessor.SetManagedFields(nil)
		return object, nil
	}
	var times []metav1.ManagedFieldsEntry
	for _, entry := range accessor.GetManagedFields() {
		times = append(times, metav1.ManagedFieldsEntry{Time: entry.Time})
	}
	accessor.SetManagedFields(times)
	return object, nil
}

func guards(object any) bool {
	switch object.(type) {
	case *admissionregistrationv1.MutatingAdmissionPolicy, *admissionregistrationv1.MutatingAdmissionPolicyBinding,
		*admissionregistrationv1.ValidatingAdmissionPolicy, *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		return true
	}
	return false
}
