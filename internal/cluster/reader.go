package cluster

import "context"

// WantKind says what a Want asks for.
type WantKind string

const (
	// WantNamespace asks for everything in Namespace that Snapshot has a list for, and its events, but no logs.
	WantNamespace WantKind = "Namespace"
	// WantCluster asks for the cluster-scoped lists: nodes, volumes, classes, webhook configurations, namespaces and
	// the events about them (namespace default).
	WantCluster WantKind = "Cluster"
	// WantServices asks for the Services and endpoint slices of all namespaces, to give a name to an address.
	WantServices WantKind = "Services"
	// WantPodsOnNode asks for the pods of all namespaces bound to the node Name.
	WantPodsOnNode WantKind = "PodsOnNode"
	// WantLog asks for the tail of one container's log: Namespace, Name (the pod), Container, Previous.
	WantLog WantKind = "Log"
	// WantObject asks for one object: Kind, Namespace, Name.
	WantObject WantKind = "Object"
)

// Want is one request to look at something. It is comparable.
type Want struct {
	What      WantKind
	Kind      string
	Namespace string
	Name      string
	Container string
	Previous  bool
}

// GapReason says why a Want could not be served.
type GapReason string

const (
	// GapForbidden: the account that reads may not.
	GapForbidden GapReason = "Forbidden"
	// GapNotFound: it does not exist (for a log: the container never ran, or the former instance is gone).
	GapNotFound GapReason = "NotFound"
	// GapUnavailable: the API server or the node did not answer in time.
	GapUnavailable GapReason = "Unavailable"
	// GapNotInDump: the files do not hold it.
	GapNotInDump GapReason = "NotInDump"
	// GapTruncated: there is more than the reader's limits allow.
	GapTruncated GapReason = "Truncated"
)

// Gap is a Want, or one resource of it, that could not be had.
type Gap struct {
	Want Want
	// Resource is the plural resource concerned, such as "events" or "nodes"; empty for the want as a whole.
	Resource string
	Reason   GapReason
	// Detail is the error's text: untrusted, shown redacted.
	Detail string
}

// Reader looks at a cluster. It never changes it.
type Reader interface {
	// Read serves the wants and adds what it finds to into: objects, logs, Read and Gaps. A want that cannot be
	// served is a Gap, not an error; an error means that nothing could be read (its fault says whether to retry).
	// A want that into.Read holds already is not read again.
	Read(ctx context.Context, into *Snapshot, wants []Want) error
	// Find returns every object that the query fits, at most 20.
	Find(ctx context.Context, query Query) ([]Found, error)
}

// Query asks which objects carry a name.
type Query struct {
	// Kind is a kind, a resource name or a short name in any case ("deploy", "Deployments"); empty means any of the
	// kinds that people mean when they give a bare name: workloads, pods, services, nodes, namespaces, claims …
	Kind string
	// APIVersion restricts Kind to one group and version where several serve it; empty means any.
	APIVersion string
	// Namespace restricts the search; empty means DefaultNamespace first, then every namespace that may be read.
	Namespace string
	// DefaultNamespace is the namespace of the one who asks.
	DefaultNamespace string
	Name             string
}

// Found is one object that a Query fits.
type Found struct {
	Ref
	APIVersion string
	UID        string
}
