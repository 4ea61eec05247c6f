package kube

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxMessage is the longest condition message written, in bytes; a person in a hurry reads no more.
const maxMessage = 1024

// Conditions returns the wanted conditions, in their order, as they are to be stored: with the generation, and with the
// transition time of before where the status is the same. What is not wanted is gone.
func Conditions(before, wanted []metav1.Condition, generation int64, now time.Time) []metav1.Condition {
	after := make([]metav1.Condition, 0, len(wanted))
	for _, condition := range wanted {
		condition.ObservedGeneration = generation
		condition.LastTransitionTime = metav1.NewTime(now.Truncate(time.Second))
		condition.Message = Shorten(condition.Message, maxMessage)
		if old := meta.FindStatusCondition(before, condition.Type); old != nil && old.Status == condition.Status {
			condition.LastTransitionTime = old.LastTransitionTime
		}
		after = append(after, condition)
	}
	return after
}

// Changed returns those conditions of after whose status or reason differs from before, or which are new.
func Changed(before, after []metav1.Condition) []metav1.Condition {
	var changed []metav1.Condition
	for _, condition := range after {
		old := meta.FindStatusCondition(before, condition.Type)
		if old == nil || old.Status != condition.Status || old.Reason != condition.Reason {
			changed = append(changed, condition)
		}
	}
	return changed
}

// Shorten cuts text to at most limit bytes, at a character's end, and marks the cut.
func Shorten(text string, limit int) string {
	const mark = "…"
	if len(text) <= limit {
		return text
	}
	cut := limit - len(mark)
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + mark
}
