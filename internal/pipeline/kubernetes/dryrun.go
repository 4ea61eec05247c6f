package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
)

// readings is how often an object is read anew where it changes while it is planned.
const readings = 3

// plan turns one operation into an effect.
func (s *planning) plan(ctx context.Context, it *item) error {
	if secret(it.object) {
		return it.withoutValues()
	}
	ctx, warned := collecting(ctx)
	var err error
	for range readings {
		it.begin()
		if err = s.load(ctx, it); err != nil {
			return err
		}
		if err = it.op.build(ctx, s, it); err != nil {
			return err
		}
		if err = s.foresee(ctx, it); !apierrors.IsConflict(err) {
			break
		}
	}
	if err != nil {
		return err
	}
	for _, text := range warned.sorted() {
		it.note("the API server warns: %s", quote(errors.New(text)))
	}
	return s.conclude(ctx, it)
}

// begin forgets what an earlier reading of the object led to.
func (it *item) begin() {
	it.notes, it.notShown, it.before, it.outcome, it.after = nil, nil, nil, nil, nil
	it.effect.Request, it.effect.NotDryRun = change.Request{}, ""
}

// load finds the object that the operation is planned on.
func (s *planning) load(ctx context.Context, it *item) error {
	if it.former != nil {
		return it.follow(it.former)
	}
	live, err := s.live(ctx, it.object)
	if err != nil {
		return err
	}
	it.live = live
	if live == nil {
		return s.absent(ctx, it)
	}
	it.effect.Object.UID = string(live.GetUID())
	if live.GetDeletionTimestamp() != nil && it.op.name != "delete" {
		return it.invalid("%s is being deleted", name(it.object))
	}
	return s.delivered(it, live)
}

// absent says what may be done where there is no object.
func (s *planning) absent(ctx context.Context, it *item) error {
	if it.manifest == nil {
		return it.missing()
	}
	if it.object.Namespace != "" {
		namespace, err := s.readNamespace(ctx, it.object.Namespace)
		if err != nil {
			return err
		}
		if at, ok := s.made[it.object.Namespace]; ok && namespace == nil {
			it.effect.NotDryRun = fmt.Sprintf("its namespace is made by operation %d", at+1)
		}
	}
	return s.delivered(it, &unstructured.Unstructured{Object: it.manifest})
}

// follow plans on what the former operation leaves.
func (it *item) follow(former *item) error {
	number := former.effect.Index + 1
	switch {
	case former.effect.Verb == change.VerbDelete && it.manifest != nil:
		it.effect.NotDryRun = fmt.Sprintf("operation %d deletes the object of that name first", number)
		return nil
	case former.effect.Verb == change.VerbDelete:
		return it.invalid("operation %d deletes %s first", number, name(it.object))
	case former.effect.Verb == change.VerbCreate:
		return it.invalid("operation %d makes %s: write what this one does into its manifest", number, name(it.object))
	case it.manifest != nil:
		return it.invalid("operation %d changes %s as well: write what it does into the manifest", number, name(it.object))
	case former.after == nil:
		return it.invalid("nobody can tell beforehand what operation %d makes of %s, so this one has to be a change of its own", number, name(it.object))
	}
	it.live = former.after
	it.effect.Object.UID = former.effect.Object.UID
	return nil
}

// foresee finds out what the request leads to. It returns a conflict where the object has changed since it was read.
func (s *planning) foresee(ctx context.Context, it *item) error {
	var err error
	switch request := it.effect.Request; {
	case it.effect.NotDryRun != "":
		it.guess()
	case request.Kind == change.RequestDelete:
		_, err = send(ctx, s.client, s.trial(it))
	case it.former != nil:
		err = s.tryOnFormer(ctx, it)
	default:
		err = s.try(ctx, it)
	}
	if why, ok := undryable(err); ok {
		it.effect.NotDryRun = why
		it.guess()
		return nil
	}
	if err == nil || apierrors.IsConflict(err) {
		return err
	}
	kind := it.effect.Request.Kind
	if it.former != nil && kind != change.RequestDelete {
		kind = change.RequestReplace
	}
	return s.refused(ctx, it, kind, err)
}

// trial is the request of the effect as a dry run on the object that was read.
func (s *planning) trial(it *item) sending {
	t := sending{object: it.object, request: it.effect.Request, dryRun: dry}
	if it.former == nil {
		t.when = conditionOf(it.live)
	}
	return t
}

// try dry-runs the request. A request that would take fields over from another owner is refused or forced.
func (s *planning) try(ctx context.Context, it *item) error {
	ask := func() (*unstructured.Unstructured, error) { return send(ctx, s.client, s.trial(it)) }
	err := s.twice(it, ask)
	owners := fieldOwners(err)
	if len(owners) == 0 {
		return err
	}
	if err := it.takeOver(owners); err != nil {
		return err
	}
	return s.twice(it, ask)
}

// tryOnFormer dry-runs the object as the former operations and this one leave it together.
func (s *planning) tryOnFormer(ctx context.Context, it *item) error {
	together, err := patched(it.effect.Request, it.live)
	if err != nil {
		return it.invalid("%s", quote(err))
	}
	resource, err := at(s.client, it.object)
	if err != nil {
		return err
	}
	return s.twice(it, func() (*unstructured.Unstructured, error) {
		return resource.Update(ctx, together, metav1.UpdateOptions{DryRun: dry, FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict})
	})
}

// twice asks the API server two times: in what the answers differ, it chose by chance.
func (s *planning) twice(it *item, ask func() (*unstructured.Unstructured, error)) error {
	var second *unstructured.Unstructured
	var secondErr error
	var running sync.WaitGroup
	running.Go(func() { second, secondErr = ask() })
	first, err := ask()
	running.Wait()
	if err != nil {
		return err
	}
	if secondErr != nil {
		return secondErr
	}
	if it.effect.Request.Kind == change.RequestScale && it.former == nil {
		it.scaled(first)
		return nil
	}
	it.after = first
	it.outcome = manifest.Common(manifest.Normal(first), manifest.Normal(second))
	return nil
}

// guess computes what the request leads to where the API server cannot be asked, without what it would add.
func (it *item) guess() {
	it.after, it.outcome, it.guessed = nil, nil, nil
	switch {
	case it.effect.Request.Kind == change.RequestDelete:
	case it.live == nil:
		it.guessed = &unstructured.Unstructured{Object: it.manifest}
	default:
		if after, err := patched(it.effect.Request, it.live); err == nil {
			it.guessed = after
		}
	}
	if it.guessed != nil {
		it.outcome = manifest.Normal(it.guessed)
	}
}

// conclude completes the effect from the object before and after it.
func (s *planning) conclude(ctx context.Context, it *item) error {
	if it.live != nil && it.before == nil {
		it.before = manifest.Normal(it.live)
	}
	e := &it.effect
	manifest.Allocated(it.before, it.outcome, e.Request.Body)
	e.Verb = it.verb()
	if e.Verb == change.VerbNone {
		it.summary += " (nothing to do)"
	}
	if err := it.tethers(); err != nil {
		return err
	}
	s.lose(ctx, it)
	var err error
	if it.outcome != nil && e.NotDryRun == "" {
		if e.ResultHash, err = manifest.Hash(it.outcome); err != nil {
			return err
		}
	}
	if e.Inverse, err = it.inverse(); err != nil {
		return err
	}
	if err := s.assess(ctx, it); err != nil {
		return err
	}
	return it.show()
}

// verb is what the effect does to its object.
func (it *item) verb() change.Verb {
	switch {
	case it.effect.Request.Kind == change.RequestDelete:
		return change.VerbDelete
	case it.live == nil:
		return change.VerbCreate
	case it.outcome != nil && it.effect.NotDryRun == "" && manifest.Equal(it.before, it.outcome):
		return change.VerbNone
	}
	return change.VerbUpdate
}
