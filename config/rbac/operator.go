// Package rbac says what the operator may do: everything, and why. controller-gen writes operator.yaml from it.
//
// What it may read of the cluster it diagnoses is not here: those reads are made as the service account eclusier-reader
// of the task's namespace (reader.yaml), with the rights that the namespace's owner gave it.
package rbac

// It works on its own kinds: status is its to write, delete serves spec.ttlAfterFinished.
//
// +kubebuilder:rbac:groups=eclusier.io,resources=agenttasks,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=eclusier.io,resources=agenttasks/status,verbs=patch

// It announces changes.
//
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// It reads as eclusier-reader, and says so when that account does not exist. No other account: one that holds more
// rights would lend them to everyone who may create an AgentTask.
//
// +kubebuilder:rbac:groups="",resources=serviceaccounts,resourceNames=eclusier-reader,verbs=get;impersonate

// It checks that the admission policies which vouch for identities are in place.
//
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=validatingadmissionpolicies;validatingadmissionpolicybindings;mutatingadmissionpolicies;mutatingadmissionpolicybindings,verbs=get;list;watch

// It elects a leader in its own namespace. The election tells of itself through the older kind of event.
//
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=eclusier-system,resources=leases,verbs=get;create;update
// +kubebuilder:rbac:groups="",namespace=eclusier-system,resources=events,verbs=create;patch
