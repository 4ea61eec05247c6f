package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// parallel is how many objects are planned at a time.
const parallel = 8

// planning is the making of one plan.
type planning struct {
	*Pipeline
	change *v1alpha1.ChangeRequest
	// client is the planner's; namespace is the change's.
	client    dynamic.Interface
	namespace string
	// made are the namespaces that operations of the change create, with the index of the operation.
	made map[string]int

	mu sync.Mutex
	// known are the namespaces that were read; nil for one that does not exist.
	known map[string]*unstructured.Unstructured
}

// Plan resolves the operations into effects and dry-runs them as the planner.
func (p *Pipeline) Plan(ctx context.Context, r pipeline.Request) (*pipeline.Planned, error) {
	client, err := p.planner(r.Change.Namespace)
	if err != nil {
		return nil, err
	}
	s := &planning{Pipeline: p, change: r.Change, client: client, namespace: r.Change.Namespace,
		made: map[string]int{}, known: map[string]*unstructured.Unstructured{}}
	if err := s.validate(r.Change.Spec.Checks); err != nil {
		return nil, err
	}
	uid, err := p.clusterUID(ctx)
	if err != nil {
		return nil, err
	}
	items, err := s.items()
	if err != nil {
		return nil, err
	}
	if err := s.resolve(ctx, items); err != nil {
		return nil, err
	}
	planned := &pipeline.Planned{Plan: change.Plan{
		ChangeUID: string(r.Change.UID), Revision: r.Revision, Cluster: uid, Checks: r.Change.Spec.Checks,
		OnFailure: orDefault(r.Change.Spec.Rollback, v1alpha1.RollbackAutomatic), ExpiresAt: r.ExpiresAt,
		ServiceAccount: s.namespace + "/" + orDefault(r.Change.Spec.ServiceAccountName, v1alpha1.DefaultApplierName),
	}}
	if planned.Plan.ServiceAccountUID, err = p.accountUID(ctx, planned.Plan.ServiceAccount); err != nil {
		return nil, err
	}
	if err := collect(planned, items); err != nil {
		return nil, err
	}
	planned.View.Faults, err = s.faultsBefore(ctx, planned.Plan)
	return planned, err
}

func orDefault[T ~string](value, otherwise T) T {
	if value == "" {
		return otherwise
	}
	return value
}

// resolve plans the operations: those on one object one after the other, objects beside each other.
func (s *planning) resolve(ctx context.Context, items []*item) error {
	failed := make([]error, len(items))
	slots := make(chan struct{}, parallel)
	var running sync.WaitGroup
	for _, first := range items {
		if first.former != nil {
			continue
		}
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			for it := first; it != nil; it = it.next {
				if failed[it.effect.Index] = s.plan(ctx, it); failed[it.effect.Index] != nil {
					return
				}
			}
		})
	}
	running.Wait()
	// A refusal of the first operation says more than that of a later one.
	for i, err := range failed {
		var no *pipeline.Invalid
		if errors.As(err, &no) && len(items) > 1 {
			return &pipeline.Invalid{Reason: no.Reason, Message: fmt.Sprintf("operation %d: %s", i+1, no.Message)}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// collect puts what was planned into the plan and its view, in the order of the operations.
func collect(planned *pipeline.Planned, items []*item) error {
	if err := fit(items); err != nil {
		return err
	}
	var summaries, diffs []string
	view := &planned.View
	for _, it := range items {
		planned.Plan.Effects = append(planned.Plan.Effects, it.effect)
		summaries = append(summaries, it.summary)
		if it.diff != "" {
			diffs = append(diffs, it.diff)
		}
		for _, note := range it.notes {
			view.Notes = append(view.Notes, name(it.object)+": "+note)
		}
		for _, what := range it.notShown {
			view.NotShown = append(view.NotShown, name(it.object)+": "+what)
		}
		view.Facts = append(view.Facts, it.facts)
		before, version, err := it.snapshot()
		if err != nil {
			return err
		}
		after, err := it.tried()
		if err != nil {
			return err
		}
		view.Before, view.After = append(view.Before, before), append(view.After, after)
		view.Versions = append(view.Versions, version)
	}
	view.Diff = strings.Join(diffs, "")
	view.Summary = shorten(summaries)
	return nil
}

// maxSummary is the bound of v1alpha1.PlanStatus.Summary, in characters.
const maxSummary = 1024

// shorten sums up several operations in a line.
func shorten(summaries []string) string {
	line := summaries[0]
	if len(summaries) > 1 {
		line = fmt.Sprintf("%d operations: %s", len(summaries), strings.Join(summaries, "; "))
	}
	if runes := []rune(line); len(runes) > maxSummary {
		return string(runes[:maxSummary-1]) + "…"
	}
	return line
}

// live reads an object as the planner; nil where there is none.
func (s *planning) live(ctx context.Context, o change.Object) (*unstructured.Unstructured, error) {
	live, err := get(ctx, s.client, o)
	if err != nil {
		return nil, s.unreadable(err, access{object: o, verb: "get"})
	}
	return live, nil
}

// get reads an object; nil where there is none.
func get(ctx context.Context, c dynamic.Interface, o change.Object) (*unstructured.Unstructured, error) {
	resource, err := at(c, o)
	if err != nil {
		return nil, err
	}
	live, err := resource.Get(ctx, o.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return live, err
}

// readNamespace reads a namespace once per plan; nil where it does not exist.
func (s *planning) readNamespace(ctx context.Context, namespace string) (*unstructured.Unstructured, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.known[namespace]; ok {
		return known, nil
	}
	live, err := s.namespaceOf(ctx, namespace)
	if err != nil {
		return nil, err
	}
	s.known[namespace] = live
	return live, nil
}

// namespaceOf reads a namespace as the operator; nil where it does not exist.
func (p *Pipeline) namespaceOf(ctx context.Context, namespace string) (*unstructured.Unstructured, error) {
	live, err := p.own.Resource(namespaces).Get(ctx, namespace, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the namespace %s: %w", namespace, err)
	}
	return live, nil
}
