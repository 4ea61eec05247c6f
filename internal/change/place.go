package change

import (
	"slices"
	"strings"
)

// productionKeys and productionValues are the labels by which people say that something is in production. Values fit whole
// and in any case: "preprod" and "non-production" are something else.
var (
	productionKeys   = []string{"env", "environment", "stage", "tier"}
	productionValues = []string{"prod", "production", "live"}
)

// Production says whether labels of a namespace or an object call it production. A key counts with and without a domain
// before it.
func Production(labels map[string]string) bool {
	for key, value := range labels {
		if i := strings.LastIndex(key, "/"); i >= 0 {
			key = key[i+1:]
		}
		if slices.Contains(productionKeys, strings.ToLower(key)) && slices.Contains(productionValues, strings.ToLower(value)) {
			return true
		}
	}
	return false
}

// OwnNamespace is that of eclusier, unless somebody put it elsewhere.
const OwnNamespace = "eclusier-system"

// System says whether a namespace belongs to Kubernetes or, as the operator's own, to eclusier.
func System(namespace, operator string) bool {
	return strings.HasPrefix(namespace, "kube-") || (operator != "" && namespace == operator)
}

// HoldsData says whether deleting an object of the kind destroys data with it.
func HoldsData(group, kind string) bool {
	switch group {
	case "":
		return kind == "Namespace" || kind == "PersistentVolumeClaim" || kind == "PersistentVolume"
	case "apiextensions.k8s.io":
		return kind == "CustomResourceDefinition"
	case "snapshot.storage.k8s.io":
		return kind == "VolumeSnapshot" || kind == "VolumeSnapshotContent"
	}
	return false
}
