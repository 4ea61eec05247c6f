package kube

import (
	"crypto/sha256"
	"encoding/hex"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
)

// CorrelationAnnotation carries the correlation id on events and child objects.
const CorrelationAnnotation = "eclusier.io/correlation-id"

// CorrelationID is the id of an object that was given none: it is the same in every pass, and in the log lines of a pass
// whose write was lost.
func CorrelationID(uid types.UID) string {
	sum := sha256.Sum256([]byte(uid))
	return "corr-" + hex.EncodeToString(sum[:4])
}

// maxNote is what the API server accepts as an event's note.
const maxNote = 1024

// Events tells people, through the Events of an object, what changed.
type Events struct {
	recorder events.AnnotatedEventRecorder
}

// NewEvents returns a teller over the manager's recorder.
func NewEvents(recorder events.AnnotatedEventRecorder) Events {
	return Events{recorder: recorder}
}

// Tell emits one event for a condition: its reason, its message, and Warning where that is said to be a bad end. Call it
// after the condition is stored, so that no event tells of something that never came to be.
func (e Events) Tell(object runtime.Object, correlationID, action string, severity Severity, condition metav1.Condition) {
	annotations := map[string]string{CorrelationAnnotation: correlationID}
	note := Shorten(condition.Message, maxNote)
	e.recorder.AnnotatedEventf(object, nil, annotations, string(severity), condition.Reason, action, "%s", note)
}

// Severity is the type of an event.
type Severity string

const (
	// Normal: as it should be.
	Normal = Severity(corev1.EventTypeNormal)
	// Warning: somebody may have to act.
	Warning = Severity(corev1.EventTypeWarning)
)
