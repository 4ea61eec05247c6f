package cli_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/cli"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// noon is the moment at which the commands run.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// result is what a command line came to.
type result struct {
	code     int
	out, err string
}

// shell runs command lines in-process.
type shell struct {
	t       *testing.T
	tasks   client.WithWatch
	cluster cluster.Reader
	kept    cli.Snapshots
	planner cli.Planner
	color   bool
	// person says that somebody sits at a terminal.
	person bool
	in     string
}

// kubeconfig writes a configuration whose namespace is shop, and returns its path.
func kubeconfig(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	text := `{"apiVersion":"v1","kind":"Config","current-context":"here",
"clusters":[{"name":"here","cluster":{"server":"https://127.0.0.1:1"}}],
"users":[{"name":"me","user":{}}],
"contexts":[{"name":"here","context":{"cluster":"here","user":"me","namespace":"shop"}}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs a command line.
func (s *shell) run(args ...string) result {
	s.t.Helper()
	var out, err bytes.Buffer
	env := cli.Env{
		In: strings.NewReader(s.in), Out: &out, Err: &err, Color: s.color,
		Interactive: s.person,
		Now:         func() time.Time { return noon },
		Kinds:       func(*rest.Config) (meta.RESTMapper, error) { return kindsDouble(), nil },
		Kept:        func(*rest.Config, string) (cli.Snapshots, error) { return s.kept, nil },
		Normal:      manifest.Normal,
		Diff:        manifest.Diff,
		Planner:     func(*rest.Config) (cli.Planner, error) { return s.planner, nil },
		Client:      func(*rest.Config) (client.WithWatch, error) { return s.tasks, nil },
		Live:        func(*rest.Config) (cluster.Reader, error) { return s.cluster, nil },
		Dump:        func(string) (cluster.Reader, error) { return s.cluster, nil },
	}
	code := cli.Run(s.t.Context(), env, append([]string{"--kubeconfig", kubeconfig(s.t)}, args...))
	return result{code: code, out: out.String(), err: err.String()}
}

// golden compares text with a file of testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s: the output is\n%s\nwant\n%s", name, text, want)
	}
}

func TestRun_ofWrongUsage(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"a command that does not exist", []string{"asc", "x"}, "unknown command"},
		{"a flag that does not exist", []string{"get", "--al"}, "unknown flag"},
		{"a question without text", []string{"ask"}, "TEXT is missing"},
		{"a question without quotes", []string{"ask", "why", "is", "web", "down"}, "put TEXT in quotes"},
		{"an empty question", []string{"ask", "  "}, "the question is empty"},
		{"a pasted log", []string{"ask", strings.Repeat("x", 9000)}, "longer than 8192 bytes"},
		{"an intent that does not exist", []string{"ask", "x", "--intent", "maybe"}, "choose Auto, Diagnostic or Change"},
		{"a target without a kind", []string{"ask", "x", "--target", "web"}, "KIND/NAME"},
		{"a format that does not exist", []string{"get", "-o", "xml"}, "choose one of json, yaml"},
		{"two names", []string{"get", "a", "b"}, "too many arguments"},
		{"no name", []string{"show"}, "NAME is missing"},
		{"nothing to classify", []string{"classify"}, "TEXT or -f FILE is missing"},
		{"two things to classify", []string{"classify", "x", "-f", "y"}, "not both"},
		{"a language that does not exist", []string{"diagnose", "--language", "de"}, "choose en or fr"},
		{"an object in pieces", []string{"diagnose", "a/b/c/d"}, "KIND/NAME"},
		{"a context that does not exist", []string{"get", "--context", "there"}, `no context "there"; there are: here`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: newTasks(t), cluster: &readerDouble{}}
			got := s.run(c.args...)
			if got.code != cli.ExitTrouble || !strings.Contains(got.err, c.want) {
				t.Errorf("exit code %d, %q; want %d and a text that has %q", got.code, got.err, cli.ExitTrouble, c.want)
			}
		})
	}
}

func TestRun_withoutAnyCluster(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	var out, errs bytes.Buffer
	code := cli.Run(context.Background(), cli.Env{Out: &out, Err: &errs, Client: cli.NewClient}, []string{"get"})
	if code != cli.ExitTrouble || !strings.Contains(errs.String(), "set KUBECONFIG") {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
}

func TestRun_ofAClusterThatDoesNotAnswer(t *testing.T) {
	var out, errs bytes.Buffer
	env := cli.Env{Out: &out, Err: &errs, Client: cli.NewClient}
	code := cli.Run(t.Context(), env, []string{"--kubeconfig", kubeconfig(t), "get"})
	if code != cli.ExitTrouble || !strings.Contains(errs.String(), "the API server does not answer") {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
}

func TestRun_showsHelpAndVersion(t *testing.T) {
	s := &shell{t: t}
	for _, args := range [][]string{nil, {"--help"}, {"ask", "--help"}, {"diagnose", "--help"}} {
		got := s.run(args...)
		if got.code != cli.ExitDone || !strings.Contains(got.out, "Exit codes:") {
			t.Errorf("%v: exit code %d, %q", args, got.code, got.out)
		}
	}
	if got := s.run("version", "-o", "json"); got.code != cli.ExitDone || !strings.Contains(got.out, `"version": "`) {
		t.Errorf("version: exit code %d, %q", got.code, got.out)
	}
	if got := s.run("completion", "bash"); got.code != cli.ExitDone || !strings.Contains(got.out, "kubectl-eclusier") {
		t.Errorf("completion: exit code %d, %d bytes", got.code, len(got.out))
	}
}

func TestUseColor(t *testing.T) {
	for _, c := range []struct {
		name     string
		terminal bool
		env      map[string]string
		want     bool
	}{
		{"a terminal", true, nil, true},
		{"a file or pipe", false, nil, false},
		{"a terminal whose owner wants no colour", true, map[string]string{"NO_COLOR": "1"}, false},
		{"a terminal that cannot", true, map[string]string{"TERM": "dumb"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := cli.UseColor(c.terminal, func(k string) string { return c.env[k] }); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
