package redact

import (
	"sort"
	"strings"
)

// Mark stands where a secret was.
const Mark = "[redacted]"

// MaxBytes bounds the text that is looked at and kept; what is beyond it is cut off.
const MaxBytes = 1 << 20

// cutMark ends a text that was longer than MaxBytes.
const cutMark = "\n[cut: the text is longer than 1 MiB]"

// Text is text without secrets and without control characters. The zero value is the empty text.
type Text struct {
	text string
}

// String cleans s and takes the secrets out of it.
func String(s string) Text {
	cut := len(s) > MaxBytes
	if cut {
		s = s[:MaxBytes]
	}
	s = hide(Clean(s))
	if cut {
		s += cutMark
	}
	return Text{text: s}
}

// String returns the redacted text.
func (t Text) String() string { return t.text }

// IsZero tells whether the text is empty, for the JSON option omitzero.
func (t Text) IsZero() bool { return t.text == "" }

// MarshalText writes the redacted text, for JSON and YAML.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.text), nil }

// UnmarshalText redacts what it reads: stored text may have been written by anyone.
func (t *Text) UnmarshalText(text []byte) error {
	*t = String(string(text))
	return nil
}

// span is a half-open range of bytes.
type span struct{ from, to int }

// scanner collects what must be hidden in one text.
type scanner struct {
	text  string
	spans []span
}

// detectors are all that look for readable secrets. Each is linear in the text and knows nothing of the others.
// findEncoded, beside them, applies them to what base64 holds.
var detectors = []func(*scanner){
	findKeyed,     // password=…, "token": "…", --api-key …, the password is …
	findFormats,   // what its own form gives away: ghp_…, AKIA…, JWT, password hashes
	findMarked,    // the same, where the telling part is in the middle
	findURLs,      // scheme://user:password@host and connection strings
	findHeaders,   // Authorization, Cookie, Bearer …
	findPEM,       // private key blocks, whole or cut
	findCommands,  // curl -u, docker login -p, mysql -p…, lines of .pgpass
	findManifests, // data of Secret objects
}

// hide replaces everything that the detectors find.
func hide(text string) string {
	spans := append(find(text), findEncoded(text)...)
	if plain, changed := unspell(text); changed {
		spans = append(append(spans, find(plain)...), findEncoded(plain)...)
	}
	if len(spans) == 0 {
		return text
	}
	sort.Slice(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
	var out strings.Builder
	out.Grow(len(text))
	done, marked := 0, false
	for _, s := range spans {
		if s.from > done || !marked {
			if s.to <= done {
				continue
			}
			out.WriteString(text[done:max(done, s.from)])
			out.WriteString(Mark)
			marked = true
		}
		done = max(done, s.to)
	}
	out.WriteString(text[done:])
	return out.String()
}

// find runs all detectors over text.
func find(text string) []span {
	sc := &scanner{text: text}
	for _, detect := range detectors {
		detect(sc)
	}
	return sc.spans
}

// hide notes that text[from:to] is a secret.
func (sc *scanner) hide(from, to int) {
	if from < to && (to > from+len(Mark) || !strings.HasPrefix(sc.text[from:], Mark)) {
		sc.spans = append(sc.spans, span{from, to})
	}
}
