package changerequest

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/kube"
)

// announce tells people and metrics what changed, once it is stored. Events are what somebody has to act on, and the end;
// the steps in between can be read in the conditions.
func (p *pass) announce(ctx context.Context) {
	status, logger := p.change.Status, log.FromContext(ctx)
	for _, condition := range kube.Changed(p.before, status.Conditions) {
		logger.V(1).Info("Condition changed", "type", condition.Type, "status", condition.Status, "reason", condition.Reason)
		if severity, ok := p.severityOf(condition); ok {
			p.Events.Tell(p.change, status.CorrelationID, condition.Type, severity, condition)
		}
	}
	if finished(p.change) {
		took := status.CompletedAt.Sub(p.change.CreationTimestamp.Time)
		p.Metrics.ChangeEnded(string(status.Result), took)
		logger.Info("Change ended", "phase", status.Phase, "result", status.Result, "took", took.Round(time.Millisecond).String())
	}
}

// severityOf says whether a condition that changed is worth an event, and which.
func (p *pass) severityOf(condition metav1.Condition) (kube.Severity, bool) {
	switch condition.Type {
	case v1alpha1.ConditionApproved:
		switch condition.Reason {
		case v1alpha1.ApprovedAwaitingApproval, v1alpha1.ApprovedAwaitingWindow:
			return kube.Normal, true
		case v1alpha1.ApprovedIdentityGuardMissing:
			return kube.Warning, true
		}
	case v1alpha1.ConditionVerified:
		return kube.Warning, condition.Reason == v1alpha1.VerifiedInconclusive
	case v1alpha1.ConditionDrifted, v1alpha1.ConditionRetrying:
		return kube.Warning, true
	case v1alpha1.ConditionSucceeded:
		if condition.Status == metav1.ConditionTrue {
			return kube.Normal, true
		}
		return kube.Warning, condition.Status == metav1.ConditionFalse
	}
	return "", false
}
