package live

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/cluster"
)

// resource is one resource that a snapshot has a list for.
type resource struct {
	plural    string
	kind      string
	newList   func() client.ObjectList
	newObject func() client.Object
	// add stores an object that newObject or an item of newList became, as it is: others may hold the same one.
	add func(*cluster.Snapshot, client.Object)
	// held lists what the snapshot holds of it already.
	held func(*cluster.Snapshot) []metav1.Object
}

// namespaced is everything that WantNamespace reads, in the order in which the snapshot is filled; events apart.
var namespaced = []resource{
	typed[corev1.Pod, corev1.PodList]("pods", "Pod", func(s *cluster.Snapshot) *[]*corev1.Pod { return &s.Pods }),
	typed[appsv1.Deployment, appsv1.DeploymentList]("deployments", "Deployment", func(s *cluster.Snapshot) *[]*appsv1.Deployment { return &s.Deployments }),
	typed[appsv1.ReplicaSet, appsv1.ReplicaSetList]("replicasets", "ReplicaSet", func(s *cluster.Snapshot) *[]*appsv1.ReplicaSet { return &s.ReplicaSets }),
	typed[appsv1.StatefulSet, appsv1.StatefulSetList]("statefulsets", "StatefulSet", func(s *cluster.Snapshot) *[]*appsv1.StatefulSet { return &s.StatefulSets }),
	typed[appsv1.DaemonSet, appsv1.DaemonSetList]("daemonsets", "DaemonSet", func(s *cluster.Snapshot) *[]*appsv1.DaemonSet { return &s.DaemonSets }),
	typed[appsv1.ControllerRevision, appsv1.ControllerRevisionList]("controllerrevisions", "ControllerRevision", func(s *cluster.Snapshot) *[]*appsv1.ControllerRevision { return &s.ControllerRevs }),
	typed[corev1.ReplicationController, corev1.ReplicationControllerList]("replicationcontrollers", "ReplicationController", func(s *cluster.Snapshot) *[]*corev1.ReplicationController { return &s.Controllers }),
	typed[batchv1.Job, batchv1.JobList]("jobs", "Job", func(s *cluster.Snapshot) *[]*batchv1.Job { return &s.Jobs }),
	typed[batchv1.CronJob, batchv1.CronJobList]("cronjobs", "CronJob", func(s *cluster.Snapshot) *[]*batchv1.CronJob { return &s.CronJobs }),
	typed[autoscalingv2.HorizontalPodAutoscaler, autoscalingv2.HorizontalPodAutoscalerList]("horizontalpodautoscalers", "HorizontalPodAutoscaler", func(s *cluster.Snapshot) *[]*autoscalingv2.HorizontalPodAutoscaler { return &s.Autoscalers }),
	typed[policyv1.PodDisruptionBudget, policyv1.PodDisruptionBudgetList]("poddisruptionbudgets", "PodDisruptionBudget", func(s *cluster.Snapshot) *[]*policyv1.PodDisruptionBudget { return &s.DisruptionBudgets }),
	typed[networkingv1.Ingress, networkingv1.IngressList]("ingresses", "Ingress", func(s *cluster.Snapshot) *[]*networkingv1.Ingress { return &s.Ingresses }),
	typed[networkingv1.NetworkPolicy, networkingv1.NetworkPolicyList]("networkpolicies", "NetworkPolicy", func(s *cluster.Snapshot) *[]*networkingv1.NetworkPolicy { return &s.NetworkPolicies }),
	typed[corev1.ConfigMap, corev1.ConfigMapList]("configmaps", "ConfigMap", func(s *cluster.Snapshot) *[]*corev1.ConfigMap { return &s.ConfigMaps }),
	typed[corev1.ServiceAccount, corev1.ServiceAccountList]("serviceaccounts", "ServiceAccount", func(s *cluster.Snapshot) *[]*corev1.ServiceAccount { return &s.ServiceAccounts }),
	typed[corev1.PersistentVolumeClaim, corev1.PersistentVolumeClaimList]("persistentvolumeclaims", "PersistentVolumeClaim", func(s *cluster.Snapshot) *[]*corev1.PersistentVolumeClaim { return &s.Claims }),
	typed[corev1.ResourceQuota, corev1.ResourceQuotaList]("resourcequotas", "ResourceQuota", func(s *cluster.Snapshot) *[]*corev1.ResourceQuota { return &s.Quotas }),
	typed[corev1.LimitRange, corev1.LimitRangeList]("limitranges", "LimitRange", func(s *cluster.Snapshot) *[]*corev1.LimitRange { return &s.LimitRanges }),
	typed[rbacv1.Role, rbacv1.RoleList]("roles", "Role", func(s *cluster.Snapshot) *[]*rbacv1.Role { return &s.Roles }),
	typed[rbacv1.RoleBinding, rbacv1.RoleBindingList]("rolebindings", "RoleBinding", func(s *cluster.Snapshot) *[]*rbacv1.RoleBinding { return &s.RoleBindings }),
	secrets,
}

// services are what WantServices reads of all namespaces; WantNamespace reads them too.
var services = []resource{
	typed[corev1.Service, corev1.ServiceList]("services", "Service", func(s *cluster.Snapshot) *[]*corev1.Service { return &s.Services }),
	typed[discoveryv1.EndpointSlice, discoveryv1.EndpointSliceList]("endpointslices", "EndpointSlice", func(s *cluster.Snapshot) *[]*discoveryv1.EndpointSlice { return &s.EndpointSlices }),
}

// namespaces is read whole by WantCluster and one at a time by WantNamespace.
var namespaces = typed[corev1.Namespace, corev1.NamespaceList]("namespaces", "Namespace", func(s *cluster.Snapshot) *[]*corev1.Namespace { return &s.Namespaces })

// clusterScoped is everything that WantCluster reads; events apart.
var clusterScoped = []resource{
	typed[corev1.Node, corev1.NodeList]("nodes", "Node", func(s *cluster.Snapshot) *[]*corev1.Node { return &s.Nodes }),
	namespaces,
	typed[corev1.PersistentVolume, corev1.PersistentVolumeList]("persistentvolumes", "PersistentVolume", func(s *cluster.Snapshot) *[]*corev1.PersistentVolume { return &s.Volumes }),
	typed[storagev1.StorageClass, storagev1.StorageClassList]("storageclasses", "StorageClass", func(s *cluster.Snapshot) *[]*storagev1.StorageClass { return &s.StorageClasses }),
	typed[storagev1.VolumeAttachment, storagev1.VolumeAttachmentList]("volumeattachments", "VolumeAttachment", func(s *cluster.Snapshot) *[]*storagev1.VolumeAttachment { return &s.VolumeAttachments }),
	typed[storagev1.CSINode, storagev1.CSINodeList]("csinodes", "CSINode", func(s *cluster.Snapshot) *[]*storagev1.CSINode { return &s.CSINodes }),
	typed[schedulingv1.PriorityClass, schedulingv1.PriorityClassList]("priorityclasses", "PriorityClass", func(s *cluster.Snapshot) *[]*schedulingv1.PriorityClass { return &s.PriorityClasses }),
	typed[networkingv1.IngressClass, networkingv1.IngressClassList]("ingressclasses", "IngressClass", func(s *cluster.Snapshot) *[]*networkingv1.IngressClass { return &s.IngressClasses }),
	typed[admissionregistrationv1.ValidatingWebhookConfiguration, admissionregistrationv1.ValidatingWebhookConfigurationList]("validatingwebhookconfigurations", "ValidatingWebhookConfiguration", func(s *cluster.Snapshot) *[]*admissionregistrationv1.ValidatingWebhookConfiguration {
		return &s.ValidatingWebhooks
	}),
	typed[admissionregistrationv1.MutatingWebhookConfiguration, admissionregistrationv1.MutatingWebhookConfigurationList]("mutatingwebhookconfigurations", "MutatingWebhookConfiguration", func(s *cluster.Snapshot) *[]*admissionregistrationv1.MutatingWebhookConfiguration {
		return &s.MutatingWebhooks
	}),
	typed[admissionregistrationv1.ValidatingAdmissionPolicy, admissionregistrationv1.ValidatingAdmissionPolicyList]("validatingadmissionpolicies", "ValidatingAdmissionPolicy", func(s *cluster.Snapshot) *[]*admissionregistrationv1.ValidatingAdmissionPolicy {
		return &s.ValidatingPolicies
	}),
	typed[rbacv1.ClusterRole, rbacv1.ClusterRoleList]("clusterroles", "ClusterRole", func(s *cluster.Snapshot) *[]*rbacv1.ClusterRole { return &s.ClusterRoles }),
	typed[rbacv1.ClusterRoleBinding, rbacv1.ClusterRoleBindingList]("clusterrolebindings", "ClusterRoleBinding", func(s *cluster.Snapshot) *[]*rbacv1.ClusterRoleBinding { return &s.ClusterBindings }),
}

// secrets are read as metadata alone, so that no value ever reaches this process.
var secrets = resource{
	plural: "secrets", kind: "Secret",
	newList: func() client.ObjectList {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
		return list
	},
	newObject: func() client.Object {
		object := &metav1.PartialObjectMetadata{}
		object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		return object
	},
	add: func(s *cluster.Snapshot, o client.Object) {
		s.Secrets = append(s.Secrets, &cluster.Secret{ObjectMeta: o.(*metav1.PartialObjectMetadata).ObjectMeta})
	},
	held: func(s *cluster.Snapshot) []metav1.Object { return objectsOf(s.Secrets) },
}

// byKind finds the resource of a kind that the snapshot has a list for.
func byKind(kind string) (resource, bool) {
	for _, all := range [][]resource{namespaced, services, clusterScoped} {
		for _, r := range all {
			if r.kind == kind {
				return r, true
			}
		}
	}
	return resource{}, false
}

// typed describes a resource that is decoded into its own Go type.
func typed[T, L any, PT interface {
	*T
	client.Object
}, PL interface {
	*L
	client.ObjectList
}](plural, kind string, field func(*cluster.Snapshot) *[]PT) resource {
	return resource{
		plural: plural, kind: kind,
		newList:   func() client.ObjectList { return PL(new(L)) },
		newObject: func() client.Object { return PT(new(T)) },
		add: func(s *cluster.Snapshot, o client.Object) {
			list := field(s)
			*list = append(*list, o.(PT))
		},
		held: func(s *cluster.Snapshot) []metav1.Object { return objectsOf(*field(s)) },
	}
}

func objectsOf[T metav1.Object](list []T) []metav1.Object {
	objects := make([]metav1.Object, len(list))
	for i, o := range list {
		objects[i] = o
	}
	return objects
}
