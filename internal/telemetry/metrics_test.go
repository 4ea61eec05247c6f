package telemetry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/eclusier/eclusier/internal/telemetry"
)

func TestMetrics(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	metrics := telemetry.New(registry)
	metrics.TaskEnded("RootCauseFound", 300*time.Millisecond)
	metrics.StepTook("Diagnose", 20*time.Millisecond)
	metrics.Classified("Diagnostic", "Rule")
	metrics.StepFailed("Resolve", "Timeout", "Retry")
	metrics.GuardInPlace(true)
	metrics.CountUnfinished(func() map[string]int { return map[string]int{"Waiting": 3} })

	want := `
# HELP eclusier_tasks_total AgentTasks that ended, by the reason of their condition Succeeded.
# TYPE eclusier_tasks_total counter
eclusier_tasks_total{reason="RootCauseFound"} 1
# HELP eclusier_classifications_total AgentTasks that were classified, by intent and by who decided.
# TYPE eclusier_classifications_total counter
eclusier_classifications_total{intent="Diagnostic",source="Rule"} 1
# HELP eclusier_step_faults_total Steps of AgentTasks that failed, by step, by reason and by what follows (Retry, Wait, Terminal).
# TYPE eclusier_step_faults_total counter
eclusier_step_faults_total{fate="Retry",reason="Timeout",step="Resolve"} 1
# HELP eclusier_identity_guard_in_place Whether the admission policies that vouch for who asks are in place (1) or tasks and changes wait for them (0).
# TYPE eclusier_identity_guard_in_place gauge
eclusier_identity_guard_in_place 1
# HELP eclusier_tasks_unfinished AgentTasks that have not ended, by phase, as each replica of the operator sees them.
# TYPE eclusier_tasks_unfinished gauge
eclusier_tasks_unfinished{phase="Waiting"} 3
`
	counters := []string{"eclusier_tasks_total", "eclusier_classifications_total", "eclusier_step_faults_total",
		"eclusier_identity_guard_in_place", "eclusier_tasks_unfinished"}
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), counters...); err != nil {
		t.Error(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]float64{"eclusier_task_duration_seconds": 0.3, "eclusier_step_duration_seconds": 0.02}
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), "eclusier_") {
			t.Errorf("%s does not begin with eclusier_", family.GetName())
		}
		if want, ok := sums[family.GetName()]; ok {
			if got := family.GetMetric()[0].GetHistogram().GetSampleSum(); got != want {
				t.Errorf("%s sums up to %v, want %v", family.GetName(), got, want)
			}
			delete(sums, family.GetName())
		}
	}
	if len(sums) > 0 {
		t.Errorf("never set: %v", sums)
	}
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v %v", problems, err)
	}
}

func TestMetrics_ofChanges(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	metrics := telemetry.New(registry)
	metrics.ChangeEnded("RolledBack", 90*time.Second)
	metrics.ChangeStepTook("Apply", 20*time.Millisecond)
	metrics.ChangeStepFailed("Plan", "Timeout", "Retry")
	metrics.ApprovalDecided("Approved", 10*time.Second)
	metrics.PolicyPosture("SelfApproval", 2)
	metrics.CountUnfinishedChanges(func() map[string]int { return map[string]int{"AwaitingApproval": 4} })

	want := `
# HELP eclusier_changes_total ChangeRequests that ended, by result.
# TYPE eclusier_changes_total counter
eclusier_changes_total{result="RolledBack"} 1
# HELP eclusier_change_step_faults_total Steps of ChangeRequests that failed, by step, by reason and by what follows (Retry, Wait, Terminal).
# TYPE eclusier_change_step_faults_total counter
eclusier_change_step_faults_total{fate="Retry",reason="Timeout",step="Plan"} 1
# HELP eclusier_change_policies ChangePolicies by what they allow: SelfApproval (requesters may agree to their own changes), Autonomy (some changes need nobody's consent), and Invalid (every change they fit is denied).
# TYPE eclusier_change_policies gauge
eclusier_change_policies{posture="SelfApproval"} 2
# HELP eclusier_changes_unfinished ChangeRequests that have not ended, by phase, as each replica of the operator sees them.
# TYPE eclusier_changes_unfinished gauge
eclusier_changes_unfinished{phase="AwaitingApproval"} 4
`
	counters := []string{"eclusier_changes_total", "eclusier_change_step_faults_total", "eclusier_change_policies", "eclusier_changes_unfinished"}
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), counters...); err != nil {
		t.Error(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]float64{"eclusier_change_duration_seconds": 90, "eclusier_change_step_duration_seconds": 0.02, "eclusier_approval_wait_seconds": 10}
	for _, family := range families {
		if want, ok := sums[family.GetName()]; ok {
			if got := family.GetMetric()[0].GetHistogram().GetSampleSum(); got != want {
				t.Errorf("%s sums up to %v, want %v", family.GetName(), got, want)
			}
			delete(sums, family.GetName())
		}
	}
	if len(sums) > 0 {
		t.Errorf("never set: %v", sums)
	}
}
