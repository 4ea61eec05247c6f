// Package pipelinetest holds what tests need of package pipeline: a pipeline over a world in memory. It is imported by
// tests alone.
package pipelinetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// World is a pipeline over objects that have a number of replicas and nothing else. It knows the operations scale and
// delete. The zero value is empty; use New.
type World struct {
	mu      sync.Mutex
	objects map[string]*object
	version int
	sent    []string

	// Around, if set, surrounds everything that changes the world, so that a test can count, fail or lose it: what it does
	// not call does not happen, and the error that it returns is the one that the caller sees.
	Around func(do func() error) error
	// Refuse holds what the next calls of a method return instead of doing anything, by the name of the method. A nil
	// entry lets one call pass.
	Refuse map[string][]error
	// Unforeseen are the fields that the next effects set besides those of the plan.
	Unforeseen [][]string
	// Verdicts are what the next calls of Verify say; without any, all is well.
	Verdicts []pipeline.Verification
}

type object struct {
	uid      string
	version  string
	replicas int
}

var _ pipeline.Pipeline = (*World)(nil)

// New returns a world without objects.
func New() *World { return &World{objects: map[string]*object{}, Refuse: map[string][]error{}} }

// Set makes an object, or changes it as somebody else would.
func (w *World) Set(namespace, name string, replicas int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o, known := w.objects[namespace+"/"+name]
	if !known {
		o = &object{uid: fmt.Sprintf("uid-%d", w.version)}
		w.objects[namespace+"/"+name] = o
	}
	o.replicas = replicas
	w.touch(o)
}

// Recreate deletes an object and makes it again, the same but for its uid.
func (w *World) Recreate(namespace, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version++
	o := w.objects[namespace+"/"+name]
	w.objects[namespace+"/"+name] = &object{uid: fmt.Sprintf("uid-%d", w.version), replicas: o.replicas}
	w.touch(w.objects[namespace+"/"+name])
}

// Remove deletes an object as somebody else would.
func (w *World) Remove(namespace, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.objects, namespace+"/"+name)
}

func (w *World) touch(o *object) {
	w.version++
	o.version = strconv.Itoa(w.version)
}

// Replicas returns how many replicas an object has, -1 if it does not exist.
func (w *World) Replicas(namespace, name string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o, known := w.objects[namespace+"/"+name]; known {
		return o.replicas
	}
	return -1
}

// Sent returns every effect that the pipeline had, in order, such as "shop/web=3", "shop/web deleted" or "undo shop/web".
func (w *World) Sent() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.sent...)
}

// refused takes the next error that a test wants of a method.
func (w *World) refused(method string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := w.Refuse[method]
	if len(next) == 0 {
		return nil
	}
	w.Refuse[method] = next[1:]
	return next[0]
}

func (w *World) around(do func() error) error {
	locked := func() error {
		w.mu.Lock()
		defer w.mu.Unlock()
		return do()
	}
	if w.Around == nil {
		return locked()
	}
	return w.Around(locked)
}

// Plan implements pipeline.Pipeline.
func (w *World) Plan(_ context.Context, r pipeline.Request) (*pipeline.Planned, error) {
	if err := w.refused("Plan"); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	spec := r.Change.Spec
	plan := change.Plan{ChangeUID: string(r.Change.UID), Revision: r.Revision, Cluster: "world", Checks: spec.Checks,
		OnFailure: spec.Rollback, ServiceAccount: r.Change.Namespace + "/" + spec.ServiceAccountName, ExpiresAt: r.ExpiresAt}
	var view change.View
	for i, o := range spec.Kubernetes.Operations {
		effect, before, err := w.resolve(r.Change.Namespace, i, o)
		if err != nil {
			return nil, err
		}
		plan.Effects = append(plan.Effects, *effect)
		view.Before = append(view.Before, []byte(strconv.Itoa(before.replicas)))
		view.Versions = append(view.Versions, before.version)
		view.Facts = append(view.Facts, change.RiskFacts{})
		view.Diff += fmt.Sprintf("-%d\n+%s\n", before.replicas, effect.Request.Body)
	}
	view.Summary = fmt.Sprintf("%d operations on %s", len(plan.Effects), plan.Effects[0].Object.Name)
	return &pipeline.Planned{Plan: plan, View: view}, nil
}

func (w *World) resolve(namespace string, index int, o v1alpha1.Operation) (*change.Effect, *object, error) {
	var target v1alpha1.OperationTarget
	e := change.Effect{Index: index, Request: change.Request{FieldManager: "eclusier"}}
	switch {
	case o.Scale != nil:
		target = o.Scale.Target
		e.Operation, e.Verb, e.Request.Kind = "scale", change.VerbUpdate, change.RequestScale
		e.Request.Body = []byte(strconv.Itoa(int(o.Scale.Replicas)))
	case o.Delete != nil:
		target = o.Delete.Target
		e.Operation, e.Verb, e.Request.Kind = "delete", change.VerbDelete, change.RequestDelete
	default:
		return nil, nil, &pipeline.Invalid{Reason: v1alpha1.PlannedInvalid, Message: "the world knows scale and delete"}
	}
	if target.Namespace != "" {
		namespace = target.Namespace
	}
	before, known := w.objects[namespace+"/"+target.Name]
	if !known {
		return nil, nil, &pipeline.Invalid{Reason: v1alpha1.PlannedTargetNotFound, Message: target.Name + " does not exist"}
	}
	if e.Verb == change.VerbUpdate && string(e.Request.Body) == strconv.Itoa(before.replicas) {
		e.Verb = change.VerbNone
	}
	e.Object = change.Object{APIVersion: "apps/v1", Kind: "Deployment", Resource: "deployments", Namespace: namespace, Name: target.Name, UID: before.uid}
	sum := sha256.Sum256(append([]byte(strconv.Itoa(before.replicas)+">"), e.Request.Body...))
	e.ResultHash = hex.EncodeToString(sum[:])
	e.Inverse = &change.Request{Kind: change.RequestScale, Body: []byte(strconv.Itoa(before.replicas)), FieldManager: "eclusier"}
	return &e, before, nil
}

// sight is how the object of a step looks, and the object itself, nil if it does not exist.
func (w *World) sight(s pipeline.Step) (pipeline.Sight, *object) {
	e := s.Plan.Effects[s.Index]
	o := w.objects[e.Object.Namespace+"/"+e.Object.Name]
	switch {
	case o == nil && e.Verb == change.VerbDelete:
		return pipeline.SightDone, nil
	case o == nil || o.uid != e.Object.UID:
		return pipeline.SightForeign, o
	case strconv.Itoa(o.replicas) == string(s.View.Before[s.Index]):
		return pipeline.SightUntouched, o
	case e.Verb == change.VerbUpdate && strconv.Itoa(o.replicas) == string(e.Request.Body):
		return pipeline.SightDone, o
	}
	return pipeline.SightForeign, o
}

// Apply implements pipeline.Pipeline.
func (w *World) Apply(_ context.Context, s pipeline.Step) (*v1alpha1.OperationDone, error) {
	if err := w.refused("Apply"); err != nil {
		return nil, err
	}
	e := s.Plan.Effects[s.Index]
	name := e.Object.Namespace + "/" + e.Object.Name
	done := &v1alpha1.OperationDone{Index: int32(s.Index), Object: v1alpha1.ObjectReference{
		APIVersion: e.Object.APIVersion, Kind: e.Object.Kind, Namespace: e.Object.Namespace, Name: e.Object.Name, UID: e.Object.UID}}
	err := w.around(func() error {
		sight, o := w.sight(s)
		if sight != pipeline.SightUntouched {
			return fault.New(fault.Terminal, pipeline.ObjectChanged, name+" was changed by somebody else", nil)
		}
		if e.Verb == change.VerbDelete {
			delete(w.objects, name)
			w.sent = append(w.sent, name+" deleted")
			return nil
		}
		o.replicas, _ = strconv.Atoi(string(e.Request.Body))
		w.touch(o)
		w.sent = append(w.sent, name+"="+string(e.Request.Body))
		done.ResourceVersion = o.version
		if len(w.Unforeseen) > 0 {
			done.Unforeseen, w.Unforeseen = w.Unforeseen[0], w.Unforeseen[1:]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// Inspect implements pipeline.Pipeline.
func (w *World) Inspect(_ context.Context, s pipeline.Step) (*pipeline.Inspection, error) {
	if err := w.refused("Inspect"); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	sight, o := w.sight(s)
	seen := &pipeline.Inspection{Sight: sight, Message: "seen"}
	if o != nil {
		seen.Version, seen.UID = o.version, o.uid
	}
	return seen, nil
}

// Verify implements pipeline.Pipeline.
func (w *World) Verify(context.Context, pipeline.Step, time.Time) (*pipeline.Verification, error) {
	if err := w.refused("Verify"); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.Verdicts) == 0 {
		return &pipeline.Verification{Outcome: v1alpha1.OutcomeSucceeded, Message: "everything is ready"}, nil
	}
	next := w.Verdicts[0]
	w.Verdicts = w.Verdicts[1:]
	return &next, nil
}

// Rollback implements pipeline.Pipeline.
func (w *World) Rollback(_ context.Context, s pipeline.Step) error {
	if err := w.refused("Rollback"); err != nil {
		return err
	}
	e := s.Plan.Effects[s.Index]
	name := e.Object.Namespace + "/" + e.Object.Name
	return w.around(func() error {
		sight, o := w.sight(s)
		switch {
		case sight == pipeline.SightUntouched || e.Verb == change.VerbDelete && o != nil:
			return nil
		case sight == pipeline.SightForeign:
			return fault.New(fault.Terminal, pipeline.ObjectChanged, name+" was changed by somebody else", nil)
		case o == nil:
			o = &object{uid: e.Object.UID + "-restored"}
			w.objects[name] = o
		}
		o.replicas, _ = strconv.Atoi(string(s.View.Before[s.Index]))
		w.touch(o)
		w.sent = append(w.sent, "undo "+name)
		return nil
	})
}
