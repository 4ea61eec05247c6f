package policy

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// window is a Window that has been understood.
type window struct {
	v1alpha1.Window
	schedule cron.Schedule
	zone     *time.Location
}

// parser reads the five fields that CronJobs have, and nothing else: no seconds, no "@every", no "TZ=" inside.
var parser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

func readWindow(w v1alpha1.Window) (*window, error) {
	zone := w.TimeZone
	if zone == "" {
		zone = "UTC"
	}
	location, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		return nil, fmt.Errorf("time zone %q is not known: use an IANA name such as Europe/Paris", zone)
	}
	schedule, err := parser.Parse(w.Schedule)
	if err != nil {
		return nil, fmt.Errorf("schedule %q: %w", w.Schedule, err)
	}
	return &window{Window: w, schedule: schedule, zone: location}, nil
}

// current is the occurrence of the window that holds now, as its end; ok is false outside the window.
func (w *window) current(now time.Time) (end time.Time, ok bool) {
	start := w.schedule.Next(now.In(w.zone).Add(-w.Duration.Duration - time.Nanosecond))
	for !start.IsZero() && !start.After(now) {
		if e := start.Add(w.Duration.Duration); e.After(now) {
			end, ok = e, true
		}
		start = w.schedule.Next(start)
	}
	return end, ok
}

// Opening says when the policies let a change be applied.
type Opening struct {
	// Open: now.
	Open bool
	// At is when to look again; zero if Open, or if no window ever opens.
	At time.Time
	// Why names the policy and the window that is waited for.
	Why string
}

// Opening combines the windows of all policies: within no freeze, and within an allow window of each policy that has
// any. notBefore, which may be nil, is the change's own wish.
func (s Selected) Opening(now time.Time, notBefore *time.Time) Opening {
	closed := Opening{Open: true}
	if notBefore != nil && now.Before(*notBefore) {
		closed = Opening{At: *notBefore, Why: "spec.notBefore"}
	}
	for _, p := range s.policies {
		closed = later(closed, opening(p, now))
	}
	return closed
}

// later keeps the opening that lets a change wait longest.
func later(a, b Opening) Opening {
	switch {
	case b.Open:
		return a
	case a.Open || b.At.IsZero() || (!a.At.IsZero() && b.At.After(a.At)):
		return b
	}
	return a
}

func opening(p v1alpha1.ChangePolicy, now time.Time) Opening {
	answer := Opening{Open: true}
	var next time.Time
	allows, allowed, waitFor := false, false, ""
	for _, raw := range p.Spec.Windows {
		w, err := readWindow(raw)
		if err != nil {
			return Opening{Why: fmt.Sprintf("policy %s: window %s cannot be read: %v", p.Name, raw.Name, err)}
		}
		end, inside := w.current(now)
		switch {
		case w.Kind == v1alpha1.WindowFreeze && inside:
			answer = later(answer, Opening{At: end, Why: fmt.Sprintf("policy %s: freeze %s", p.Name, w.Name)})
		case w.Kind == v1alpha1.WindowAllow:
			allows, allowed = true, allowed || inside
			if start := w.schedule.Next(now.In(w.zone)); !start.IsZero() && (next.IsZero() || start.Before(next)) {
				next, waitFor = start, w.Name
			}
		}
	}
	if allows && !allowed {
		answer = later(answer, Opening{At: next, Why: fmt.Sprintf("policy %s: window %s", p.Name, waitFor)})
	}
	return answer
}
