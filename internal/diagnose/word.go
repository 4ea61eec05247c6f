package diagnose

import (
	"strconv"
	"strings"
)

// number words an integer without grouping its digits.
func number[T ~int | ~int32 | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// lastPart is what follows the last slash.
func lastPart(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

// similar returns the candidate that is closest to a name, if one is close enough to be a slip: it shares all but a
// third of the letters in order.
func similar(name string, candidates []string) string {
	best, bestDistance := "", len(name)/3+1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(name), strings.ToLower(c), bestDistance); c != name && d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// editDistance is the number of letters to insert, delete or replace, or limit where it is more.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) > 256 || len(b) > 256 {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := before
			if a[i-1] != b[j-1] {
				cost = 1 + min(before, row[j], row[j-1])
			}
			before, row[j] = row[j], cost
		}
	}
	return min(row[len(b)], limit)
}

// namedIn says that a text holds a name as a whole, not as a part of a longer one.
func namedIn(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 || name == "" {
			return false
		}
		start, end := from+i, from+i+len(name)
		if (start == 0 || !inName(text[start-1]) || text[start-1] == '.') && (end == len(text) || !inName(text[end]) || text[end] == '.' && (end+1 == len(text) || !inName(text[end+1]))) {
			return true
		}
		from = end
	}
}

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_'
}
