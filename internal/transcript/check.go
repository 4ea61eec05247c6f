package transcript

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/eclusier/eclusier/internal/fault"
)

// Check returns a Terminal fault where something cannot be kept, whatever the Store.
func Check(key Key, holds []Object, content []byte) error {
	switch {
	case len(content) > MaxSize:
		return fault.New(fault.Terminal, TooLarge, fmt.Sprintf("%s has %d bytes, and %d can be kept", key, len(content), MaxSize), nil).
			With("Split the change into several smaller ones.")
	case len(holds) > MaxHeld:
		return fault.New(fault.Terminal, TooLarge, fmt.Sprintf("%s holds %d objects, and %d can be kept", key, len(holds), MaxHeld), nil).
			With("Split the change into several smaller ones.")
	}
	return key.Check()
}

// Check returns a Terminal fault where the key names nothing that can be kept.
func (k Key) Check() error {
	var wrong []string
	for _, label := range []string{string(k.Kind), k.Namespace, k.UID} {
		wrong = append(wrong, validation.IsDNS1123Label(label)...)
	}
	wrong = append(wrong, validation.IsDNS1123Subdomain(k.Name)...)
	if len(wrong) == 0 && k.Revision > 0 {
		return nil
	}
	return fault.New(fault.Terminal, fault.InvalidInput, "what is to be kept or read has no valid kind, namespace, name, uid and revision", nil)
}

// String names the key for people.
func (k Key) String() string {
	return fmt.Sprintf("the %s of revision %d of %s/%s", k.Kind, k.Revision, k.Namespace, k.Name)
}

// Missing is the fault of a key under which nothing is kept. It has no cause: a controller would take the API server's
// own for the end of the object that it works on.
func Missing(k Key) error {
	return fault.New(fault.Terminal, fault.NotFound, k.String()+" is not kept, or not any more", nil)
}
