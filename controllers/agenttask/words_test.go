package agenttask

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/diagnose"
)

func TestBrief(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"a short text stays whole", "It is empty: write one.", "It is empty: write one."},
		{"whole sentences are kept", "One is here. Two is. And three is far too long.", "One is here. Two is."},
		{"one long sentence ends at a word", "Deployments of a long name were not found", "Deployments of a long name…"},
		{"one long word is cut", strings.Repeat("é", 40), strings.Repeat("é", 29) + "…"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := brief(tc.text, 30); got != tc.want || utf8.RuneCountInString(got) > 30 {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFacts_details(t *testing.T) {
	f := facts{status: v1alpha1.AgentTaskStatus{Failure: &v1alpha1.Failure{Message: "It may not.",
		Remedies: []string{"kubectl create a", "kubectl create b", "What is wrong?", "Or ask again."}}}}
	if got, want := f.details(), "It may not. kubectl create a; kubectl create b; what is wrong? Or ask again."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPass_grouped(t *testing.T) {
	lacking := func(resource, namespace string) diagnose.Missing {
		return diagnose.Missing{What: resource + " -n " + namespace, Why: "forbidden", Command: "kubectl auth can-i list " + resource + " -n " + namespace}
	}
	log := diagnose.Missing{What: "the log", Why: "gone", Command: "kubectl logs -n shop web"}
	r := newRoom(t, ask("why", "why is web down?"))
	got := r.begin(r.get("why")).grouped([]diagnose.Missing{lacking("jobs", "shop"), log, lacking("events", "shop"), lacking("pods", "pay"), lacking("secrets", "shop")})
	if len(got) != 4 || got[0].What != "jobs, events -n shop" || got[1] != log || got[2].What != "pods -n pay" {
		t.Fatalf("got %+v", got)
	}
	if want := "kubectl auth can-i --list -n pay --as=system:serviceaccount:shop:eclusier-reader"; got[2].Command != want {
		t.Errorf("command %q, want %q", got[2].Command, want)
	}
	if secrets := got[3]; secrets.What != "secrets -n shop" || secrets.Command != "kubectl get secrets -n shop" || strings.Contains(secrets.Why, "rolebinding") {
		t.Errorf("%+v: no role of eclusier grants Secrets", secrets)
	}
	if want := "kubectl create rolebinding eclusier-reader-shop -n pay"; !strings.Contains(got[2].Why, want) {
		t.Errorf("%q does not say how it is granted: %s", got[2].Why, want)
	}
}
