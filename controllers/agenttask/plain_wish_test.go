package agenttask

import (
	"slices"
	"strings"
	"testing"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/classify"
)

func TestReconciler_plainlyWished(t *testing.T) {
	tests := []struct {
		name, prompt string
		intent       v1alpha1.ClassifiedIntent
	}{
		{"a wish that is read from end to end is one, though the rules cannot tell", "use image acme/web:2.1 for web in shop", v1alpha1.ClassifiedChange},
		{"a wish that names nothing needs a person's word for it", "restart it", v1alpha1.ClassifiedAmbiguous},
		{"what is read in part only is none", "use image acme/web:2.1 for web in shop maybe", v1alpha1.ClassifiedAmbiguous},
		{"a question stays one", "should I restart web in shop?", v1alpha1.ClassifiedDiagnostic},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if words := classify.Classify(tt.prompt); words.Intent == classify.Change {
				t.Fatalf("the rules alone take %q for a change by %v: nothing is tried", tt.prompt, words.Rules)
			}
			r := newRoom(t, ask("do", tt.prompt))
			task, _ := r.settle("do")
			sorted := task.Status.Classification
			if sorted.Intent != tt.intent || slices.Contains(sorted.Rules, ruleWish) != (tt.intent == v1alpha1.ClassifiedChange) {
				t.Errorf("classified as %s by %v, want %s", sorted.Intent, sorted.Rules, tt.intent)
			}
			if (r.change() != nil) != (tt.intent == v1alpha1.ClassifiedChange) {
				t.Errorf("got %s", summary(task))
			}
		})
	}
}

// TestReconciler_tooWide has a sentence ask for more than a sentence can: the answer is the ChangeRequest to write.
func TestReconciler_tooWide(t *testing.T) {
	r := newRoom(t, ask("do", "delete namespace legacy"))
	r.world.objects = append(r.world.objects, found("Namespace", "", "legacy"))
	task, _ := r.settle("do")
	failure := task.Status.Failure
	if r.change() != nil || failure == nil || failure.Type != v1alpha1.SucceededNotExpressible || !strings.Contains(failure.Message, "Namespace legacy") {
		t.Fatalf("got %s: %+v", summary(task), failure)
	}
	told := strings.Join(failure.Remedies, " ")
	if !strings.Contains(told, `"delete":{"target":{"`) || !strings.Contains(told, `"name":"legacy"`) || strings.Contains(told, "restart") {
		t.Errorf("what to write instead is %s", told)
	}
}
