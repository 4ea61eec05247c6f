package e2e

import (
	"context"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// sign says whether a fault, or health, has shown up in a namespace. A question asked earlier would be about a
// cluster in which nothing has happened yet.
type sign func(ctx context.Context, c client.Reader, namespace string) (bool, error)

// waiting is the sign of a container, an init container included, that waits for one of the reasons.
func waiting(reasons ...string) sign {
	return func(ctx context.Context, c client.Reader, namespace string) (bool, error) {
		var pods corev1.PodList
		err := c.List(ctx, &pods, client.InNamespace(namespace))
		return slices.ContainsFunc(pods.Items, func(pod corev1.Pod) bool {
			statuses := slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
			return slices.ContainsFunc(statuses, func(status corev1.ContainerStatus) bool {
				return status.State.Waiting != nil && slices.Contains(reasons, status.State.Waiting.Reason)
			})
		}), err
	}
}

// event is the sign of an Event with the reason.
func event(reason string) sign {
	return func(ctx context.Context, c client.Reader, namespace string) (bool, error) {
		var events corev1.EventList
		err := c.List(ctx, &events, client.InNamespace(namespace))
		return slices.ContainsFunc(events.Items, func(e corev1.Event) bool { return e.Reason == reason }), err
	}
}

// available is the sign of Deployments that have all their replicas.
func available(ctx context.Context, c client.Reader, namespace string) (bool, error) {
	var deployments appsv1.DeploymentList
	if err := c.List(ctx, &deployments, client.InNamespace(namespace)); err != nil {
		return false, err
	}
	behind := slices.ContainsFunc(deployments.Items, func(d appsv1.Deployment) bool {
		return d.Status.ObservedGeneration < d.Generation || d.Status.AvailableReplicas != *d.Spec.Replicas
	})
	return len(deployments.Items) > 0 && !behind, nil
}

// applied is the sign of a fault that is there as soon as it is written.
func applied(context.Context, client.Reader, string) (bool, error) { return true, nil }

// await returns once the sign has shown up.
func await(ctx context.Context, t *testing.T, namespace string, shows sign) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		seen, err := shows(ctx, scene.asker, namespace)
		if seen {
			return
		}
		select {
		case <-ctx.Done():
			pods, _ := scene.kubectl.Run(context.WithoutCancel(ctx), "get", "pods,events", "-n", namespace)
			t.Fatalf("the fault has not shown up: %v (last error: %v)\n%s", ctx.Err(), err, pods)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
