package redact

import (
	"encoding/base64"
	"unicode/utf8"
)

const (
	// minEncoded is the shortest base64 that is decoded: shorter ones hold no secret and its key.
	minEncoded = 24
	// maxEncoded bounds the base64 that is decoded at once.
	maxEncoded = 256 << 10
)

// findEncoded finds base64 that decodes to text in which the other detectors find a secret: Docker configurations,
// private keys, kubeconfigs, environment files.
func findEncoded(s string) []span {
	var found []span
	for i := 0; i < len(s); {
		if !alnum(s[i]) {
			i++
			continue
		}
		from := i
		for i < len(s) && (alnum(s[i]) || s[i] == '+' || s[i] == '/' || s[i] == '-' || s[i] == '_') {
			i++
		}
		to := i
		for i < len(s) && s[i] == '=' && i-to < 2 {
			i++
		}
		if n := to - from; n >= minEncoded && n <= maxEncoded && encodesSecret(s[from:to]) {
			found = append(found, span{from, i})
		}
	}
	return found
}

// encodesSecret tells whether base64 without padding holds readable text with a secret in it.
func encodesSecret(encoded string) bool {
	plain, err := base64.RawStdEncoding.DecodeString(encoded)
	if err != nil {
		if plain, err = base64.RawURLEncoding.DecodeString(encoded); err != nil {
			return false
		}
	}
	if !utf8.Valid(plain) {
		return false
	}
	for _, c := range plain {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return len(find(string(plain))) > 0
}
