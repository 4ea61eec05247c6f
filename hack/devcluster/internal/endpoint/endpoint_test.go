package endpoint

import (
	"crypto/tls"
	"io"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/eclusier/eclusier/hack/devcluster/internal/authority"
)

// serve answers for one pod whose container is as the status says and whose logs are those given.
func serve(t *testing.T, status corev1.ContainerStatus, source Source) *http.Client {
	t.Helper()
	ca, err := authority.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := ca.Server("node", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(pair.Cert, pair.Key, source)
	if err != nil {
		t.Fatal(err)
	}
	status.Name = "web"
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-1"},
		Status:     corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{status}},
	}
	client := fake.NewClientset(pod)
	go e.Serve(client)
	t.Cleanup(e.Close)
	transport := &http.Transport{
		DialContext: e.Dial,
		// The API server does not verify it either: the connection never leaves the process.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func get(t *testing.T, client *http.Client, path string) (int, string) {
	t.Helper()
	response, err := client.Get("https://10.20.0.11:10250" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

var (
	running = corev1.ContainerStatus{State: corev1.ContainerState{
		Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))},
	}}
	pulling  = corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}
	crashing = corev1.ContainerStatus{
		State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}},
	}
)

func TestEndpoint_containerLogs(t *testing.T) {
	three := func(*corev1.Pod, string, bool) (string, bool) { return "one\ntwo\nthree\n", true }
	nothing := func(*corev1.Pod, string, bool) (string, bool) { return "", false }
	for _, c := range []struct {
		name   string
		status corev1.ContainerStatus
		source Source
		path   string
		code   int
		want   string
		reason string
	}{
		{"the whole log", running, three, "/containerLogs/shop/web-1/web", 200, "one\ntwo\nthree\n", "nothing limits it"},
		{"the last lines", running, three, "/containerLogs/shop/web-1/web?tailLines=2", 200, "two\nthree\n", "tailLines counts from the end"},
		{"no lines", running, three, "/containerLogs/shop/web-1/web?tailLines=0", 200, "", "zero is a limit as well"},
		{"the first bytes", running, three, "/containerLogs/shop/web-1/web?limitBytes=5", 200, "one\nt", "limitBytes counts from the start"},
		{"with times", running, three, "/containerLogs/shop/web-1/web?tailLines=1&timestamps=true", 200,
			"2026-03-01T12:00:00Z three\n", "the start is the only time known"},
		{"the run before a crash", crashing, three, "/containerLogs/shop/web-1/web?previous=true&tailLines=1", 200, "three\n", "it has ended"},
		{"the run before the first", running, nothing, "/containerLogs/shop/web-1/web?previous=true", 400,
			"previous terminated container \"web\" in pod \"web-1\" not found\n", "there was none"},
		{"an image that cannot be pulled", pulling, nothing, "/containerLogs/shop/web-1/web", 400,
			"container \"web\" in pod \"web-1\" is waiting to start: trying and failing to pull image\n", "nothing has run"},
		{"a log that was not kept", running, nothing, "/containerLogs/shop/web-1/web", 404,
			"the log of container \"web\" in pod \"web-1\" was not kept\n", "an unknown log is not an empty one"},
		{"a container that does not exist", running, nothing, "/containerLogs/shop/web-1/db", 400,
			"container \"db\" in pod \"web-1\" is not available\n", "the pod has no such container"},
		{"a pod that does not exist", running, three, "/containerLogs/shop/web-2/web", 404, "pod \"web-2\" does not exist\n", "there is no such pod"},
		{"a limit that is no number", running, three, "/containerLogs/shop/web-1/web?tailLines=x", 400,
			"invalid value \"x\" of parameter tailLines\n", "what is not understood is refused"},
		{"anything but a log", running, three, "/exec/shop/web-1/web", 501,
			"the nodes of a local cluster run nothing: only logs are served\n", "nothing runs that could be entered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, text := get(t, serve(t, c.status, c.source), c.path)
			if code != c.code || text != c.want {
				t.Errorf("got %d %q, want %d %q: %s", code, text, c.code, c.want, c.reason)
			}
		})
	}
}
