package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// changes are the metrics of ChangeRequests, Approvals and ChangePolicies.
type changes struct {
	ended      *prometheus.CounterVec
	duration   *prometheus.HistogramVec
	steps      *prometheus.HistogramVec
	faults     *prometheus.CounterVec
	approvals  *prometheus.HistogramVec
	posture    *prometheus.GaugeVec
	unfinished *unfinished
}

// patience suits what people are waited for: from seconds to the week that consent may take.
var patience = []float64{5, 15, 60, 300, 900, 1800, 3600, 4 * 3600, 8 * 3600, 24 * 3600, 3 * 24 * 3600, 7 * 24 * 3600}

func newChanges() *changes {
	return &changes{
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "eclusier_changes_total",
			Help: "ChangeRequests that ended, by result.",
		}, []string{"result"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "eclusier_change_duration_seconds",
			Help:    "Time from the creation of a ChangeRequest to its end, waiting for people included, by result.",
			Buckets: patience,
		}, []string{"result"}),
		steps: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "eclusier_change_step_duration_seconds",
			Help:    "Time that one step of a ChangeRequest took, failed attempts included.",
			Buckets: seconds,
		}, []string{"step"}),
		faults: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "eclusier_change_step_faults_total",
			Help: "Steps of ChangeRequests that failed, by step, by reason and by what follows (Retry, Wait, Terminal).",
		}, []string{"step", "reason", "fate"}),
		approvals: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "eclusier_approval_wait_seconds",
			Help:    "Time from the making of an Approval until it was seen to be decided, by decision.",
			Buckets: patience,
		}, []string{"decision"}),
		posture: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "eclusier_change_policies",
			Help: "ChangePolicies by what they allow: SelfApproval (requesters may agree to their own changes), Autonomy " +
				"(some changes need nobody's consent), and Invalid (every change they fit is denied).",
		}, []string{"posture"}),
		unfinished: newUnfinished("eclusier_changes_unfinished", "ChangeRequests"),
	}
}

func (c *changes) collectors() []prometheus.Collector {
	return []prometheus.Collector{c.ended, c.duration, c.steps, c.faults, c.approvals, c.posture, c.unfinished}
}

// ChangeEnded counts a change that ended, and how long it took in all.
func (m *Metrics) ChangeEnded(result string, took time.Duration) {
	m.changes.ended.WithLabelValues(result).Inc()
	m.changes.duration.WithLabelValues(result).Observe(took.Seconds())
}

// ChangeStepTook times one step of a change.
func (m *Metrics) ChangeStepTook(step string, took time.Duration) {
	m.changes.steps.WithLabelValues(step).Observe(took.Seconds())
}

// ChangeStepFailed counts a step of a change that failed.
func (m *Metrics) ChangeStepFailed(step, reason, fate string) {
	m.changes.faults.WithLabelValues(step, reason, fate).Inc()
}

// ApprovalDecided times an Approval from its making until it was seen to be decided.
func (m *Metrics) ApprovalDecided(decision string, waited time.Duration) {
	m.changes.approvals.WithLabelValues(decision).Observe(waited.Seconds())
}

// PolicyPosture says how many policies there are of a posture.
func (m *Metrics) PolicyPosture(posture string, policies int) {
	m.changes.posture.WithLabelValues(posture).Set(float64(policies))
}

// CountUnfinishedChanges has the unfinished changes counted, by phase, whenever the metrics are read. Nil counts are told
// as nothing.
func (m *Metrics) CountUnfinishedChanges(count func() map[string]int) {
	m.changes.unfinished.count.Store(&count)
}
