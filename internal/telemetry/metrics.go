// Package telemetry holds the metrics that eclusier tells of its own work.
//
// It counts and times what it is told, no more: it decides nothing and reads nothing. Labels take their values from closed
// sets, such as condition reasons, never from what people wrote. Controllers call it after a change is stored.
package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the metrics of the operator.
type Metrics struct {
	tasks           *prometheus.CounterVec
	duration        *prometheus.HistogramVec
	steps           *prometheus.HistogramVec
	classifications *prometheus.CounterVec
	faults          *prometheus.CounterVec
	guard           prometheus.Gauge
	unfinished      *unfinished
	changes         *changes
}

// seconds suits work that takes from milliseconds, for a rule, to half an hour, the usual limit of a task.
var seconds = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 900, 1800}

// New makes the metrics and registers them. It panics if they are registered there already.
func New(registerer prometheus.Registerer) *Metrics {
	m := &Metrics{
		tasks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "eclusier_tasks_total",
			Help: "AgentTasks that ended, by the reason of their condition Succeeded.",
		}, []string{"reason"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "eclusier_task_duration_seconds",
			Help:    "Time from the creation of an AgentTask to its end, by the reason of its condition Succeeded.",
			Buckets: seconds,
		}, []string{"reason"}),
		steps: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "eclusier_step_duration_seconds",
			Help:    "Time that one step of an AgentTask took, failed attempts included.",
			Buckets: seconds,
		}, []string{"step"}),
		classifications: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "eclusier_classifications_total",
			Help: "AgentTasks that were classified, by intent and by who decided.",
		}, []string{"intent", "source"}),
		faults: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "eclusier_step_faults_total",
			Help: "Steps of AgentTasks that failed, by step, by reason and by what follows (Retry, Wait, Terminal).",
		}, []string{"step", "reason", "fate"}),
	}
	m.guard = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "eclusier_identity_guard_in_place",
		Help: "Whether the admission policies that vouch for who asks are in place (1) or tasks and changes wait for them (0).",
	})
	m.unfinished = newUnfinished("eclusier_tasks_unfinished", "AgentTasks")
	registerer.MustRegister(m.tasks, m.duration, m.steps, m.classifications, m.faults, m.guard, m.unfinished)
	m.changes = newChanges()
	registerer.MustRegister(m.changes.collectors()...)
	return m
}

// TaskEnded counts a task that ended, and how long it took in all.
func (m *Metrics) TaskEnded(reason string, took time.Duration) {
	m.tasks.WithLabelValues(reason).Inc()
	m.duration.WithLabelValues(reason).Observe(took.Seconds())
}

// StepTook times one step.
func (m *Metrics) StepTook(step string, took time.Duration) {
	m.steps.WithLabelValues(step).Observe(took.Seconds())
}

// Classified counts a task whose intent was decided.
func (m *Metrics) Classified(intent, source string) {
	m.classifications.WithLabelValues(intent, source).Inc()
}

// StepFailed counts a step that failed.
func (m *Metrics) StepFailed(step, reason, fate string) {
	m.faults.WithLabelValues(step, reason, fate).Inc()
}

// GuardInPlace says whether the API server vouches for who asks.
func (m *Metrics) GuardInPlace(inPlace bool) {
	m.guard.Set(0)
	if inPlace {
		m.guard.Set(1)
	}
}

// CountUnfinished has the unfinished tasks counted, by phase, whenever the metrics are read. Nil counts are told as nothing.
func (m *Metrics) CountUnfinished(count func() map[string]int) {
	m.unfinished.count.Store(&count)
}
