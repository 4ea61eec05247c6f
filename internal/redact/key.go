package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// class says what kind of value a key promises, and thereby which values are certainly not a secret.
type class int

const (
	// classNone: the key says nothing about secrets.
	classNone class = iota
	// classLoose: a key of some sort; only what is long and random is hidden.
	classLoose
	// classSignature: like weak, where the key is that of a signed URL.
	classSignature
	// classWeak: the key may hold a secret; only a value that looks like one is hidden.
	classWeak
	// classCode: a PIN or a one-time password: some digits.
	classCode
	// classKey: cryptographic and API keys.
	classKey
	// classToken: tokens; small numbers are counts.
	classToken
	// classObject: "secret" alone, which in Kubernetes is as often the name of an object.
	classObject
	// classPassword: passwords and client secrets; anything may be one.
	classPassword
	// classPhrase: passphrases; like passwords, but several words.
	classPhrase
)

// headWords are the words that, at the end of a key, say what its value is.
var headWords = map[string]class{
	"password": classPassword, "passwords": classPassword, "passwd": classPassword, "passwort": classPassword,
	"pwd": classPassword, "pswd": classPassword, "passcode": classPassword, "pass": classPassword, "pw": classPassword,
	"requirepass": classPassword, "masterauth": classPassword, "motdepasse": classPassword, "mdp": classPassword,
	"passphrase": classPhrase, "passphrases": classPhrase,
	"token": classToken, "tokens": classToken, "jeton": classToken, "jwt": classToken,
	"jsessionid": classToken, "phpsessid": classToken,
	"secret": classObject, "secrets": classObject,
	"apikey": classKey, "apikeys": classKey, "secretkey": classKey, "accesskey": classKey, "privatekey": classKey,
	"authkey": classKey, "masterkey": classKey, "encryptionkey": classKey, "signingkey": classKey,
	"sharedkey": classKey, "accountkey": classKey, "presharedkey": classKey, "psk": classKey, "dockerconfigjson": classKey,
	"dockercfg": classKey,
	"pin":       classCode, "otp": classCode, "totp": classCode, "cvv": classCode, "signature": classSignature, "auth": classWeak, "authn": classWeak, "credential": classWeak,
	"credentials": classWeak, "creds": classWeak, "sig": classWeak, "seed": classWeak,
	"salt": classWeak, "sid": classWeak, "identifiants": classWeak,
}

// headSuffixes are head words that are also found glued to the word before them, as in PGPASSWORD.
var headSuffixes = []struct {
	suffix string
	class  class
}{
	{"password", classPassword}, {"passwd", classPassword}, {"passphrase", classPhrase}, {"pwd", classPassword},
	{"apikey", classKey}, {"secretkey", classKey}, {"accesskey", classKey}, {"privatekey", classKey},
	{"authkey", classKey}, {"token", classToken}, {"secret", classPassword}, {"pass", classWeak},
}

// glued are words that only look as if they ended in one of headSuffixes.
var glued = map[string]bool{"compass": true, "bypass": true, "trespass": true, "encompass": true, "surpass": true}

// keyQualifiers are the words before "key" that make it a secret; a primary or a sort key is none.
var keyQualifiers = map[string]bool{
	"api": true, "access": true, "private": true, "secret": true, "encryption": true, "encrypt": true, "decrypt": true,
	"decryption": true, "signing": true, "sign": true, "auth": true, "shared": true, "account": true, "master": true,
	"storage": true, "license": true, "licence": true, "cipher": true, "aes": true, "hmac": true, "ssh": true,
	"deploy": true, "app": true, "application": true, "webhook": true, "integration": true, "subscription": true,
	"rsa": true, "session": true, "jwt": true, "client": true, "tls": true, "service": true, "consumer": true,
	"preshared": true, "wireguard": true, "unseal": true, "recovery": true, "root": true, "server": true, "role": true, "certificate": true,
	"admin": true, "authentication": true, "functions": true, "host": true, "sas": true, "kek": true, "dek": true,
	"datadog": true, "dd": true, "openai": true, "anthropic": true, "stripe": true, "age": true, "gpg": true,
}

// tokenCounters are the words before "token" that make it a number, a cursor or a piece of syntax.
var tokenCounters = map[string]bool{
	"page": true, "next": true, "continue": true, "continuation": true, "sync": true, "cancel": true,
	"cancellation": true, "max": true, "min": true, "num": true, "count": true, "total": true, "prompt": true,
	"completion": true, "input": true, "output": true, "unexpected": true, "illegal": true, "stop": true, "eos": true,
	"bos": true, "pad": true, "special": true, "cached": true, "reasoning": true, "used": true, "remaining": true,
	"limit": true, "per": true, "generated": true, "service-account": true, "automount": true, "pagination": true,
}

// vendorHeaders are the words before "signature" in the query of a URL that was signed for everyone who has it.
var vendorHeaders = map[string]bool{"amz": true, "goog": true, "ms": true, "oss": true, "cos": true}

// objectQualifiers are the words before "secret" that make it the name of an object.
var objectQualifiers = map[string]bool{
	"existing": true, "pull": true, "tls": true, "ca": true, "certificate": true, "cert": true, "target": true,
	"image": true, "source": true, "k8s": true, "kubernetes": true, "ssl": true, "external": true, "of": true,
}

// tailWords follow the head word without changing what the value is, as in DB_PASSWORD_OLD.
var tailWords = map[string]bool{
	"prod": true, "production": true, "dev": true, "development": true, "staging": true, "test": true, "old": true,
	"new": true, "current": true, "previous": true, "primary": true, "secondary": true, "default": true, "base64": true,
	"b64": true, "hash": true, "hashed": true, "encrypted": true, "plain": true, "plaintext": true, "value": true,
	"val": true, "data": true, "string": true, "text": true, "raw": true, "local": true, "live": true, "confirm": true,
	"confirmation": true, "base": true, "env": true, "main": true, "backup": true, "sha256": true, "md5": true,
}

// maxKey bounds the part of a key that is looked at: its end.
const maxKey = 96

// classify says what the value of a key is, from the key's words.
func classify(key string) class {
	if len(key) < 3 && !strings.EqualFold(key, "pw") {
		return classNone
	}
	if len(key) > maxKey {
		key = key[len(key)-maxKey:]
	}
	if !hasHint(key) {
		return classNone
	}
	if strings.HasPrefix(key, "TF_TOKEN_") {
		return classToken
	}
	words := splitWords(key)
	end := len(words)
	for end > 1 && (tailWords[words[end-1]] || isDigits(words[end-1])) {
		end--
	}
	if end == 0 {
		return classNone
	}
	before := ""
	if end > 1 {
		before = words[end-2]
	}
	return classifyHead(words[end-1], before)
}

// classifyHead decides by the last word that counts and the one before it.
func classifyHead(head, before string) class {
	head = strings.TrimRight(head, "0123456789")
	switch {
	case head == "pass" && before == "":
		return classToken // also what test runners count
	case head == "key", head == "keys":
		return classifyKey(head, before)
	}
	found, known := headWords[head]
	if !known {
		found = suffixClass(head)
	}
	if adjust := adjustments[found]; adjust != nil {
		return adjust(before)
	}
	return found
}

// adjustments change the class of a head word by the word before it.
var adjustments = map[class]func(before string) class{
	classSignature: func(before string) class {
		if vendorHeaders[before] {
			return classSignature
		}
		return classNone
	},
	classToken: func(before string) class {
		if tokenCounters[before] {
			return classNone
		}
		return classToken
	},
	classObject: func(before string) class {
		if before == "" || objectQualifiers[before] {
			return classObject
		}
		return classPassword
	},
}

// ordinaryKeys are the words before "key" that make it anything but a secret.
var ordinaryKeys = map[string]bool{"public": true, "primary": true, "foreign": true, "cache": true}

// classifyKey decides what sort of key it is by the word before.
func classifyKey(head, before string) class {
	switch {
	case head == "keys" && before != "api" && before != "unseal", ordinaryKeys[before]:
		return classNone
	case head == "keys", keyQualifiers[before]:
		return classKey
	}
	return classLoose
}

// suffixClass recognises a head word glued to the end of a longer one.
func suffixClass(word string) class {
	if glued[word] {
		return classNone
	}
	for _, s := range headSuffixes {
		if len(word) > len(s.suffix) && strings.HasSuffix(word, s.suffix) {
			return s.class
		}
	}
	return classNone
}

// hints are the letters without which no key is sensitive; they keep splitWords off the hot path.
var hints = []string{"pass", "pw", "pswd", "secret", "token", "key", "auth", "cred", "mdp", "jeton", "jwt", "sess",
	"psk", "pin", "otp", "sig", "sid", "salt", "seed", "docker", "identif", "sign"}

// hasHint tells whether a key holds one of hints, in any case.
func hasHint(key string) bool {
	var buf [maxKey]byte
	lower := buf[:copy(buf[:], key)]
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	folded := string(lower)
	for _, h := range hints {
		if strings.Contains(folded, h) {
			return true
		}
	}
	return false
}

// splitWords splits a key at punctuation and at changes of case, into lower-case words.
func splitWords(key string) []string {
	words := make([]string, 0, 6)
	start := -1
	flush := func(end int) {
		if start >= 0 && end > start {
			words = append(words, strings.ToLower(key[start:end]))
		}
		start = -1
	}
	var previous rune
	for i, r := range key {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
		case start < 0:
			start = i
		case unicode.IsUpper(r) && unicode.IsLower(previous), unicode.IsUpper(r) && nextIsLower(key, i) && unicode.IsUpper(previous):
			flush(i)
			start = i
		}
		previous = r
	}
	flush(len(key))
	return words
}

// nextIsLower tells whether the rune after the one at i is lower case.
func nextIsLower(s string, i int) bool {
	_, n := utf8.DecodeRuneInString(s[i:])
	r, _ := utf8.DecodeRuneInString(s[i+n:])
	return unicode.IsLower(r)
}

// isDigits tells whether s is a number.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
