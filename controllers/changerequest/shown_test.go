package changerequest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
)

// TestShown_tamperedView: people are never shown another diff than the one that the status stands for, though the digest
// covers the plan alone.
func TestShown_tamperedView(t *testing.T) {
	for name, with := range map[string]func(*change.View){
		"the diff":              func(v *change.View) { v.Diff = "-harmless: 1\n+harmless: 2\n" },
		"the summary":           func(v *change.View) { v.Summary = "nothing much" },
		"the facts of the risk": func(v *change.View) { v.Facts = nil },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, scale("it"), owners("owners", quorum(2)))
			r.settle("it")
			r.tamper("it", func(b *change.Bundle) { with(&b.View) })
			r.approve("it-1-1", "bob")
			r.approve("it-1-2", "carol")
			if c, _ := r.settle("it"); c.Status.Drift == nil || c.Status.Drift.Reason != v1alpha1.DriftedStoredPlanUnusable {
				t.Errorf("%s", summary(c))
			}
			r.sent()
		})
	}
}

// TestPlan_internalError: what goes wrong in eclusier itself is not blamed on the API server.
func TestPlan_internalError(t *testing.T) {
	broken := errors.New("writing an object as YAML: no")
	r := newRoom(t, scale("it"))
	r.world.Refuse["Plan"] = []error{broken, broken, broken}
	c, after := r.settle("it")
	if got := condition(c, v1alpha1.ConditionPlanned); got.Reason != v1alpha1.PlannedInternalError || got.Status != metav1.ConditionUnknown {
		t.Errorf("%s", summary(c))
	}
	for after > 0 && !finished(c) {
		c, after = r.wait("it", after)
	}
	r.ends(c, v1alpha1.ResultInvalid, v1alpha1.PlannedInternalError)
	if got := condition(c, v1alpha1.ConditionPlanned); got.Reason != v1alpha1.PlannedInternalError || strings.Contains(got.Message, "API server") {
		t.Errorf("got %s: %s", got.Reason, got.Message)
	}
}

// TestListed: a list that is cut says so.
func TestListed(t *testing.T) {
	many := func(n int) (texts []string) {
		for i := range n {
			texts = append(texts, fmt.Sprint("note ", i))
		}
		return texts
	}
	for _, tt := range []struct {
		given, kept int
		last        string
	}{{3, 3, "note 2"}, {20, 20, "note 19"}, {21, 20, "and 2 more, in the stored plan"}} {
		if got := listed(many(tt.given)); len(got) != tt.kept || got[len(got)-1] != tt.last {
			t.Errorf("%d: %d, the last %q", tt.given, len(got), got[len(got)-1])
		}
	}
}
