package redact

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// schemes are the words that begin the value of an Authorization header.
var schemes = words("bearer basic token digest apikey api-key negotiate ntlm aws4-hmac-sha256 hmac sharedkey sso-key " +
	"key hawk oauth genie-key snyk splunk bot apitoken")

// listSchemes are the schemes whose value is a list of parameters up to the end of the line.
var listSchemes = words("digest aws4-hmac-sha256 hawk oauth hmac")

// findHeaders hides what HTTP headers authenticate with.
func findHeaders(sc *scanner) {
	s := sc.text
	for i := 0; i < len(s); {
		end := wordEnd(s, i)
		if end == i {
			_, n := utf8.DecodeRuneInString(s[i:])
			i += n
			continue
		}
		if n := end - i; n >= len("basic") && n <= 64 {
			end = max(end, sc.header(i, end))
		}
		i = end
	}
}

// header looks at one word, hides what follows it if it is such a header or scheme, and returns where to go on.
func (sc *scanner) header(from, to int) int {
	s := sc.text
	switch word := strings.ToLower(s[from:to]); {
	case word == "bearer":
		i := skipBlanks(s, to)
		v := valueAt(s, i)
		if text := s[v.from:v.to]; i > to && len(text) >= 8 && secretLike(text) && !strings.Contains(text, `="`) {
			sc.hide(v.from, v.to)
		}
	case word == "basic":
		i := skipBlanks(s, to)
		if v := valueAt(s, i); i > to && isBasic(s[v.from:v.to]) {
			sc.hide(v.from, v.to)
		}
	case strings.HasSuffix(word, "authorization"):
		return sc.credentials(to)
	case word == "cookie" || word == "set-cookie":
		return sc.cookies(to)
	}
	return to
}

// isBasic tells whether v is base64 of user:password.
func isBasic(v string) bool {
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	return err == nil && utf8.Valid(plain) && strings.IndexByte(string(plain), ':') > 0
}

// headerValue returns the extent of the value of a header whose name ends at to; false if none follows. The end of an
// unquoted value is left to the caller: it is where it begins.
func (sc *scanner) headerValue(to int) (value, bool) {
	ks := keyScan{scanner: sc}
	i, sep := ks.separator(to, to)
	if sep == sepNone || sep == sepTag || i >= len(sc.text) {
		return value{}, false
	}
	s := sc.text
	if s[i] == '[' && !strings.HasPrefix(s[i:], Mark) {
		i++
		if n := strings.IndexByte(s[i:lineEnd(s[:min(len(s), i+maxArray)], i)], ']'); n >= 0 && quoteAt(s, i) == "" {
			return value{span: span{i, i + n}, quoted: true}, true
		}
	}
	if quoteAt(s, i) != "" {
		return valueAt(s, i), true
	}
	return value{span: span{i, i}}, true
}

// headerEnd returns where an unquoted header that fills its line ends: there, or at a quote around the whole.
func headerEnd(s string, i int) int {
	inner := false
	for from := i; i < len(s) && i-from < maxQuoted; i++ {
		if isQuote(s[i]) && (inner || s[i-1] == '=') {
			inner = !inner
			continue
		}
		if s[i] == '\n' || isQuote(s[i]) && closes(s, i+1) || strings.HasPrefix(s[i:], `\r\n`) || strings.HasPrefix(s[i:], `\n`) {
			break
		}
	}
	return i
}

// credentials hides the value of an Authorization header, leaves its scheme, and returns where to go on.
func (sc *scanner) credentials(to int) int {
	v, ok := sc.headerValue(to)
	if !ok {
		return to
	}
	s := sc.text
	first := wordEnd(s, v.from)
	scheme := strings.ToLower(s[v.from:first])
	from := skipBlanks(s, first)
	if !schemes[scheme] {
		from = v.from
	}
	if !v.quoted {
		v.to = credentialsEnd(s, from, scheme)
	}
	if from >= v.to {
		return to
	}
	text := s[from:v.to]
	if !judge(text, classPassword, true) || !schemes[scheme] && strings.Contains(text, " ") {
		return v.to
	}
	if strings.HasPrefix(text, "token=") {
		from += len("token=")
		from += len(quoteAt(s, from))
	}
	sc.hide(from, v.to)
	return v.to
}

// credentialsEnd returns where unquoted credentials of a scheme end that start at i.
func credentialsEnd(s string, i int, scheme string) int {
	switch {
	case listSchemes[scheme]:
		return headerEnd(s, i)
	case schemes[scheme]:
		return bareEnd(s, i)
	}
	return valueAt(s, i).to
}

// cookies hides the values of a Cookie or Set-Cookie header, leaves the names and attributes, and returns where to go on.
func (sc *scanner) cookies(to int) int {
	v, ok := sc.headerValue(to)
	if !ok {
		return to
	}
	s := sc.text
	if !v.quoted {
		v.to = headerEnd(s, v.from)
	}
	for from := v.from; from < v.to; {
		end := v.to
		if n := strings.IndexByte(s[from:v.to], ';'); n >= 0 {
			end = from + n
		}
		if eq := strings.IndexByte(s[from:end], '='); eq >= 0 {
			name := strings.ToLower(strings.TrimSpace(s[from : from+eq]))
			if !cookieAttributes[name] && !isPlaceholder(s[from+eq+1:end]) {
				sc.hide(from+eq+1, end)
			}
		}
		from = end + 1
	}
	return v.to
}

// cookieAttributes are the parts of a Set-Cookie header that are no values.
var cookieAttributes = words("path domain expires max-age samesite priority version")
