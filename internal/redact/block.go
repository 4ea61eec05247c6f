package redact

import (
	"strings"
)

// column returns how far the byte at i is from the start of its line.
func column(s string, i int) int {
	return i - (strings.LastIndexByte(s[max(0, i-1024):i], '\n') + 1 + max(0, i-1024))
}

// isBlockHeader tells whether what stands at i, behind a colon, opens a YAML block scalar.
func isBlockHeader(s string, i int) bool {
	header := s[i:min(len(s), i+8)]
	end := strings.IndexByte(header, '\n')
	return end > 0 && oneOf(header[0], "|>") && strings.Trim(header[1:end], "+-0123456789 \t") == ""
}

// lineAt splits off the line that starts at i: where its text begins and ends.
func lineAt(s string, i int) (from, to int) {
	to = lineEnd(s, i)
	for from = i; from < to && (s[from] == ' ' || s[from] == '\t'); {
		from++
	}
	return from, to
}

// block hides the YAML block scalar behind the line feed at i, and returns where to go on.
func (ks *keyScan) block(i, keyFrom int, c class) int {
	s, indent := ks.text, column(ks.text, keyFrom)
	start, end := -1, i
	for i < len(s) {
		from, to := lineAt(s, i+1)
		if from < to && from-(i+1) <= indent {
			break
		}
		if from < to {
			if start < 0 {
				start = from
			}
			end = to
		}
		if i = to; to >= len(s) {
			break
		}
	}
	if start >= 0 && c != classWeak && judge(s[start:end], classPassword, false) {
		ks.hide(start, end)
	}
	return end
}

// list hides the items of a YAML list, or the single scalar, on the lines behind a key that ends its line.
func (ks *keyScan) list(i, keyFrom int, c class) int {
	s, indent := ks.text, column(ks.text, keyFrom)
	if c == classObject || c == classWeak {
		return i
	}
	for i < len(s) {
		from, to := lineAt(s, i+1)
		item, isItem := strings.CutPrefix(s[from:to], "- ")
		deep := from - (i + 1)
		if from >= to || deep < indent || deep == indent && !isItem || strings.ContainsAny(item, " :{=") {
			return i
		}
		v := valueAt(s, to-len(item))
		if v.to <= to && judge(s[v.from:v.to], c, true) {
			ks.hide(v.from, v.to)
		}
		i = to
	}
	return i
}

// maxArray bounds how far the end of a list in brackets is searched.
const maxArray = 4096

// array hides the scalars of a list in brackets that starts at i, and returns where to go on.
func (ks *keyScan) array(i int, c class) int {
	s := ks.text
	n := strings.IndexByte(s[i:lineEnd(s[:min(len(s), i+maxArray)], i)], ']')
	if n < 0 || strings.IndexByte(s[i:i+n], '{') >= 0 {
		return i + 1
	}
	end := i + n
	for i++; i < end; {
		if s[i] == ' ' || s[i] == ',' || s[i] == '\t' {
			i++
			continue
		}
		v := valueAt(s, i)
		if v.to = min(v.to, end); judge(s[v.from:v.to], c, false) {
			ks.hide(v.from, v.to)
		}
		i = max(v.end, i+1)
	}
	return min(i, end)
}
