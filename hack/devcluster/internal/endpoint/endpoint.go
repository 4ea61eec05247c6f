// Package endpoint stands for the HTTPS port of every node of a local cluster, so that kubectl logs works although no
// node exists. It answers for a container's log and refuses everything else (exec, attach, port-forward, metrics)
// with a sentence. The API server reaches it through memory, whatever address a Node object claims; nothing else can.
package endpoint

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Source gives the log of a container: the current one, or that of the run before. known is false if the source has
// nothing to say about it, which is not the same as an empty log.
type Source func(pod *corev1.Pod, container string, previous bool) (text string, known bool)

// Endpoint serves the log requests of the API server.
type Endpoint struct {
	source   Source
	client   kubernetes.Interface
	listener *memoryListener
	server   *http.Server
}

// New returns an endpoint that serves with the certificate once Serve is called.
func New(certFile, keyFile string, source Source) (*Endpoint, error) {
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of the node endpoint: %w", err)
	}
	e := &Endpoint{source: source, listener: newMemoryListener()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", e.containerLogs)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "the nodes of a local cluster run nothing: only logs are served", http.StatusNotImplemented)
	})
	e.server = &http.Server{
		Handler:           mux,
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12},
		ReadHeaderTimeout: 10 * time.Second,
	}
	return e, nil
}

// Serve answers until Close; pods are looked up through the client.
func (e *Endpoint) Serve(client kubernetes.Interface) {
	e.client = client
	// The error says that the server was closed, which Close asked for.
	_ = e.server.ServeTLS(e.listener, "", "")
}

// Close ends all connections.
func (e *Endpoint) Close() { _ = e.server.Close() }

// Dial connects to the endpoint in place of the address of a node.
func (e *Endpoint) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return e.listener.dial(ctx)
}

func (e *Endpoint) containerLogs(w http.ResponseWriter, r *http.Request) {
	namespace, name, container := r.PathValue("namespace"), r.PathValue("pod"), r.PathValue("container")
	options, err := parseOptions(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	pod, err := e.client.CoreV1().Pods(namespace).Get(r.Context(), name, metav1.GetOptions{})
	if err != nil {
		http.Error(w, fmt.Sprintf("pod %q does not exist", name), http.StatusNotFound)
		return
	}
	status, err := readable(pod, container, options.previous)
	text, known := e.source(pod, container, options.previous)
	switch {
	case known && (err == nil || text != ""):
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	default:
		http.Error(w, fmt.Sprintf("the log of container %q in pod %q was not kept", container, name), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(options.cut(text, started(status, options.previous)))
	if options.follow && !options.previous && status != nil && status.State.Running != nil {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

// readable tells, in the words of a kubelet, why a container has no log to read.
func readable(pod *corev1.Pod, container string, previous bool) (*corev1.ContainerStatus, error) {
	status := statusOf(pod, container)
	if status == nil {
		return nil, fmt.Errorf("container %q in pod %q is not available", container, pod.Name)
	}
	last := status.LastTerminationState.Terminated
	switch waiting := status.State.Waiting; {
	case previous && last == nil:
		return status, fmt.Errorf("previous terminated container %q in pod %q not found", container, pod.Name)
	case previous, waiting == nil, last != nil:
		return status, nil
	case waiting.Reason == "ErrImagePull":
		return status, fmt.Errorf("container %q in pod %q is waiting to start: image can't be pulled", container, pod.Name)
	case waiting.Reason == "ImagePullBackOff":
		return status, fmt.Errorf("container %q in pod %q is waiting to start: trying and failing to pull image", container, pod.Name)
	default:
		return status, fmt.Errorf("container %q in pod %q is waiting to start: %v", container, pod.Name, waiting.Reason)
	}
}

func statusOf(pod *corev1.Pod, container string) *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{
		pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses, pod.Status.EphemeralContainerStatuses,
	} {
		for i := range list {
			if list[i].Name == container {
				return &list[i]
			}
		}
	}
	return nil
}

func started(status *corev1.ContainerStatus, previous bool) time.Time {
	switch {
	case status == nil:
	case previous && status.LastTerminationState.Terminated != nil:
		return status.LastTerminationState.Terminated.StartedAt.Time
	case status.State.Running != nil:
		return status.State.Running.StartedAt.Time
	case status.State.Terminated != nil:
		return status.State.Terminated.StartedAt.Time
	}
	return time.Time{}
}

// options are the parameters of a log request that the endpoint honours.
type options struct {
	previous, follow, timestamps bool
	tailLines, limitBytes        int64
}

func parseOptions(query map[string][]string) (options, error) {
	o := options{tailLines: -1, limitBytes: -1}
	for name, values := range query {
		var err error
		switch name {
		case "previous":
			o.previous, err = strconv.ParseBool(values[0])
		case "follow":
			o.follow, err = strconv.ParseBool(values[0])
		case "timestamps":
			o.timestamps, err = strconv.ParseBool(values[0])
		case "tailLines":
			o.tailLines, err = strconv.ParseInt(values[0], 10, 64)
		case "limitBytes":
			o.limitBytes, err = strconv.ParseInt(values[0], 10, 64)
		}
		if err != nil {
			return o, fmt.Errorf("invalid value %q of parameter %s", values[0], name)
		}
	}
	return o, nil
}
