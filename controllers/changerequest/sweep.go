package changerequest

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/transcript"
)

// sweepEvery is how often spent plans and leases are removed.
const sweepEvery = time.Hour

// sweeper removes stored plans that are spent, and leases that nobody holds any more, at the start and then now and again. The manager runs it on the leader alone.
type sweeper struct{ *Reconciler }

// NeedLeaderElection is part of manager.LeaderElectionRunnable.
func (s *sweeper) NeedLeaderElection() bool { return true }

// Start sweeps until ctx ends. It is part of manager.Runnable.
func (s *sweeper) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		logger := log.FromContext(ctx).WithName("sweep")
		removed, err := s.Plans.Sweep(ctx, s.standing(ctx))
		if err != nil {
			logger.Error(err, "Removing spent plans", "removed", removed)
			return
		}
		logger.V(1).Info("Removed spent plans", "removed", removed)
		if err := s.reclaim(ctx); err != nil {
			logger.Error(err, "Removing leases of changes that have ended")
		}
	}, sweepEvery)
	return nil
}

// standing says how it stands with the change that a stored plan belongs to. One that cannot be looked at is needed.
func (s *sweeper) standing(ctx context.Context) func(transcript.Entry) transcript.Standing {
	return func(e transcript.Entry) transcript.Standing {
		requested := &v1alpha1.ChangeRequest{}
		err := s.Client.Get(ctx, client.ObjectKey{Namespace: e.Namespace, Name: e.Name}, requested)
		switch {
		case apierrors.IsNotFound(err), err == nil && string(requested.UID) != e.UID:
			return transcript.Standing{}
		case err != nil || !finished(requested) || requested.Status.CompletedAt == nil:
			return transcript.Standing{Needed: true}
		}
		standing := transcript.Standing{Ended: requested.Status.CompletedAt.Time}
		for _, a := range requested.Status.Attempts {
			standing.Applied = standing.Applied || a.Step == v1alpha1.StepApply
		}
		return standing
	}
}
