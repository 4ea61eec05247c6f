// Package cluster is the port through which eclusier looks at a Kubernetes cluster.
//
// It defines what a look at a cluster yields (Snapshot), what may be asked for (Want) and the one interface that
// adapters serve (Reader). It holds no client: package live reads a running API server, package dump reads files.
// Nothing here can change a cluster.
package cluster

import (
	"strings"
	"time"

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
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Ref names one object. Namespace is empty for cluster-scoped kinds. It is comparable and serves as a map key.
type Ref struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String names the object as people do: "Deployment shop/web", "Node worker-1".
func (r Ref) String() string { return r.Kind + " " + strings.TrimPrefix(r.Namespace+"/"+r.Name, "/") }

// Path names the object without a space, as an identifier: Deployment/shop/web, Node/worker-1.
func (r Ref) Path() string {
	if r.Namespace == "" {
		return r.Kind + "/" + r.Name
	}
	return r.Kind + "/" + r.Namespace + "/" + r.Name
}

// Snapshot is what has been read of a cluster so far. The pointers are shared with the reader and are never modified
// by those who look at them.
type Snapshot struct {
	// Now is the moment from which ages are counted: the clock for a live cluster, the newest timestamp of a dump.
	Now time.Time
	// ServerVersion is the API server's gitVersion, empty if unknown.
	ServerVersion string

	Namespaces         []*corev1.Namespace
	Nodes              []*corev1.Node
	Pods               []*corev1.Pod
	Services           []*corev1.Service
	EndpointSlices     []*discoveryv1.EndpointSlice
	ConfigMaps         []*corev1.ConfigMap
	Secrets            []*Secret
	ServiceAccounts    []*corev1.ServiceAccount
	Claims             []*corev1.PersistentVolumeClaim
	Volumes            []*corev1.PersistentVolume
	Quotas             []*corev1.ResourceQuota
	LimitRanges        []*corev1.LimitRange
	Controllers        []*corev1.ReplicationController
	Deployments        []*appsv1.Deployment
	ReplicaSets        []*appsv1.ReplicaSet
	StatefulSets       []*appsv1.StatefulSet
	DaemonSets         []*appsv1.DaemonSet
	ControllerRevs     []*appsv1.ControllerRevision
	Jobs               []*batchv1.Job
	CronJobs           []*batchv1.CronJob
	Autoscalers        []*autoscalingv2.HorizontalPodAutoscaler
	DisruptionBudgets  []*policyv1.PodDisruptionBudget
	Ingresses          []*networkingv1.Ingress
	IngressClasses     []*networkingv1.IngressClass
	NetworkPolicies    []*networkingv1.NetworkPolicy
	StorageClasses     []*storagev1.StorageClass
	VolumeAttachments  []*storagev1.VolumeAttachment
	CSINodes           []*storagev1.CSINode
	PriorityClasses    []*schedulingv1.PriorityClass
	ValidatingWebhooks []*admissionregistrationv1.ValidatingWebhookConfiguration
	MutatingWebhooks   []*admissionregistrationv1.MutatingWebhookConfiguration
	ValidatingPolicies []*admissionregistrationv1.ValidatingAdmissionPolicy
	Roles              []*rbacv1.Role
	RoleBindings       []*rbacv1.RoleBinding
	ClusterRoles       []*rbacv1.ClusterRole
	ClusterBindings    []*rbacv1.ClusterRoleBinding
	// Others holds every kind without a field of its own (custom resources, APIServices, Leases …).
	Others []*unstructured.Unstructured

	Events []*Event
	Logs   []*Log

	// Read lists the wants that were served, whole or in part.
	Read []Want
	// Gaps lists what was wanted and could not be had.
	Gaps []Gap
}

// Secret is all that is ever kept of a Secret: never a value.
type Secret struct {
	metav1.ObjectMeta
	Type corev1.SecretType
	// Keys are the sorted names of its entries; nil where only the metadata was read, so that they are unknown.
	Keys []string
	// CertificateNotAfter is the expiry of the certificate under tls.crt, zero where unknown.
	CertificateNotAfter time.Time
}

// Event is one v1 or events.k8s.io/v1 Event in a single shape.
type Event struct {
	Namespace string
	// About is the object that the event speaks of; FieldPath its part, such as spec.containers{api}.
	About     Ref
	FieldPath string
	// Warning tells the type Warning from Normal.
	Warning bool
	Reason  string
	// Message is untrusted text.
	Message string
	// Count is how often it was seen, at least 1.
	Count int32
	First time.Time
	Last  time.Time
	// Source is the component that reported it.
	Source string
}

// Log is the bounded tail of one container's log. The text is untrusted.
type Log struct {
	// Pod has kind Pod.
	Pod       Ref
	Container string
	// Previous says that it is the log of the former instance of the container.
	Previous bool
	// Text holds at most TailBytes bytes, the end of the log.
	Text string
	// Truncated says that there was more before Text.
	Truncated bool
}

// Limits of one log reading.
const (
	TailLines = 400
	TailBytes = 64 << 10
)
