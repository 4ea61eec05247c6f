package redact

import (
	"strings"
)

// findURLs hides the passwords in URLs and in the connection strings that are like them.
func findURLs(sc *scanner) {
	s := sc.text
	for i := 0; ; {
		n := strings.Index(s[i:], "://")
		if n < 0 {
			break
		}
		from := i + n + len("://")
		end := urlEnd(s, from)
		sc.userInfo(from, end)
		i = max(end, from)
	}
	findBareUserInfo(sc)
	findNetworkUserInfo(sc)
}

// urlEnd returns where the URL whose authority starts at i ends.
func urlEnd(s string, i int) int {
	from := i
	for i < len(s) {
		c := s[i]
		if c == ' ' || c == '\n' || c == '\t' || c == '<' && i > from && s[i-1] != ':' || isQuote(c) && (c != '\'' || closes(s, i+1)) {
			break
		}
		i++
	}
	return i
}

// userInfo hides the password, or the token that stands alone, before the @ of the URL text[from:end].
func (sc *scanner) userInfo(from, end int) {
	s := sc.text
	authority := end
	if n := strings.IndexAny(s[from:end], "/?#"); n >= 0 {
		authority = from + n
	}
	at := strings.LastIndexByte(s[from:authority], '@')
	switch {
	case at < 0:
		at = sc.rawUserInfo(from, authority, end)
	case strings.Contains(s[from:from+at], ":") && !isWeb(s[:from]):
		at = strings.LastIndexByte(s[from:end], '@') // a driver's URL, in which people leave the password as it is
	}
	if at < 0 {
		return
	}
	info := s[from : from+at]
	colon := strings.IndexByte(info, ':')
	if colon < 0 {
		if len(info) >= 16 && secretLike(info) {
			sc.hide(from, from+at)
		}
		return
	}
	if password := info[colon+1:]; password != "" && !isPlaceholder(password) {
		sc.hide(from+colon+1, from+at)
	}
}

// isWeb tells whether s ends in the scheme of a web address, whose path may hold an @.
func isWeb(s string) bool {
	return strings.HasSuffix(s, "http://") || strings.HasSuffix(s, "https://")
}

// rawUserInfo finds the @ behind a password with a slash, question mark or number sign that was not encoded: what
// looks like the authority has a colon and no port behind it. It returns the offset from from, -1 if there is none.
func (sc *scanner) rawUserInfo(from, authority, end int) int {
	s := sc.text
	colon := strings.IndexByte(s[from:authority], ':')
	if colon < 0 || authority == end || isWeb(s[:from]) && isDigits(s[from+colon+1:authority]) {
		return -1
	}
	at := strings.LastIndexByte(s[from:end], '@')
	if at >= 0 && strings.HasPrefix(s[from+at:], "@sha") {
		return -1
	}
	return at
}

// findBareUserInfo hides the password of user:password@host without a scheme, as drivers for databases write it.
func findBareUserInfo(sc *scanner) {
	s := sc.text
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '@')
		if n < 0 {
			return
		}
		at := i + n
		from := at
		for from > i && s[from-1] > ' ' && !isQuote(s[from-1]) && s[from-1] != '=' && s[from-1] != ',' {
			from--
		}
		sc.bareUserInfo(from, at)
		i = at + 1
	}
}

// bareUserInfo judges the word text[from:at] before an @.
func (sc *scanner) bareUserInfo(from, at int) {
	word, rest := sc.text[from:at], sc.text[at+1:]
	if strings.Contains(word, "://") || rest == "" || strings.HasPrefix(rest, "sha") {
		return
	}
	if _, oracle, ok := strings.Cut(word, "thin:"); ok {
		_, password, _ := strings.Cut(oracle, "/")
		sc.hide(at-len(password), at)
		return
	}
	user, password, ok := strings.Cut(word, ":")
	if ok && user != "" && wordEnd(word, 0) == len(user) && alnum(rest[0]) && secretLike(password) {
		sc.hide(at-len(password), at)
	}
}

// findNetworkUserInfo hides the password of user:password@tcp(host), as Go's MySQL driver has it. The network tells
// that it is one, whatever the password looks like.
func findNetworkUserInfo(sc *scanner) {
	s := sc.text
	for i := 0; ; {
		n := strings.IndexByte(s[i:], '(')
		if n < 0 {
			return
		}
		open := i + n
		at := strings.LastIndexByte(s[i:open], '@')
		i = open + 1
		if at < 0 || !networks[s[i-1-n+at+1:open]] {
			continue
		}
		at += open - n
		from := at
		for from > open-n && s[from-1] > ' ' && !isQuote(s[from-1]) {
			from--
		}
		if _, password, ok := strings.Cut(s[from:at], ":"); ok && judge(password, classPassword, false) {
			sc.hide(at-len(password), at)
		}
	}
}

// networks are what a connection string may reach its server by.
var networks = words("tcp unix udp tcp4 tcp6")
