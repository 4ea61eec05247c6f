package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/transcript"
)

// past is an object as it was before a change.
type past struct {
	was *unstructured.Unstructured
	now *unstructured.Unstructured
}

// open reads a snapshot, and those of its objects that are wanted as they are now.
func (s *site) open(c *cobra.Command, name string, wanted []string) ([]past, error) {
	bundle, err := s.bundle(c, name)
	if err != nil {
		return nil, err
	}
	var fits []func(transcript.Object) bool
	for _, text := range wanted {
		fit, err := s.fitting(c, text)
		if err != nil {
			return nil, err
		}
		fits = append(fits, fit)
	}
	var list []past
	found := make([]bool, len(fits))
	for i := range bundle.View.Before {
		was, err := before(bundle, i)
		if err != nil {
			return nil, err
		}
		if was == nil || !chosen(was, fits, found) {
			continue
		}
		now, err := s.get(c.Context(), was.GroupVersionKind(), was.GetNamespace(), was.GetName())
		if err != nil {
			return nil, err
		}
		list = append(list, past{was: was, now: now})
	}
	if i := slices.Index(found, false); i >= 0 {
		return nil, fmt.Errorf("snapshot %s does not hold %s", name, wanted[i])
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("snapshot %s holds no object: the change made only new ones", name)
	}
	return list, nil
}

// before reads an object of the snapshot; nil where there was none.
func before(bundle change.Bundle, i int) (*unstructured.Unstructured, error) {
	if len(bundle.View.Before[i]) == 0 {
		return nil, nil
	}
	was := &unstructured.Unstructured{}
	if err := was.UnmarshalJSON(bundle.View.Before[i]); err != nil {
		return nil, fmt.Errorf("an object of the snapshot cannot be read: %w", err)
	}
	return was, nil
}

// chosen tells whether an object is wanted, and marks what wanted it. Where nothing in particular is wanted, all are.
func chosen(o *unstructured.Unstructured, fits []func(transcript.Object) bool, found []bool) bool {
	wanted := len(fits) == 0
	for i, fit := range fits {
		if fit(transcript.Object{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName()}) {
			wanted, found[i] = true, true
		}
	}
	return wanted
}

// bundle reads the snapshot that is named CHANGE, CHANGE@REVISION or by its ref; of several the newest.
func (s *site) bundle(c *cobra.Command, name string) (change.Bundle, error) {
	kept, _, err := s.snapshots()
	if err != nil {
		return change.Bundle{}, err
	}
	entries, err := kept.List(c.Context(), transcript.KindPlan, s.namespace)
	if err != nil {
		return change.Bundle{}, s.notAllowed(err)
	}
	of, number, numbered := strings.Cut(name, "@")
	if _, err := strconv.ParseInt(number, 10, 32); numbered && err != nil {
		return change.Bundle{}, usage(c, "%q: write CHANGE or CHANGE@REVISION", name)
	}
	i := slices.IndexFunc(entries, func(e transcript.Entry) bool {
		return e.Ref == name || e.Name == of && (!numbered || strconv.Itoa(int(e.Revision)) == number)
	})
	if i < 0 {
		return change.Bundle{}, fmt.Errorf("there is no snapshot %s of namespace %s: kubectl eclusier snapshots ls -n %s lists those there are", name, s.namespace, s.namespace)
	}
	content, err := kept.Get(c.Context(), entries[i].Key)
	if err != nil {
		return change.Bundle{}, s.notAllowed(err)
	}
	return change.DecodeBundle(content)
}

// restoring makes the operation that brings an object back as it was; nil where it is so already.
func (s *site) restoring(ctx context.Context, p past) (*v1alpha1.Operation, error) {
	if err := proposable(p.was); err != nil {
		return nil, err
	}
	was := s.essence(p.was)
	if p.now == nil {
		if err := s.dropLostOwners(ctx, was); err != nil {
			return nil, err
		}
		return &s.applied(was)[0], nil
	}
	patch, err := client.MergeFrom(s.essence(p.now)).Data(was)
	if err != nil {
		return nil, err
	}
	if string(patch) == "{}" {
		return nil, nil
	}
	return &v1alpha1.Operation{Patch: &v1alpha1.PatchOperation{
		Target: targetOf(p.was.GroupVersionKind(), p.was.GetNamespace(), p.was.GetName()), Type: v1alpha1.PatchMerge, Patch: string(patch),
	}}, nil
}

// dropLostOwners takes out owners that are gone: the object would be collected with them at once.
func (s *site) dropLostOwners(ctx context.Context, o *unstructured.Unstructured) error {
	var kept []metav1.OwnerReference
	for _, owner := range o.GetOwnerReferences() {
		kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind)
		there, err := s.get(ctx, kind, o.GetNamespace(), owner.Name)
		if err != nil {
			return err
		}
		if there != nil && there.GetUID() == owner.UID {
			kept = append(kept, owner)
		}
	}
	o.SetOwnerReferences(kept)
	return nil
}

// essence is an object without what the API server and controllers write: what a person would compare.
func (cmd *command) essence(o *unstructured.Unstructured) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: cmd.Normal(o)}
}
