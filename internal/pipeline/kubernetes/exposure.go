package kubernetes

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// exposing are the types of Services that are reached from outside the cluster.
var exposing = []string{"LoadBalancer", "NodePort"}

// exposed says whether a change makes something reachable that was not: a Service from outside or under an address of one's
// choice, or whatever an Ingress or a route leads to.
func exposed(before, after map[string]any) bool {
	return anew(reachable(before), reachable(after))
}

// reachable are the ways on which an object lets something be reached.
func reachable(content map[string]any) map[string]bool {
	ways := map[string]bool{}
	kind, _ := content["kind"].(string)
	version, _ := content["apiVersion"].(string)
	spec, _ := content["spec"].(map[string]any)
	switch {
	case kind == "Service":
		if of, _ := spec["type"].(string); slices.Contains(exposing, of) {
			ways[of] = true
		}
		addresses, _, _ := unstructured.NestedStringSlice(content, "spec", "externalIPs")
		for _, address := range addresses {
			ways[address] = true
		}
	case kind == "Ingress", strings.HasPrefix(version, "gateway.networking.k8s.io/") && (kind == "Gateway" || strings.HasSuffix(kind, "Route")):
		for field, value := range spec {
			ways[fmt.Sprintf("%s %v", field, value)] = true
		}
	}
	return ways
}
