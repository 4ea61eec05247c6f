package redact

import (
	"strings"
)

// alphabet is the set of bytes a token may consist of.
type alphabet func(c byte) bool

func alnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
func lowerHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
func upperNum(c byte) bool { return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' }
func urlSafe(c byte) bool  { return alnum(c) || c == '_' || c == '-' }
func dotted(c byte) bool   { return urlSafe(c) || c == '.' }
func base64ish(c byte) bool {
	return dotted(c) || c == '+' || c == '/' || c == '=' || c == '%'
}
func crypt(c byte) bool   { return base64ish(c) || c == '$' || c == ',' || c == '*' || c == ':' }
func colons(c byte) bool  { return urlSafe(c) || c == ':' }
func path(c byte) bool    { return base64ish(c) || c == '@' || c == '&' || c == '?' || c == ':' }
func tilde(c byte) bool   { return dotted(c) || c == '~' }
func barcode(c byte) bool { return crypt(c) && c != ':' }

// format is a kind of token that its beginning gives away.
type format struct {
	prefix string
	body   alphabet
	// least and most bound the body's length; most 0 means any.
	least, most int
	// mixed asks for at least one digit and for both cases, or a digit and a letter where caseless.
	mixed, caseless bool
	// keep leaves the prefix, which is an address.
	keep bool
}

// formats are sorted by who issues them. The prefixes are public; the bodies are bounded from below only as far as is
// needed to tell a token from a word.
var formats = []format{
	// Clouds.
	{prefix: "AKIA", body: upperNum, least: 16, most: 16}, {prefix: "ASIA", body: upperNum, least: 16, most: 16},
	{prefix: "ABIA", body: upperNum, least: 16, most: 16}, {prefix: "ACCA", body: upperNum, least: 16, most: 16},
	{prefix: "ABSK", body: base64ish, least: 60, mixed: true},
	{prefix: "AIza", body: urlSafe, least: 30}, {prefix: "ya29.", body: dotted, least: 16}, {prefix: "GOCSPX-", body: urlSafe, least: 16},
	{prefix: "1//0", body: urlSafe, least: 24}, {prefix: "LTAI", body: alnum, least: 16, most: 24, mixed: true},
	{prefix: "dop_v1_", body: alnum, least: 20}, {prefix: "doo_v1_", body: alnum, least: 20}, {prefix: "dor_v1_", body: alnum, least: 20},
	{prefix: "DO00", body: upperNum, least: 16, most: 20}, {prefix: "AQVN", body: urlSafe, least: 35}, {prefix: "HRKU-", body: urlSafe, least: 30},
	{prefix: "FlyV1 ", body: crypt, least: 30}, {prefix: "fo1_", body: urlSafe, least: 30}, {prefix: "fm2_", body: base64ish, least: 60},
	{prefix: "nfp_", body: alnum, least: 30}, {prefix: "rnd_", body: alnum, least: 24}, {prefix: "SCW", body: upperNum, least: 17, most: 17},
	{prefix: "v1.0-", body: urlSafe, least: 100}, {prefix: "ocid1.credential.", body: dotted, least: 20},
	// Forges, registries and build systems.
	{prefix: "ghp_", body: alnum, least: 20}, {prefix: "gho_", body: alnum, least: 20}, {prefix: "ghu_", body: alnum, least: 20},
	{prefix: "ghs_", body: dotted, least: 20}, {prefix: "ghr_", body: alnum, least: 20}, {prefix: "github_pat_", body: urlSafe, least: 20},
	{prefix: "glpat-", body: dotted, least: 16}, {prefix: "gldt-", body: dotted, least: 16}, {prefix: "glrt-", body: dotted, least: 16},
	{prefix: "glrtr-", body: dotted, least: 16}, {prefix: "glcbt-", body: dotted, least: 16}, {prefix: "glptt-", body: dotted, least: 16},
	{prefix: "glft-", body: dotted, least: 16}, {prefix: "glimt-", body: dotted, least: 16}, {prefix: "glagent-", body: dotted, least: 16},
	{prefix: "gloas-", body: dotted, least: 16}, {prefix: "glsoat-", body: dotted, least: 16}, {prefix: "glffct-", body: dotted, least: 16},
	{prefix: "GR1348941", body: urlSafe, least: 16}, {prefix: "ATBB", body: alnum, least: 28, mixed: true},
	{prefix: "npm_", body: alnum, least: 30}, {prefix: "pypi-", body: urlSafe, least: 50}, {prefix: "rubygems_", body: alnum, least: 30},
	{prefix: "dckr_pat_", body: urlSafe, least: 16}, {prefix: "dckr_oat_", body: urlSafe, least: 16},
	{prefix: "CLOJARS_", body: alnum, least: 30}, {prefix: "oy2", body: alnum, least: 43, most: 43}, {prefix: "AKCp", body: alnum, least: 60},
	{prefix: "cmVmd", body: alnum, least: 50}, {prefix: "CCIPAT_", body: urlSafe, least: 20}, {prefix: "CCIPRJ_", body: urlSafe, least: 20},
	{prefix: "bkua_", body: alnum, least: 20}, {prefix: "pul-", body: lowerHex, least: 30}, {prefix: "sqp_", body: alnum, least: 30},
	{prefix: "squ_", body: alnum, least: 30}, {prefix: "sqa_", body: alnum, least: 30}, {prefix: "cio_", body: alnum, least: 20},
	// Secret stores and identity.
	{prefix: "hvs.", body: urlSafe, least: 20}, {prefix: "hvb.", body: urlSafe, least: 20}, {prefix: "hvr.", body: urlSafe, least: 20},
	{prefix: "s.", body: alnum, least: 24, most: 24, mixed: true}, {prefix: "b.AAAAAQ", body: base64ish, least: 40},
	{prefix: "dp.pt.", body: alnum, least: 30}, {prefix: "dp.st.", body: dotted, least: 30}, {prefix: "dp.ct.", body: alnum, least: 30},
	{prefix: "dp.sa.", body: alnum, least: 30}, {prefix: "ops_eyJ", body: base64ish, least: 60}, {prefix: "tskey-", body: urlSafe, least: 16},
	{prefix: "AGE-SECRET-KEY-", body: upperNum, least: 16}, {prefix: "AGE-PLUGIN-", body: upperNum, least: 30}, {prefix: "akeyless_", body: urlSafe, least: 20},
	{prefix: "p-", body: alnum, least: 40, mixed: true}, {prefix: "eyJhbGciOi", body: dotted, least: 10}, {prefix: "eyJ0eXAiOi", body: dotted, least: 10},
	{prefix: "eyJraWQiOi", body: dotted, least: 10}, {prefix: "eyJlbmMiOi", body: dotted, least: 10}, {prefix: "st.", body: dotted, least: 60, mixed: true},
	{prefix: "sha256~", body: urlSafe, least: 40}, {prefix: "sat.", body: dotted, least: 50, mixed: true}, {prefix: "pat.", body: dotted, least: 50, mixed: true},
	{prefix: "sgp_", body: alnum, least: 30}, {prefix: "sm_aat_", body: alnum, least: 16}, {prefix: "sm_pat_", body: alnum, least: 16},
	{prefix: "sm_sat_", body: alnum, least: 16}, {prefix: "A3-", body: urlSafe, least: 30, mixed: true, caseless: true}, {prefix: "API-", body: upperNum, least: 25, mixed: true, caseless: true},
	// Models.
	{prefix: "sk-", body: urlSafe, least: 20, mixed: true, caseless: true}, {prefix: "sk-or-v1-", body: lowerHex, least: 20},
	{prefix: "hf_", body: alnum, least: 28}, {prefix: "api_org_", body: alnum, least: 28}, {prefix: "gsk_", body: alnum, least: 28},
	{prefix: "xai-", body: urlSafe, least: 40}, {prefix: "pplx-", body: alnum, least: 30}, {prefix: "nvapi-", body: urlSafe, least: 40},
	{prefix: "bedrock-api-key-", body: base64ish, least: 20}, {prefix: "r8_", body: alnum, least: 28}, {prefix: "co_", body: alnum, least: 36, mixed: true}, {prefix: "fw_", body: alnum, least: 22, mixed: true},
	{prefix: "lsv2_pt_", body: urlSafe, least: 30}, {prefix: "lsv2_sk_", body: urlSafe, least: 30}, {prefix: "tvly-", body: urlSafe, least: 20},
	// Chat, mail and telephone.
	{prefix: "xoxb-", body: urlSafe, least: 10}, {prefix: "xoxp-", body: urlSafe, least: 10}, {prefix: "xoxa-", body: urlSafe, least: 10},
	{prefix: "xoxr-", body: urlSafe, least: 10}, {prefix: "xoxs-", body: urlSafe, least: 10}, {prefix: "xoxe-", body: urlSafe, least: 10},
	{prefix: "xoxo-", body: urlSafe, least: 10}, {prefix: "xoxc-", body: urlSafe, least: 10}, {prefix: "xoxd-", body: base64ish, least: 10},
	{prefix: "xoxe.xox", body: dotted, least: 20}, {prefix: "xapp-", body: urlSafe, least: 10}, {prefix: "xwfp-", body: urlSafe, least: 10},
	{prefix: "hooks.slack.com/services/", body: path, least: 8, keep: true}, {prefix: "hooks.slack.com/workflows/", body: path, least: 8, keep: true},
	{prefix: "hooks.slack.com/triggers/", body: path, least: 8, keep: true}, {prefix: "discord.com/api/webhooks/", body: path, least: 8, keep: true},
	{prefix: "discordapp.com/api/webhooks/", body: path, least: 8, keep: true}, {prefix: "webhook.office.com/webhookb2/", body: path, least: 8, keep: true},
	{prefix: "outlook.office.com/webhook/", body: path, least: 8, keep: true}, {prefix: "api.telegram.org/bot", body: colons, least: 20, keep: true},
	{prefix: "chat.googleapis.com/v1/spaces/", body: path, least: 30, keep: true}, {prefix: "events.pagerduty.com/integration/", body: urlSafe, least: 20, keep: true},
	{prefix: "hc-ping.com/", body: path, least: 20, keep: true}, {prefix: "SG.", body: dotted, least: 40}, {prefix: "key-", body: lowerHex, least: 32, most: 32},
	{prefix: "SK", body: lowerHex, least: 32, most: 32}, {prefix: "xkeysib-", body: urlSafe, least: 30}, {prefix: "xsmtpsib-", body: urlSafe, least: 30},
	{prefix: "mlsn.", body: lowerHex, least: 40}, {prefix: "re_", body: urlSafe, least: 24, mixed: true}, {prefix: "EAA", body: alnum, least: 60, mixed: true},
	// Money.
	{prefix: "sk_live_", body: alnum, least: 10}, {prefix: "sk_test_", body: alnum, least: 10}, {prefix: "rk_live_", body: alnum, least: 10},
	{prefix: "rk_test_", body: alnum, least: 10}, {prefix: "rk_prod_", body: alnum, least: 10}, {prefix: "sk_prod_", body: alnum, least: 10}, {prefix: "whsec_", body: base64ish, least: 16},
	{prefix: "sq0atp-", body: urlSafe, least: 20}, {prefix: "sq0csp-", body: urlSafe, least: 40}, {prefix: "EAAAE", body: urlSafe, least: 50},
	{prefix: "shpat_", body: alnum, least: 30}, {prefix: "shpss_", body: alnum, least: 30}, {prefix: "shpca_", body: alnum, least: 30},
	{prefix: "shppa_", body: alnum, least: 30}, {prefix: "access_token$", body: crypt, least: 30}, {prefix: "FLWSECK", body: base64ish, least: 12},
	{prefix: "live_", body: alnum, least: 30, mixed: true}, {prefix: "test_", body: alnum, least: 30, mixed: true}, {prefix: "EZAK", body: alnum, least: 50},
	// Observation and data.
	{prefix: "glsa_", body: urlSafe, least: 30}, {prefix: "glc_", body: base64ish, least: 30}, {prefix: "NRAK-", body: upperNum, least: 20},
	{prefix: "NRII-", body: urlSafe, least: 24}, {prefix: "NRJS-", body: lowerHex, least: 16}, {prefix: "NRRA-", body: urlSafe, least: 30},
	{prefix: "sntrys_", body: base64ish, least: 40}, {prefix: "sntryu_", body: lowerHex, least: 40}, {prefix: "dt0c01.", body: dotted, least: 40},
	{prefix: "dt0s01.", body: dotted, least: 40}, {prefix: "dapi", body: lowerHex, least: 32}, {prefix: "dose", body: lowerHex, least: 32},
	{prefix: "pscale_tkn_", body: dotted, least: 20}, {prefix: "pscale_pw_", body: dotted, least: 20}, {prefix: "pscale_oauth_", body: dotted, least: 20},
	{prefix: "sbp_", body: alnum, least: 30}, {prefix: "sb_secret_", body: urlSafe, least: 16}, {prefix: "phx_", body: alnum, least: 30},
	{prefix: "ddapi_", body: alnum, least: 30}, {prefix: "ddp_", body: alnum, least: 30}, {prefix: "hcp.", body: dotted, least: 40, mixed: true},
	{prefix: "essu_", body: base64ish, least: 30}, {prefix: "bb_live_", body: urlSafe, least: 20},
	// Work tools.
	{prefix: "ATATT3", body: base64ish, least: 30}, {prefix: "ATCTT3", body: base64ish, least: 30}, {prefix: "lin_api_", body: alnum, least: 20},
	{prefix: "lin_oauth_", body: alnum, least: 20}, {prefix: "PMAK-", body: urlSafe, least: 30}, {prefix: "figd_", body: urlSafe, least: 30},
	{prefix: "ntn_", body: alnum, least: 30}, {prefix: "secret_", body: alnum, least: 40, mixed: true}, {prefix: "ico-", body: alnum, least: 30, mixed: true},
	{prefix: "rdme_", body: alnum, least: 40}, {prefix: "tfp_", body: urlSafe, least: 40}, {prefix: "shippo_live_", body: alnum, least: 30},
	{prefix: "shippo_test_", body: alnum, least: 30}, {prefix: "duffel_live_", body: urlSafe, least: 30}, {prefix: "fio-u-", body: urlSafe, least: 40},
	{prefix: "pat", body: dotted, least: 70, mixed: true}, {prefix: "access-production-", body: urlSafe, least: 30}, {prefix: "access-sandbox-", body: urlSafe, least: 30},
	{prefix: "p8e-", body: alnum, least: 30}, {prefix: "s-s4t2", body: urlSafe, least: 60}, {prefix: "tk-us-", body: urlSafe, least: 40},
	{prefix: "pnu_", body: alnum, least: 30}, {prefix: "CFPAT-", body: urlSafe, least: 30}, {prefix: "ops-", body: lowerHex, least: 40},
	// Hashes of passwords.
	{prefix: "$1$", body: crypt, least: 20}, {prefix: "$2a$", body: crypt, least: 20}, {prefix: "$2b$", body: crypt, least: 20},
	{prefix: "$2y$", body: crypt, least: 20}, {prefix: "$5$", body: barcode, least: 20}, {prefix: "$6$", body: barcode, least: 20},
	{prefix: "$7$", body: barcode, least: 20}, {prefix: "$y$", body: barcode, least: 20}, {prefix: "$gy$", body: barcode, least: 20},
	{prefix: "$apr1$", body: barcode, least: 20}, {prefix: "$argon2", body: barcode, least: 20}, {prefix: "$pbkdf2", body: barcode, least: 20},
	{prefix: "$scrypt$", body: barcode, least: 20}, {prefix: "SCRAM-SHA-", body: crypt, least: 40}, {prefix: "pbkdf2_sha256$", body: barcode, least: 20},
	{prefix: "{SSHA}", body: base64ish, least: 20}, {prefix: "{SHA}", body: base64ish, least: 20}, {prefix: "{SSHA512}", body: base64ish, least: 20},
	{prefix: "{CRYPT}", body: barcode, least: 10},
}

// formatsByByte finds the formats that begin with a byte.
var formatsByByte = func() (index [256][]*format) {
	for i := range formats {
		first := formats[i].prefix[0]
		index[first] = append(index[first], &formats[i])
	}
	return index
}()

// findFormats hides tokens that their beginning gives away.
func findFormats(sc *scanner) {
	s := sc.text
	for i := 0; i < len(s); i++ {
		candidates := formatsByByte[s[i]]
		if len(candidates) == 0 || i > 0 && alnum(s[i-1]) {
			continue
		}
		for _, f := range candidates {
			if n := f.match(s[i:]); n > 0 {
				from := i
				if f.keep {
					from += len(f.prefix)
				}
				sc.hide(from, i+n)
				i += n - 1
				break
			}
		}
	}
}

// maxUnmixed bounds how far a token is searched for the digit it must have, so that a row of false beginnings is cheap.
const maxUnmixed = 256

// match returns the length of the token at the start of s, 0 if it is none of this format.
func (f *format) match(s string) int {
	rest, ok := strings.CutPrefix(s, f.prefix)
	if !ok {
		return 0
	}
	n, seen := 0, letters{}
	for n < len(rest) && f.body(rest[n]) {
		seen.add(rest[n])
		if n++; f.hopeless(n, seen) {
			return 0
		}
	}
	if n < f.least || f.mixed && !seen.mixed(f.caseless) {
		return 0
	}
	return len(f.prefix) + n
}

// hopeless tells whether the first n bytes of a body, with what was seen in them, rule the format out.
func (f *format) hopeless(n int, seen letters) bool {
	return f.most > 0 && n > f.most || f.mixed && n > maxUnmixed && !seen.digit
}

// letters are the kinds of bytes seen in a body.
type letters struct{ lower, upper, digit bool }

// add notes a byte.
func (l *letters) add(c byte) {
	switch {
	case isDigit(c):
		l.digit = true
	case 'a' <= c && c <= 'z':
		l.lower = true
	case 'A' <= c && c <= 'Z':
		l.upper = true
	}
}

// mixed tells whether there is a digit and letters of both cases, or of either where case does not matter.
func (l letters) mixed(caseless bool) bool {
	if caseless {
		return l.digit && (l.lower || l.upper)
	}
	return l.digit && l.lower && l.upper
}

// marks are tokens whose telling part is in the middle.
var marks = []struct {
	mark         string
	left, right  alphabet
	leastL       int
	leastR, most int
}{
	{".atlasv1.", alnum, urlSafe, 10, 20, 0},  // Terraform Cloud
	{"Q~", tilde, tilde, 4, 30, 0},            // Entra ID client secrets
	{":AA", isDigit, urlSafe, 8, 30, 0},       // Telegram bots
	{"-us", lowerHex, isDigit, 32, 1, 2},      // Mailchimp
	{"AZDO", alnum, alnum, 70, 4, 0},          // Azure DevOps
	{"_mmk", urlSafe, alnum, 30, 0, 0},        // MaxMind
	{".eyJ", urlSafe, dotted, 8, 10, 0},       // a JWT whose beginning is cut off
	{"T3BlbkFJ", urlSafe, urlSafe, 10, 10, 0}, // OpenAI
}

// isDigit tells whether c is a decimal digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// findMarked hides tokens that something in their middle gives away.
func findMarked(sc *scanner) {
	s := sc.text
	for _, m := range marks {
		for at, done := strings.Index(s, m.mark), 0; at >= 0; {
			from, to := at, at+len(m.mark)
			for from > done && m.left(s[from-1]) {
				from--
			}
			for to < len(s) && m.right(s[to]) {
				to++
			}
			right := to - at - len(m.mark)
			if at-from >= m.leastL && right >= m.leastR && (m.most == 0 || right <= m.most) {
				sc.hide(from, to)
			}
			done = to
			next := strings.Index(s[to:], m.mark)
			if next < 0 {
				break
			}
			at = to + next
		}
	}
	findDotted(sc)
}

// The lengths of the parts of a Discord bot token: a user id, a moment and a signature in base64, joined by dots.
const (
	discordIDLeast, discordIDMost = 23, 28
	discordMoment                 = 6
	discordSignature              = 27
)

// findDotted hides tokens of parts of known lengths joined by dots: bot tokens of Discord, and bootstrap tokens where
// the text speaks of kubeadm.
func findDotted(sc *scanner) {
	s := sc.text
	bootstrap := strings.Contains(s, "kubeadm") || strings.Contains(s, "bootstrap")
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '.')
		if n < 0 {
			return
		}
		dot := i + n
		from := dot
		for from > i && urlSafe(s[from-1]) {
			from--
		}
		i = dot + 1
		to := discordEnd(s, from, dot)
		if to == 0 && bootstrap {
			to = bootstrapEnd(s, from, dot)
		}
		if to > 0 {
			sc.hide(from, to)
			i = to
		}
	}
}

// bootstrapEnd returns the end of the bootstrap token that starts at from and has its dot at dot, 0 if it is none.
func bootstrapEnd(s string, from, dot int) int {
	const id, secret = 6, 16
	to := dot + 1
	for to < len(s) && (isDigit(s[to]) || within(s[to], 'a', 'z')) {
		to++
	}
	ended := to == len(s) || !urlSafe(s[to]) && s[to] != '.'
	return to * one(dot-from == id && to-dot-1 == secret && ended && strings.ContainsAny(s[dot:to], "0123456789"))
}

// discordEnd returns the end of the bot token that starts at from and has its first dot at dot, 0 if it is none.
func discordEnd(s string, from, dot int) int {
	second := dot + 1 + discordMoment
	if n := dot - from; n < discordIDLeast || n > discordIDMost || !oneOf(s[from], "MNO") || second >= len(s) || s[second] != '.' {
		return 0
	}
	to := second + 1
	for to < len(s) && urlSafe(s[to]) {
		to++
	}
	return to * one(to-second > discordSignature)
}
