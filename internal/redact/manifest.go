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
		switch c := s[i]; {
		case c == '}':
			return i + 1
		case c == ':':
			inKey = false
			i++
		case c == ',':
			inKey = true
			i++
		case c == ' ' || c == '\n' || c == '\t':
			i++
		default:
			v := valueAt(s, i)
			if !inKey || v.quoted {
				v.to = min(v.to, end)
			} else if n := strings.IndexByte(s[v.from:v.to], ':'); n >= 0 {
				v.to, v.end = v.from+n, v.from+n
			}
			if !inKey && !isPlaceholder(s[v.from:v.to]) && strings.ToLower(s[v.from:v.to]) != "null" {
				sc.hide(v.from, v.to)
			}
			i = max(v.end, i+1)
		}
	}
	return end
}

// blockMap hides the values of the lines behind the line feed at i that are indented deeper than indent, and returns
// where they end.
func (sc *scanner) blockMap(i, end, indent int) int {
	s, keys := sc.text, -1
	for i < end {
		from, to := lineAt(s, i+1)
		to = min(to, end)
		depth := from - (i + 1)
		if from < to && depth <= indent {
			return i
		}
		if keys < 0 && from < to {
			keys = depth
		}
		i = to
		if from >= to {
			continue
		}
		at := from
		if colon := strings.Index(s[from:to], ":"); depth == keys && colon >= 0 {
			at = skipBlanks(s, from+colon+1)
			if quote := quoteAt(s, at); quote != "" {
				at += len(quote)
			}
		}
		value := strings.TrimRight(s[at:to], " \"'")
		if len(value) > 0 && !isPlaceholder(value) && !isBlockHeader(s, at) && value != "null" && !strings.HasSuffix(value, " bytes") {
			sc.hide(at, at+len(value))
		}
	}
	return i
}
