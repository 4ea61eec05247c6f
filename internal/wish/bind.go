package wish

import (
	"slices"
	"strings"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// Objects are what the names of a wish were found to mean.
type Objects struct {
	// All are the objects that the task is about, each known to exist. They are fixed before a wish is bound to them: it
	// can choose among them, and reach no other.
	All []v1alpha1.ObjectReference
	// Home is the namespace in which an object need not be named by its namespace.
	Home string
	// Replicas returns the number of replicas that an object is to have, and whether it is known. It is asked only where
	// CountsReplicas says so.
	Replicas func(v1alpha1.ObjectReference) (int32, bool)
}

// kindsOf says which kinds a verb is for; a verb that is not here is for any.
var kindsOf = map[Verb][]string{
	Scale:    {"Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"},
	Restart:  {"Deployment", "StatefulSet", "DaemonSet"},
	SetImage: {"Deployment", "StatefulSet", "DaemonSet", "CronJob"},
	Undo:     {"Deployment", "StatefulSet", "DaemonSet"},
	Cordon:   {"Node"},
	Uncordon: {"Node"},
	Suspend:  {"CronJob", "Job"},
	Resume:   {"CronJob", "Job"},
}

// CountsReplicas tells whether the wish depends on how many replicas there are.
func (w Wish) CountsReplicas() bool {
	return slices.ContainsFunc(w.Steps, countsReplicas)
}

func countsReplicas(s Step) bool { return s.Verb == Scale && (s.Change != To || s.From >= 0) }

// wide are the kinds whose objects take all that they hold with them: a sentence is too little to delete one.
var wide = []string{"Namespace", "CustomResourceDefinition"}

// Operations returns the operations that the wish is, in order. The error is an *InexpressibleError.
func (w Wish) Operations(objects Objects) ([]v1alpha1.Operation, error) {
	var operations []v1alpha1.Operation
	for _, step := range w.Steps {
		object, refusal := objects.meant(step)
		if refusal != nil {
			return nil, refusal
		}
		operation, refusal := step.operation(object, objects)
		if refusal != nil {
			return nil, refusal
		}
		operations = append(operations, operation)
	}
	return operations, nil
}

// meant returns the one object that a step is about.
func (o Objects) meant(step Step) (v1alpha1.ObjectReference, *InexpressibleError) {
	var fit []v1alpha1.ObjectReference
	for _, object := range o.All {
		if step.Target.fits(object) {
			fit = append(fit, object)
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], o.refuses(step, fit[0])
	case step.Target.Name == "":
		return v1alpha1.ObjectReference{}, &InexpressibleError{Reason: NoTarget}
	case len(fit) == 0:
		return v1alpha1.ObjectReference{}, &InexpressibleError{OtherTarget, step.Target.Name}
	}
	return v1alpha1.ObjectReference{}, &InexpressibleError{Reason: Ambiguous}
}

// fits tells whether an object may be what the name means.
func (n Name) fits(object v1alpha1.ObjectReference) bool {
	switch {
	case n.Name == "":
		return true
	case n.Name != object.Name, n.Kind != "" && !strings.EqualFold(n.Kind, object.Kind):
		return false
	}
	return n.Namespace == "" || object.Namespace == "" || n.Namespace == object.Namespace
}

// refuses says why a step cannot be taken on an object, nil if it can.
func (o Objects) refuses(step Step, object v1alpha1.ObjectReference) *InexpressibleError {
	kinds, name := kindsOf[step.Verb], step.Target
	switch {
	case name.Namespace == "" && object.Namespace != "" && object.Namespace != o.Home:
		return &InexpressibleError{OtherNamespace, describe(object)}
	case step.Verb == Delete && name.Name != "" && name.Kind == "":
		return &InexpressibleError{KindNeeded, name.Name}
	case step.Verb == Delete && slices.Contains(wide, object.Kind):
		return &InexpressibleError{TooWide, describe(object)}
	case kinds != nil && !slices.Contains(kinds, object.Kind):
		return &InexpressibleError{WrongKind, describe(object)}
	}
	return nil
}

// describe names an object as people do who know its namespace: "Deployment shop/web".
func describe(o v1alpha1.ObjectReference) string {
	return o.Kind + " " + strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
}

// operation makes the operation that the step is for an object.
func (s Step) operation(object v1alpha1.ObjectReference, objects Objects) (v1alpha1.Operation, *InexpressibleError) {
	target := v1alpha1.OperationTarget{APIVersion: object.APIVersion, Kind: object.Kind, Namespace: object.Namespace, Name: object.Name}
	var operation v1alpha1.Operation
	switch s.Verb {
	case Scale:
		replicas, ok := s.replicas(object, objects)
		if !ok {
			return operation, &InexpressibleError{ReplicasUnknown, describe(object)}
		}
		operation.Scale = &v1alpha1.ScaleOperation{Target: target, Replicas: replicas}
	case Restart:
		operation.Restart = &v1alpha1.TargetOperation{Target: target}
	case SetImage:
		operation.SetImage = &v1alpha1.SetImageOperation{Target: target, Container: s.Container, Image: s.Image}
	case Undo:
		operation.Undo = &v1alpha1.UndoOperation{Target: target}
		if s.Revision > 0 {
			operation.Undo.ToRevision = &s.Revision
		}
	case Delete:
		operation.Delete = &v1alpha1.DeleteOperation{Target: target}
	case Cordon:
		operation.Cordon = &v1alpha1.NodeOperation{Node: object.Name}
	case Uncordon:
		operation.Uncordon = &v1alpha1.NodeOperation{Node: object.Name}
	case Suspend:
		operation.Suspend = &v1alpha1.TargetOperation{Target: target}
	case Resume:
		operation.Resume = &v1alpha1.TargetOperation{Target: target}
	}
	return operation, nil
}

// replicas returns the number of replicas that there are to be. A change of a number that is not known, or that is not the
// one the text speaks of, has no result.
func (s Step) replicas(object v1alpha1.ObjectReference, objects Objects) (int32, bool) {
	if !countsReplicas(s) {
		return s.Number, true
	}
	current, known := objects.Replicas(object)
	if !known || s.From >= 0 && s.From != current {
		return 0, false
	}
	wanted := s.from(current)
	if s.Change == To {
		return wanted, true
	}
	return wanted, wanted >= 0 && wanted <= maxReplicas && wanted != current
}

// from returns the number of replicas that a change makes of another; of one that cannot be halved it makes no number.
func (s Step) from(current int32) int32 {
	switch s.Change {
	case Up:
		return current + s.Number
	case Down:
		return current - s.Number
	case Twice:
		return current * 2
	case Half:
		if current%2 != 0 {
			return -1
		}
		return current / 2
	case To:
	}
	return s.Number
}
