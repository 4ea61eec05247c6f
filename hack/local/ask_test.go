package local

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// TestNewAsker_severalAtOnce holds NewAsker to touching nothing that belongs to the whole process. It is the race detector
// that finds it out.
func TestNewAsker_severalAtOnce(t *testing.T) {
	kubeconfig := kubeconfigOf(t, whoami(t, "alice"))
	start := make(chan struct{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			<-start
			asker, err := NewAsker(t.Context(), kubeconfig)
			if err != nil || asker.as.Username != "alice" {
				t.Errorf("got %+v, %v", asker, err)
			}
		})
	}
	close(start)
	all.Wait()
}

// whoami is an API server that can only say who asks.
func whoami(t *testing.T, username string) *httptest.Server {
	t.Helper()
	group := authenticationv1.SchemeGroupVersion
	answers := map[string]any{
		"/api": metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}},
		"/apis": metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{{Name: group.Group,
			Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: group.String(), Version: group.Version}}}}},
		"/apis/" + group.String(): metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: group.String(),
			APIResources: []metav1.APIResource{{Name: "selfsubjectreviews", Kind: "SelfSubjectReview", Verbs: metav1.Verbs{"create"}}}},
		"/apis/" + group.String() + "/selfsubjectreviews": authenticationv1.SelfSubjectReview{
			TypeMeta: metav1.TypeMeta{Kind: "SelfSubjectReview", APIVersion: group.String()},
			Status:   authenticationv1.SelfSubjectReviewStatus{UserInfo: authenticationv1.UserInfo{Username: username}}},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, known := answers[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	return server
}

func kubeconfigOf(t *testing.T, server *httptest.Server) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: server.URL}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test"}
	config.CurrentContext = "test"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	return file
}
