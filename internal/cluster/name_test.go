package cluster_test

import (
	"slices"
	"testing"

	"github.com/eclusier/eclusier/internal/cluster"
)

func TestPrefer(t *testing.T) {
	of := func(kinds ...string) []cluster.Found {
		var found []cluster.Found
		for i, k := range kinds {
			found = append(found, cluster.Found{Ref: cluster.Ref{Kind: k, Namespace: "shop", Name: "web"}, UID: string(rune('a' + i))})
		}
		return found
	}
	tests := []struct {
		name string
		in   []cluster.Found
		want []cluster.Found
	}{
		{"nothing stays nothing", nil, nil},
		{"a workload wins over its service and its settings", of("ConfigMap", "Service", "Deployment"), of("ConfigMap", "Service", "Deployment")[2:]},
		{"two of one kind stay ambiguous", of("Pod", "Pod"), of("Pod", "Pod")},
		{"a known kind wins over a custom one", of("Certificate", "StorageClass"), of("Certificate", "StorageClass")[1:]},
		{"custom kinds are kept where nothing else fits", of("Certificate", "Application"), of("Certificate", "Application")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cluster.Prefer(tt.in); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	if kinds := cluster.BareKinds(); slices.Contains(kinds, "Secret") {
		t.Error("a bare name must not make anybody read Secrets")
	}
}
