package dump

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// namespaced are the kinds of typed that live in a namespace.
var namespaced = map[string]bool{
	"Pod": true, "Service": true, "EndpointSlice": true, "ConfigMap": true, "Secret": true, "ServiceAccount": true,
	"PersistentVolumeClaim": true, "ResourceQuota": true, "LimitRange": true, "ReplicationController": true,
	"Deployment": true, "ReplicaSet": true, "StatefulSet": true, "DaemonSet": true, "ControllerRevision": true,
	"Job": true, "CronJob": true, "HorizontalPodAutoscaler": true, "PodDisruptionBudget": true, "Ingress": true,
	"NetworkPolicy": true, "Role": true, "RoleBinding": true,
}

// shortNames are the abbreviations that kubectl knows.
var shortNames = map[string]string{
	"po": "Pod", "svc": "Service", "cm": "ConfigMap", "sa": "ServiceAccount", "pvc": "PersistentVolumeClaim",
	"pv": "PersistentVolume", "ns": "Namespace", "no": "Node", "quota": "ResourceQuota", "limits": "LimitRange",
	"rc": "ReplicationController", "deploy": "Deployment", "rs": "ReplicaSet", "sts": "StatefulSet", "ds": "DaemonSet",
	"cj": "CronJob", "hpa": "HorizontalPodAutoscaler", "pdb": "PodDisruptionBudget", "ing": "Ingress",
	"netpol": "NetworkPolicy", "sc": "StorageClass", "pc": "PriorityClass",
}

// kindVersion is a kind with the version that it is read in.
type kindVersion struct{ kind, version string }

// plurals finds a kind by its resource name, by its short name or by the names of folders in support bundles.
var plurals = func() map[string]kindVersion {
	out := map[string]kindVersion{"events": {"Event", "v1"}, "pvcs": {"PersistentVolumeClaim", "v1"}, "pvs": {"PersistentVolume", "v1"}}
	for kind, t := range typed {
		out[pluralOf(kind)] = kindVersion{kind, t.version}
	}
	for short, kind := range shortNames {
		out[short] = kindVersion{kind, typed[kind].version}
	}
	return out
}()

// pluralOf is the resource name of a kind.
func pluralOf(kind string) string {
	low := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(low, "s"):
		return low + "es"
	case strings.HasSuffix(low, "y"):
		return low[:len(low)-1] + "ies"
	}
	return low + "s"
}

// kindOf is the kind of an object that may not say it itself.
func kindOf(o any) string {
	if u, ok := o.(*unstructured.Unstructured); ok {
		return u.GetKind()
	}
	name := fmt.Sprintf("%T", o)
	return name[strings.LastIndexByte(name, '.')+1:]
}
