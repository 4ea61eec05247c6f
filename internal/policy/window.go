package policy

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // a policy means the same wherever it is read: in an image without zones, and on any approver's machine

	"github.com/robfig/cron/v3"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// window is a Window that has been understood.
type window struct {
	v1alpha1.Window
	// schedule is read as if every zone were UTC: it gives the times on the wall, which starts makes moments of.
	schedule cron.Schedule
	zone     *time.Location
}

// parser reads the five fields that CronJobs have, and nothing else: no seconds and no "@every".
var parser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

func readWindow(w v1alpha1.Window) (*window, error) {
	if w.Kind != v1alpha1.WindowAllow && w.Kind != v1alpha1.WindowFreeze {
		return nil, fmt.Errorf("kind %q is neither Allow nor Freeze", w.Kind)
	}
	if w.Duration.Duration <= 0 {
		return nil, errors.New("a window lasts more than 0s")
	}
	zone := w.TimeZone
	if zone == "" {
		zone = "UTC"
	}
	location, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		return nil, fmt.Errorf("time zone %q is not known: use an IANA name such as Europe/Paris", zone)
	}
	schedule, err := readSchedule(w.Schedule)
	if err != nil {
		return nil, fmt.Errorf("schedule %q: %w", w.Schedule, err)
	}
	return &window{Window: w, schedule: schedule, zone: location}, nil
}

func readSchedule(text string) (cron.Schedule, error) {
	// The parser takes a zone before the fields, and does not survive one without any.
	if strings.Contains(text, "=") {
		return nil, errors.New("the time zone belongs into timeZone")
	}
	schedule, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	if schedule.Next(time.Unix(0, 0).UTC()).IsZero() {
		return nil, errors.New("there is no such day")
	}
	return schedule, nil
}

// slack is more than clocks on the wall differ from UTC, and than they are ever moved by.
const slack = 26 * time.Hour

// current is the occurrence of the window that holds now, as its end; ok is false outside the window.
func (w *window) current(now time.Time) (end time.Time, ok bool) {
	wall := wallClock(now, w.zone)
	for next := w.schedule.Next(wall.Add(-w.Duration.Duration - slack)); !next.IsZero() && next.Before(wall.Add(slack)); next = w.schedule.Next(next) {
		for _, start := range w.starts(next) {
			if e := start.Add(w.Duration.Duration); !start.After(now) && e.After(now) && e.After(end) {
				end, ok = e, true
			}
		}
	}
	return end, ok
}

// next is when the window begins the next time after now; zero if never.
func (w *window) next(now time.Time) time.Time {
	var first time.Time
	wall := wallClock(now, w.zone)
	for next := w.schedule.Next(wall.Add(-slack)); !next.IsZero(); next = w.schedule.Next(next) {
		for _, start := range w.starts(next) {
			if start.After(now) && (first.IsZero() || start.Before(first)) {
				first = start
			}
		}
		if !first.IsZero() && next.After(wall.Add(slack)) {
			break
		}
	}
	return first
}

// wallClock is what the clock on the wall shows there and then, as a time in UTC.
func wallClock(t time.Time, zone *time.Location) time.Time {
	_, offset := t.In(zone).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// starts are the moments at which the clock on the wall shows that time: one on most days, two where the clock is put
// back over it. Where it is put forward over it, the window begins at that moment, so that no freeze is left out.
func (w *window) starts(wall time.Time) []time.Time {
	before, after := w.shown(wall, -slack), w.shown(wall, slack)
	var starts []time.Time
	if wallClock(before, w.zone).Equal(wall) {
		starts = append(starts, before)
	}
	if !after.Equal(before) && wallClock(after, w.zone).Equal(wall) {
		starts = append(starts, after)
	}
	if len(starts) == 0 {
		moved, _ := before.In(w.zone).ZoneBounds()
		starts = append(starts, moved.UTC())
	}
	return starts
}

// shown is when the clock would show that time if it were set as it is some time off.
func (w *window) shown(wall time.Time, off time.Duration) time.Time {
	_, offset := wall.Add(off).In(w.zone).Zone()
	return wall.Add(-time.Duration(offset) * time.Second)
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
	answer := Opening{Open: true}
	if notBefore != nil && now.Before(*notBefore) {
		answer = Opening{At: *notBefore, Why: "spec.notBefore"}
	}
	for _, p := range s.policies {
		answer = later(answer, opening(p, now))
	}
	return answer
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
			if start := w.next(now); !start.IsZero() && (next.IsZero() || start.Before(next)) {
				next, waitFor = start, w.Name
			}
		}
	}
	if allows && !allowed {
		answer = later(answer, Opening{At: next, Why: fmt.Sprintf("policy %s: window %s", p.Name, waitFor)})
	}
	return answer
}
