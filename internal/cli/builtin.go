package cli

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// builtinKind is a kind of Kubernetes itself.
type builtinKind struct {
	group, version, kind string
	scope                meta.RESTScopeName
}

// clusterScoped are the kinds of Kubernetes that belong to no namespace.
var clusterScoped = []string{
	"APIService", "CSIDriver", "CSINode", "CertificateSigningRequest", "ClusterRole", "ClusterRoleBinding", "ClusterTrustBundle",
	"ComponentStatus", "CustomResourceDefinition", "DeviceClass", "FlowSchema", "IPAddress", "IngressClass",
	"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration", "Namespace", "Node",
	"PersistentVolume", "PriorityClass", "PriorityLevelConfiguration", "ResourceSlice", "RuntimeClass", "ServiceCIDR",
	"StorageClass", "StorageVersion", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	"ValidatingWebhookConfiguration", "VolumeAttachment", "VolumeAttributesClass",
}

// shortNames are those of kubectl.
var shortNames = map[string]string{
	"cm": "ConfigMap", "crd": "CustomResourceDefinition", "cj": "CronJob", "csr": "CertificateSigningRequest", "deploy": "Deployment",
	"ds": "DaemonSet", "ep": "Endpoints", "hpa": "HorizontalPodAutoscaler", "ing": "Ingress", "limits": "LimitRange",
	"netpol": "NetworkPolicy", "no": "Node", "ns": "Namespace", "pc": "PriorityClass", "pdb": "PodDisruptionBudget", "po": "Pod",
	"pv": "PersistentVolume", "pvc": "PersistentVolumeClaim", "quota": "ResourceQuota", "rc": "ReplicationController",
	"rs": "ReplicaSet", "sa": "ServiceAccount", "sc": "StorageClass", "sts": "StatefulSet", "svc": "Service",
}

// builtin are the kinds of Kubernetes by everything that they are called, in lower case.
var builtin = func() map[string]builtinKind {
	kinds := map[string]builtinKind{}
	add := func(k builtinKind) {
		k.scope = meta.RESTScopeNameNamespace
		if slices.Contains(clusterScoped, k.kind) {
			k.scope = meta.RESTScopeNameRoot
		}
		kinds[strings.ToLower(k.kind)] = k
	}
	for _, version := range clientgoscheme.Scheme.PreferredVersionAllGroups() {
		for kind := range clientgoscheme.Scheme.KnownTypes(version) {
			// An event is known in two groups; the core one is what people mean.
			if known, twice := kinds[strings.ToLower(kind)]; !twice || known.group != "" {
				add(builtinKind{group: version.Group, version: version.Version, kind: kind})
			}
		}
	}
	add(builtinKind{group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition"})
	add(builtinKind{group: "apiregistration.k8s.io", version: "v1", kind: "APIService"})
	for _, k := range maps.Clone(kinds) {
		plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Group: k.group, Version: k.version, Kind: k.kind})
		if _, taken := kinds[plural.Resource]; !taken {
			kinds[plural.Resource] = k
		}
	}
	for short, kind := range shortNames {
		kinds[short] = kinds[strings.ToLower(kind)]
	}
	return kinds
}()
