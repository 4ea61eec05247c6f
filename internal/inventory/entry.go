package inventory

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// entry is one object and what it is; typed objects do not know it themselves.
type entry struct {
	ref        cluster.Ref
	apiVersion string
	object     metav1.Object
}

// within tells whether an object is of a namespace and kind; an empty one means any.
func (e entry) within(namespace, kind string) bool {
	return (namespace == "" || e.ref.Namespace == namespace) && (kind == "" || IsKind(e.ref.Kind, kind))
}

func addAll[T metav1.Object](to *[]entry, apiVersion, kind string, list []T) {
	for _, o := range list {
		*to = append(*to, entry{refOf(kind, o), apiVersion, o})
	}
}

// entries returns all objects of a snapshot.
func entries(s *cluster.Snapshot) []entry {
	var all []entry
	addAll(&all, "v1", "Namespace", s.Namespaces)
	addAll(&all, "v1", "Node", s.Nodes)
	addAll(&all, "v1", "Pod", s.Pods)
	addAll(&all, "v1", "Service", s.Services)
	addAll(&all, "discovery.k8s.io/v1", "EndpointSlice", s.EndpointSlices)
	addAll(&all, "v1", "ConfigMap", s.ConfigMaps)
	addAll(&all, "v1", "Secret", s.Secrets)
	addAll(&all, "v1", "ServiceAccount", s.ServiceAccounts)
	addAll(&all, "v1", "PersistentVolumeClaim", s.Claims)
	addAll(&all, "v1", "PersistentVolume", s.Volumes)
	addAll(&all, "v1", "ResourceQuota", s.Quotas)
	addAll(&all, "v1", "LimitRange", s.LimitRanges)
	addAll(&all, "v1", "ReplicationController", s.Controllers)
	addAll(&all, "apps/v1", "Deployment", s.Deployments)
	addAll(&all, "apps/v1", "ReplicaSet", s.ReplicaSets)
	addAll(&all, "apps/v1", "StatefulSet", s.StatefulSets)
	addAll(&all, "apps/v1", "DaemonSet", s.DaemonSets)
	addAll(&all, "apps/v1", "ControllerRevision", s.ControllerRevs)
	addAll(&all, "batch/v1", "Job", s.Jobs)
	addAll(&all, "batch/v1", "CronJob", s.CronJobs)
	addAll(&all, "autoscaling/v2", "HorizontalPodAutoscaler", s.Autoscalers)
	addAll(&all, "policy/v1", "PodDisruptionBudget", s.DisruptionBudgets)
	addAll(&all, "networking.k8s.io/v1", "Ingress", s.Ingresses)
	addAll(&all, "networking.k8s.io/v1", "IngressClass", s.IngressClasses)
	addAll(&all, "networking.k8s.io/v1", "NetworkPolicy", s.NetworkPolicies)
	addAll(&all, "storage.k8s.io/v1", "StorageClass", s.StorageClasses)
	addAll(&all, "storage.k8s.io/v1", "VolumeAttachment", s.VolumeAttachments)
	addAll(&all, "storage.k8s.io/v1", "CSINode", s.CSINodes)
	addAll(&all, "scheduling.k8s.io/v1", "PriorityClass", s.PriorityClasses)
	addAll(&all, "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", s.ValidatingWebhooks)
	addAll(&all, "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", s.MutatingWebhooks)
	addAll(&all, "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", s.ValidatingPolicies)
	addAll(&all, "rbac.authorization.k8s.io/v1", "Role", s.Roles)
	addAll(&all, "rbac.authorization.k8s.io/v1", "RoleBinding", s.RoleBindings)
	addAll(&all, "rbac.authorization.k8s.io/v1", "ClusterRole", s.ClusterRoles)
	addAll(&all, "rbac.authorization.k8s.io/v1", "ClusterRoleBinding", s.ClusterBindings)
	for _, o := range s.Others {
		addAll(&all, o.GetAPIVersion(), o.GetKind(), []metav1.Object{o})
	}
	return all
}

// shortNames are those that kubectl knows.
var shortNames = map[string]string{
	"ns": "Namespace", "no": "Node", "po": "Pod", "svc": "Service", "cm": "ConfigMap", "sa": "ServiceAccount",
	"pvc": "PersistentVolumeClaim", "pv": "PersistentVolume", "quota": "ResourceQuota", "limits": "LimitRange",
	"rc": "ReplicationController", "deploy": "Deployment", "rs": "ReplicaSet", "sts": "StatefulSet", "ds": "DaemonSet",
	"cj": "CronJob", "hpa": "HorizontalPodAutoscaler", "pdb": "PodDisruptionBudget", "ing": "Ingress",
	"netpol": "NetworkPolicy", "sc": "StorageClass", "pc": "PriorityClass",
}

// IsKind tells whether a word, in any case, means a kind: its name, its plural or its short name.
func IsKind(kind, word string) bool {
	word, name := strings.ToLower(word), strings.ToLower(kind)
	if word == name || shortNames[word] == kind {
		return true
	}
	switch {
	case strings.HasSuffix(name, "s"), strings.HasSuffix(name, "x"), strings.HasSuffix(name, "ch"):
		return word == name+"es"
	case strings.HasSuffix(name, "y"):
		return word == strings.TrimSuffix(name, "y")+"ies"
	}
	return word == name+"s"
}
