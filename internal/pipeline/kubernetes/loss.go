package kubernetes

import (
	"context"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/eclusier/eclusier/internal/change"
)

// lossNotes say what people should know of a loss.
var lossNotes = map[change.Loss]string{
	change.LossClaims:  "volume claims are deleted in consequence, with the data on them: that cannot be undone",
	change.LossData:    "what it keeps may be deleted or given away in consequence: that cannot be undone",
	change.LossObject:  "it may be ended or deleted in consequence: that cannot be undone",
	change.LossPods:    "pods that nobody controls may be deleted in consequence: that cannot be undone",
	change.LossHistory: "finished runs or former revisions are deleted in consequence: that cannot be undone",
}

// lose finds out what goes for good with an effect that is no deletion.
func (s *planning) lose(ctx context.Context, it *item) {
	e := &it.effect
	switch e.Verb {
	case change.VerbUpdate:
		e.Destroys = loss(it.before, it.foreseen())
	case change.VerbCreate:
		if s.adopts(ctx, it) {
			e.Destroys = change.LossPods
		}
	case change.VerbDelete, change.VerbNone:
	}
	if e.Destroys != "" {
		it.note("%s", lossNotes[e.Destroys])
	}
}

// foreseen is the object as the effect leaves it, for judging how dangerous that is. Where the API server alone can merge
// the manifest of an apply, it is taken for a merge patch, which knows at least what is set.
func (it *item) foreseen() map[string]any {
	if it.outcome != nil || it.manifest == nil {
		return it.outcome
	}
	return merged(it.before, it.manifest)
}

// merged lays one object over another, field by field.
func merged(under, over map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(under)
	for key, value := range over {
		fields, isMap := value.(map[string]any)
		former, wasMap := out[key].(map[string]any)
		if isMap && wasMap {
			value = merged(former, fields)
		}
		out[key] = value
	}
	return out
}

// loss is what the controllers of Kubernetes, or of the object's kind, may delete once it has changed.
func loss(before, after map[string]any) change.Loss {
	for _, find := range []func(before, after map[string]any) change.Loss{claimsLost, dataLost, ended, evicted, strayed, forgotten} {
		if found := find(before, after); found != "" {
			return found
		}
	}
	return ""
}

// claimsLost: a StatefulSet that keeps its claims no longer, or that shrinks while it keeps none.
func claimsLost(before, after map[string]any) change.Loss {
	if after["kind"] != "StatefulSet" {
		return ""
	}
	for _, o := range []map[string]any{before, after} {
		when, _, _ := unstructured.NestedString(o, "spec", "persistentVolumeClaimRetentionPolicy", "whenScaled")
		from, _ := replicasOf(&unstructured.Unstructured{Object: before})
		to, _ := replicasOf(&unstructured.Unstructured{Object: after})
		if when == "Delete" && to < from {
			return change.LossClaims
		}
	}
	if unkept(before, after) {
		return change.LossClaims
	}
	return ""
}

// dataLost: an object that no longer keeps what it stands for, or a volume that is taken from its claim.
func dataLost(before, after map[string]any) change.Loss {
	if unkept(before, after) {
		return change.LossData
	}
	if after["kind"] == "PersistentVolume" {
		was, had, _ := unstructured.NestedMap(before, "spec", "claimRef")
		is, _, _ := unstructured.NestedMap(after, "spec", "claimRef")
		if had && !reflect.DeepEqual(was, is) {
			return change.LossData
		}
	}
	return ""
}

// unkept says whether a policy anywhere in an object now is one of deletion, whoever's kind that is: a reclaim policy, a
// deletion policy, what happens when something is scaled or deleted, runs that replace those before them.
func unkept(before, after any) bool {
	switch after := after.(type) {
	case map[string]any:
		was, _ := before.(map[string]any)
		for key, value := range after {
			if deletes(key, value) && !reflect.DeepEqual(was[key], value) || unkept(was[key], value) {
				return true
			}
		}
	case []any:
		was, _ := before.([]any)
		for i, value := range after {
			var former any
			if i < len(was) {
				former = was[i]
			}
			if unkept(former, value) {
				return true
			}
		}
	}
	return false
}

func deletes(key string, value any) bool {
	chosen, _ := value.(string)
	if !strings.HasSuffix(key, "Policy") && !strings.HasPrefix(key, "when") {
		return false
	}
	return slices.ContainsFunc([]string{"Delete", "Recycle", "Replace"}, func(one string) bool { return strings.EqualFold(chosen, one) })
}

// limit is a number that ends or deletes something once it is set or lowered; where it is absent there is no limit.
type limit struct {
	kind string
	path []string
}

// ending are the limits that end the work of an object, or delete it.
var ending = []limit{
	{"Job", []string{"spec", "ttlSecondsAfterFinished"}},
	{"Job", []string{"spec", "activeDeadlineSeconds"}},
	{"Job", []string{"spec", "backoffLimit"}},
	{"Job", []string{"spec", "backoffLimitPerIndex"}},
	{"Job", []string{"spec", "maxFailedIndexes"}},
	{"Job", []string{"spec", "completions"}},
	{"Pod", []string{"spec", "activeDeadlineSeconds"}},
}

// keeping are the limits on what is kept of the past.
var keeping = []limit{
	{"CronJob", []string{"spec", "successfulJobsHistoryLimit"}},
	{"CronJob", []string{"spec", "failedJobsHistoryLimit"}},
	{"Deployment", []string{"spec", "revisionHistoryLimit"}},
	{"StatefulSet", []string{"spec", "revisionHistoryLimit"}},
	{"DaemonSet", []string{"spec", "revisionHistoryLimit"}},
}

func tighter(limits []limit, before, after map[string]any) bool {
	return slices.ContainsFunc(limits, func(l limit) bool {
		if after["kind"] != l.kind {
			return false
		}
		was, had, _ := unstructured.NestedInt64(before, l.path...)
		is, has, _ := unstructured.NestedInt64(after, l.path...)
		return has && (!had || is < was)
	})
}

func ended(before, after map[string]any) change.Loss {
	if tighter(ending, before, after) {
		return change.LossObject
	}
	return ""
}

func forgotten(before, after map[string]any) change.Loss {
	if tighter(keeping, before, after) {
		return change.LossHistory
	}
	return ""
}

// evicted: a node that bears its pods no longer.
func evicted(before, after map[string]any) change.Loss {
	if after["kind"] != "Node" {
		return ""
	}
	was, _, _ := unstructured.NestedSlice(before, "spec", "taints")
	is, _, _ := unstructured.NestedSlice(after, "spec", "taints")
	for _, taint := range is {
		fields, _ := taint.(map[string]any)
		same := func(other any) bool { return reflect.DeepEqual(taint, other) }
		if fields["effect"] == "NoExecute" && !slices.ContainsFunc(was, same) {
			return change.LossPods
		}
	}
	return ""
}

// strayed: a pod of nobody whose labels change may come under a controller that has enough of them, and deletes it.
func strayed(before, after map[string]any) change.Loss {
	was, is := &unstructured.Unstructured{Object: before}, &unstructured.Unstructured{Object: after}
	if is.GetKind() == "Pod" && controller(was) == "" && len(is.GetLabels()) > 0 && !reflect.DeepEqual(was.GetLabels(), is.GetLabels()) {
		return change.LossPods
	}
	return ""
}

// ownsClaims says whether volume claims go with the object that is deleted, since they are owned by it.
func (s *planning) ownsClaims(ctx context.Context, it *item) bool {
	if it.object.Namespace == "" || it.live.GetUID() == "" || it.effect.Request.Propagation == string(metav1.DeletePropagationOrphan) {
		return false
	}
	claims, err := s.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}).
		Namespace(it.object.Namespace).List(ctx, metav1.ListOptions{Limit: counted})
	if err != nil {
		it.note("whether volume claims are deleted with it is not known: %s", quote(err))
		return false
	}
	owned := func(o metav1.OwnerReference) bool { return o.UID == it.live.GetUID() }
	return slices.ContainsFunc(claims.Items, func(o unstructured.Unstructured) bool { return slices.ContainsFunc(o.GetOwnerReferences(), owned) })
}

// adopting are the kinds whose controllers take over what nobody controls and fits their selector, and delete what they
// have too much of, with the resources that they take over.
var adopting = map[string]schema.GroupVersionResource{
	"ReplicaSet":            {Version: "v1", Resource: "pods"},
	"ReplicationController": {Version: "v1", Resource: "pods"},
	"DaemonSet":             {Version: "v1", Resource: "pods"},
	"StatefulSet":           {Version: "v1", Resource: "pods"},
	"Job":                   {Version: "v1", Resource: "pods"},
	"Deployment":            {Group: "apps", Version: "v1", Resource: "replicasets"},
}

// adopts says whether a new object would take over what is there already. What may not be listed is taken for something.
func (s *planning) adopts(ctx context.Context, it *item) bool {
	resource, ok := adopting[it.object.Kind]
	if !ok || s.madeHere(it.object.Namespace) {
		return false
	}
	selector, err := selectorOf(it.foreseen())
	if err != nil || selector.Empty() {
		return false // the API server refuses a selector that cannot be read
	}
	found, err := s.client.Resource(resource).Namespace(it.object.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String(), Limit: counted})
	if err != nil {
		it.note("whether it takes over %s that nobody controls is not known: %s", resource.Resource, quote(err))
		return true
	}
	return slices.ContainsFunc(found.Items, func(o unstructured.Unstructured) bool { return controller(&o) == "" })
}

// madeHere says whether a namespace is made by the change itself, so that there is nothing in it.
func (s *planning) madeHere(namespace string) bool {
	_, made := s.made[namespace]
	s.mu.Lock()
	defer s.mu.Unlock()
	return made && s.known[namespace] == nil
}

// selectorOf reads the selector of a workload; that of a ReplicationController is a map of labels.
func selectorOf(content map[string]any) (labels.Selector, error) {
	fields, _, err := unstructured.NestedMap(content, "spec", "selector")
	if err != nil || fields == nil {
		return labels.Nothing(), err
	}
	if content["kind"] == "ReplicationController" {
		plain, _, err := unstructured.NestedStringMap(content, "spec", "selector")
		return labels.SelectorFromSet(plain), err
	}
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &selector); err != nil {
		return nil, err
	}
	return metav1.LabelSelectorAsSelector(&selector)
}
