package kubelet

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
)

// event is something that a kubelet tells about a pod, or about a part of it.
type event struct {
	kind, reason, message string
	// field is the path of the container in the pod, empty for the pod as a whole.
	field string
}

// recorder writes events in the name of the kubelet of each node. Repeats are counted, and floods refused, by the same
// code that real kubelets use.
type recorder struct {
	broadcaster record.EventBroadcaster

	mu    sync.Mutex
	nodes map[string]record.EventRecorder
}

func newRecorder(client kubernetes.Interface) *recorder {
	r := &recorder{broadcaster: record.NewBroadcaster(), nodes: map[string]record.EventRecorder{}}
	r.broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	return r
}

func (r *recorder) stop() { r.broadcaster.Shutdown() }

func (r *recorder) record(pod *corev1.Pod, events []event) {
	for _, e := range events {
		r.of(pod.Spec.NodeName).Event(&corev1.ObjectReference{
			APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID,
			ResourceVersion: pod.ResourceVersion, FieldPath: e.field,
		}, e.kind, e.reason, e.message)
	}
}

func (r *recorder) of(node string) record.EventRecorder {
	r.mu.Lock()
	defer r.mu.Unlock()
	recorder, ok := r.nodes[node]
	if !ok {
		recorder = r.broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet", Host: node})
		r.nodes[node] = recorder
	}
	return recorder
}
