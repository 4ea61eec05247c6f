// Package rbac says what the operator may do: everything, and why. controller-gen writes operator.yaml from it.
//
// What it may read and change of the cluster is not here: it reads as the service account eclusier-reader of the task's
// namespace (reader.yaml), plans as eclusier-planner, which an admission policy holds to dry runs (planner.yaml), and
// applies as eclusier-applier (applier.yaml), with the rights that the namespace's owner gave them.
package rbac

// It works on its own kinds: status is its to write, delete serves spec.ttlAfterFinished. It creates a ChangeRequest where
// a task wants a change, and an Approval for each person who has to agree. Of a ChangeRequest it writes again only
// spec.cancel, when its task is cancelled; the API server lets nobody write more. Of an Approval it writes nothing again: the
// question stays as it was asked, and the answer is a person's.
//
// +kubebuilder:rbac:groups=eclusier.io,resources=agenttasks,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=eclusier.io,resources=changerequests,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=eclusier.io,resources=approvals,verbs=get;list;watch;create
// +kubebuilder:rbac:groups=eclusier.io,resources=changepolicies,verbs=get;list;watch
// +kubebuilder:rbac:groups=eclusier.io,resources=agenttasks/status;changerequests/status;approvals/status;changepolicies/status,verbs=patch

// It makes a task the owner of its change, and a change that of its Approvals. Clusters with the admission plugin
// OwnerReferencesPermissionEnforcement want this of whoever does.
//
// +kubebuilder:rbac:groups=eclusier.io,resources=agenttasks/finalizers;changerequests/finalizers,verbs=update

// It announces changes.
//
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// It reads, plans and applies as these accounts, and says so when one of them does not exist. No other account: one that
// holds more rights would lend them to everyone who may create an AgentTask or a ChangeRequest.
//
// +kubebuilder:rbac:groups="",resources=serviceaccounts,resourceNames=eclusier-reader;eclusier-planner;eclusier-applier,verbs=get;impersonate

// It chooses ChangePolicies by the labels of namespaces, and knows the cluster by the uid of kube-system.
//
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch

// It asks, before it applies, whether those who agreed may still do so.
//
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create

// It checks that the admission policies which vouch for identities are in place.
//
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=validatingadmissionpolicies;validatingadmissionpolicybindings;mutatingadmissionpolicies;mutatingadmissionpolicybindings,verbs=get;list;watch

// It elects a leader in its own namespace, and holds a lease there on what a change is about to touch. The election tells
// of itself through the older kind of event.
//
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=eclusier-system,resources=leases,verbs=get;list;create;update;delete
// +kubebuilder:rbac:groups="",namespace=eclusier-system,resources=events,verbs=create;patch

// It keeps plans and snapshots in Secrets of its own namespace, and removes them when their time is up.
//
// +kubebuilder:rbac:groups="",namespace=eclusier-system,resources=secrets,verbs=get;list;create;update;delete
