package v1alpha1

import (
	"strconv"
	"strings"
)

// Decimal is a number that is not negative, written in decimal notation with at most six places. The API carries such
// numbers as text because floating-point numbers do not survive every client unchanged.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=20
// +kubebuilder:validation:Pattern=`^(0|[1-9][0-9]*)(\.[0-9]{1,6})?$`
type Decimal string

// decimalPlaces is how many places a Decimal keeps.
const decimalPlaces = 6

// NewDecimal writes f as a Decimal. Further places are cut off, never rounded up, so that a number strictly below a
// threshold stays below it on paper. A negative number, an infinity and NaN become 0.
func NewDecimal(f float64) Decimal {
	if !(f > 0 && f < 1e12) {
		return "0"
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	whole, places, found := strings.Cut(text, ".")
	if !found {
		return Decimal(whole)
	}
	if len(places) > decimalPlaces {
		places = places[:decimalPlaces]
	}
	return Decimal(whole + "." + places)
}

// Requester is the identity of a person or service account as the API server authenticated it.
type Requester struct {
	// username is the authenticated name, such as "alice@example.org" or "system:serviceaccount:shop:ci".
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Username string `json:"username,omitempty"`

	// uid is the identity's unique id where the authenticator supplies one; client certificates usually carry none.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	UID string `json:"uid,omitempty"`
}

// IsServiceAccount tells whether the API server knows a name for that of a service account: authenticators for people may
// give no name of this form.
func IsServiceAccount(username string) bool {
	return strings.HasPrefix(username, "system:serviceaccount:")
}

// ObjectReference names one object. Namespace is empty for cluster-scoped kinds.
type ObjectReference struct {
	// apiVersion is the group and version, such as "apps/v1"; unset where it was not needed to find the object.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	APIVersion string `json:"apiVersion,omitempty"`

	// kind of the object, such as "Deployment".
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind,omitempty"`

	// namespace of the object; unset for cluster-scoped kinds.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// name of the object.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// uid of the object where it was looked up.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID string `json:"uid,omitempty"`
}

// LocalReference names an object in the namespace of the one that refers to it.
type LocalReference struct {
	// name of the object.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}
