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
			sc.header(i, end)
		}
		i = end
	}
}

// header looks at one word and hides what follows it if it is such a header or scheme.
func (sc *scanner) header(from, to int) {
	s := sc.text
	switch word := strings.ToLower(s[from:to]); {
	case word == "bearer":
		i := skipBlanks(s, to)
		if v := valueAt(s, i); i > to && len(s[v.from:v.to]) >= 8 && secretLike(s[v.from:v.to]) {
			sc.hide(v.from, v.to)
		}
	case word == "basic":
		i := skipBlanks(s, to)
		if v := valueAt(s, i); i > to && isBasic(s[v.from:v.to]) {
			sc.hide(v.from, v.to)
		}
	case strings.HasSuffix(word, "authorization"):
		sc.credentials(to)
	case word == "cookie" || word == "set-cookie":
		sc.cookies(to)
	}
}

// isBasic tells whether v is base64 of user:password.
func isBasic(v string) bool {
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	return err == nil && utf8.Valid(plain) && strings.IndexByte(string(plain), ':') > 0
}

// headerValue returns the extent of the value of a header whose name ends at to; false if none follows.
func (sc *scanner) headerValue(to int) (value, bool) {
	ks := keyScan{scanner: sc}
	i, sep := ks.separator(to, to)
	if sep == sepNone || sep == sepTag || i >= len(sc.text) {
		return value{}, false
	}
	s := sc.text
	if s[i] == '[' && !strings.HasPrefix(s[i:], Mark) {
		i++
		if n := strings.IndexByte(s[i:lineEnd(s[:min(len(s), i+maxQuoted)], i)], ']'); n >= 0 && quoteAt(s, i) == "" {
			return value{span: span{i, i + n}, quoted: true}, true
		}
	}
	if quoteAt(s, i) != "" {
		return valueAt(s, i), true
	}
	return value{span: span{i, headerEnd(s, i)}}, true
}

// headerEnd returns where an unquoted header ends: at the line's end or at a quote around the whole.
func headerEnd(s string, i int) int {
	for from := i; i < len(s) && i-from < maxQuoted; i++ {
		if s[i] == '\n' || isQuote(s[i]) && s[i-1] != '=' && closes(s, i+1) || strings.HasPrefix(s[i:], `\r\n`) || strings.HasPrefix(s[i:], `\n`) {
			break
		}
	}
	return i
}

// credentials hides the value of an Authorization header and leaves its scheme.
func (sc *scanner) credentials(to int) {
	v, ok := sc.headerValue(to)
	if !ok {
		return
	}
	s := sc.text
	first := wordEnd(s, v.from)
	scheme := strings.ToLower(s[v.from:min(first, v.to)])
	if !schemes[scheme] {
		if one := valueAt(s, v.from); !v.quoted {
			v.to = min(v.to, one.to)
		}
		if text := s[v.from:v.to]; !strings.Contains(text, " ") && judge(text, classPassword, true) {
			sc.hide(v.from, v.to)
		}
		return
	}
	from := skipBlanks(s, first)
	if from >= v.to {
		return
	}
	end := v.to
	if !v.quoted && !listSchemes[scheme] {
		end = min(end, from+len(s[from:bareEnd(s, from)]))
	}
	if text := s[from:end]; judge(text, classPassword, true) {
		if n := strings.Index(text, "token="); n == 0 {
			from += len("token=")
			from += len(quoteAt(s, from))
		}
		sc.hide(from, end)
	}
}

// cookies hides the values of a Cookie or Set-Cookie header and leaves the names and attributes.
func (sc *scanner) cookies(to int) {
	v, ok := sc.headerValue(to)
	if !ok {
		return
	}
	s := sc.text
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
}

// cookieAttributes are the parts of a Set-Cookie header that are no values.
var cookieAttributes = words("path domain expires max-age samesite priority version")
