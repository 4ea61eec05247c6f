package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// workload is a Deployment and its pods, as they are now.
type workload struct {
	deployment appsv1.Deployment
	pods       []corev1.Pod
}

func waitsFor(reasons ...string) func(workload) bool {
	return func(w workload) bool {
		return w.any(func(status corev1.ContainerStatus) bool {
			return status.State.Waiting != nil && slices.Contains(reasons, status.State.Waiting.Reason)
		})
	}
}

func (w workload) wasOOMKilled() bool {
	return w.any(func(status corev1.ContainerStatus) bool {
		last := status.LastTerminationState.Terminated
		return last != nil && last.Reason == "OOMKilled"
	})
}

func (w workload) isAvailable() bool {
	return w.deployment.Status.AvailableReplicas == *w.deployment.Spec.Replicas
}

func (w workload) any(holds func(corev1.ContainerStatus) bool) bool {
	return slices.ContainsFunc(w.pods, func(pod corev1.Pod) bool {
		return slices.ContainsFunc(pod.Status.ContainerStatuses, holds)
	})
}

// look reads the shop's Deployments and their pods, by the label app.
func look(ctx context.Context, c client.Reader) (map[string]workload, error) {
	var deployments appsv1.DeploymentList
	var pods corev1.PodList
	in := client.InNamespace(shop)
	if err := errors.Join(c.List(ctx, &deployments, in), c.List(ctx, &pods, in)); err != nil {
		return nil, err
	}
	seen := map[string]workload{}
	for _, deployment := range deployments.Items {
		seen[deployment.Name] = workload{deployment: deployment}
	}
	for _, pod := range pods.Items {
		w := seen[pod.Labels["app"]]
		w.pods = append(w.pods, pod)
		seen[pod.Labels["app"]] = w
	}
	return seen, nil
}

// awaitSymptoms returns once every part of the shop shows what it is there to show.
func awaitSymptoms(ctx context.Context, c client.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		seen, err := look(ctx, c)
		if err != nil {
			return err
		}
		late := slices.IndexFunc(parts, func(p part) bool { return !p.showsUp(seen[p.workload]) })
		if late < 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s does not show %s: %w", parts[late].workload, parts[late].title, ctx.Err())
		case <-tick.C:
		}
	}
}
