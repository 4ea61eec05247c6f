package cluster

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// logTimeWindow is how far into a line its timestamp is looked for.
const logTimeWindow = 160

var (
	isoTime   = regexp.MustCompile(`\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s?(Z|UTC|[+-]\d\d:?\d\d)?`)
	httpTime  = regexp.MustCompile(`\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})`)
	slashTime = regexp.MustCompile(`\b(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d)`)
	klogTime  = regexp.MustCompile(`^[IWEF](\d\d)(\d\d) (\d\d:\d\d:\d\d)`)
	unixTime  = regexp.MustCompile(`"(?:ts|time|timestamp|@timestamp)":"?(\d{10})(?:\d{3})?(?:\.(\d{1,6}))?\d*\b`)
)

// LogTime reads the timestamp of a log line in the forms that programs use. near serves to complete a form without a
// year. A time without a zone is taken as UTC, as containers run.
func LogTime(line string, near time.Time) (time.Time, bool) {
	if len(line) > logTimeWindow {
		line = line[:logTimeWindow]
	}
	if m := isoTime.FindStringSubmatch(line); m != nil {
		return isoLogTime(m)
	}
	if m := httpTime.FindStringSubmatch(line); m != nil {
		t, err := time.Parse("02/Jan/2006:15:04:05 -0700", m[1])
		return t, err == nil
	}
	if m := slashTime.FindStringSubmatch(line); m != nil {
		t, err := time.Parse("2006/01/02 15:04:05", m[1])
		return t, err == nil
	}
	if m := klogTime.FindStringSubmatch(line); m != nil && !near.IsZero() {
		t, err := time.Parse("2006-01-02 15:04:05", strconv.Itoa(near.Year())+"-"+m[1]+"-"+m[2]+" "+m[3])
		if err == nil && t.Sub(near) > 31*24*time.Hour {
			t = t.AddDate(-1, 0, 0)
		}
		return t, err == nil
	}
	if m := unixTime.FindStringSubmatch(line); m != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		return time.Unix(n, 0).UTC(), err == nil
	}
	return time.Time{}, false
}

func isoLogTime(m []string) (time.Time, bool) {
	zone := m[4]
	switch {
	case zone == "" || zone == "UTC":
		zone = "Z"
	case zone != "Z" && !strings.Contains(zone, ":"):
		zone = zone[:3] + ":" + zone[3:]
	}
	fraction := ""
	if m[3] != "" {
		fraction = "." + m[3]
	}
	t, err := time.Parse(time.RFC3339Nano, m[1]+"T"+m[2]+fraction+zone)
	return t, err == nil
}
