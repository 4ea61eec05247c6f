package config_test

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/config/policy"
)

// waitForPolicies returns once each of the policies has been seen at work.
func (s *installed) waitForPolicies(ctx context.Context) error {
	probe, err := s.client("prober", "system:masters")
	if err != nil {
		return err
	}
	planner, err := s.client("system:serviceaccount:default:eclusier-planner", "system:masters")
	if err != nil {
		return err
	}
	task := &v1alpha1.AgentTask{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "probe"},
		Spec:       v1alpha1.AgentTaskSpec{Prompt: "Is anything wrong?", RequestedBy: &v1alpha1.Requester{Username: "prober"}},
	}
	signs := []struct {
		what string
		seen func(ctx context.Context) (bool, error)
	}{
		{"who asks", func(ctx context.Context) (bool, error) {
			forged := task.DeepCopy()
			forged.Spec.RequestedBy.Username = "nobody"
			err := probe.Create(ctx, forged, client.DryRunAll)
			return apierrors.IsForbidden(err) || err == nil && forged.Spec.RequestedBy.Username == "prober", nil
		}},
		{"who wants a change", func(ctx context.Context) (bool, error) {
			forged := change("probe", wanting(fields{"requestedBy": fields{"username": "nobody"}}))
			err := probe.Create(ctx, forged, client.DryRunAll)
			return apierrors.IsForbidden(err) || err == nil && textAt(forged, "spec", "requestedBy", "username") == "prober", nil
		}},
		{"who makes an Approval", func(ctx context.Context) (bool, error) {
			return apierrors.IsForbidden(probe.Create(ctx, approval("probe", nil), client.DryRunAll)), nil
		}},
		{"the planner", func(ctx context.Context) (bool, error) {
			write := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "probe-"}}
			err := planner.Create(ctx, write)
			if err == nil {
				err = probe.Delete(ctx, write)
			}
			return apierrors.IsForbidden(err), client.IgnoreNotFound(ignoreForbidden(err))
		}},
	}
	for _, sign := range signs {
		if err := await(ctx, sign.seen); err != nil {
			return fmt.Errorf("waiting for the policy on %s: %w", sign.what, err)
		}
	}
	if err := s.waitForDecisions(ctx, probe); err != nil {
		return fmt.Errorf("waiting for the policies on decisions: %w", err)
	}
	if err := s.waitForStatus(ctx, probe, task); err != nil {
		return fmt.Errorf("waiting for the policy on status: %w", err)
	}
	return nil
}

func (s *installed) waitForDecisions(ctx context.Context, probe client.Client) error {
	operator, err := s.client(policy.DefaultOperator, "system:masters")
	if err != nil {
		return err
	}
	asked := approval("probe", nil)
	if err := operator.Create(ctx, asked); err != nil {
		return err
	}
	err = await(ctx, func(ctx context.Context) (bool, error) {
		forged := asked.DeepCopy()
		err := probe.Patch(ctx, forged, merge(fields{"decision": "Rejected", "decidedBy": fields{"username": "nobody"}}), client.DryRunAll)
		return apierrors.IsForbidden(err) || err == nil && textAt(forged, "spec", "decidedBy", "username") == "prober", nil
	})
	if err != nil {
		return err
	}
	return probe.Delete(ctx, asked)
}

func (s *installed) waitForStatus(ctx context.Context, probe client.Client, task *v1alpha1.AgentTask) error {
	if err := probe.Create(ctx, task); err != nil {
		return err
	}
	err := await(ctx, func(ctx context.Context) (bool, error) {
		judged := task.DeepCopy()
		judged.Status.Phase = v1alpha1.PhaseRunning
		return apierrors.IsForbidden(probe.Status().Patch(ctx, judged, client.MergeFrom(task), client.DryRunAll)), nil
	})
	if err != nil {
		return err
	}
	return probe.Delete(ctx, task)
}

func await(ctx context.Context, seen wait.ConditionWithContextFunc) error {
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, seen)
}

func ignoreForbidden(err error) error {
	if apierrors.IsForbidden(err) {
		return nil
	}
	return err
}
