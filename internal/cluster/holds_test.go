package cluster_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

func TestSnapshot_Holds(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	for _, tc := range []struct {
		name string
		s    cluster.Snapshot
		want bool
	}{
		{"the namespace itself", cluster.Snapshot{Namespaces: []*corev1.Namespace{space}}, true},
		{"something in it", cluster.Snapshot{Pods: []*corev1.Pod{pod}}, true},
		{"it may not be read", cluster.Snapshot{Gaps: []cluster.Gap{{Want: cluster.Want{What: cluster.WantNamespace, Namespace: "shop"}, Reason: cluster.GapForbidden}}}, true},
		{"the files do not hold it", cluster.Snapshot{Gaps: []cluster.Gap{{Want: cluster.Want{What: cluster.WantNamespace, Namespace: "shop"}, Reason: cluster.GapNotInDump}}}, false},
		{"nothing at all", cluster.Snapshot{}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.s.Holds("shop"); got != tc.want {
				t.Errorf("Holds() = %v, want %v", got, tc.want)
			}
		})
	}
}
