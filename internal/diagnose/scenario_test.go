package diagnose_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/cluster/dump"
	"github.com/eclusier/eclusier/internal/diagnose"
)

// named is an object of an expectation.
type named struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Reason    string `json:"reason"`
	Absent    bool   `json:"absent"`
}

func (n named) ref() cluster.Ref {
	return cluster.Ref{Kind: n.Kind, Namespace: n.Namespace, Name: n.Name}
}

// expectation is an expect.yaml; its fields are described in test/cases/scenarios/README.md.
type expectation struct {
	ID       string `json:"id"`
	Verdict  string `json:"verdict"`
	Question string `json:"question"`
	Scope    struct {
		Namespace string `json:"namespace"`
		Workload  string `json:"workload"`
		Node      string `json:"node"`
	} `json:"scope"`
	RootCause            named    `json:"rootCause"`
	AlsoAccept           []named  `json:"alsoAccept"`
	Symptoms             []named  `json:"symptoms"`
	IndependentFaults    []named  `json:"independentFaults"`
	Evidence             []string `json:"evidence"`
	MissingEvidence      []string `json:"missingEvidence"`
	SecretCanaries       []string `json:"secretCanaries"`
	InjectedInstructions []string `json:"injectedInstructions"`
}

// question is what is asked: with explicit targets where the scope names them, as the command line and a task do.
func (e expectation) question() diagnose.Question {
	q := diagnose.Question{Namespace: e.Scope.Namespace, Text: e.Question, Language: language.English}
	if kind, name, ok := strings.Cut(e.Scope.Workload, "/"); ok {
		q.Targets = append(q.Targets, cluster.Ref{Kind: kind, Namespace: e.Scope.Namespace, Name: name})
	}
	if e.Scope.Node != "" {
		q.Targets = append(q.Targets, cluster.Ref{Kind: "Node", Name: e.Scope.Node})
	}
	return q
}

// wider are further cases, at least one for every cause id. Their expectations list all that a reader might like to see,
// so that the evidence of an answer is not held against them.
const wider = "../../test/cases/more"

// folders returns the scenario folders: those of the project and those that ECLUSIER_CASES names.
func folders(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, root := range append([]string{"../../test/cases/scenarios", wider}, filepath.SplitList(os.Getenv("ECLUSIER_CASES"))...) {
		found, err := filepath.Glob(filepath.Join(root, "*", "expect.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			t.Fatalf("no scenario in %s", root)
		}
		for _, f := range found {
			out = append(out, filepath.Dir(f))
		}
	}
	return out
}

func expectationOf(t *testing.T, folder string) expectation {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "expect.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var e expectation
	if err := yaml.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(folder) == filepath.Clean(wider) {
		e.Evidence = nil
	}
	return e
}

func TestScenariosAreDiagnosedAsExpected(t *testing.T) {
	t.Parallel()
	for _, folder := range folders(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			e := expectationOf(t, folder)
			d, err := dump.Open(folder)
			if err != nil {
				t.Fatal(err)
			}
			s := d.Snapshot()
			report, err := diagnose.Investigate(context.Background(), d, s, e.question())
			if err != nil {
				t.Fatal(err)
			}
			out, err := json.MarshalIndent(report, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			judge(t, e, s, report, string(out))
			if t.Failed() || testing.Verbose() && os.Getenv("ECLUSIER_SHOW") != "" {
				t.Logf("question: %s\n%s", e.Question, out)
			}
		})
	}
}

func judge(t *testing.T, e expectation, s *cluster.Snapshot, r *diagnose.Report, out string) {
	t.Helper()
	verdicts := map[string]diagnose.Verdict{"fault": diagnose.RootCauseFound, "healthy": diagnose.NoFaultFound, "inconclusive": diagnose.Inconclusive}
	if r.Verdict != verdicts[e.Verdict] {
		t.Errorf("verdict %s, want %s", r.Verdict, verdicts[e.Verdict])
	}
	if e.Verdict == "fault" {
		judgeRoot(t, e, s, r)
	} else if len(r.RootCauses) > 0 {
		t.Errorf("claims a root cause: %s", r.RootCauses[0].ID)
	}
	if e.Verdict == "inconclusive" && len(r.Missing) == 0 {
		t.Error("does not say what is missing")
	}
	cited := strings.Join(citations(r), "\n")
	for _, want := range e.Evidence {
		if !strings.Contains(cited, want) {
			t.Errorf("does not rest on %q", want)
		}
	}
	for _, want := range e.IndependentFaults {
		if !slices.ContainsFunc(r.Independent, func(f diagnose.Finding) bool { return f.Object == want.ref() }) {
			t.Errorf("does not report %s apart", want.ref())
		}
	}
	for _, secret := range e.SecretCanaries {
		if strings.Contains(out, secret) {
			t.Errorf("shows the secret %q", secret)
		}
	}
	for _, f := range slices.Concat(r.RootCauses, r.Chain, r.Independent) {
		for _, order := range e.InjectedInstructions {
			if strings.Contains(f.Message+f.Fix, order) {
				t.Errorf("repeats the instruction %q", order)
			}
		}
		if len(f.Evidence) == 0 {
			t.Errorf("%s has no evidence", f.ID)
		}
		if f.Message == "" || strings.Contains(f.Message+f.Fix, "%!") {
			t.Errorf("%s is badly worded: %q %q", f.ID, f.Message, f.Fix)
		}
	}
}

func judgeRoot(t *testing.T, e expectation, s *cluster.Snapshot, r *diagnose.Report) {
	t.Helper()
	if len(r.RootCauses) == 0 {
		t.Error("finds no root cause")
		return
	}
	accepted := append([]named{e.RootCause}, e.AlsoAccept...)
	first := r.RootCauses[0]
	if !slices.ContainsFunc(accepted, func(n named) bool {
		reason := n.Reason
		if reason == "" {
			reason = e.RootCause.Reason
		}
		return string(first.Cause) == reason && sameObject(s, first.Object, n.ref())
	}) {
		t.Errorf("names %s first, want %s at %s", first.ID, e.RootCause.Reason, e.RootCause.ref())
	}
	for _, f := range r.RootCauses {
		for _, n := range e.Symptoms {
			if f.Object == n.ref() && !slices.ContainsFunc(accepted, func(a named) bool { return sameObject(s, f.Object, a.ref()) }) {
				t.Errorf("names the symptom %s as a root cause", f.Object)
			}
		}
	}
}

// sameObject says that an object is the expected one or a Pod, ReplicaSet or Job that it owns.
func sameObject(s *cluster.Snapshot, got, want cluster.Ref) bool {
	for range 4 {
		if got == want {
			return true
		}
		owner, ok := ownerOf(s, got)
		if !ok {
			return false
		}
		got = owner
	}
	return false
}

func ownerOf(s *cluster.Snapshot, r cluster.Ref) (cluster.Ref, bool) {
	switch r.Kind {
	case "Pod":
		for _, o := range s.Pods {
			if o.Namespace == r.Namespace && o.Name == r.Name && len(o.OwnerReferences) > 0 {
				return cluster.Ref{Kind: o.OwnerReferences[0].Kind, Namespace: r.Namespace, Name: o.OwnerReferences[0].Name}, true
			}
		}
	case "ReplicaSet":
		for _, o := range s.ReplicaSets {
			if o.Namespace == r.Namespace && o.Name == r.Name && len(o.OwnerReferences) > 0 {
				return cluster.Ref{Kind: o.OwnerReferences[0].Kind, Namespace: r.Namespace, Name: o.OwnerReferences[0].Name}, true
			}
		}
	case "Job":
		for _, o := range s.Jobs {
			if o.Namespace == r.Namespace && o.Name == r.Name && len(o.OwnerReferences) > 0 {
				return cluster.Ref{Kind: o.OwnerReferences[0].Kind, Namespace: r.Namespace, Name: o.OwnerReferences[0].Name}, true
			}
		}
	}
	return cluster.Ref{}, false
}

// citations are the texts of all evidence that the answer rests on, and what it misses.
func citations(r *diagnose.Report) []string {
	var out []string
	for _, f := range slices.Concat(r.RootCauses, r.Chain) {
		for _, e := range f.Evidence {
			out = append(out, e.Source+"\n"+e.Text)
		}
	}
	return out
}
