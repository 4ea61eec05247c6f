package config_test

import (
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ruling is the spec of a policy that fits every namespace, and what else is given.
func ruling(more fields) fields {
	spec := fields{"namespaceSelector": fields{}}
	maps.Copy(spec, more)
	return spec
}

func TestChangePolicy_defaultsAreTheStrictestThatWork(t *testing.T) {
	object := changePolicy("defaults", ruling(fields{"matrix": fields{}}))
	if err := admin(t).Create(t.Context(), object, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	spec, _, err := unstructured.NestedMap(object.Object, "spec")
	if err != nil {
		t.Fatal(err)
	}
	want := ruling(fields{
		"autonomy": "Disabled", "quorum": int64(1), "selfApproval": "Forbid", "destructive": "Allow",
		"matrix": fields{
			"lowReversible": "Autonomous", "lowIrreversible": "Autonomous", "mediumReversible": "AutonomousThenReview",
			"mediumIrreversible": "Approval", "highReversible": "Approval", "highIrreversible": "DoubleApproval",
		},
	})
	if !equal(spec, want) {
		t.Errorf("spec = %v, want %v", spec, want)
	}
}

func TestChangePolicy_refused(t *testing.T) {
	window := func(more fields) fields {
		w := fields{"name": "night", "kind": "Allow", "schedule": "0 22 * * *", "duration": "4h"}
		maps.Copy(w, more)
		return ruling(fields{"windows": list(w)})
	}
	rule := func(more fields) fields { return ruling(fields{"deny": list(more)}) }
	cases := []struct {
		name string
		spec fields
		want string
	}{
		{"for no namespace in particular", fields{}, "spec.namespaceSelector: Required value"},
		{"high impact without anybody's consent", ruling(fields{"matrix": fields{"highReversible": "Autonomous"}}), "changes of high impact always need somebody's consent"},
		{"high impact reviewed afterwards", ruling(fields{"matrix": fields{"highIrreversible": "AutonomousThenReview"}}), "always need somebody's consent"},
		{"nobody's consent", ruling(fields{"quorum": int64(0)}), "spec.quorum"},
		{"a crowd's consent", ruling(fields{"quorum": int64(6)}), "spec.quorum"},
		{"an empty list of approvers, who would be everybody", ruling(fields{"approvers": []any{}}), "spec.approvers"},
		{"a service account among approvers", ruling(fields{"approvers": list(fields{"kind": "ServiceAccount", "name": "x"})}), `supported values: "User", "Group"`},
		{"a rule that fits nothing", rule(fields{"name": "none"}), "a rule must name pipelines, operations or kinds"},
		{"a rule about an operation that there is not", rule(fields{"name": "typo", "operations": list("destroy")}), "spec.deny[0].operations[0]"},
		{"two rules of one name", ruling(fields{"deny": list(
			fields{"name": "a", "kinds": list("Pod")}, fields{"name": "a", "kinds": list("Job")})}), "Duplicate value"},
		{"a window without an end", window(fields{"duration": "0s"}), "a window lasts more than 0s and at most 168h"},
		{"a window of more than a week", window(fields{"duration": "169h"}), "at most 168h"},
		{"consent for a moment", ruling(fields{"approvalTTL": "10ms"}), "spec.approvalTTL"},
		{"consent for ever", ruling(fields{"approvalTTL": "9999h"}), "spec.approvalTTL"},
		{"an unknown field", ruling(fields{"quroum": int64(2)}), `unknown field "spec.quroum"`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			err := admin(t).Create(t.Context(), changePolicy("refused", tc.spec), client.DryRunAll, client.FieldValidation("Strict"))
			expectRefusal(t, err, tc.want)
		})
	}
}
