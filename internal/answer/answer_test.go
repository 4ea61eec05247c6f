package answer_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/eclusier/eclusier/internal/answer"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/diagnose"
)

func report() *diagnose.Report {
	web := cluster.Ref{Kind: "Deployment", Namespace: "shop", Name: "web"}
	return &diagnose.Report{
		Verdict: diagnose.RootCauseFound,
		Summary: "web cannot start: its image does not exist",
		RootCauses: []diagnose.Finding{{
			Cause: "ImageNotFound", Object: web, Message: "The tag v9 does not exist", Fix: "Name a tag that exists",
			Evidence: []diagnose.Evidence{{Source: "Deployment shop/web .spec.image", Text: "web:v9"}},
		}},
		Chain:       []diagnose.Finding{{Object: cluster.Ref{Kind: "Pod", Namespace: "shop", Name: "web-1"}, Message: "waits for its image"}},
		Independent: []diagnose.Finding{{Cause: "CronJobSuspended", Object: cluster.Ref{Kind: "CronJob", Namespace: "shop", Name: "tidy"}, Message: "is suspended"}},
		Missing:     []diagnose.Missing{{What: "the log", Why: "it never ran", Command: "kubectl logs web-1"}},
		Looked:      []string{"2 pods", "1 deployment"},
	}
}

func TestRender(t *testing.T) {
	want := `web cannot start: its image does not exist

Root cause: The tag v9 does not exist (ImageNotFound, Deployment shop/web)
  - Deployment shop/web .spec.image: web:v9
  What to do: Name a tag that exists

What follows from it:
  - Pod shop/web-1: waits for its image

Missing: the log (it never ran)
  $ kubectl logs web-1

Not related, but also wrong: is suspended (CronJobSuspended, CronJob shop/tidy)

Looked at: 2 pods, 1 deployment`
	if got := answer.Render(report(), language.BritishEnglish, 8192); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRender_french(t *testing.T) {
	got := answer.Render(report(), language.CanadianFrench, 8192)
	for _, label := range []string{"Cause racine :", "Que faire :", "Ce qui en découle :", "Il manque :", "Sans rapport, mais également en défaut :", "Examiné :"} {
		if !strings.Contains(got, label) {
			t.Errorf("%q is missing from\n%s", label, got)
		}
	}
	for _, label := range []string{"Root cause", "What", "Looked"} {
		if strings.Contains(got, label) {
			t.Errorf("%q is left in English:\n%s", label, got)
		}
	}
}

func TestRender_observedWithoutCause(t *testing.T) {
	r := report()
	r.Verdict, r.RootCauses = diagnose.NoFaultFound, nil
	if got := answer.Render(r, language.English, 8192); !strings.Contains(got, "What was observed:\n") || strings.Contains(got, "follows") {
		t.Errorf("without a root cause nothing follows from one:\n%s", got)
	}
}

func TestRender_bounded(t *testing.T) {
	r := report()
	for i := range 400 {
		f := r.RootCauses[0]
		f.Message = fmt.Sprintf("Défaut numéro %d", i)
		r.RootCauses = append(r.RootCauses, f)
	}
	for _, limit := range []int{512, 2048, 8192} {
		got := answer.Render(r, language.French, limit)
		if len(got) > limit || !utf8.ValidString(got) {
			t.Errorf("%d bytes of %d, valid %t", len(got), limit, utf8.ValidString(got))
		}
		if !strings.Contains(got, "Parties omises faute de place") || strings.Contains(got, "Examiné") {
			t.Errorf("what is left out must be the end, and be said:\n%s", got[len(got)-200:])
		}
	}
}

func TestHeadline(t *testing.T) {
	got := answer.Headline(&diagnose.Report{Summary: "first\n second " + strings.Repeat("é", 400)})
	if utf8.RuneCountInString(got) != 160 || strings.Contains(got, "\n") || !strings.HasPrefix(got, "first second") {
		t.Errorf("got %q", got)
	}
}

func TestCite(t *testing.T) {
	for _, tc := range []struct{ name, kind, source, text, wantSource, wantText string }{
		{"a field's name is said once", "Field", "Pod a/b status.state.waiting.reason", "reason: ImagePullBackOff", "Pod a/b status.state.waiting.reason", "ImagePullBackOff"},
		{"the selector in a path does not count", "Field", "Pod a/b spec.containers[web]", "containers: two", "Pod a/b spec.containers[web]", "two"},
		{"a field of another name stays whole", "Field", "Node x spec.taints[k]", "key: v", "Node x spec.taints[k]", "key: v"},
		{"a log line stays whole", "Log", "log a/b/c line 2.reason", "reason: none", "log a/b/c line 2.reason", "reason: none"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := answer.Cite(tc.kind, tc.source, tc.text); got.Source != tc.wantSource || got.Text != tc.wantText {
				t.Errorf("Cite() = %+v, want %q and %q", got, tc.wantSource, tc.wantText)
			}
		})
	}
}
