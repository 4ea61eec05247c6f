package redact

import (
	"net/netip"
	"strings"
	"time"
	"unicode"
)

// words makes a set of the words in a text.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// absent are values that say there is no value, or that hide it already, or name its type.
var absent = words(`null nil none true false yes no on off undefined n/a na empty redacted omitted hidden masked filtered
data+omitted sensitive removed unset string str int integer number bool boolean bytes object secretstr optional any void
unknown <nil> -- oui non aucun vide masqué caché secretkeyref valuefrom secretref configmapkeyref`)

// status are words that say how it stands with a secret, in log fields such as token=expired.
var status = words(`expired invalid missing required unset set present absent rejected valid ok failed denied provided
revoked refreshed renewed rotated unauthorized forbidden incorrect wrong mismatch mismatched changed updated created deleted
disabled enabled expiré expirée invalide manquant manquante requis requise refusé refusée incorrecte renouvelé révoqué
success successful error unchanged configured malformed notfound not_found`)

// prose are words that begin a sentence about a secret after a colon, as in "token: signature is invalid".
var prose = words(`a an the is are was were has have had must should can cannot can't could may might will would not no
none this that these those it its for from in on at of to by with without within and or if when while after before but
access account admission algorithm already also another any api audience auth authentication authorization bad bearer
because being both certificate check claim claims client connection contains context could couldn't credential
credentials crypto data decode decoding does doesn't don't encoded encoding entry exceeded exceeds expected expiry
expires failure fails field file format found function get got header id illegal input insufficient internal issuer
issued jwt key keys length line login lookup low malformed mapping name needs never null nil object oidc only open
parse parsing password path permission permissions please policy prefix read received refused request response
returned rpc secret secrets see server service signature signed signing size some square still subject substring
supplied system timed timeout token tokens too trying type unable unauthenticated undefined unexpected unknown
unsupported update url use used user username using validate validation value verification verify was which who whose
post put head patch dial tcp eof exec execute stat loading load fetch fetching retrieving create creating
x509 you your cannot context does http https does le la les un une des du de est sont était doit pour par avec sans
dans sur pas ne non aucun aucune erreur échec utilisateur connexion accès déjà mauvais inconnu introuvable absent`)

// pathRoots are the beginnings of values that say where a secret is kept, rather than what it is.
var pathRoots = []string{"/run/", "/var/", "/etc/", "/secrets/", "/mnt/", "/vault/", "/opt/", "/home/", "/root/", "/usr/",
	"/tmp/", "/app/", "/srv/", "/data/", "/config/", "/keys/", "/certs/", "/ssl/", "./", "../", "~/", "file:", "C:\\"}

// references are the beginnings of values that refer to a secret kept elsewhere.
var references = []string{"arn:", "vault:", "ref+", "op://", "secretref:", "env:", "env.", "process.env", "os.getenv(",
	"os.environ", "System.getenv(", "getenv(", "ENV[", "secretKeyRef:", "projects/", "var.", "local.", "data.", "module.",
	"random_password.", "random_string.", "sensitive(", "!Ref", "!Sub", "awssm:", "gcpsm:", "azurekv:", "kms:", "sops:",
	"valueFrom:", "@Microsoft.KeyVault("}

// judge tells whether the value of a key of the given class must be hidden. colon says that the separator was a colon
// and blanks, behind which prose is possible.
func judge(v string, c class, colon bool) bool {
	v = strings.TrimSpace(v)
	if v == "" || v == "/" || isPlaceholder(v) || refers(v) {
		return false
	}
	lower := strings.ToLower(strings.TrimRight(v, ".,;:!"))
	if absent[lower] || status[lower] || colon && prose[strings.Trim(lower, `"'`)] {
		return false
	}
	suspicious, known := suspicions[c]
	return known && suspicious(v)
}

// suspicions tell for each class which values, of those that are some value at all, are secrets.
var suspicions = map[class]func(v string) bool{
	classPassword:  func(string) bool { return true },
	classPhrase:    func(string) bool { return true },
	classToken:     func(v string) bool { return !counts(v) },
	classObject:    func(v string) bool { return !objectName(v) && (isDigits(v) && len(v) > 3 || !counts(v)) },
	classKey:       func(v string) bool { return len(v) >= 6 && !counts(v) },
	classSignature: secretLike,
	classWeak: func(v string) bool {
		return len(v) >= 8 && secretLike(v) && strings.ContainsAny(v, "0123456789!#$%^&*+=")
	},
	classCode:  func(v string) bool { return isDigits(v) && len(v) >= 4 || secretLike(v) },
	classLoose: func(v string) bool { return len(v) >= 24 && secretLike(v) && kindsOf(v).mixed() },
}

// counts tells whether v is a small number or a measure, which is said of tokens and keys rather than being one.
func counts(v string) bool {
	const smallNumber = 7
	if isDigits(v) {
		return len(v) <= smallNumber
	}
	return measured(v) && !isUUID(v)
}

// isPlaceholder tells whether v only stands for a value.
func isPlaceholder(v string) bool {
	if v == Mark || strings.HasPrefix(Mark, v) && len(v) > 4 || strings.Trim(v, "*xX.•-#_?") == "" {
		return true
	}
	if name, ok := strings.CutPrefix(v, "$"); ok && isUpperName(name) && classify(name) != classNone {
		return true
	}
	for _, p := range placeholders {
		rest, opened := strings.CutPrefix(v, p.open)
		if inner, closed := strings.CutSuffix(rest, p.close); opened && closed {
			return standsFor(p.open, inner)
		}
	}
	return false
}

// standsFor tells whether what stands in the brackets of a template is no value itself.
func standsFor(open, inner string) bool {
	switch open {
	case "${":
		return !strings.ContainsAny(inner, ":-?") // what follows is a default, and may be the secret
	case "<", "[", "(":
		return explains(inner)
	}
	return true
}

// explains tells whether what stands in brackets is words about a value rather than the value.
func explains(inner string) bool {
	if strings.Contains(inner, " ") {
		return true
	}
	for _, r := range inner {
		if !unicode.IsLetter(r) && !strings.ContainsRune("-_.", r) {
			return false
		}
	}
	return !randomWord(inner)
}

// isUpperName tells whether v is written like an environment variable.
func isUpperName(v string) bool {
	for i := range len(v) {
		if c := v[i]; (c < 'A' || c > 'Z') && c != '_' && (c < '0' || c > '9') {
			return false
		}
	}
	return v != ""
}

// refers tells whether v says where the secret is.
func refers(v string) bool {
	for _, root := range pathRoots {
		if strings.HasPrefix(v, root) {
			return true
		}
	}
	for _, r := range references {
		if strings.HasPrefix(v, r) {
			return true
		}
	}
	return false
}

// objectName tells whether v may be the name of a Kubernetes object, with or without its namespace, rather than a
// secret: lower-case words of letters, joined by dashes, with few digits.
func objectName(v string) bool {
	const longest = 253
	k := kindsOf(v)
	if k.upper+k.symbol > 0 || k.lower == 0 || len(v) > longest || strings.ContainsAny(v, "_:") {
		return false
	}
	fewDigits := k.digit <= 2 || k.lower >= 4*k.digit
	return k.lower+k.digit+k.mark == len(v) && fewDigits && !randomWord(v)
}

// randomWord tells whether v, of letters and dashes, is no word of a language: capitals in odd places, or more
// consonants in a row than can be spoken.
func randomWord(v string) bool {
	const unspeakable, shortest = 5, 8
	if len(v) < shortest {
		return false
	}
	row, odd, previous := 0, 0, '-'
	for _, r := range v {
		lower := unicode.ToLower(r)
		if row++; strings.ContainsRune("aeiouyéèêàâîïôûù-_./", lower) {
			row = 0
		}
		if row >= unspeakable && v != strings.ToUpper(v) {
			return true
		}
		if unicode.IsLower(r) && unicode.IsUpper(previous) || unicode.IsUpper(r) && unicode.IsLower(previous) {
			odd++
		}
		previous = r
	}
	return odd > 2 && odd*4 > len(v)
}

// passwordLike tells whether v, which a sentence calls a password, is one rather than a word about it.
func passwordLike(v string) bool {
	const shortest = 4
	if len(v) < shortest || refers(v) || isPlaceholder(v) || strings.Contains(v, "://") {
		return false
	}
	if isDigits(v) {
		return true
	}
	k := kindsOf(v)
	letters := k.lower + k.upper
	switch {
	case measured(v):
		return false
	case letters == len(v):
		return randomWord(v)
	}
	return k.digit > 0 || k.symbol > 0 || k.inner > 0
}

// measured tells whether v is a moment, a duration, an address, a version, a number or a uid.
func measured(v string) bool {
	v = strings.Trim(v, `"'.,;`)
	if v == "" {
		return false
	}
	if isDigits(v) {
		return true
	}
	if _, err := time.ParseDuration(v); err == nil {
		return true
	}
	if _, err := time.Parse(time.RFC3339, v); err == nil {
		return true
	}
	if _, err := netip.ParseAddr(v); err == nil {
		return true
	}
	if _, err := netip.ParseAddrPort(v); err == nil {
		return true
	}
	return isUUID(v) || isDateLike(v)
}

// isUUID tells whether v has the form of a uid. Clients' secrets of that form are caught by their keys.
func isUUID(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (v[i] == '-') || !dash && !isHex(v[i]) {
			return false
		}
	}
	return true
}

// isHex tells whether c is a hexadecimal digit.
func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// isDateLike tells whether v consists of digits and the punctuation of dates, times, versions and quantities.
func isDateLike(v string) bool {
	v = strings.TrimPrefix(v, "v")
	digits := 0
	for i := range len(v) {
		switch c := v[i]; {
		case '0' <= c && c <= '9':
			digits++
		case strings.IndexByte("-:.,/+TZ%", c) < 0:
			return false
		}
	}
	return digits > 0
}

// kinds counts the kinds of characters in a value.
type kinds struct {
	lower, upper, digit int
	// inner counts the capitals behind the first character, which random text has and words have not.
	inner int
	// symbol counts the characters of passwords, mark the punctuation of names.
	symbol, mark int
}

// kindsOf counts the characters of v.
func kindsOf(v string) kinds {
	var k kinds
	for i, r := range v {
		switch {
		case unicode.IsDigit(r):
			k.digit++
		case unicode.IsUpper(r):
			k.upper++
			k.inner += min(i, 1)
		case unicode.IsLetter(r):
			k.lower++
		case strings.ContainsRune("!@#$%^&*~?+=|<>", r):
			k.symbol++
		case strings.ContainsRune("-._/:", r):
			k.mark++
		}
	}
	return k
}

// mixed tells whether there are digits and letters of both cases.
func (k kinds) mixed() bool { return k.digit > 0 && k.upper > 0 && k.lower > 0 }

// secretLike tells whether v, without a key that says so, looks like a secret: several kinds of characters, and not
// one of the forms that fill every log.
func secretLike(v string) bool {
	if len(v) < 6 || ordinary(v) {
		return false
	}
	k := kindsOf(strings.TrimRight(v, "?!"))
	switch letters := k.lower + k.upper; {
	case k.symbol > 0 && letters+k.digit >= 5:
		return true
	case k.mixed():
		return k.mark < 3 || len(v) > 24
	case k.digit > 0 && letters > 0:
		return k.mark == 0
	}
	return k.inner > 1 && k.lower > 2 && k.mark == 0 && len(v) >= 12
}

// ordinaryPrefixes begin digests, fingerprints and paths.
var ordinaryPrefixes = []string{"sha256:", "SHA256:", "/"}

// ordinary tells whether v has a form that fills every log.
func ordinary(v string) bool {
	for _, p := range ordinaryPrefixes {
		if strings.HasPrefix(v, p) {
			return true
		}
	}
	return measured(v) || refers(v) || isPlaceholder(v) || strings.Contains(v, "://")
}
