package changerequest

import (
	"testing"
	"time"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// TestPlan_overAnOldCopy: a cache that lags behind shows a change as not planned yet, a moment after people were shown its
// plan. What they were shown has to stay what is stored.
func TestPlan_overAnOldCopy(t *testing.T) {
	r := newRoom(t, scale("it"))
	unplanned := r.get("it")
	planned, _ := r.settle("it")
	r.lagging = unplanned
	r.clock.SetTime(r.clock.Now().Add(2 * time.Second)) // another time makes another plan
	if _, err := r.Reconcile(t.Context(), request("it")); err != nil {
		t.Fatal(err)
	}
	r.lagging = nil
	r.approve("it-1-1", "bob")
	c, _ := r.settle("it")
	if c.Status.Plan.Digest != planned.Status.Plan.Digest || c.Status.Drift != nil {
		t.Errorf("people were shown %s and asked again about %s: %+v", planned.Status.Plan.Digest, c.Status.Plan.Digest, c.Status.Drift)
	}
	if c.Status.Result == v1alpha1.ResultInvalid || len(c.Status.Attempts) == 0 {
		t.Errorf("what they agreed to was not applied: %+v", c.Status)
	}
}
