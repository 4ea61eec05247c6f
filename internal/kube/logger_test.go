package kube_test

import (
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/eclusier/eclusier/internal/kube"
)

func TestLogger(t *testing.T) {
	ids := func(name types.NamespacedName) string { return map[string]string{"known": "corr-1"}[name.Name] }
	about := func(name string) *reconcile.Request {
		return &reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "shop", Name: name}}
	}
	for _, tc := range []struct {
		name        string
		correlation func(types.NamespacedName) string
		request     *reconcile.Request
		want        string
	}{
		{"an object with an id", ids, about("known"), `"task"={"name"="known" "namespace"="shop"} "correlationID"="corr-1"`},
		{"an object that is gone", ids, about("gone"), `"task"={"name"="gone" "namespace"="shop"}`},
		{"a kind without ids", nil, about("known"), `"task"={"name"="known" "namespace"="shop"}`},
		{"no object at all", ids, nil, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var prefix, line string
			base := funcr.New(func(p, args string) { prefix, line = p, args }, funcr.Options{})
			kube.Logger(base, "tasks", "task", tc.correlation)(tc.request).Info("said")
			if got := strings.TrimSpace(strings.TrimPrefix(line, `"level"=0 "msg"="said"`)); prefix != "tasks" || got != tc.want {
				t.Errorf("%s: %s, want %s", prefix, got, tc.want)
			}
		})
	}
}
