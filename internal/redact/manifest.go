package redact

import (
	"strings"
)

// findManifests hides the values in data and stringData of Secret objects, in YAML and JSON, also where the JSON is
// itself a string. A YAML document, or a text without document marks, that holds a Secret has all its data hidden.
func findManifests(sc *scanner) {
	s := sc.text
	if !strings.Contains(s, "ecret") {
		return
	}
	for from := 0; from < len(s); {
		end := len(s)
		if n := strings.Index(s[from:], "\n---"); n >= 0 {
			end = from + n + 1
		}
		if holdsSecret(s[from:end]) {
			sc.secretData(from, end)
		}
		from = end + len("---")
	}
}

// holdsSecret tells whether a document has a kind that is Secret or a list of Secrets.
func holdsSecret(doc string) bool {
	for i := 0; ; {
		n := strings.Index(doc[i:], "kind")
		if n < 0 {
			return false
		}
		i += n + len("kind")
		rest := strings.TrimLeft(doc[i:min(len(doc), i+32)], "\"'\\ :\t\n")
		if tail, ok := strings.CutPrefix(rest, "SecretList"); ok && wordEnd(tail, 0) == 0 {
			return true
		}
		if tail, ok := strings.CutPrefix(rest, "Secret"); ok && wordEnd(tail, 0) == 0 {
			return true
		}
	}
}

// secretData hides the values of every data and stringData map in text[from:end].
func (sc *scanner) secretData(from, end int) {
	s := sc.text
	ks := &keyScan{scanner: sc}
	for i := from; i < end; {
		to := wordEnd(s, i)
		if to == i {
			i++
			continue
		}
		word := s[i:to]
		start := i
		i = to
		if word != "data" && word != "stringData" {
			continue
		}
		at, sep := ks.separator(start, to)
		if sep == sepNone || at >= end {
			continue
		}
		switch s[at] {
		case '{':
			i = sc.flowMap(at+1, end)
		case '\n':
			i = sc.blockMap(at, end, column(s, start))
		}
	}
}

// flowMap hides the values of a map in braces whose content starts at i, and returns where it ends.
func (sc *scanner) flowMap(i, end int) int {
	s, inKey := sc.text, true
	for i < end {
		switch s[i] {
		case '}':
			return i + 1
		case ':':
			inKey = false
			i++
		case ',':
			inKey = true
			i++
		case ' ', '\n', '\t':
			i++
		default:
			v := valueAt(s, i)
			if inKey {
				i = max(i+1, min(v.end, i+keyLen(s[i:v.end], v.quoted)))
				continue
			}
			sc.hideData(v.from, min(v.to, end))
			i = max(v.end, i+1)
		}
	}
	return end
}

// keyLen returns how much of what was read as a value is the key before its colon.
func keyLen(s string, quoted bool) int {
	if n := strings.IndexByte(s, ':'); n >= 0 && !quoted {
		return n
	}
	return len(s)
}

// hideData hides one value of a Secret, unless it is none.
func (sc *scanner) hideData(from, to int) {
	text := sc.text[from:to]
	if text == "" || isPlaceholder(text) || strings.EqualFold(text, "null") || strings.HasSuffix(text, " bytes") {
		return
	}
	sc.hide(from, to)
}

// blockMap hides the values of the lines behind the line feed at i that are indented deeper than indent, and returns
// where they end.
func (sc *scanner) blockMap(i, end, indent int) int {
	s, keys := sc.text, -1
	for i < end {
		from, to := lineAt(s, i+1)
		to = min(to, end)
		depth := from - (i + 1)
		if from >= to {
			i = to
			continue
		}
		if depth <= indent {
			return i
		}
		if keys < 0 {
			keys = depth
		}
		sc.dataLine(from, to, depth == keys)
		i = to
	}
	return i
}

// dataLine hides the value in a line of a Secret's data: what is behind its key, or all of it where the line goes on
// with the value above.
func (sc *scanner) dataLine(from, to int, hasKey bool) {
	s := sc.text
	if colon := strings.Index(s[from:to], ":"); hasKey && colon >= 0 {
		from = min(to, skipBlanks(s, from+colon+1))
		from = min(to, from+len(quoteAt(s, from)))
	}
	if !isBlockHeader(s, from) {
		sc.hideData(from, from+len(strings.TrimRight(s[from:to], " \"'")))
	}
}
