package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/eclusier/eclusier/internal/redact"
)

// unescape turns the notation of the tables into the characters meant.
var unescape = strings.NewReplacer(`\x1b`, "\x1b", `\n`, "\n", `\t`, "\t")

// marked splits a text in which secrets stand between « and » into the text as people write it and the text as it must
// be shown.
func marked(text string) (in, want string, secrets []string) {
	for {
		open := strings.Index(text, "«")
		if open < 0 {
			return in + text, want + text, secrets
		}
		end := strings.Index(text, "»")
		secret := text[open+len("«") : end]
		in += text[:open] + secret
		want += text[:open] + redact.Mark
		secrets = append(secrets, secret)
		text = text[end+len("»"):]
	}
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(data), "\n"), "\n")
}

func TestString_hidesWhatIsMarkedAndNothingElse(t *testing.T) {
	for _, line := range lines(t, "testdata/marked.tsv") {
		family, text, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("no tab in %q", line)
		}
		in, want, _ := marked(unescape.Replace(text))
		t.Run(family, func(t *testing.T) {
			if got := redact.String(in).String(); got != want {
				t.Errorf("\ntext %s\n got %s\nwant %s", in, got, want)
			}
		})
	}
}

func TestString_ofTheGivenCases(t *testing.T) {
	for _, line := range lines(t, "testdata/redaction.tsv") {
		fields := strings.SplitN(line, "\t", 3)
		in := unescape.Replace(fields[2])
		t.Run(fields[0]+"/"+fields[1], func(t *testing.T) {
			got := redact.String(in).String()
			if fields[0] == "clean" && got != in {
				t.Errorf("clean text was changed\ntext %s\n got %s", in, got)
			}
			if fields[0] == "secret" && !strings.Contains(got, redact.Mark) {
				t.Errorf("nothing was hidden in %s", in)
			}
		})
	}
}

func TestString_leavesWhatItHasRedacted(t *testing.T) {
	for _, line := range lines(t, "testdata/marked.tsv") {
		_, text, _ := strings.Cut(line, "\t")
		in, _, _ := marked(unescape.Replace(text))
		once := redact.String(in).String()
		if twice := redact.String(once).String(); twice != once {
			t.Errorf("the second pass changed\n %s\ninto\n %s", once, twice)
		}
	}
}

func TestString_findsTheSameInOtherClothes(t *testing.T) {
	clothes := []struct {
		name string
		wear func(string) string
	}{
		{"within a JSON string", func(s string) string {
			var b strings.Builder
			encoder := json.NewEncoder(&b)
			encoder.SetEscapeHTML(false)
			_ = encoder.Encode(map[string]string{"msg": s})
			return b.String()
		}},
		{"within a JSON string between lines", func(s string) string {
			b, _ := json.Marshal("A=1\n" + s + "\nB=2")
			return string(b)
		}},
		{"behind the prefix of a log line", func(s string) string {
			return "2026-01-17T09:58:03.123Z stderr F " + s
		}},
		{"in colour", func(s string) string { return "\x1b[1;31mERROR\x1b[0m " + s + "\x1b[0m" }},
		{"between other lines", func(s string) string { return "starting up\n" + s + "\nshutting down" }},
	}
	for _, c := range clothes {
		t.Run(c.name, func(t *testing.T) {
			for _, line := range lines(t, "testdata/marked.tsv") {
				family, text, _ := strings.Cut(line, "\t")
				in, _, secrets := marked(unescape.Replace(text))
				if strings.Contains(in, "\n") || strings.HasPrefix(family, "line-") || family == "json-html" {
					continue
				}
				got := redact.String(c.wear(in)).String()
				for _, secret := range secrets {
					if len(secret) > 3 && strings.Contains(got, secret) {
						t.Errorf("%s leaks: %s", family, got)
					}
				}
			}
		})
	}
}

func TestString_looksIntoBase64(t *testing.T) {
	for _, plain := range []string{
		`{"auths":{"r.example":{"auth":"Y2k6aHVudGVyMg=="}}}`,
		"DB_HOST=db\nDB_PASSWORD=hunter2\n",
		"-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n",
	} {
		in := "blob " + base64.StdEncoding.EncodeToString([]byte(plain)) + " end"
		if got := redact.String(in).String(); got != "blob "+redact.Mark+" end" {
			t.Errorf("base64 of %q is shown: %s", plain, got)
		}
	}
	in := "blob " + base64.StdEncoding.EncodeToString([]byte("nothing to see here, only a long sentence"))
	if got := redact.String(in).String(); got != in {
		t.Errorf("harmless base64 was changed: %s", got)
	}
}

func TestString_understandsLineFeedsThatAreSpelledOut(t *testing.T) {
	for in, want := range map[string]string{
		`{"private_key_id":"k1","private_key":"-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----\n"}`: `{"private_key_id":"k1","private_key":"-----BEGIN PRIVATE KEY-----[redacted]-----END PRIVATE KEY-----\n"}`,
		`{"env":"A=1\nDB_PASSWORD=hunter2\nB=2"}`:  `{"env":"A=1\nDB_PASSWORD=[redacted]\nB=2"}`,
		`{"env":"a: 1\ntoken: abcDEF123\nb: 2\n"}`: `{"env":"a: 1\ntoken: [redacted]\nb: 2\n"}`,
	} {
		if got := redact.String(in).String(); got != want {
			t.Errorf("\ntext %s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestString_cutsWhatIsTooLong(t *testing.T) {
	got := redact.String(strings.Repeat("a ", redact.MaxBytes)).String()
	if len(got) > redact.MaxBytes+100 || !strings.Contains(got, "[cut:") {
		t.Errorf("a text of %d bytes became one of %d, ending in %q", 2*redact.MaxBytes, len(got), got[len(got)-20:])
	}
}

func TestText_asJSON(t *testing.T) {
	type page struct {
		Text redact.Text `json:"text,omitzero"`
	}
	out, err := json.Marshal(page{redact.String("token=abcdef0123456789")})
	if err != nil || string(out) != `{"text":"token=[redacted]"}` {
		t.Errorf("marshalled to %s, %v", out, err)
	}
	if out, err := json.Marshal(page{}); err != nil || string(out) != `{}` {
		t.Errorf("the empty text is marshalled to %s, %v", out, err)
	}
	var read page
	if err := json.Unmarshal([]byte(`{"text":"token=abcdef0123456789"}`), &read); err != nil || read.Text.String() != "token=[redacted]" {
		t.Errorf("unmarshalled to %q, %v: stored text must not bring a secret back", read.Text, err)
	}
}
