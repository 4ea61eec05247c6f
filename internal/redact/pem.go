package redact

import (
	"strings"
)

// privateKey is what the first and last line of every private key block say.
const privateKey = "PRIVATE KEY"

// maxPEM bounds how far the end of a block is searched.
const maxPEM = 32 << 10

// findPEM hides the bodies of private keys: whole blocks, blocks whose end was cut off, and blocks whose beginning was.
func findPEM(sc *scanner) {
	s := sc.text
	covered := 0
	for i := 0; ; {
		n := strings.Index(s[i:], privateKey)
		if n < 0 {
			break
		}
		at := i + n
		i = at + len(privateKey)
		label := s[max(covered, at-64):at]
		switch {
		case strings.Contains(label, "BEGIN "):
			covered = sc.pemBody(i)
			i = max(i, covered)
		case strings.Contains(label, "END "):
			sc.pemTail(covered, at-len(label)+strings.LastIndex(label, "END "))
		}
	}
	for i := 0; ; {
		n := strings.Index(s[i:], "Private-Lines:")
		if n < 0 {
			return
		}
		i += n + len("Private-Lines:")
		end := bodyEnd(s, lineEnd(s, i))
		sc.hide(i, end)
		i = end
	}
}

// pemBody hides from the dashes behind a BEGIN line to the matching END line and returns where it ends.
func (sc *scanner) pemBody(i int) int {
	s := sc.text
	if strings.HasPrefix(s[i:], " BLOCK") {
		i += len(" BLOCK")
	}
	for i < len(s) && s[i] == '-' {
		i++
	}
	end := strings.Index(s[i:min(len(s), i+maxPEM)], "END ")
	if end < 0 {
		to := bodyEnd(s, i)
		sc.hide(i, to)
		return to
	}
	to := i + len(strings.TrimRight(s[i:i+end], "-"))
	sc.hide(i, to)
	return to
}

// bodyEnd returns where lines of base64 and PEM headers that start at i end.
func bodyEnd(s string, i int) int {
	for i < len(s) {
		c := s[i]
		if !base64ish(c) && strings.IndexByte("\n\r\\: ,\t", c) < 0 {
			break
		}
		if c == ' ' && i+1 < len(s) && alnum(s[i+1]) && plainWordAt(s, i+1) {
			break
		}
		i++
	}
	return i
}

// plainWordAt tells whether a lower-case word followed by a blank starts at i, which no line of base64 has.
func plainWordAt(s string, i int) bool {
	from := i
	for i < len(s) && 'a' <= s[i] && s[i] <= 'z' {
		i++
	}
	return i > from && i < len(s) && s[i] == ' '
}

// pemTail hides the lines of base64 before the END line at to of a block whose beginning is not there.
func (sc *scanner) pemTail(floor, to int) {
	s := sc.text
	for to > floor && s[to-1] == '-' {
		to--
	}
	from := to
	for from > floor && (base64ish(s[from-1]) && s[from-1] != '.' || strings.IndexByte("\n\r\\", s[from-1]) >= 0) {
		from--
	}
	if to-from >= 16 {
		sc.hide(from, to)
	}
}
