// Package changepolicy says whether ChangePolicies can be used.
//
// It writes their condition Ready: a policy whose schedule, time zone or selector cannot be read denies every change that
// it fits, and its owner learns it here rather than from the first change that is denied. It also tells how strict the
// policies of the cluster are, as metrics. It decides about no change.
package changepolicy

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/kube"
	"github.com/eclusier/eclusier/internal/policy"
	"github.com/eclusier/eclusier/internal/telemetry"
)

// Reconciler writes whether policies can be used. All fields are needed.
type Reconciler struct {
	Client  client.Client
	Events  kube.Events
	Metrics *telemetry.Metrics
	Clock   clock.PassiveClock
}

// Setup has the manager call the reconciler.
func (r *Reconciler) Setup(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.ChangePolicy{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithLogConstructor(kube.Logger(manager.GetLogger(), "changepolicy", "policy", nil)).
		Complete(r)
}

// Reconcile makes one pass over one policy. One that is gone still counts for the metrics: it is missing from them.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	if err := r.measure(ctx); err != nil {
		return kube.Result(0, err)
	}
	p := &v1alpha1.ChangePolicy{}
	if err := r.Client.Get(ctx, request.NamespacedName, p); err != nil {
		return kube.Result(0, err)
	}
	if !p.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	session, before := kube.Open(r.Client, p), p.Status.Conditions
	p.Status.Conditions = kube.Conditions(before, conditions(p), p.Generation, r.Clock.Now())
	p.Status.ObservedGeneration = p.Generation
	if _, err := session.Close(ctx); err != nil {
		return kube.Result(0, err)
	}
	for _, changed := range kube.Changed(before, p.Status.Conditions) {
		if changed.Type == v1alpha1.ConditionReady && changed.Status == metav1.ConditionFalse {
			r.Events.Tell(p, kube.CorrelationID(p.UID), changed.Type, kube.Warning, changed)
		}
	}
	return ctrl.Result{}, nil
}

// conditions says whether a policy can be used. What cannot is stalled, for those who read kstatus.
func conditions(p *v1alpha1.ChangePolicy) []metav1.Condition {
	err := policy.Validate(*p)
	if err == nil {
		return []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReadyReady,
			Message: "The policy is in force in the namespaces that it selects"}}
	}
	message := "Every change that the policy fits is denied until it is corrected: " + err.Error()
	return []metav1.Condition{
		{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1alpha1.ReadyInvalid, Message: message},
		{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Reason: v1alpha1.ReadyInvalid, Message: message},
	}
}

// Postures of policies, as the metrics name them.
const (
	postureSelfApproval = "SelfApproval"
	postureAutonomy     = "Autonomy"
	postureInvalid      = "Invalid"
)

// measure tells how many policies allow what a security officer would ask about.
func (r *Reconciler) measure(ctx context.Context) error {
	policies := &v1alpha1.ChangePolicyList{}
	if err := r.Client.List(ctx, policies, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	counts := map[string]int{postureSelfApproval: 0, postureAutonomy: 0, postureInvalid: 0}
	for _, p := range policies.Items {
		if p.Spec.SelfApproval == v1alpha1.SelfApprovalAllow {
			counts[postureSelfApproval]++
		}
		if p.Spec.Autonomy == v1alpha1.AutonomyMatrix {
			counts[postureAutonomy]++
		}
		if policy.Validate(p) != nil {
			counts[postureInvalid]++
		}
	}
	for posture, n := range counts {
		r.Metrics.PolicyPosture(posture, n)
	}
	return nil
}
