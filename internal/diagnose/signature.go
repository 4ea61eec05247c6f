package diagnose

import (
	"regexp"
	"slices"
	"strings"

	"github.com/eclusier/eclusier/internal/cluster"
)

// rank says how much a signature tells. Among the hits of a log the highest rank wins, and within it the first line:
// what follows is its echo.
type rank int

const (
	// generic: the program failed, in words that do not say why (a stack trace, a panic).
	generic rank = iota + 1
	// likely: the line names something that often is the cause and may be incidental.
	likely
	// dependency: something the program needs did not answer.
	dependency
	// decisive: the line names what is wrong.
	decisive
)

// signature recognises one way in which programs word a fault. The named groups of the pattern may be: peer (host or
// host:port of what was called), name (a variable, key, user or right), file (a path), value.
type signature struct {
	name  string
	cause CauseID
	rank  rank
	// words are lower-case pieces at least one of which a matching line contains; they make the search fast.
	words []string
	// unless are lower-case pieces with which a line means something else.
	unless []string
	re     *regexp.Regexp
}

// hit is a signature found in a line.
type hit struct {
	line
	sig *signature
	// focus is the byte where the match begins.
	focus int
	vars  map[string]string
	// count is the number of lines of the same log that the signature fits.
	count int
	last  line
}

func (h hit) evidence() Evidence { return h.cite(h.focus) }

// hits finds the signatures in one log: the first line of each, in the order of lines.
func (x *exam) hits(l *cluster.Log) []hit {
	if done, ok := x.hitMemo[l]; ok {
		return done
	}
	var out []hit
	at := map[*signature]int{}
	for _, one := range x.lines(l) {
		h, ok := matchLine(one)
		if !ok {
			continue
		}
		if i, again := at[h.sig]; again {
			out[i].count++
			out[i].last = one
			continue
		}
		at[h.sig] = len(out)
		out = append(out, h)
	}
	x.hitMemo[l] = out
	return out
}

// matchLine finds the signature of a line. Of what a program calls information only the answer of a gateway counts; in a
// structured line the words of the error itself are looked at beside the whole, whose escapes hide them.
func matchLine(one line) (hit, bool) {
	if one.level == levelDebug || one.level == levelInfo {
		return gatewayAnswer(one)
	}
	found, ok := match(one)
	for _, text := range one.faults() {
		part := one
		part.text = text
		h, fits := match(part)
		if fits && (!ok || h.sig.rank > found.sig.rank) {
			h.line = one
			h.focus = max(0, strings.Index(one.text, text[:min(len(text), 24)]))
			found, ok = h, true
		}
	}
	if h, answers := gatewayAnswer(one); answers && (!ok || found.sig.rank <= likely) {
		return h, true
	}
	return found, ok
}

// match finds the highest ranked signature of a line.
func match(one line) (hit, bool) {
	low := strings.ToLower(one.text)
	for i := range signatures {
		s := &signatures[i]
		holds := func(w string) bool { return strings.Contains(low, w) }
		if !slices.ContainsFunc(s.words, holds) || slices.ContainsFunc(s.unless, holds) {
			continue
		}
		m := s.re.FindStringSubmatchIndex(one.text)
		if m == nil {
			continue
		}
		vars := map[string]string{}
		for g, name := range s.re.SubexpNames() {
			if name != "" && m[2*g] >= 0 {
				vars[name] = one.text[m[2*g]:m[2*g+1]]
			}
		}
		return hit{line: one, sig: s, focus: m[0], vars: vars, count: 1, last: one}, true
	}
	return hit{}, false
}

// signatures is the whole table, highest rank first, so that the first match of a line is its best.
var signatures = ranked(
	variableSignatures, processSignatures, fileSignatures, configSignatures, networkSignatures, refusedSignatures, failureSignatures,
)

func ranked(tables ...[]signature) []signature {
	all := slices.Concat(tables...)
	slices.SortStableFunc(all, func(a, b signature) int { return int(b.rank - a.rank) })
	return all
}

// best chooses among hits: highest rank, then the earliest line of the former instance.
func best(hits []hit) (hit, bool) {
	if len(hits) == 0 {
		return hit{}, false
	}
	b := hits[0]
	for _, h := range hits[1:] {
		if h.sig.rank > b.sig.rank {
			b = h
		}
	}
	return b, true
}

// hitsOf returns the hits in the logs of a symptom's container, pod by pod.
func (x *exam) hitsOf(s *symptom) []hit {
	var out []hit
	for _, p := range s.pods {
		for _, l := range x.logsOf(podRef(p), s.container) {
			out = append(out, x.hits(l)...)
		}
	}
	return out
}
