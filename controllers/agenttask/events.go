package agenttask

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/kube"
)

// announce tells people and metrics what changed, once it is stored. Only what concerns the whole task is an event:
// Succeeded when it leaves Progressing, and a retry. The steps in between can be read in the conditions.
func (p *pass) announce(ctx context.Context) {
	status, logger := p.task.Status, log.FromContext(ctx)
	for _, condition := range kube.Changed(p.before, status.Conditions) {
		logger.V(1).Info("Condition changed", "type", condition.Type, "status", condition.Status, "reason", condition.Reason)
		if severity, ok := severityOf(condition); ok {
			p.Events.Tell(p.task, status.CorrelationID, condition.Type, severity, condition)
		}
		if condition.Type == v1alpha1.ConditionSucceeded && finished(p.task) {
			took := p.arrived.leave(p.task, p.now)
			p.Metrics.TaskEnded(condition.Reason, took)
			logger.Info("Task ended", "phase", status.Phase, "reason", condition.Reason, "took", took.Round(time.Millisecond).String())
		}
	}
	for _, tell := range p.stored {
		tell()
	}
}

// severityOf says whether a condition that changed is worth an event, and which.
func severityOf(condition metav1.Condition) (kube.Severity, bool) {
	switch condition.Type {
	case v1alpha1.ConditionRetrying:
		return kube.Warning, true
	case v1alpha1.ConditionSucceeded:
		switch condition.Reason {
		case v1alpha1.SucceededProgressing, v1alpha1.SucceededAwaitingChange:
			return "", false
		case v1alpha1.SucceededSuspended, v1alpha1.SucceededCancelled:
			return kube.Normal, true
		}
		if condition.Status == metav1.ConditionTrue {
			return kube.Normal, true
		}
		return kube.Warning, true
	}
	return "", false
}
