package diagnose

import "regexp"

func re(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

// hostPort is the address of a peer as errors print it.
const hostPort = `(?P<peer>\[?[A-Za-z0-9_.:-]*[A-Za-z0-9]\]?(?::\d{1,5})?)`

// coreSignatures are the ways in which runtimes of many languages word the most frequent faults.
var coreSignatures = []signature{
	{"python missing variable", "CrashMissingEnv", decisive, []string{"keyerror"}, re(`KeyError: ['"](?P<name>[A-Z][A-Z0-9_]+)['"]`)},
	{"variable not set", "CrashMissingEnv", decisive, []string{"env", "variable", "not set", "undefined"},
		re(`(?i)(?:missing|required|undefined|unset|empty|no)\b.{0,40}\b(?:env(?:ironment)?(?:[ _-]?var(?:iable)?s?)?|variable)\b[^A-Z\n]{0,30}[:"'\s(` + "`" + `]+(?P<name>[A-Z][A-Z0-9_]{2,})`)},
	{"variable X is required", "CrashMissingEnv", decisive, []string{"env", "variable", "not set", "required", "must be set", "must be defined", "is missing"},
		re(`(?:^|[\s"':(` + "`" + `$])(?P<name>[A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]{3,})["'` + "`" + `)]?\s+(?:env(?:ironment)?(?: var(?:iable)?)?\s+)?(?:(?:is|was|must be|has to be)\s+)?(?:not set|unset|required|missing|undefined|not defined|set|defined|must not be empty|cannot be empty)\b`)},
	{"connection refused to an address", "CrashDependencyRefused", dependency, []string{"refused"},
		re(`(?i)(?:dial tcp|connect(?:ing|ion)?(?: to| error:)?|server at|ECONNREFUSED|http://|https://|to host|host=)\s*\(?["']?` + hostPort + `["']?.{0,80}?(?:connection refused|refused|ECONNREFUSED)`)},
	{"connection refused by an address", "CrashDependencyRefused", dependency, []string{"refused"},
		re(`(?i)(?:ECONNREFUSED|connection refused(?: by| to| on| \(errno 111\))?:?)\s+` + hostPort)},
	{"connection refused", "CrashDependencyRefused", dependency, []string{"connection refused", "econnrefused"}, re(`(?i)connection refused|ECONNREFUSED`)},
	{"go panic", "CrashApplicationError", generic, []string{"panic:"}, re(`^panic: (?P<value>.+)`)},
	{"fatal", "CrashApplicationError", generic, []string{"fatal", "critical", "panic", "severe"}, re(`(?i)\b(?:fatal|critical|panic|severe)\b[\]:=" ]+(?P<value>.+)`)},
	{"error", "CrashApplicationError", generic, []string{"error", "exception"}, re(`(?i)\b(?:error|exception)\b[\]:=" ]+(?P<value>.+)`)},
}
