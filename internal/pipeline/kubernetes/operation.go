package kubernetes

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// operation is one operation of a change, whichever of its fields is set.
type operation struct {
	name   v1alpha1.OperationName
	target v1alpha1.OperationTarget
	// build makes the request, from the object that the operation is planned on.
	build func(context.Context, *planning, *item) error
	// kinds are those that the operation is for; empty means every kind. otherwise says what to do for another kind.
	kinds     []schema.GroupKind
	otherwise func(kind string) string
}

var (
	deployments  = schema.GroupKind{Group: "apps", Kind: "Deployment"}
	statefulSets = schema.GroupKind{Group: "apps", Kind: "StatefulSet"}
	daemonSets   = schema.GroupKind{Group: "apps", Kind: "DaemonSet"}
	rolled       = []schema.GroupKind{deployments, statefulSets, daemonSets}
	heldable     = []schema.GroupKind{{Group: "batch", Kind: "CronJob"}, {Group: "batch", Kind: "Job"}}
)

func only(kinds string) func(string) string {
	return func(kind string) string { return fmt.Sprintf("a %s cannot be; only %s can", kind, kinds) }
}

// operationOf reads the field that is set.
func operationOf(o v1alpha1.Operation) operation {
	rollable := only("a Deployment, StatefulSet or DaemonSet")
	holdable := only("a CronJob or Job")
	switch {
	case o.Apply != nil:
		return operation{name: "apply", build: buildApply}
	case o.Patch != nil:
		return operation{name: "patch", target: o.Patch.Target, build: patchBuilder(*o.Patch)}
	case o.Scale != nil:
		return operation{name: "scale", target: o.Scale.Target, build: scaleBuilder(o.Scale.Replicas)}
	case o.Restart != nil:
		return operation{name: "restart", target: o.Restart.Target, build: buildRestart, kinds: rolled, otherwise: rollable}
	case o.SetImage != nil:
		return operation{name: "setImage", target: o.SetImage.Target, build: imageBuilder(*o.SetImage)}
	case o.Undo != nil:
		return operation{name: "undo", target: o.Undo.Target, build: undoBuilder(o.Undo.ToRevision), kinds: rolled, otherwise: rollable}
	case o.Delete != nil:
		return operation{name: "delete", target: o.Delete.Target, build: deleteBuilder(o.Delete.Propagation)}
	case o.Cordon != nil:
		return nodeOperation("cordon", o.Cordon.Node, true)
	case o.Uncordon != nil:
		return nodeOperation("uncordon", o.Uncordon.Node, false)
	case o.Suspend != nil:
		return operation{name: "suspend", target: o.Suspend.Target, build: holdBuilder(true), kinds: heldable, otherwise: holdable}
	default:
		return operation{name: "resume", target: o.Resume.Target, build: holdBuilder(false), kinds: heldable, otherwise: holdable}
	}
}
