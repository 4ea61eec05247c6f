package inventory

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// Happening is something that happened to an object.
type Happening struct {
	cluster.Ref
	Time time.Time `json:"time"`
	// What is "event" or "rollout".
	What    string `json:"what"`
	Warning bool   `json:"warning,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Text is the event's message, redacted, or the new revision.
	Text  string `json:"text"`
	Count int32  `json:"count,omitempty"`
}

// revisionAnnotation is where the Deployment controller notes the revision of a ReplicaSet.
const revisionAnnotation = "deployment.kubernetes.io/revision"

// Recent lists the events and rollouts of a namespace, of all where it is empty, the newest first.
func Recent(s *cluster.Snapshot, namespace string) Page[Happening] {
	var list []Happening
	for _, e := range s.Events {
		list = append(list, Happening{
			Ref: e.About, Time: e.Last.UTC(), What: "event", Warning: e.Warning, Reason: clean(e.Reason), Text: clean(e.Message), Count: e.Count,
		})
	}
	for _, o := range s.ReplicaSets {
		list = append(list, rollout(o, clean(o.Annotations[revisionAnnotation]))...)
	}
	for _, o := range s.ControllerRevs {
		list = append(list, rollout(o, fmt.Sprint(o.Revision))...)
	}
	list = slices.DeleteFunc(list, func(h Happening) bool { return namespace != "" && h.Namespace != namespace })
	slices.SortStableFunc(list, func(a, b Happening) int {
		return cmp.Or(b.Time.Compare(a.Time), compareRefs(a.Ref, b.Ref), cmp.Compare(a.Text, b.Text))
	})
	return pageOf(list, MaxRecent)
}

// rollout tells of the revision that an object was made for, if it has a controller.
func rollout(o metav1.Object, revision string) []Happening {
	owner := metav1.GetControllerOfNoCopy(o)
	if owner == nil || revision == "" {
		return nil
	}
	return []Happening{{
		Ref:  cluster.Ref{Kind: owner.Kind, Namespace: o.GetNamespace(), Name: owner.Name},
		Time: o.GetCreationTimestamp().UTC(), What: "rollout", Text: "revision " + revision + ": " + o.GetName(),
	}}
}
