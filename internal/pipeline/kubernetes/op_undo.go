package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/eclusier/eclusier/internal/change"
)

const (
	revisionAnnotation = "deployment.kubernetes.io/revision"
	templateHash       = "pod-template-hash"
	// historyPage is how many revisions are read at most.
	historyPage = 500
)

// revision is one entry of a workload's history, the record being a ReplicaSet or a ControllerRevision.
type revision struct {
	number int64
	record *unstructured.Unstructured
}

// undoBuilder brings a former pod template back, as kubectl does: a Deployment's from its ReplicaSets, a StatefulSet's and
// a DaemonSet's from their ControllerRevisions.
func undoBuilder(to *int64) func(context.Context, *planning, *item) error {
	return func(ctx context.Context, s *planning, it *item) error {
		if paused(it.live) {
			return it.invalid("%s is paused, so that nothing would be rolled out; resume it first", name(it.object))
		}
		history, err := s.history(ctx, it)
		if err != nil {
			return err
		}
		chosen, err := it.choose(history, to)
		if err != nil {
			return err
		}
		it.summary = fmt.Sprintf("undo %s to revision %d", name(it.object), chosen.number)
		if it.object.Kind == "Deployment" {
			return it.templateOf(chosen.record)
		}
		return it.stored(chosen.record)
	}
}

// history returns the revisions of a workload, the newest first.
func (s *planning) history(ctx context.Context, it *item) ([]revision, error) {
	records := it.kind.object(it.object.Namespace, "")
	records.Kind, records.Resource = "ControllerRevision", "controllerrevisions"
	if it.object.Kind == "Deployment" {
		records.Kind, records.Resource = "ReplicaSet", "replicasets"
	}
	resource, err := at(s.client, records)
	if err != nil {
		return nil, err
	}
	selector, _, _ := unstructured.NestedMap(it.live.Object, "spec", "selector")
	var labels metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(selector, &labels); err != nil {
		return nil, it.invalid("the selector of %s cannot be read", name(it.object))
	}
	list, err := resource.List(ctx, metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(&labels), Limit: historyPage})
	if err != nil {
		return nil, s.unreadable(err, access{object: records, verb: "list"})
	}
	var history []revision
	for i := range list.Items {
		record := &list.Items[i]
		if number := numberOf(record); number > 0 && metav1.IsControlledBy(record, it.live) {
			history = append(history, revision{number, record})
		}
	}
	slices.SortFunc(history, func(a, b revision) int { return cmp.Compare(b.number, a.number) })
	return history, nil
}

func numberOf(record *unstructured.Unstructured) int64 {
	if record.GetKind() == "ControllerRevision" {
		number, _, _ := unstructured.NestedInt64(record.Object, "revision")
		return number
	}
	number, err := strconv.ParseInt(record.GetAnnotations()[revisionAnnotation], 10, 64)
	if err != nil {
		return 0
	}
	return number
}

// choose finds the revision of that number, or the one before the current one.
func (it *item) choose(history []revision, to *int64) (revision, error) {
	if to == nil {
		if len(history) < 2 {
			return revision{}, it.invalid("%s has no former revision", name(it.object))
		}
		return history[1], nil
	}
	var numbers []string
	for _, one := range history {
		if one.number == *to {
			return one, nil
		}
		numbers = append(numbers, strconv.FormatInt(one.number, 10))
	}
	return revision{}, it.invalid("%s has no revision %d; it has %s", name(it.object), *to, strings.Join(numbers, ", "))
}

// templateOf puts the pod template of a ReplicaSet in the place of the Deployment's.
func (it *item) templateOf(record *unstructured.Unstructured) error {
	template, found, err := unstructured.NestedMap(record.Object, "spec", "template")
	if err != nil || !found {
		return it.invalid("ReplicaSet %s holds no pod template", record.GetName())
	}
	unstructured.RemoveNestedField(template, "metadata", "labels", templateHash)
	raw, err := body([]map[string]any{{"op": "replace", "path": "/spec/template", "value": template}})
	if err != nil {
		return err
	}
	it.effect.Request = change.Request{Kind: change.RequestJSONPatch, Body: raw, FieldManager: fieldManager}
	return nil
}

// stored sends the patch that a ControllerRevision holds.
func (it *item) stored(record *unstructured.Unstructured) error {
	data, found, err := unstructured.NestedMap(record.Object, "data")
	if err != nil || !found {
		return it.invalid("ControllerRevision %s holds no patch", record.GetName())
	}
	raw, err := body(data)
	if err != nil {
		return err
	}
	it.effect.Request = change.Request{Kind: change.RequestStrategicPatch, Body: raw, FieldManager: fieldManager}
	return nil
}
