package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/transcript"
)

// dossier is what there is to know before deciding about a change.
type dossier struct {
	Change    *v1alpha1.ChangeRequest `json:"changeRequest"`
	Approvals []v1alpha1.Approval     `json:"approvals"`
	Diff      string                  `json:"diff,omitempty"`
	// noDiff says why there is no diff.
	noDiff string
}

// dossierOf gathers what there is to know about a change.
func (cmd *command) dossierOf(ctx context.Context, requests client.Client, request *v1alpha1.ChangeRequest) (*dossier, error) {
	d := &dossier{Change: typedChange(request), Approvals: []v1alpha1.Approval{}}
	list := &v1alpha1.ApprovalList{}
	if err := requests.List(ctx, list, client.InNamespace(request.Namespace)); err != nil && !apierrors.IsForbidden(err) {
		return nil, err
	}
	for i := range list.Items {
		one := list.Items[i]
		if one.Spec.ChangeRequestRef.UID != string(request.UID) || one.Spec.ChangeRequestRef.Name != request.Name {
			continue
		}
		one.ManagedFields = nil
		one.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Approval"}
		d.Approvals = append(d.Approvals, one)
	}
	slices.SortStableFunc(d.Approvals, func(a, b v1alpha1.Approval) int {
		if a.Spec.Revision != b.Spec.Revision {
			return int(a.Spec.Revision - b.Spec.Revision)
		}
		if a.Spec.Purpose != b.Spec.Purpose {
			return strings.Compare(string(b.Spec.Purpose), string(a.Spec.Purpose))
		}
		return int(a.Spec.Slot - b.Spec.Slot)
	})
	cmd.findDiff(ctx, d)
	return d, nil
}

// findDiff takes the diff from an Approval of the current plan, where it was asked for, or from where plans are kept.
func (cmd *command) findDiff(ctx context.Context, d *dossier) {
	plan := d.Change.Status.Plan
	if plan == nil {
		return
	}
	for i := range d.Approvals {
		if d.current(&d.Approvals[i]) && d.Approvals[i].Spec.Diff != "" {
			d.Diff = d.Approvals[i].Spec.Diff
			return
		}
	}
	store, namespace, err := cmd.snapshots()
	if err == nil {
		var bundle change.Bundle
		if bundle, err = keptPlan(ctx, store, d.Change); err == nil {
			d.Diff = bundle.View.Diff
			return
		}
	}
	d.noDiff = fmt.Sprintf("It is kept in namespace %s as %s, which those see who are bound to the Role eclusier-snapshot-viewer there.", namespace, plan.DiffRef)
}

// keptPlan reads the stored plan of the revision that the status speaks of.
func keptPlan(ctx context.Context, store Snapshots, request *v1alpha1.ChangeRequest) (change.Bundle, error) {
	content, err := store.Get(ctx, transcript.Key{
		Kind: transcript.KindPlan, Namespace: request.Namespace, Name: request.Name, UID: string(request.UID), Revision: request.Status.Plan.Revision,
	})
	if err != nil {
		return change.Bundle{}, err
	}
	bundle, err := change.DecodeBundle(content)
	if err != nil {
		return change.Bundle{}, err
	}
	stored := request.Status.Plan.StoredDigest
	if digest, err := bundle.Plan.Digest(); err != nil || stored != "" && stored != change.ContentDigest(content) || digest != request.Status.Plan.Digest {
		return change.Bundle{}, fmt.Errorf("the stored plan of %s is not the one that its status speaks of", request.Name)
	}
	return bundle, nil
}

// current tells whether an Approval is about the plan that the status speaks of.
func (d *dossier) current(a *v1alpha1.Approval) bool {
	plan := d.Change.Status.Plan
	return plan != nil && a.Spec.PlanDigest == plan.Digest && a.Spec.Revision == plan.Revision
}

// open tells whether an Approval still waits for somebody.
func (d *dossier) open(a *v1alpha1.Approval) bool {
	granted := meta.FindStatusCondition(a.Status.Conditions, v1alpha1.ConditionGranted)
	return d.current(a) && (a.Spec.Decision == v1alpha1.DecisionPending || a.Spec.Decision == "") &&
		(granted == nil || granted.Status == metav1.ConditionUnknown)
}

// asked returns the Approvals that wait for somebody.
func (d *dossier) asked() []*v1alpha1.Approval {
	var list []*v1alpha1.Approval
	for i := range d.Approvals {
		if d.open(&d.Approvals[i]) && !ended(d.Change) {
			list = append(list, &d.Approvals[i])
		}
	}
	return list
}

// question is what a person is about to decide: a change and, where an Approval was named, that one.
type question struct {
	change *v1alpha1.ChangeRequest
	named  *v1alpha1.Approval
}

// find returns the change that a name means: its own, or that of one of its Approvals.
func (cmd *command) find(ctx context.Context, requests client.Client, namespace, name string) (*question, error) {
	kind, bare, split := strings.Cut(name, "/")
	if !split {
		bare = name
	}
	q := &question{change: &v1alpha1.ChangeRequest{}}
	if !split || !strings.HasPrefix(kind, "ap") {
		err := requests.Get(ctx, client.ObjectKey{Namespace: namespace, Name: bare}, q.change)
		if err == nil || split || !apierrors.IsNotFound(err) {
			return q, notThere(err, "ChangeRequest", namespace, bare)
		}
	}
	q.named = &v1alpha1.Approval{}
	if err := requests.Get(ctx, client.ObjectKey{Namespace: namespace, Name: bare}, q.named); err != nil {
		return nil, notThere(err, "ChangeRequest or Approval", namespace, bare)
	}
	ref := q.named.Spec.ChangeRequestRef
	if err := requests.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, q.change); err != nil {
		return nil, notThere(err, "ChangeRequest", namespace, ref.Name)
	}
	if string(q.change.UID) != ref.UID {
		return nil, fmt.Errorf("the change that %s was about is gone; the one that is called %s now is another: kubectl eclusier review %s -n %s", bare, ref.Name, ref.Name, namespace)
	}
	return q, nil
}

// notThere says that there is no such thing, and where to look.
func notThere(err error, what, namespace, name string) error {
	if !apierrors.IsNotFound(err) {
		return err
	}
	return fmt.Errorf("there is no %s %s in namespace %s: kubectl get chg,apv -n %s lists what there is", what, name, namespace, namespace)
}

// completeChanges completes the names of changes.
func (cmd *command) completeChanges(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	requests, namespace, err := cmd.tasks()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list := &v1alpha1.ChangeRequestList{}
	if err := requests.List(c.Context(), list, client.InNamespace(namespace)); err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for i := range list.Items {
		about := list.Items[i].Spec.Reason
		if plan := list.Items[i].Status.Plan; plan != nil {
			about = plan.Summary
		}
		names = append(names, list.Items[i].Name+"\t"+prompt(about))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
