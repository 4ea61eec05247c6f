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
	for i := 0; i < len(s); i++ {
		if !alnum(s[i]) {
			continue
		}
		from := i
		for i < len(s) && base64Digit(s[i]) {
			i++
		}
		if n := i - from; n >= minEncoded && n <= maxEncoded && encodesSecret(s[from:i]) {
			found = append(found, span{from, i + padding(s[i:])})
		}
	}
	return found
}

// base64Digit tells whether c is a digit of base64, in either alphabet.
func base64Digit(c byte) bool { return alnum(c) || oneOf(c, "+/-_") }

// padding returns how many padding characters s begins with.
func padding(s string) int {
	n := 0
	for n < min(len(s), 2) && s[n] == '=' {
		n++
	}
	return n
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
