// Package kubelet plays the kubelets of all nodes of a local cluster. No container runs: what becomes of one follows
// from the pod itself (its references, probes, limits and restart policy) and from annotations that say how its
// process would behave. Status, events and waiting times are those of a real kubelet.
//
// It decides everything about a pod that is bound to a node, and nothing about where pods go, how many there are, or
// what a Service sends to: those are the real controllers' decisions. The up command runs it.
package kubelet

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const workers = 4

// kubelet is the loop around the pure pass over one pod.
type kubelet struct {
	client   kubernetes.Interface
	world    *cluster
	recorder *recorder
	queue    workqueue.TypedRateLimitingInterface[types.NamespacedName]

	mu       sync.Mutex
	memories map[types.UID]memory
}

// Run plays the kubelets until the context ends.
func Run(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	k := &kubelet{
		client:   client,
		world:    newCluster(factory),
		recorder: newRecorder(client),
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](50*time.Millisecond, 5*time.Second)),
		memories: map[types.UID]memory{},
	}
	defer k.recorder.stop()
	if err := k.watch(factory); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	factory.WaitForCacheSync(ctx.Done())
	var group sync.WaitGroup
	for range workers {
		group.Go(func() { k.work(ctx) })
	}
	<-ctx.Done()
	k.queue.ShutDown()
	group.Wait()
	return nil
}

// watch looks at a pod again whenever it, or something that it depends on, changes.
func (k *kubelet) watch(factory informers.SharedInformerFactory) error {
	core := factory.Core().V1()
	for _, informer := range []cache.SharedIndexInformer{
		core.Pods().Informer(), core.Nodes().Informer(), core.ConfigMaps().Informer(), core.Secrets().Informer(),
		factory.Discovery().V1().EndpointSlices().Informer(),
	} {
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    k.changed,
			UpdateFunc: func(_, object any) { k.changed(object) },
			DeleteFunc: func(object any) {
				if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
					object = last.Obj
				}
				if pod, ok := object.(*corev1.Pod); ok {
					k.forget(pod.UID)
				}
				k.changed(object)
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (k *kubelet) changed(object any) {
	switch o := object.(type) {
	case *corev1.Pod:
		k.enqueue(o)
	case *corev1.Node:
		k.enqueueIf(func(pod *corev1.Pod) bool { return pod.Spec.NodeName == o.Name })
	case *corev1.ConfigMap:
		k.enqueueIf(func(pod *corev1.Pod) bool { return pod.Namespace == o.Namespace })
	case *corev1.Secret:
		k.enqueueIf(func(pod *corev1.Pod) bool { return pod.Namespace == o.Namespace })
	case *discoveryv1.EndpointSlice:
		service := types.NamespacedName{Namespace: o.Namespace, Name: o.Labels[discoveryv1.LabelServiceName]}
		k.enqueueIf(func(pod *corev1.Pod) bool { return dependsOn(pod, service) })
	}
}

func (k *kubelet) enqueue(pod *corev1.Pod) {
	if pod.Spec.NodeName != "" {
		k.queue.Add(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
	}
}

func (k *kubelet) enqueueIf(affected func(*corev1.Pod) bool) {
	// A list from the cache does not fail.
	pods, _ := k.world.pods.List(labels.Everything())
	for _, pod := range pods {
		if affected(pod) {
			k.enqueue(pod)
		}
	}
}

func (k *kubelet) work(ctx context.Context) {
	for {
		name, shutdown := k.queue.Get()
		if shutdown {
			return
		}
		wait, err := k.sync(ctx, name)
		switch {
		case err != nil:
			k.queue.AddRateLimited(name)
		case wait > 0:
			k.queue.Forget(name)
			k.queue.AddAfter(name, wait)
		default:
			k.queue.Forget(name)
		}
		k.queue.Done(name)
	}
}

// sync takes one pod one step further and says when to look again, zero meaning when something changes.
func (k *kubelet) sync(ctx context.Context, name types.NamespacedName) (time.Duration, error) {
	pod, err := k.world.pods.Pods(name.Namespace).Get(name.Name)
	if err != nil || pod.Annotations[prefix+"kubelet"] == "none" {
		return 0, nil
	}
	node := k.world.node(pod.Spec.NodeName)
	if node == nil || !ready(node) {
		// A node that is down neither starts nor ends anything.
		return 0, nil
	}
	p := newPass(pod.DeepCopy(), node, k.world, k.remember(pod.UID), time.Now())
	p.run()
	if !equality.Semantic.DeepEqual(pod.Status, p.pod.Status) {
		if _, err := k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, p.pod, metav1.UpdateOptions{}); err != nil {
			return 0, unlessGone(err)
		}
	}
	k.recorder.record(p.pod, p.events)
	k.memorize(pod.UID, p.memory)
	if p.gone {
		zero := int64(0)
		err := k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
			GracePeriodSeconds: &zero, Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
		})
		return 0, unlessGone(err)
	}
	return p.wait, nil
}

// unlessGone forgives that the pod is gone: then there is nothing left to do.
func unlessGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func ready(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func (k *kubelet) remember(uid types.UID) memory {
	k.mu.Lock()
	defer k.mu.Unlock()
	m := k.memories[uid]
	return memory{pulls: maps.Clone(m.pulls), said: maps.Clone(m.said), mountFailures: m.mountFailures}
}

func (k *kubelet) memorize(uid types.UID, m memory) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.memories[uid] = m
}

func (k *kubelet) forget(uid types.UID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.memories, uid)
}

// dependsOn tells whether a container of the pod says that it needs the service.
func dependsOn(pod *corev1.Pod, service types.NamespacedName) bool {
	for key, value := range pod.Annotations {
		if !strings.HasPrefix(key, prefix+"needs-service") {
			continue
		}
		for name := range strings.SplitSeq(value, ",") {
			if serviceName(pod, name) == service {
				return true
			}
		}
	}
	return false
}

// serviceName reads NAME or NAME.NAMESPACE.
func serviceName(pod *corev1.Pod, text string) types.NamespacedName {
	name, namespace, found := strings.Cut(strings.TrimSpace(text), ".")
	if !found {
		namespace = pod.Namespace
	}
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// podText is how kubelets write a pod in messages.
func podText(pod *corev1.Pod) string {
	return fmt.Sprintf("%s_%s(%s)", pod.Name, pod.Namespace, pod.UID)
}
