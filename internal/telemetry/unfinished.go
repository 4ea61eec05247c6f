package telemetry

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// unfinished tells how many objects of a kind have not ended. It counts when it is asked, so that it cannot drift.
type unfinished struct {
	description *prometheus.Desc
	count       atomic.Pointer[func() map[string]int]
}

func newUnfinished(name, kinds string) *unfinished {
	return &unfinished{description: prometheus.NewDesc(name,
		kinds+" that have not ended, by phase, as each replica of the operator sees them.", []string{"phase"}, nil)}
}

// Describe is part of prometheus.Collector.
func (u *unfinished) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- u.description }

// Collect is part of prometheus.Collector.
func (u *unfinished) Collect(metrics chan<- prometheus.Metric) {
	count := u.count.Load()
	if count == nil {
		return
	}
	for phase, n := range (*count)() {
		metrics <- prometheus.MustNewConstMetric(u.description, prometheus.GaugeValue, float64(n), phase)
	}
}
