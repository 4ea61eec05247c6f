package redact_test

import (
	"os"
	"strings"
	"testing"

	"github.com/eclusier/eclusier/internal/redact"
)

func TestGiven(t *testing.T) {
	b, _ := os.ReadFile("testdata/redaction.tsv")
	for _, l := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		f := strings.SplitN(l, "\t", 3)
		in := strings.NewReplacer(`\x1b`, "\x1b", `\n`, "\n").Replace(f[2])
		got := redact.String(in).String()
		ok := (got == in) == (f[0] == "clean")
		t.Log(ok, f[0], f[1], "|", in, "=>", got)
		if !ok {
			t.Fail()
		}
	}
}
