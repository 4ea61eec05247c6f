package scenario

import (
	"net/netip"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const podSecurity = "pod-security.kubernetes.io/"

// serviceRange is where the API server takes the addresses of Services from.
var serviceRange = netip.MustParsePrefix("10.96.0.0/16")

// guardRank is that of the kinds that decide about every request.
const guardRank = 5

// rank orders the kinds: what others cannot be created without comes first, what would refuse or alter others last.
func rank(object *unstructured.Unstructured) int {
	switch object.GetKind() {
	case "Namespace", "CustomResourceDefinition":
		return 0
	case "ServiceAccount", "PriorityClass", "RuntimeClass", "StorageClass", "IngressClass", "Node":
		return 1
	case "Event":
		return 3
	case "ResourceQuota", "LimitRange", "APIService":
		return 4
	case "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
		"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding":
		return guardRank
	}
	return 2
}

// prepare returns what to create for an object: without status and without what only an API server may write, and
// with the few changes that it would not be taken without.
func prepare(object *unstructured.Unstructured) *unstructured.Unstructured {
	o := object.DeepCopy()
	for _, field := range []string{
		"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation",
		"uid", "resourceVersion", "managedFields", "selfLink",
	} {
		unstructured.RemoveNestedField(o.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(o.Object, "status")
	switch o.GetKind() {
	case "Namespace":
		labels := o.GetLabels()
		for name := range labels {
			if strings.HasPrefix(name, podSecurity) {
				delete(labels, name)
			}
		}
		o.SetLabels(labels)
	case "Job":
		// Without it the labels with the uid of the former job are refused.
		if _, found, _ := unstructured.NestedMap(o.Object, "spec", "selector"); found {
			_ = unstructured.SetNestedField(o.Object, true, "spec", "manualSelector")
		}
	case "Service":
		dropForeignAddress(o)
	case "Pod":
		// They can only be added to a pod that exists.
		unstructured.RemoveNestedField(o.Object, "spec", "ephemeralContainers")
	case "Event":
		asCoreEvent(o)
	}
	return o
}

// dropForeignAddress lets the API server choose if a Service's address is not of its range.
func dropForeignAddress(service *unstructured.Unstructured) {
	address, _, _ := unstructured.NestedString(service.Object, "spec", "clusterIP")
	if ip, err := netip.ParseAddr(address); err == nil && !serviceRange.Contains(ip) {
		unstructured.RemoveNestedField(service.Object, "spec", "clusterIP")
		unstructured.RemoveNestedField(service.Object, "spec", "clusterIPs")
	}
}

// asCoreEvent gives an event of the newer API that has no event time the older form, in which alone it is valid.
func asCoreEvent(event *unstructured.Unstructured) {
	if event.GroupVersionKind().Group != "events.k8s.io" {
		return
	}
	if moment, _, _ := unstructured.NestedString(event.Object, "eventTime"); moment != "" {
		return
	}
	event.SetAPIVersion("v1")
	for newer, older := range map[string]string{
		"regarding": "involvedObject", "note": "message", "reportingController": "reportingComponent",
		"deprecatedSource": "source", "deprecatedFirstTimestamp": "firstTimestamp",
		"deprecatedLastTimestamp": "lastTimestamp", "deprecatedCount": "count",
	} {
		if value, ok := event.Object[newer]; ok {
			event.Object[older] = value
			delete(event.Object, newer)
		}
	}
}

// observe sets what the status says of the generation it is about. An object that is created anew has another
// generation than the one written down; one whose controller had not seen the newest keeps lagging.
func observe(status map[string]any, was, is int64) {
	set := func(part map[string]any) {
		if seen, ok := part["observedGeneration"].(int64); ok {
			if was > 0 && seen < was {
				part["observedGeneration"] = is - 1
			} else {
				part["observedGeneration"] = is
			}
		}
	}
	set(status)
	conditions, _, _ := unstructured.NestedSlice(map[string]any{"status": status}, "status", "conditions")
	for _, condition := range conditions {
		if c, ok := condition.(map[string]any); ok {
			set(c)
		}
	}
	if conditions != nil {
		status["conditions"] = conditions
	}
}
