package live

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// eventOf brings both forms of Event, old with counts and new with series, into one shape.
func eventOf(e *corev1.Event) *cluster.Event {
	about := e.InvolvedObject
	event := &cluster.Event{
		Namespace: e.Namespace,
		About:     cluster.Ref{Kind: about.Kind, Namespace: about.Namespace, Name: about.Name},
		FieldPath: about.FieldPath,
		Warning:   e.Type == corev1.EventTypeWarning,
		Reason:    e.Reason,
		Message:   e.Message,
		Count:     max(e.Count, 1),
		First:     firstSet(e.FirstTimestamp.Time, e.EventTime.Time, e.CreationTimestamp.Time),
		Last:      firstSet(e.LastTimestamp.Time, e.EventTime.Time, e.CreationTimestamp.Time),
		Source:    cmp.Or(e.Source.Component, e.ReportingController),
	}
	if e.Series != nil {
		event.Count = max(e.Series.Count, event.Count)
		event.Last = firstSet(e.Series.LastObservedTime.Time, event.Last)
	}
	return event
}

func firstSet(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}
