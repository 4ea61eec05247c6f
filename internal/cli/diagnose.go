package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/text/language"

	"github.com/eclusier/eclusier/internal/classify"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/diagnose"
)

// diagnosis is one diagnosis about to be made.
type diagnosis struct {
	*command
	files    string
	question string
	language string
	all      bool
	exitCode bool
	out      format
}

// newDiagnose makes the command diagnose.
func newDiagnose(cmd *command) *cobra.Command {
	d := &diagnosis{command: cmd, out: formatText}
	c := &cobra.Command{
		Use:   "diagnose [KIND/NAME]",
		Short: "Find the root cause here and now, with your own rights or in files",
		Long: `Find the root cause by the rules that the operator uses. Without -f the cluster is read with your own rights; nothing
is changed, and no value of a Secret is read. With -f no cluster is needed: the files are those of kubectl cluster-info
dump, a folder of kubectl get -o yaml or json, a must-gather, a support bundle, or a .tar.gz of these; "now" is the
newest moment in them.

Without KIND/NAME and --question the namespace as a whole is looked at: with -f all that the files hold, unless -n
narrows it.

Exit codes: 0 there is a verdict (also NoFaultFound and Inconclusive), 1 with --exit-code only: a fault was found,
2 wrong usage, nothing could be read, or the object does not exist.`,
		Example: `  kubectl eclusier diagnose -n shop
  kubectl eclusier diagnose -n shop deployment/web
  kubectl eclusier diagnose -n shop --question "Pourquoi checkout répond 503 ?"
  kubectl eclusier diagnose -f dump.tar.gz -n shop -o json`,
		Args: exactly(0, 2, "KIND/NAME"),
		RunE: func(c *cobra.Command, args []string) error { return d.run(c, strings.Join(args, "/")) },
	}
	flags := c.Flags()
	flags.StringVarP(&d.files, "filename", "f", "", "folder or .tar.gz to read instead of a cluster")
	flags.StringVarP(&d.question, "question", "q", "", "what you want to know; narrows the answer")
	flags.StringVar(&d.language, "language", "", "language of the answer, en or fr; that of --question if left out")
	flags.BoolVarP(&d.all, "all-namespaces", "A", false, "look at all namespaces")
	flags.BoolVar(&d.exitCode, "exit-code", false, "exit with 1 if a fault was found")
	d.out.bind(flags, formatText, formatJSON, formatYAML)
	return c
}

// run makes the diagnosis and prints it.
func (d *diagnosis) run(c *cobra.Command, target string) error {
	asked := classify.Classify(d.question)
	question := diagnose.Question{Text: d.question, Language: language.English}
	if err := d.setLanguage(c, &question, asked.Language); err != nil {
		return err
	}
	reader, namespace, err := d.reader()
	if err != nil {
		return err
	}
	if d.all {
		namespace = ""
	}
	question.Namespace = namespace
	if target != "" {
		found, err := d.find(c, reader, namespace, target)
		if err != nil {
			return err
		}
		question.Targets = []cluster.Ref{found}
	} else if named := d.askedNamespace(c.Context(), reader, asked); named != "" {
		question.Namespace = named
	}
	seen := &cluster.Snapshot{Now: d.now()}
	report, err := diagnose.Investigate(c.Context(), reader, seen, question)
	if err != nil {
		return err
	}
	if target == "" && question.Namespace != "" && !seen.Holds(question.Namespace) {
		return fmt.Errorf("there is no namespace %s%s: nothing was diagnosed", question.Namespace, namespacesOf(seen))
	}
	return d.print(report, question.Language)
}

// namespacesOf names the namespaces that were seen, at most ten.
func namespacesOf(s *cluster.Snapshot) string {
	const most = 10
	var names []string
	for _, n := range s.Namespaces {
		if len(names) < most {
			names = append(names, n.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (there are " + strings.Join(names, ", ") + ")"
}

// now is the moment that a live diagnosis counts from; files know their own.
func (d *diagnosis) now() (moment time.Time) {
	if d.files == "" {
		moment = d.Now()
	}
	return moment
}

// setLanguage chooses the language of the answer.
func (d *diagnosis) setLanguage(c *cobra.Command, q *diagnose.Question, spoken string) error {
	chosen := d.language
	if chosen == "" && d.question != "" {
		chosen = spoken
	}
	if chosen == "" {
		return nil
	}
	tag, err := language.Parse(chosen)
	base, _ := tag.Base()
	if err != nil || base.String() != "en" && base.String() != "fr" {
		return usage(c, "--language %q: choose en or fr", chosen)
	}
	q.Language = tag
	return nil
}

// reader opens the files or the cluster, and returns the namespace to look at: that of -n, else that of the context.
func (d *diagnosis) reader() (cluster.Reader, string, error) {
	if d.files != "" {
		reader, err := d.Dump(d.files)
		return reader, d.connection.namespaceFlag(), err
	}
	config, namespace, err := d.connection.config()
	if err != nil {
		return nil, "", err
	}
	reader, err := d.Live(config)
	return reader, namespace, err
}

// find looks the object of the command line up.
func (d *diagnosis) find(c *cobra.Command, reader cluster.Reader, namespace, target string) (cluster.Ref, error) {
	kind, in, name, ok := splitTarget(target)
	if !ok {
		return cluster.Ref{}, usage(c, "%q: write the object as KIND/NAME", target)
	}
	query := cluster.Query{Kind: kind, Namespace: in, DefaultNamespace: namespace, Name: name}
	if in == "" && d.connection.namespaceFlag() != "" {
		query.Namespace = namespace
	}
	found, err := reader.Find(c.Context(), query)
	if err != nil && len(found) == 0 {
		return cluster.Ref{}, fmt.Errorf("%s: %w", target, err)
	}
	if kind == "" {
		found = cluster.Prefer(found)
	}
	switch len(found) {
	case 0:
		return cluster.Ref{}, fmt.Errorf("there is no %s%s%s", target, where(namespace), d.suggestions(c.Context(), reader, query))
	case 1:
		return found[0].Ref, nil
	}
	var names []string
	for _, f := range found {
		names = append(names, f.String())
	}
	return cluster.Ref{}, fmt.Errorf("%s may be several objects; name one of them: %s", target, strings.Join(names, ", "))
}

// where says in which namespace was looked.
func where(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// suggestions names objects that may have been meant.
func (d *diagnosis) suggestions(ctx context.Context, reader cluster.Reader, query cluster.Query) string {
	suggester, ok := reader.(cluster.Suggester)
	if !ok {
		return ""
	}
	near, err := suggester.Suggest(ctx, query)
	if err != nil || len(near) == 0 {
		return ""
	}
	var names []string
	for _, f := range near {
		names = append(names, f.String())
	}
	return "; did you mean " + strings.Join(names, ", ") + "?"
}

// askedNamespace returns the namespace that the question names, if there is one and -n does not say otherwise. What else
// the question names is the engine's to find.
func (d *diagnosis) askedNamespace(ctx context.Context, reader cluster.Reader, asked classify.Result) string {
	if asked.Namespace == "" || d.all || d.connection.namespaceFlag() != "" {
		return ""
	}
	found, err := reader.Find(ctx, cluster.Query{Kind: "Namespace", Name: asked.Namespace})
	if err != nil || len(found) == 0 {
		return ""
	}
	return asked.Namespace
}

// verdictColors say how glad one may be of a verdict.
var verdictColors = map[diagnose.Verdict]string{
	diagnose.RootCauseFound: red, diagnose.NoFaultFound: green, diagnose.Inconclusive: yellow,
}

// print prints the report and turns it into the exit code.
func (d *diagnosis) print(report *diagnose.Report, tag language.Tag) error {
	if d.out.structured() {
		if err := d.out.write(d.Out, withLists(report)); err != nil {
			return err
		}
	} else {
		p := newPrinter(d.Out, d.style())
		p.line("%s  %s", p.paint(verdictColors[report.Verdict], string(report.Verdict)), oneLine(report.Summary))
		printStory(p, wordsOf(tag.String()), storyOfReport(report))
		if p.err != nil {
			return p.err
		}
	}
	if d.exitCode && len(report.RootCauses)+len(report.Independent) > 0 {
		return errNoAnswer
	}
	return nil
}

// withLists returns the report with empty lists in place of absent ones, which programs need not tell apart.
func withLists(r *diagnose.Report) *diagnose.Report {
	out := *r
	out.RootCauses = append([]diagnose.Finding{}, r.RootCauses...)
	out.Chain = append([]diagnose.Finding{}, r.Chain...)
	out.Independent = append([]diagnose.Finding{}, r.Independent...)
	out.Missing = append([]diagnose.Missing{}, r.Missing...)
	out.Looked = append([]string{}, r.Looked...)
	return &out
}
