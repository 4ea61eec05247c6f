package endpoint

import (
	"bytes"
	"strings"
	"time"
)

// cut applies the limits of a request to a log whose process started at start. A log kept as text has no times of
// its own, so with timestamps every line carries the start.
func (o options) cut(text string, start time.Time) []byte {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if o.tailLines >= 0 && int64(len(lines)) > o.tailLines {
		lines = lines[int64(len(lines))-o.tailLines:]
	}
	var out bytes.Buffer
	for _, line := range lines {
		if o.timestamps {
			out.WriteString(start.UTC().Format(time.RFC3339Nano) + " ")
		}
		out.WriteString(line)
	}
	if o.limitBytes >= 0 && int64(out.Len()) > o.limitBytes {
		out.Truncate(int(o.limitBytes))
	}
	return out.Bytes()
}
