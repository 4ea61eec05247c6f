package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
)

// person is somebody at the shop: a user whom the demo's own user impersonates, with kubectl and the plugin.
type person struct {
	name    string
	kubectl local.Kubectl
	plugin  local.Kubectl
	*local.Asker
}

// meet returns a person.
func (s *stage) meet(ctx context.Context, name string) (*person, error) {
	kubectl, err := s.kubectl.As(name, filepath.Join(s.dir, name+".kubeconfig"))
	if err != nil {
		return nil, err
	}
	p := &person{name: name, kubectl: kubectl, plugin: kubectl}
	p.plugin.Path = filepath.Join(s.root, "bin", "kubectl-eclusier")
	p.Asker, err = local.NewAsker(ctx, kubectl.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("may you impersonate users there? %w", err)
	}
	return p, nil
}

// changeTakes is how long a step of a change may take: long enough to pull an image.
const changeTakes = 3 * time.Minute

// poll calls look until it is content, fails, or takes too long.
func poll(ctx context.Context, what string, look func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, changeTakes)
	defer cancel()
	for {
		content, err := look()
		if content || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		case <-time.After(30 * time.Millisecond):
		}
	}
}

// see waits until a change is as wanted. One that ends otherwise is an error that says why.
func (p *person) see(ctx context.Context, name, what string, wanted func(*v1alpha1.ChangeRequest) bool) (*v1alpha1.ChangeRequest, error) {
	change := &v1alpha1.ChangeRequest{}
	err := poll(ctx, "ChangeRequest "+name+" is not "+what, func() (bool, error) {
		if err := p.Get(ctx, client.ObjectKey{Namespace: shop, Name: name}, change); err != nil {
			return false, err
		}
		if !wanted(change) && change.Status.Result != "" {
			return false, fmt.Errorf("ChangeRequest %s is not %s but %s: %s", name, what, change.Status.Result,
				said(change.Status.Conditions, v1alpha1.ConditionSucceeded).Message)
		}
		return wanted(change), nil
	})
	return change, err
}

// holds is a change of which a condition is True.
func holds(condition string) func(*v1alpha1.ChangeRequest) bool {
	return func(c *v1alpha1.ChangeRequest) bool {
		return meta.IsStatusConditionTrue(c.Status.Conditions, condition)
	}
}

// said is what a condition says, nothing while it is absent.
func said(conditions []metav1.Condition, of string) metav1.Condition {
	if found := meta.FindStatusCondition(conditions, of); found != nil {
		return *found
	}
	return metav1.Condition{}
}

// asks is a change that waits for people.
func asks(c *v1alpha1.ChangeRequest) bool { return len(c.Status.ApproveWith) > 0 }

// wish has a person ask for a change in plain words. It returns the task, and the change that is made of it once people
// are asked.
func (p *person) wish(ctx context.Context, task *v1alpha1.AgentTask) (*v1alpha1.ChangeRequest, error) {
	if err := p.Submit(ctx, task); err != nil {
		return nil, err
	}
	err := poll(ctx, "no change is made of "+task.Name, func() (bool, error) {
		if err := p.Get(ctx, client.ObjectKeyFromObject(task), task); err != nil {
			return false, err
		}
		if task.Status.CompletedAt != nil {
			return false, errors.New(local.Headline(task))
		}
		return len(task.Status.ChangeRequests) > 0, nil
	})
	if err != nil {
		return nil, err
	}
	return p.see(ctx, task.Status.ChangeRequests[0].Name, "shown to people", asks)
}

// ended waits for the end of a task.
func (p *person) ended(ctx context.Context, task *v1alpha1.AgentTask) error {
	return poll(ctx, "AgentTask "+task.Name+" does not end", func() (bool, error) {
		err := p.Get(ctx, client.ObjectKeyFromObject(task), task)
		return task.Status.CompletedAt != nil, err
	})
}

// refusal is what the API server says to somebody who may not, without the names of its policies.
func refusal(err error) string {
	_, why, _ := strings.Cut(err.Error(), "denied request: ")
	return why
}
