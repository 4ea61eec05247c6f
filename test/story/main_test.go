// Package story tells how AgentTasks fare on a real API server, worked on by the operator that people install.
package story

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
	"github.com/eclusier/eclusier/test/stage"
)

var (
	scene    *stage.Stage
	operator *local.Operator
)

const (
	// patience is how long a task may take on a machine that is busy with other things.
	patience = 2 * time.Minute
	// sceneTime is what it may take to set the scene: the operator is compiled for it.
	sceneTime = 10 * time.Minute
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	os.Exit(play(m))
}

func play(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), sceneTime)
	defer cancel()
	var err error
	if scene, err = stage.Raise(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = scene.Strike() }()
	if err := scene.Tenant(ctx, "shop"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := breakWeb(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if operator, err = scene.Operator(ctx, "first"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { operator.Stop() }()
	return m.Run()
}

// breakWeb makes the Deployment web, whose image does not exist, and a Secret that nobody may read.
func breakWeb(ctx context.Context) error {
	labels := map[string]string{"app": "web"}
	replicas := int32(1)
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.example.org/web:v9"}}}}
	web := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template}}
	owned := func(name string, owner client.Object, kind string) metav1.ObjectMeta {
		controller := true
		return metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: labels, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "apps/v1", Kind: kind, Name: owner.GetName(), UID: owner.GetUID(), Controller: &controller}}}
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db"}, StringData: map[string]string{"password": "canary-in-a-secret"}}
	fallback := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "default"}}
	for _, o := range []client.Object{web, secret, fallback} {
		if err := scene.Client.Create(ctx, o); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	set := &appsv1.ReplicaSet{ObjectMeta: owned("web-7d9f4b", web, "Deployment"),
		Spec: appsv1.ReplicaSetSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template}}
	if err := scene.Client.Create(ctx, set); err != nil {
		return err
	}
	pod := &corev1.Pod{ObjectMeta: owned("web-7d9f4b-x2x4z", set, "ReplicaSet"), Spec: template.Spec}
	pod.Spec.NodeName = "node-1"
	if err := scene.Client.Create(ctx, pod); err != nil {
		return err
	}
	message := `Back-off pulling image "registry.example.org/web:v9": ErrImagePull: rpc error: code = NotFound desc = failed to resolve reference "registry.example.org/web:v9": registry.example.org/web:v9: not found`
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending,
		Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, {Type: corev1.PodReady, Status: corev1.ConditionFalse}},
		ContainerStatuses: []corev1.ContainerStatus{{Name: "web", Image: "registry.example.org/web:v9",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: message}}}}}
	if err := scene.Client.Status().Update(ctx, pod); err != nil {
		return err
	}
	set.Status = appsv1.ReplicaSetStatus{ObservedGeneration: set.Generation, Replicas: 1}
	web.Status = appsv1.DeploymentStatus{ObservedGeneration: web.Generation, Replicas: 1, UpdatedReplicas: 1, UnavailableReplicas: 1}
	if err := scene.Client.Status().Update(ctx, set); err != nil {
		return err
	}
	return scene.Client.Status().Update(ctx, web)
}

// asked creates a task.
func asked(t *testing.T, name, prompt string, changes ...func(*v1alpha1.AgentTask)) *v1alpha1.AgentTask {
	t.Helper()
	task := &v1alpha1.AgentTask{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Spec: v1alpha1.AgentTaskSpec{Prompt: prompt}}
	for _, change := range changes {
		change(task)
	}
	if err := scene.Client.Create(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	return task
}

// until watches a task until it is as wanted, and returns it and how often it changed on the way.
func until(t *testing.T, task *v1alpha1.AgentTask, what string, wanted func(*v1alpha1.AgentTask) bool) (*v1alpha1.AgentTask, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	changes, err := scene.Watch(ctx, task.ResourceVersion, client.InNamespace(task.Namespace), client.MatchingFields{"metadata.name": task.Name})
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Stop()
	last := task
	for writes := 1; ; writes++ {
		if wanted(last) {
			return last, writes - 1
		}
		change, open := <-changes.ResultChan()
		if !open {
			t.Fatalf("%s did not become %s: %+v", task.Name, what, last.Status)
		}
		if next, ok := change.Object.(*v1alpha1.AgentTask); ok {
			last = next
		}
	}
}

func finished(task *v1alpha1.AgentTask) bool { return task.Status.CompletedAt != nil }

func condition(task *v1alpha1.AgentTask, of string) metav1.Condition {
	if c := meta.FindStatusCondition(task.Status.Conditions, of); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// eventsAbout waits for the events of a task, which are written in the background.
func eventsAbout(t *testing.T, task *v1alpha1.AgentTask) []eventsv1.Event {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		all := &eventsv1.EventList{}
		if err := scene.Client.List(t.Context(), all, client.InNamespace(task.Namespace)); err != nil {
			t.Fatal(err)
		}
		var about []eventsv1.Event
		for _, e := range all.Items {
			if e.Regarding.Name == task.Name && strings.HasPrefix(e.Regarding.APIVersion, v1alpha1.GroupVersion.Group) {
				about = append(about, e)
			}
		}
		if len(about) > 0 || time.Now().After(deadline) {
			return about
		}
		time.Sleep(50 * time.Millisecond)
	}
}
