package manifest_test

import (
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

func TestDiff_huge(t *testing.T) {
	text := strings.Repeat("a line of text\\n", 60_000)
	got, err := manifest.Diff("x", nil, form(t, `{data: {big: "`+text+`"}}`))
	if err != nil || len(got) > 1000 || !strings.Contains(got, "too large") {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}
