package diagnose

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// suspension recognises notes about a suspension or a pause.
var suspension = regexp.MustCompile(`(?i)suspend|pause|disabled|freeze|suspendu|d[ée]sactiv`)

// cron is a parsed schedule of five fields: for each field the values that it admits.
type cron struct {
	minute, hour, day, month, weekday [60]bool
	anyDay, anyWeekday                bool
}

var cronNames = strings.NewReplacer(
	"JAN", "1", "FEB", "2", "MAR", "3", "APR", "4", "MAY", "5", "JUN", "6", "JUL", "7", "AUG", "8", "SEP", "9", "OCT", "10",
	"NOV", "11", "DEC", "12", "SUN", "0", "MON", "1", "TUE", "2", "WED", "3", "THU", "4", "FRI", "5", "SAT", "6",
)

var cronMacros = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// parseCron reads a schedule of a CronJob. Forms that it does not know are not guessed.
func parseCron(s string) (*cron, bool) {
	if m, ok := cronMacros[strings.ToLower(strings.TrimSpace(s))]; ok {
		s = m
	}
	fields := strings.Fields(cronNames.Replace(strings.ToUpper(s)))
	if len(fields) != 5 {
		return nil, false
	}
	c := &cron{anyDay: fields[2] == "*" || fields[2] == "?", anyWeekday: fields[4] == "*" || fields[4] == "?"}
	for i, f := range []struct {
		to       *[60]bool
		min, max int
	}{{&c.minute, 0, 59}, {&c.hour, 0, 23}, {&c.day, 1, 31}, {&c.month, 1, 12}, {&c.weekday, 0, 7}} {
		if !parseCronField(fields[i], f.to, f.min, f.max) {
			return nil, false
		}
	}
	c.weekday[0] = c.weekday[0] || c.weekday[7]
	return c, true
}

func parseCronField(s string, to *[60]bool, low, high int) bool {
	for _, part := range strings.Split(s, ",") {
		span, stepText, stepped := strings.Cut(part, "/")
		step, err := 1, error(nil)
		if stepped {
			step, err = strconv.Atoi(stepText)
		}
		from, until, ok := cronSpan(span, low, high, stepped)
		if !ok || err != nil || step < 1 || from < low || until > high || from > until {
			return false
		}
		for v := from; v <= until; v += step {
			to[v] = true
		}
	}
	return true
}

// cronSpan reads "*", "n" or "n-m"; "n" with a step means from n to the end.
func cronSpan(s string, low, high int, stepped bool) (from, until int, ok bool) {
	if s == "*" || s == "?" {
		return low, high, true
	}
	a, b, ranged := strings.Cut(s, "-")
	from, err := strconv.Atoi(a)
	switch {
	case err != nil:
		return 0, 0, false
	case ranged:
		until, err = strconv.Atoi(b)
	case stepped:
		until = high
	default:
		until = from
	}
	return from, until, err == nil
}

// next is the first moment after t that the schedule names, zero if there is none within a year.
func (c *cron) next(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	t = t.UTC().Truncate(time.Minute).Add(time.Minute)
	for end := t.AddDate(1, 0, 1); t.Before(end); {
		switch {
		case !c.month[int(t.Month())] || !c.onDay(t):
			t = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, time.UTC)
		case !c.hour[t.Hour()]:
			t = t.Truncate(time.Hour).Add(time.Hour)
		case !c.minute[t.Minute()]:
			t = t.Add(time.Minute)
		default:
			return t
		}
	}
	return time.Time{}
}

// onDay follows cron: where both day fields are restricted, either may fit.
func (c *cron) onDay(t time.Time) bool {
	day, weekday := c.day[t.Day()], c.weekday[int(t.Weekday())]
	switch {
	case c.anyDay && c.anyWeekday:
		return true
	case c.anyDay:
		return weekday
	case c.anyWeekday:
		return day
	}
	return day || weekday
}
