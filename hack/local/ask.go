package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// Asker puts questions to one cluster.
type Asker struct {
	client.WithWatch
	// as is who asks. A server before 1.36 cannot write it into a task, so it is sent along.
	as *v1alpha1.Requester
}

// NewAsker returns an asker for the kubeconfig. Its client knows Kubernetes' kinds and eclusier's.
func NewAsker(ctx context.Context, kubeconfig string) (*Asker, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	// A developer's own program may ask as fast as the server answers.
	config.QPS = -1
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	self := &authenticationv1.SelfSubjectReview{}
	if err := c.Create(ctx, self); err != nil {
		return nil, fmt.Errorf("ask the API server who we are: %w", err)
	}
	who := self.Status.UserInfo
	return &Asker{WithWatch: c, as: &v1alpha1.Requester{Username: who.Username, UID: who.UID}}, nil
}

// Ask creates an AgentTask and returns it once it has ended, with the time from the request to the end.
func (a *Asker) Ask(ctx context.Context, namespace, name, prompt string) (*v1alpha1.AgentTask, time.Duration, error) {
	return a.AskTask(ctx, &v1alpha1.AgentTask{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1alpha1.AgentTaskSpec{Prompt: prompt},
	})
}

// AskTask is Ask for a task that says more than a prompt.
func (a *Asker) AskTask(ctx context.Context, task *v1alpha1.AgentTask) (*v1alpha1.AgentTask, time.Duration, error) {
	one := &client.ListOptions{Namespace: task.Namespace, FieldSelector: fields.OneTermEqualSelector("metadata.name", task.Name)}
	changes, err := a.Watch(ctx, &v1alpha1.AgentTaskList{}, one)
	if err != nil {
		return nil, 0, err
	}
	defer changes.Stop()
	began := time.Now()
	if err := a.Submit(ctx, task); err != nil {
		return nil, 0, err
	}
	ended, err := awaitEnd(ctx, changes)
	if err != nil {
		return nil, 0, fmt.Errorf("AgentTask %s/%s: %w", task.Namespace, task.Name, err)
	}
	return ended, time.Since(began), nil
}

// Submit creates a task in the asker's name and does not wait for its end.
func (a *Asker) Submit(ctx context.Context, task *v1alpha1.AgentTask) error {
	task.Spec.RequestedBy = a.as
	return a.Create(ctx, task)
}

// awaitEnd returns the task of the watch once its root condition is decided.
func awaitEnd(ctx context.Context, changes watch.Interface) (*v1alpha1.AgentTask, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("no answer: %w", ctx.Err())
		case change, open := <-changes.ResultChan():
			if !open || change.Type == watch.Error {
				return nil, fmt.Errorf("the watch broke off: %v", change.Object)
			}
			task, ok := change.Object.(*v1alpha1.AgentTask)
			if !ok {
				continue
			}
			root := meta.FindStatusCondition(task.Status.Conditions, v1alpha1.ConditionSucceeded)
			if root != nil && root.Status != metav1.ConditionUnknown {
				return task, nil
			}
		}
	}
}

// Headline is the message of the task's root condition: what kubectl get shows.
func Headline(task *v1alpha1.AgentTask) string {
	root := meta.FindStatusCondition(task.Status.Conditions, v1alpha1.ConditionSucceeded)
	if root == nil {
		return "no answer"
	}
	return root.Message
}
