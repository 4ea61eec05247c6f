package kubernetes

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

// nodeOperation makes a node refuse new pods, or take them again.
func nodeOperation(operationName v1alpha1.OperationName, node string, refuse bool) operation {
	return operation{
		name:      operationName,
		target:    v1alpha1.OperationTarget{APIVersion: "v1", Kind: "Node", Name: node},
		kinds:     []schema.GroupKind{{Kind: "Node"}},
		otherwise: only("a Node"),
		build: func(_ context.Context, _ *planning, it *item) error {
			value := "null"
			if refuse {
				value = "true"
				it.note("pods that run on it stay")
			}
			it.effect.Request = change.Request{Kind: change.RequestMergePatch, Body: fmt.Appendf(nil, `{"spec":{"unschedulable":%s}}`, value), FieldManager: fieldManager}
			it.summary = fmt.Sprintf("%s %s", operationName, name(it.object))
			return nil
		},
	}
}

// holdBuilder holds a CronJob or Job, or lets it go on.
func holdBuilder(hold bool) func(context.Context, *planning, *item) error {
	return func(_ context.Context, _ *planning, it *item) error {
		it.effect.Request = change.Request{Kind: change.RequestMergePatch, Body: fmt.Appendf(nil, `{"spec":{"suspend":%t}}`, hold), FieldManager: fieldManager}
		it.summary = fmt.Sprintf("%s %s", it.op.name, name(it.object))
		switch {
		case hold && it.object.Kind == "Job":
			it.note("its running pods are deleted, and started anew when it is resumed")
		case !hold && it.object.Kind == "CronJob":
			it.note("a run that was missed while it was held may start at once")
		}
		return nil
	}
}
