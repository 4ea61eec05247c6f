package jsonl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLog_Start_isALineLikeAnyOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	for range 2 {
		log := open(t, path)
		if err := log.Start(t.Context(), "system:serviceaccount:eclusier-system:eclusier-operator"); err != nil {
			t.Fatal(err)
		}
		record(t, log, "a")
	}
	text := content(t, path)
	if summary, _ := verify(t, text); summary.Lines != 4 || summary.Chains != 1 {
		t.Errorf("got %+v, want that a file goes on with its chain", summary)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	want := `"actor":"system:serviceaccount:eclusier-system:eclusier-operator","action":"Start","outcome":"Succeeded","detail":"on ` + host + `"`
	if got := strings.Count(text, want); got != 2 {
		t.Errorf("%d lines say %s, want one for each start:\n%s", got, want, text)
	}
}
