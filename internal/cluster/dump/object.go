package dump

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/cluster"
)

func newBufReader(data []byte) *bufio.Reader {
	return bufio.NewReaderSize(bytes.NewReader(data), 64<<10)
}

// decode adds a JSON object of type T to a list.
func decode[T any](list *[]*T, raw []byte) error {
	o := new(T)
	if err := json.Unmarshal(raw, o); err != nil {
		return err
	}
	*list = append(*list, o)
	return nil
}

// typed are the group and version of the kinds that a snapshot has a list for, and how to add one.
var typed = map[string]struct {
	version string
	add     func(*cluster.Snapshot, []byte) error
}{
	"Namespace":                      {"v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Namespaces, b) }},
	"Node":                           {"v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Nodes, b) }},
	"Pod":                            {"v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Pods, b) }},
	"Service":                        {"v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Services, b) }},
	"EndpointSlice":                  {"discovery.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.EndpointSlices, b) }},
	"ConfigMap":                      {"v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.ConfigMaps, b) }},
	"Secret":                         {"v1", addSecret},
	"ServiceAccount":                 {"v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.ServiceAccounts, b) }},
	"PersistentVolumeClaim":          {"v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Claims, b) }},
	"PersistentVolume":               {"v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Volumes, b) }},
	"ResourceQuota":                  {"v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Quotas, b) }},
	"LimitRange":                     {"v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.LimitRanges, b) }},
	"ReplicationController":          {"v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Controllers, b) }},
	"Deployment":                     {"apps/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Deployments, b) }},
	"ReplicaSet":                     {"apps/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.ReplicaSets, b) }},
	"StatefulSet":                    {"apps/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.StatefulSets, b) }},
	"DaemonSet":                      {"apps/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.DaemonSets, b) }},
	"ControllerRevision":             {"apps/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.ControllerRevs, b) }},
	"Job":                            {"batch/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Jobs, b) }},
	"CronJob":                        {"batch/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.CronJobs, b) }},
	"HorizontalPodAutoscaler":        {"autoscaling/v2", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Autoscalers, b) }},
	"PodDisruptionBudget":            {"policy/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.DisruptionBudgets, b) }},
	"Ingress":                        {"networking.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Ingresses, b) }},
	"IngressClass":                   {"networking.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.IngressClasses, b) }},
	"NetworkPolicy":                  {"networking.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.NetworkPolicies, b) }},
	"StorageClass":                   {"storage.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.StorageClasses, b) }},
	"VolumeAttachment":               {"storage.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.VolumeAttachments, b) }},
	"CSINode":                        {"storage.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.CSINodes, b) }},
	"PriorityClass":                  {"scheduling.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.PriorityClasses, b) }},
	"ValidatingWebhookConfiguration": {"admissionregistration.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.ValidatingWebhooks, b) }},
	"MutatingWebhookConfiguration":   {"admissionregistration.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.MutatingWebhooks, b) }},
	"ValidatingAdmissionPolicy":      {"admissionregistration.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.ValidatingPolicies, b) }},
	"Role":                           {"rbac.authorization.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.Roles, b) }},
	"RoleBinding":                    {"rbac.authorization.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.RoleBindings, b) }},
	"ClusterRole":                    {"rbac.authorization.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.ClusterRoles, b) }},
	"ClusterRoleBinding":             {"rbac.authorization.k8s.io/v1", func(s *cluster.Snapshot, b []byte) error { return decode(&s.ClusterBindings, b) }},
}

// add puts an object into the list of its kind; kinds and versions without one become Others.
func (l *loader) add(kind, group, version string, raw []byte) error {
	if kind == "Event" && (group == "" || group == "events.k8s.io") {
		return l.addEvent(group, raw)
	}
	if t, ok := typed[kind]; ok && t.version == version {
		return t.add(&l.all, raw)
	}
	if kind == "Secret" {
		return nil
	}
	var content map[string]any
	if err := json.Unmarshal(raw, &content); err != nil {
		return err
	}
	o := &unstructured.Unstructured{Object: content}
	o.SetKind(kind)
	o.SetAPIVersion(version)
	l.all.Others = append(l.all.Others, o)
	return nil
}

// addSecret keeps of a Secret its metadata, the names of its entries and the expiry of its certificate. Annotations go
// as well: kubectl apply writes whole objects there.
func addSecret(s *cluster.Snapshot, raw []byte) error {
	var full corev1.Secret
	if err := json.Unmarshal(raw, &full); err != nil {
		return err
	}
	secret := &cluster.Secret{ObjectMeta: full.ObjectMeta, Type: full.Type, Keys: []string{}}
	secret.Annotations, secret.ManagedFields = nil, nil
	for k := range full.Data {
		secret.Keys = append(secret.Keys, k)
	}
	for k := range full.StringData {
		if !slices.Contains(secret.Keys, k) {
			secret.Keys = append(secret.Keys, k)
		}
	}
	slices.Sort(secret.Keys)
	secret.CertificateNotAfter = notAfter(full.Data[corev1.TLSCertKey])
	s.Secrets = append(s.Secrets, secret)
	return nil
}

// notAfter is the expiry of the first certificate of a PEM text, zero where it holds none.
func notAfter(data []byte) time.Time {
	block, _ := pem.Decode(data)
	if block == nil {
		return time.Time{}
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return time.Time{}
	}
	return c.NotAfter
}

func (l *loader) addEvent(group string, raw []byte) error {
	var e *cluster.Event
	if group == "events.k8s.io" {
		var v eventsv1.Event
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		e = newEvent(&v)
	} else {
		var v corev1.Event
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		e = coreEvent(&v)
	}
	l.all.Events = append(l.all.Events, e)
	return nil
}

func coreEvent(v *corev1.Event) *cluster.Event {
	e := &cluster.Event{
		Namespace: v.Namespace, About: about(v.InvolvedObject), FieldPath: v.InvolvedObject.FieldPath,
		Warning: v.Type == corev1.EventTypeWarning, Reason: v.Reason, Message: v.Message, Count: max(v.Count, 1),
		First:  earliestSet(v.FirstTimestamp.Time, v.EventTime.Time, v.CreationTimestamp.Time),
		Last:   earliestSet(v.LastTimestamp.Time, v.EventTime.Time, v.CreationTimestamp.Time),
		Source: cmp.Or(v.Source.Component, v.ReportingController),
	}
	if v.Series != nil {
		e.Count = max(e.Count, v.Series.Count)
		e.Last = earliestSet(v.Series.LastObservedTime.Time, e.Last)
	}
	return e
}

func newEvent(v *eventsv1.Event) *cluster.Event {
	e := &cluster.Event{
		Namespace: v.Namespace, About: about(v.Regarding), FieldPath: v.Regarding.FieldPath,
		Warning: v.Type == corev1.EventTypeWarning, Reason: v.Reason, Message: v.Note, Count: max(v.DeprecatedCount, 1),
		First:  earliestSet(v.DeprecatedFirstTimestamp.Time, v.EventTime.Time, v.CreationTimestamp.Time),
		Last:   earliestSet(v.DeprecatedLastTimestamp.Time, v.EventTime.Time, v.CreationTimestamp.Time),
		Source: cmp.Or(v.ReportingController, v.DeprecatedSource.Component),
	}
	if v.Series != nil {
		e.Count = max(e.Count, v.Series.Count)
		e.Last = earliestSet(v.Series.LastObservedTime.Time, e.Last)
	}
	return e
}

func about(r corev1.ObjectReference) cluster.Ref {
	return cluster.Ref{Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
}

// earliestSet returns the first of the times that is set.
func earliestSet(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return metav1.Time{}.Time
}
