package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/eclusier/eclusier/internal/redact"
)

func FuzzString(f *testing.F) {
	f.Add(`password="a\"b" token='x''y' [a, b] {"kind":"Secret","data":{"a":"b"}}`)
	f.Add("-----BEGIN PRIVATE KEY-----\nabc\n-----END")
	f.Add("key: |\n  a\n  b\n- --password\n- x\n")
	f.Add("http://a:b/c@d:e@f curl -u a:b `x` \\\"token\\\":\\\"a")
	f.Add("\x1b\x1b[0m[31mpassword=\u00a0x")
	f.Add("0 curl -u00%")
	f.Fuzz(func(t *testing.T, in string) {
		got := redact.String(in).String()
		if !utf8.ValidString(got) {
			t.Errorf("%q became %q, which is not UTF-8", in, got)
		}
		if strings.ContainsAny(got, "\x00\x07\x7f\r") {
			t.Errorf("%q became %q, with control characters", in, got)
		}
		const secret = "Zq7vXw93kLmP"
		planted := in + "\npassword=" + secret + "\n"
		if len(planted) < redact.MaxBytes && strings.Contains(redact.String(planted).String(), secret) && !strings.Contains(in, secret) {
			t.Errorf("the secret is shown behind %q", in)
		}
	})
}

// attacks are texts on which a search that starts anew at each beginning would take quadratic time.
var attacks = map[string]string{
	"beginnings of tokens":     "sk-",
	"beginnings of keys":       "-----BEGIN PRIVATE KEY-----",
	"open quotes":              `password="\"`,
	"open brackets":            "token=[",
	"open placeholders":        "password=${",
	"block headers":            "token: |",
	"keys and colons":          "password: a ",
	"sentences":                "token passphrase ",
	"schemes":                  "a://b:",
	"at signs":                 "a:b@",
	"escapes":                  "\x1b]",
	"spelled escapes":          `\u001b[`,
	"kinds":                    `"kind":"Secret","data":{`,
	"headers":                  "Authorization: ",
	"lists of headers":         "Authorization:[",
	"cookies":                  "Cookie: a=",
	"names":                    `"name":"a_password",`,
	"commands":                 "curl -u ",
	"base64":                   "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ",
	"lines":                    "a:1:b:c:d\n",
	"lists":                    "token:\n",
	"separators":               "pass=a,b,",
	"dots":                     "a.",
	"marks":                    "Q~",
	"identified":               "identified ",
	"private lines":            "Private-Lines:",
	"tails of keys":            "aaaaEND PRIVATE KEY",
	"backslashes":              `password=\\\\`,
	"documents":                "\n---kind: Secret\ndata:\n",
	"nested data":              "kind: Secret\ndata: {",
	"words of from-literal":    "--from-literal ",
	"echoes into a login":      "echo a --password-stdin ",
	"half of everything in it": `login -p password [ { " ' http://a:b@ key= `,
}

func BenchmarkString_attacks(b *testing.B) {
	for name, unit := range attacks {
		text := strings.Repeat(unit, redact.MaxBytes/len(unit))
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				redact.String(text)
			}
		})
	}
}

func BenchmarkString_log(b *testing.B) {
	line := `2026-01-17T09:58:03.123Z INFO  [http-nio-8080-exec-7] c.s.shop.Checkout: POST /api/orders/8f2c1b7e status=503 upstream=10.96.12.7:8080 error="connection refused" trace_id=4bf92f3577b34da6` + "\n"
	text := strings.Repeat(line, (64<<10)/len(line))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for range b.N {
		redact.String(text)
	}
}

func BenchmarkString_message(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		redact.String(`Back-off pulling image "registry.acme.example/web:1.2.3": ErrImagePull: token=abcdef0123456789`)
	}
}
