package cluster

// Holds says whether the snapshot shows a namespace to exist: it holds the namespace or anything in it, or something of it
// could not be read, so that nobody can tell.
func (s *Snapshot) Holds(namespace string) bool {
	for _, n := range s.Namespaces {
		if n.Name == namespace {
			return true
		}
	}
	for _, g := range s.Gaps {
		if g.Want.Namespace == namespace && g.Reason != GapNotFound && g.Reason != GapNotInDump {
			return true
		}
	}
	return s.holdsWorkloads(namespace) || in(namespace, s.Services) || in(namespace, s.ConfigMaps) || in(namespace, s.Claims) ||
		in(namespace, s.Ingresses) || in(namespace, s.Quotas)
}

func (s *Snapshot) holdsWorkloads(namespace string) bool {
	return in(namespace, s.Pods) || in(namespace, s.Deployments) || in(namespace, s.StatefulSets) || in(namespace, s.DaemonSets) ||
		in(namespace, s.ReplicaSets) || in(namespace, s.Jobs) || in(namespace, s.CronJobs)
}

// in says whether any of the objects is in the namespace.
func in[T interface{ GetNamespace() string }](namespace string, objects []T) bool {
	for _, o := range objects {
		if o.GetNamespace() == namespace {
			return true
		}
	}
	return false
}
