package diagnose

import (
	"strings"
	"testing"
)

func TestErrorsThatNothingExplainsAreNotDenied(t *testing.T) {
	t.Parallel()
	const fails = `{"level":"error","time":"TIME","msg":"order failed","upstream":"http://store.app.svc"}`
	for _, c := range []struct {
		name, question, line string
		want                 Verdict
		reason               string
	}{
		{"errors, for somebody who complains", "orders of shop fail since noon", fails, Inconclusive, "the log says so too"},
		{"answers of a gateway", "orders of shop fail since noon", `192.0.2.1 - - [02/Mar/2026:11:57:00 +0000] "POST / HTTP/1.1" 504 157 "-" "x" upstream=store.app.svc`, Inconclusive, "somebody saw the same"},
		{"warnings", "orders of shop fail since noon", strings.Replace(fails, "error", "warn", 1), NoFaultFound, "a warning may mean anything"},
		{"errors, for somebody who asks whether all is well", "is shop fine?", fails, NoFaultFound, "every log knows errors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.store()
			w.says("shop", c.line, nil)
			r := Diagnose(w.Snapshot, Question{Namespace: "app", Text: c.question})
			if r.Verdict != c.want || len(r.RootCauses) > 0 {
				t.Fatalf("%s, want %s: %s", r.Verdict, c.want, c.reason)
			}
			if r.Verdict == Inconclusive && (len(r.Missing) == 0 || len(r.Chain) == 0 || !strings.Contains(r.Missing[0].Command, "service/store")) {
				t.Errorf("does not say what is missing or what it saw: %+v", r)
			}
		})
	}
}
