package e2e

import (
	"context"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
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

// runningAgain is the sign of a container that has ended twice and runs: without a readiness probe it looks well.
func runningAgain(ctx context.Context, c client.Reader, namespace string) (bool, error) {
	var pods corev1.PodList
	err := c.List(ctx, &pods, client.InNamespace(namespace))
	return slices.ContainsFunc(pods.Items, func(pod corev1.Pod) bool {
		return slices.ContainsFunc(pod.Status.ContainerStatuses, func(status corev1.ContainerStatus) bool {
			return status.State.Running != nil && status.RestartCount >= 2
		})
	}), err
}

// event is the sign of an Event with the reason.
func event(reason string) sign {
	return func(ctx context.Context, c client.Reader, namespace string) (bool, error) {
		var events corev1.EventList
		err := c.List(ctx, &events, client.InNamespace(namespace))
		return slices.ContainsFunc(events.Items, func(e corev1.Event) bool { return e.Reason == reason }), err
	}
}

// both is the sign that two others have shown. A kubelet tells its events in the background, and a pod's state may be
// seen before the events that led to it.
func both(one, other sign) sign {
	return func(ctx context.Context, c client.Reader, namespace string) (bool, error) {
		if seen, err := one(ctx, c, namespace); !seen {
			return false, err
		}
		return other(ctx, c, namespace)
	}
}

// blind is the sign of an autoscaler that gets no metrics. It tells so by an event first, which settles nothing yet.
func blind(ctx context.Context, c client.Reader, namespace string) (bool, error) {
	var scalers autoscalingv2.HorizontalPodAutoscalerList
	err := c.List(ctx, &scalers, client.InNamespace(namespace))
	return slices.ContainsFunc(scalers.Items, func(scaler autoscalingv2.HorizontalPodAutoscaler) bool {
		return slices.ContainsFunc(scaler.Status.Conditions, func(c autoscalingv2.HorizontalPodAutoscalerCondition) bool {
			return c.Type == autoscalingv2.ScalingActive && c.Status == corev1.ConditionFalse
		})
	}), err
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

// patience is how long a fault may take to show on a machine that is busy with other things.
const patience = 4 * time.Minute

// await returns once the sign has shown up.
func await(ctx context.Context, t *testing.T, namespace string, shows sign) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
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
