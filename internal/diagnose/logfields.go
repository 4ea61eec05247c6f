package diagnose

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// logField is one entry of a structured log line; the name of a nested one is its path, as err.message.
type logField struct{ name, value string }

const (
	// maxLogFields bounds what is looked at of one structured line.
	maxLogFields = 64
	// maxStructured bounds the length of a line that is read as a structure.
	maxStructured = 32 << 10
)

// structured reads the fields of a line that is a JSON object, as most logging libraries write them; nil for any other.
func structured(text string) []logField {
	text = timePrefix.ReplaceAllString(text, "")
	if !strings.HasPrefix(text, "{") || len(text) > maxStructured {
		return nil
	}
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil {
		return nil
	}
	return flatten(nil, "", object, 0)
}

// flatten adds the entries of an object in the order of their names, so that a line always reads alike.
func flatten(out []logField, path string, object map[string]any, depth int) []logField {
	const deepest = 4
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if len(out) >= maxLogFields {
			return out
		}
		switch v := object[name].(type) {
		case string:
			out = append(out, logField{path + name, v})
		case float64:
			out = append(out, logField{path + name, strconv.FormatFloat(v, 'f', -1, 64)})
		case map[string]any:
			if depth < deepest {
				out = flatten(out, path+name+".", v, depth+1)
			}
		}
	}
	return out
}

var (
	// timePrefix is what a collector of logs writes before each line.
	timePrefix = regexp.MustCompile(`^[\d\sTZ:.,+-]*`)
	logfmtPair = regexp.MustCompile(`(?:^|\s)([A-Za-z_][\w.]*)=(?:"((?:[^"\\]|\\.)*)"|(\S+))`)
	// levelFields are the names under which libraries write the level.
	levelFields = []string{"level", "log.level", "severity", "severitytext", "severity_text", "lvl", "loglevel", "log_level", "levelname", "level_name", "@l"}
	// faultFields are the last elements of the names under which libraries write what went wrong, the words of an error
	// before those of the program around it.
	faultFields = []string{
		"@x", "exception", "err", "error", "cause", "stack_trace", "stacktrace", "exc_info", "exceptionmessage", "exception_message",
		"stack", "errorverbose", "error_message", "errormessage", "detail", "details", "reason", "message", "msg", "@m", "@mt", "event", "short_message", "textpayload",
	}
	// wordFields are the names under which they write what a line says.
	wordFields = []string{"message", "msg", "@m", "@mt", "event", "short_message", "textpayload"}
	colours    = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

// lastName is the last element of a field's name, in lower case.
func lastName(name string) string {
	name = strings.ToLower(name)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// fieldOf returns the value of the first of the names that a structured line has.
func fieldOf(fields []logField, names []string) string {
	for _, n := range names {
		for _, f := range fields {
			if strings.EqualFold(f.name, n) {
				return f.value
			}
		}
	}
	return ""
}

// structuredLevel reads the level of a structured line: a word, or a number of the scales of bunyan and pino (10 to 60),
// of syslog (7 to 0) or of Monolog (100 to 600).
func structuredLevel(fields []logField) level {
	word := strings.ToLower(strings.TrimSpace(colours.ReplaceAllString(fieldOf(fields, levelFields), "")))
	if word == "" {
		if fieldOf(fields, []string{"@t"}) != "" && fieldOf(fields, []string{"@x"}) == "" {
			return levelInfo
		}
		return levelUnknown
	}
	if n, err := strconv.Atoi(word); err == nil {
		return numberedLevel(n)
	}
	word, _, _ = strings.Cut(word, "+")
	if l, ok := levels[word]; ok {
		return l
	}
	switch word {
	case "verbose", "fine", "finer", "finest", "config":
		return levelDebug
	case "default":
		return levelUnknown
	}
	return levelError
}

func numberedLevel(n int) level {
	for _, scale := range []struct{ least, info, warning, fault int }{{100, 200, 300, 400}, {10, 30, 40, 50}} {
		switch {
		case n < scale.least:
		case n >= scale.fault:
			return levelError
		case n >= scale.warning:
			return levelWarning
		case n >= scale.info:
			return levelInfo
		default:
			return levelDebug
		}
	}
	switch {
	case n <= 3:
		return levelError
	case n == 4:
		return levelWarning
	case n <= 6:
		return levelInfo
	}
	return levelDebug
}

// said is what a line says in words: the message of a structured line, or the whole of any other.
func (l line) said() string {
	if word := fieldOf(l.fields, wordFields); word != "" {
		return word
	}
	return l.text
}

// faults are the texts of a structured line that may name what went wrong, without the escapes of JSON: an error before
// the message around it.
func (l line) faults() []string {
	const longest = 12
	var out []string
	for _, name := range faultFields {
		for _, f := range l.fields {
			parent, _, nested := strings.Cut(strings.ToLower(f.name), ".")
			own := lastName(f.name) == name
			if !own || nested && !slices.Contains(faultFields, parent) {
				continue
			}
			for _, part := range strings.SplitN(f.value, "\n", longest) {
				part = strings.TrimSpace(part[:min(len(part), maxLine)])
				if part != "" && len(out) < 2*longest {
					out = append(out, part)
				}
			}
		}
	}
	return out
}

// pairs are the fields of a line: of JSON, or of the key=value form that slog, logrus and others write.
func (l line) pairs() []logField {
	if l.fields != nil {
		return l.fields
	}
	var out []logField
	for _, m := range logfmtPair.FindAllStringSubmatch(l.text, maxLogFields) {
		out = append(out, logField{m[1], m[2] + m[3]})
	}
	return out
}
