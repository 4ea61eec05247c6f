package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cli"
	"github.com/eclusier/eclusier/internal/cluster"
)

// readerDouble is a cluster with no objects but those that Find knows.
type readerDouble struct {
	found   []cluster.Found
	near    []cluster.Found
	broken  error
	missing string
	queries []cluster.Query
	wants   []cluster.Want
}

// Read notes what was wanted and has nothing but the namespaces, and of those not the ones that are missing.
func (r *readerDouble) Read(_ context.Context, into *cluster.Snapshot, wants []cluster.Want) error {
	r.wants = append(r.wants, wants...)
	for _, w := range wants {
		if w.What == cluster.WantNamespace && w.Namespace != r.missing {
			into.Namespaces = append(into.Namespaces, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}})
		}
	}
	into.Read = append(into.Read, wants...)
	return r.broken
}

// Find returns what fits by name and, if given, kind and namespace.
func (r *readerDouble) Find(_ context.Context, q cluster.Query) ([]cluster.Found, error) {
	r.queries = append(r.queries, q)
	var fit []cluster.Found
	for _, f := range r.found {
		if f.Name == q.Name && (q.Kind == "" || strings.EqualFold(q.Kind, f.Kind)) && (q.Namespace == "" || q.Namespace == f.Namespace) {
			fit = append(fit, f)
		}
	}
	return fit, r.broken
}

// Suggest returns what is near.
func (r *readerDouble) Suggest(context.Context, cluster.Query) ([]cluster.Found, error) {
	return r.near, nil
}

func found(kind, namespace, name string) cluster.Found {
	return cluster.Found{Ref: cluster.Ref{Kind: kind, Namespace: namespace, Name: name}}
}

func TestClassify_ofOneText(t *testing.T) {
	s := &shell{t: t}
	got := s.run("classify", "restart deployment web in namespace shop")
	var one map[string]any
	if err := json.Unmarshal([]byte(got.out), &one); err != nil || got.code != cli.ExitDone || strings.Count(got.out, "\n") != 1 {
		t.Fatalf("exit code %d, %v, %q", got.code, err, got.out)
	}
	if one["intent"] != "Change" || one["rule"] == "" || one["confidence"].(float64) < 0.7 {
		t.Errorf("classified as %v", one)
	}
	if _, given := one["text"]; given {
		t.Errorf("repeats the text: %v", one)
	}
	if target := asJSON(t, one["targets"]); target != `[{"kind":"Deployment","name":"web","namespace":"shop"}]` {
		t.Errorf("targets are %s", target)
	}
}

func TestClassify_ofLines(t *testing.T) {
	lines := []string{"restart deployment web in namespace shop", "", "why is web down?", "\x00\xff", "last without an end"}
	file := filepath.Join(t.TempDir(), "texts")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &shell{t: t, in: strings.Join(lines, "\n") + "\n"}
	for _, from := range []string{file, "-"} {
		out := strings.Split(strings.TrimRight(s.run("classify", "-f", from).out, "\n"), "\n")
		if len(out) != len(lines) {
			t.Fatalf("%d lines in, %d out: %q", len(lines), len(out), out)
		}
		for i, line := range out {
			var one struct {
				Text, Intent string
				Targets      []any
			}
			if err := json.Unmarshal([]byte(line), &one); err != nil || one.Intent == "" || one.Targets == nil {
				t.Errorf("line %q: %v", line, err)
			}
			if want := strings.ToValidUTF8(lines[i], "\ufffd"); one.Text != want {
				t.Errorf("line %d speaks of %q, not of %q", i, one.Text, want)
			}
		}
	}
	if got := s.run("classify", "-f", "/does/not/exist"); got.code != cli.ExitTrouble {
		t.Errorf("exit code %d, %q", got.code, got.err)
	}
	if got := s.run("classify", "-o", "yaml", "why is web down?"); !strings.HasPrefix(got.out, "---\n") || !strings.Contains(got.out, "confidence:") {
		t.Errorf("as YAML: %q", got.out)
	}
}

func TestDiagnose_ofAnObject(t *testing.T) {
	shopWeb, dataWeb, service := found("Deployment", "shop", "web"), found("Deployment", "data", "web"), found("Service", "shop", "web")
	for _, c := range []struct {
		name   string
		reader readerDouble
		args   []string
		code   int
		says   string
	}{
		{"that is there", readerDouble{found: []cluster.Found{shopWeb, service}}, []string{"deployment/web"}, cli.ExitDone, ""},
		{"written as two words", readerDouble{found: []cluster.Found{shopWeb, service}}, []string{"deployment", "web"}, cli.ExitDone, ""},
		{"that several kinds have the name of", readerDouble{found: []cluster.Found{service, shopWeb}}, []string{"web"}, cli.ExitDone, ""},
		{"that several namespaces have", readerDouble{found: []cluster.Found{shopWeb, dataWeb}}, []string{"web"}, cli.ExitTrouble, "Deployment shop/web, Deployment data/web"},
		{"that several namespaces have, in one of them", readerDouble{found: []cluster.Found{shopWeb, dataWeb}}, []string{"web", "-n", "data"}, cli.ExitDone, ""},
		{"of another namespace", readerDouble{found: []cluster.Found{shopWeb, dataWeb}}, []string{"deployment/data/web"}, cli.ExitDone, ""},
		{"that is not there", readerDouble{near: []cluster.Found{shopWeb}}, []string{"deployment/wbe"}, cli.ExitTrouble, "did you mean Deployment shop/web?"},
		{"of an unknown kind", readerDouble{broken: &cluster.UnknownKindError{Kind: "gizmo"}}, []string{"gizmo/web"}, cli.ExitTrouble, "no kind gizmo"},
		{"that may be where one may not look", readerDouble{broken: &cluster.UnseenError{What: []string{"nodes"}}}, []string{"web"}, cli.ExitTrouble, "name the namespace with -n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, cluster: &c.reader}
			got := s.run(append([]string{"diagnose"}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.err, c.says) {
				t.Errorf("exit code %d, %q", got.code, got.err)
			}
		})
	}
}

func TestDiagnose_looksAtTheNamespaceThatIsMeant(t *testing.T) {
	namespaces := []cluster.Found{found("Namespace", "", "billing")}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"that of the context", nil, "shop"},
		{"that of -n", []string{"-n", "data"}, "data"},
		{"that of the question", []string{"--question", "What is wrong in namespace billing?"}, "billing"},
		{"that of the context, where the question names one that is not there", []string{"--question", "What is wrong in namespace blling?"}, "shop"},
		{"that of -n before that of the question", []string{"-n", "data", "--question", "What is wrong in namespace billing?"}, "data"},
		{"all of them", []string{"-A"}, ""},
		{"all that the files hold", []string{"-f", "files"}, ""},
		{"one that the files hold", []string{"-f", "files", "-n", "data"}, "data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			reader := &readerDouble{found: namespaces}
			s := &shell{t: t, cluster: reader}
			if got := s.run(append([]string{"diagnose"}, c.args...)...); got.code != cli.ExitDone {
				t.Fatalf("exit code %d, %q", got.code, got.err)
			}
			looked := ""
			for _, w := range reader.wants {
				if w.What == cluster.WantNamespace && looked == "" {
					looked = w.Namespace
				}
			}
			if looked != c.want {
				t.Errorf("looked at %q, want %q; all wants: %v", looked, c.want, reader.wants)
			}
		})
	}
}

func TestDiagnose_printsListsEvenWhereTheyAreEmpty(t *testing.T) {
	s := &shell{t: t, cluster: &readerDouble{}}
	got := s.run("diagnose", "-o", "json")
	var report map[string]any
	if err := json.Unmarshal([]byte(got.out), &report); err != nil {
		t.Fatalf("%v in %q", err, got.out)
	}
	for _, key := range []string{"rootCauses", "chain", "independentFaults", "missing", "looked"} {
		if _, ok := report[key].([]any); !ok {
			t.Errorf("%s is %v", key, report[key])
		}
	}
	if report["verdict"] == "" {
		t.Error("there is no verdict")
	}
}

func TestDiagnose_thatCannotRead(t *testing.T) {
	s := &shell{t: t, cluster: &readerDouble{broken: errors.New("disk on fire")}}
	if got := s.run("diagnose", "-f", "files"); got.code != cli.ExitTrouble || !strings.Contains(got.err, "disk on fire") {
		t.Errorf("exit code %d, %q", got.code, got.err)
	}
}

func TestDiagnose_ofANamespaceThatIsNotThere(t *testing.T) {
	s := &shell{t: t, cluster: &readerDouble{missing: "nosuch"}}
	got := s.run("diagnose", "-n", "nosuch")
	if got.code != cli.ExitTrouble || !strings.Contains(got.err, "there is no namespace nosuch") {
		t.Errorf("exit code %d, %q: a verdict about nothing would be taken for good news", got.code, got.err)
	}
}
