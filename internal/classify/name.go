package classify

import (
	"net/netip"
	"strings"
)

// clusterScoped are the kinds without a namespace.
const clusterScoped = " Node Namespace PersistentVolume StorageClass IngressClass ClusterRole ClusterRoleBinding PriorityClass CustomResourceDefinition " +
	"ValidatingWebhookConfiguration MutatingWebhookConfiguration ModelProvider ChangePolicy Terraform Playbook "

func isClusterScoped(kind string) bool {
	return strings.Contains(clusterScoped, " "+kind+" ")
}

// isName tells whether s could name an object: a DNS-1123 subdomain with at least one letter.
func isName(s string) bool {
	if len(s) == 0 || len(s) > 253 || !alphanumeric(s[0]) || !alphanumeric(s[len(s)-1]) {
		return false
	}
	letter := false
	for i := range len(s) {
		c := s[i]
		if !alphanumeric(c) && c != '-' && c != '.' || c == '.' && s[i-1] == '.' {
			return false
		}
		letter = letter || c >= 'a'
	}
	return letter
}

func alphanumeric(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// isVersion tells "v1.2.3" and "v2".
func isVersion(s string) bool {
	return len(s) > 1 && s[0] == 'v' && strings.Trim(s[1:], "0123456789.") == ""
}

// topLevels are the last labels that make a dotted word of two labels a host rather than a name or a file.
const topLevels = " com net org io dev fr de eu uk us be ch ca es it nl lu info biz co cloud internal intern intra intranet local localdomain lan corp home example test invalid arpa "

// fileEndings are the last labels of files.
const fileEndings = " yaml yml json log conf cfg ini go py sh tf tfvars tfstate md txt tar gz tgz zip sql csv toml xml html js ts rb php jar war so service timer socket crt pem key "

// hostOf returns the host that a word names: an address or a qualified name, without user and port.
func hostOf(s string) string {
	if strings.Contains(s, "://") || strings.ContainsAny(s, "=/") || strings.IndexByte(s, '.') < 0 && strings.Count(s, ":") < 2 {
		return ""
	}
	if addr, err := netip.ParseAddr(s); err == nil {
		return addr.String()
	}
	host, port, _ := strings.Cut(s, ":")
	if strings.Trim(port, "0123456789") != "" {
		return ""
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String()
	}
	if isName(host) && endsLikeHost(host) {
		return host
	}
	return ""
}

// endsLikeHost tells whether the last label of a dotted name is one of hosts, and no ending of files.
func endsLikeHost(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return last != name && len(last) > 1 && isAlpha(last) && !strings.Contains(fileEndings, " "+last+" ") && strings.Contains(topLevels, " "+last+" ")
}

// hasNameShape tells whether a word looks like an object's name wherever it stands: "web-0", "fluent-bit", but neither
// "under-replicated" nor "2024-05-01".
func hasNameShape(s string, lex *lexicon) bool {
	if strings.IndexByte(s, '-') < 0 || s[0] < 'a' || !isName(s) || strings.IndexByte(s, '.') >= 0 || hasAnyPrefix(s, "utf-", "x86-", "ipv") {
		return false
	}
	for part := range strings.SplitSeq(s, "-") {
		if part != "" && ordinal(part) || part != "" && part[0] >= 'a' && !common(part, lex) {
			return true
		}
	}
	return false
}

// ordinal tells a number as names end in, which is no amount such as "30s" or "4x".
func ordinal(part string) bool {
	return part[0] >= '0' && part[0] <= '9' && strings.IndexByte("dhmsx", part[len(part)-1]) < 0
}

// common tells whether a part of a hyphenated word is an ordinary word, in the singular or in the plural.
func common(part string, lex *lexicon) bool {
	if w := lex.words[part]; w != nil && w.class != 0 {
		return w.class&isSoft == 0
	}
	switch part {
	case "non", "pre", "post", "re", "un", "de", "anti", "semi", "multi", "cross", "auto", "self", "co", "sub", "super", "inter", "micro", "mid":
		return true
	}
	return false
}

// ordinary endings are those of words that are hardly ever names.
var ordinaryEndings = []string{"ed", "ly", "tion", "tions", "ness", "ement", "ements", "ait", "aient", "ee", "ees", "ant", "able", "ible", "ites", "eur", "euse"}

func looksOrdinary(s string) bool {
	if len(s) < 6 || strings.IndexByte(s, '-') >= 0 {
		return false
	}
	for _, ending := range ordinaryEndings {
		if strings.HasSuffix(s, ending) {
			return true
		}
	}
	return false
}

// isChangeName tells "cr-1042", "chg-7".
func isChangeName(s string) bool {
	rest, ok := strings.CutPrefix(s, "cr-")
	if !ok {
		rest, ok = strings.CutPrefix(s, "chg-")
	}
	return ok && isName(s) && strings.ContainsAny(rest, "0123456789")
}
