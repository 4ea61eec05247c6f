package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/inventory"
	"github.com/eclusier/eclusier/internal/redact"
)

// objects is one question about objects.
type objects struct {
	diagnosis
	query inventory.Query
	since time.Duration
}

// newObjects makes the command objects.
func newObjects(cmd *command) *cobra.Command {
	o := &objects{diagnosis: diagnosis{command: cmd, out: formatText}}
	c := &cobra.Command{
		Use:   "objects",
		Short: "List, show and search objects, with your own rights or in files",
		Long: `List, show and search objects, and see what refers to what, read with your own rights or with -f from files. Nothing is
changed, no value of a Secret is read, and what is shown is redacted.

Exit codes: 0 done, also where nothing was found, 2 wrong usage, nothing could be read, or no such object.`,
		Example: `  kubectl eclusier objects ls -A
  kubectl eclusier objects ls deploy -n shop
  kubectl eclusier objects refs configmap/web -n shop
  kubectl eclusier objects search -f dump.tar.gz "connection refused"`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	flags := c.PersistentFlags()
	flags.StringVarP(&o.files, "filename", "f", "", "folder or .tar.gz to read instead of a cluster")
	flags.BoolVarP(&o.all, "all-namespaces", "A", false, "look at all namespaces")
	o.out.bind(flags, formatText, formatJSON, formatYAML)
	c.AddCommand(
		subcommand("ls [KIND]", "List the objects of a namespace, or with -A count those of every namespace", exactly(0, 1, "KIND"), o.list),
		subcommand("get KIND/NAME", "Show an object, redacted; of a Secret the names of its entries", exactly(1, 2, "KIND/NAME"), o.get),
		subcommand("refs KIND/NAME", "Show what owns an object, what it refers to and what refers to it", exactly(1, 2, "KIND/NAME"), o.refs),
		subcommand("graph", "Show what refers to what in a namespace", cobra.NoArgs, o.graph),
		o.searchCommand(),
		subcommand("labels [PREFIX]", "Count the labels in use, those that begin with PREFIX", exactly(0, 1, "PREFIX"), o.labels),
		subcommand("recent", "Show the latest events and rollouts, the newest first", cobra.NoArgs, o.recent),
	)
	return c
}

// subcommand makes one of the commands below objects.
func subcommand(use, short string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: run}
}

// searchCommand makes the command search.
func (o *objects) searchCommand() *cobra.Command {
	c := subcommand("search TEXT", "Search names, labels, annotations, names of variables, images and events", exactly(1, 1, "TEXT"), o.search)
	flags := c.Flags()
	flags.BoolVar(&o.query.Names, "names", false, "search the names of objects only")
	flags.BoolVar(&o.query.Regex, "regex", false, "TEXT is a regular expression (RE2)")
	flags.StringVarP(&o.query.Labels, "selector", "l", "", "only objects with these labels: key=value, key!=value …")
	flags.StringVar(&o.query.Kind, "kind", "", "only objects of this kind")
	flags.DurationVar(&o.since, "since", 0, "only objects made and events seen in this time, such as 2h")
	return c
}

// read reads a namespace, with whole also what belongs to none, or all namespaces; it returns the namespace, empty for all.
func (o *objects) read(ctx context.Context, whole bool) (*cluster.Snapshot, string, error) {
	reader, namespace, err := o.reader()
	if err != nil {
		return nil, "", err
	}
	if o.all {
		namespace = ""
	}
	seen, err := o.readAll(ctx, reader, namespace, whole)
	return seen, namespace, err
}

func (o *objects) readAll(ctx context.Context, reader cluster.Reader, namespace string, whole bool) (*cluster.Snapshot, error) {
	seen := &cluster.Snapshot{Now: o.now()}
	var wants []cluster.Want
	if namespace != "" {
		wants = append(wants, cluster.Want{What: cluster.WantNamespace, Namespace: namespace})
	}
	if namespace == "" || whole {
		wants = append(wants, cluster.Want{What: cluster.WantCluster})
	}
	if err := reader.Read(ctx, seen, wants); err != nil {
		return nil, err
	}
	if namespace != "" {
		if !seen.Holds(namespace) {
			return nil, fmt.Errorf("there is no namespace %s%s", namespace, namespacesOf(seen))
		}
		return seen, nil
	}
	wants = nil
	for _, n := range seen.Namespaces {
		wants = append(wants, cluster.Want{What: cluster.WantNamespace, Namespace: n.Name})
	}
	return seen, reader.Read(ctx, seen, wants)
}

// one reads an object of the command line and what is around it.
func (o *objects) one(c *cobra.Command, target string) (*cluster.Snapshot, cluster.Ref, error) {
	reader, namespace, err := o.reader()
	if err != nil {
		return nil, cluster.Ref{}, err
	}
	if o.all {
		namespace = ""
	}
	ref, err := o.find(c, reader, namespace, target)
	if err != nil {
		return nil, ref, err
	}
	seen, err := o.readAll(c.Context(), reader, ref.Namespace, true)
	if err != nil {
		return nil, ref, err
	}
	if _, held := inventory.Show(seen, ref); !held {
		err = reader.Read(c.Context(), seen, []cluster.Want{{What: cluster.WantObject, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}})
	}
	return seen, ref, err
}

func (o *objects) list(c *cobra.Command, args []string) error {
	seen, namespace, err := o.read(c.Context(), len(args) > 0)
	if err != nil {
		return err
	}
	if namespace == "" && len(args) == 0 {
		return printPage(o, seen, inventory.Namespaces(seen), func(n inventory.Count) string { return fmt.Sprintf("%6d  %s", n.Count, n.Name) })
	}
	kind := ""
	if len(args) > 0 {
		if kind = args[0]; !namespacedKind(seen, namespace, kind) {
			namespace = ""
		}
	}
	listing := inventory.List(seen, namespace, kind)
	if o.out.structured() {
		return o.structured(seen, listing)
	}
	p := newPrinter(o.Out, o.style())
	for _, k := range listing.Kinds {
		p.line("%6d  %s", k.Count, oneLine(k.Name))
	}
	if p.err != nil {
		return p.err
	}
	return printPage(o, seen, listing.Page, func(i inventory.Item) string {
		made := ""
		if i.Created != nil {
			made = "  " + age(seen.Now, *i.Created)
		}
		return i.String() + made
	})
}

// namespacedKind tells objects of a namespace from those of the cluster, such as nodes, which -n does not narrow.
func namespacedKind(s *cluster.Snapshot, namespace, kind string) bool {
	if len(inventory.List(s, namespace, kind).Items) > 0 {
		return true
	}
	return slices.ContainsFunc(inventory.List(s, "", kind).Items, func(i inventory.Item) bool { return i.Namespace != "" })
}

func (o *objects) get(c *cobra.Command, args []string) error {
	seen, ref, err := o.one(c, strings.Join(args, "/"))
	if err != nil {
		return err
	}
	fields, held := inventory.Show(seen, ref)
	if !held {
		return fmt.Errorf("%s cannot be read%s", ref, unseen(seen))
	}
	out := o.out
	if out == formatText {
		out = formatYAML
	}
	var text bytes.Buffer
	if err := out.write(&text, fields); err != nil {
		return err
	}
	// Once more as a whole: some secrets show only by what stands around them.
	whole := redact.String(text.String()).String()
	if out == formatJSON && !json.Valid([]byte(whole)) {
		return fmt.Errorf("%s is no JSON any more without what may be a secret; -o yaml shows the rest", ref)
	}
	_, err = fmt.Fprint(o.Out, whole)
	return err
}

func (o *objects) refs(c *cobra.Command, args []string) error {
	seen, ref, err := o.one(c, strings.Join(args, "/"))
	if err != nil {
		return err
	}
	found := inventory.RefersTo(seen, ref)
	if o.out.structured() {
		return o.structured(seen, found)
	}
	p := newPrinter(o.Out, o.style())
	chain := []string{oneLine(ref.String())}
	for _, owner := range found.Owners {
		chain = append(chain, oneLine(owner.String()))
	}
	p.line("%s", strings.Join(chain, p.sign(" ← ", " <- ")))
	for _, part := range []struct {
		title string
		edges inventory.Page[inventory.Edge]
	}{{"refers to", found.To}, {"is referred to by", found.From}} {
		p.line("%s", p.paint(bold, part.title))
		for _, e := range part.edges.Items {
			other := e.To
			if other == ref {
				other = e.From
			}
			p.line("  %s (%s)", oneLine(other.String()), oneLine(e.Why))
		}
		printCut(p, len(part.edges.Items), part.edges.Total)
	}
	printUnseen(p, seen)
	return p.err
}

func (o *objects) graph(c *cobra.Command, _ []string) error {
	seen, namespace, err := o.read(c.Context(), true)
	if err != nil {
		return err
	}
	return printPage(o, seen, inventory.Graph(seen, namespace), func(e inventory.Edge) string {
		return fmt.Sprintf("%s -> %s (%s)", e.From, e.To, e.Why)
	})
}

func (o *objects) search(c *cobra.Command, args []string) error {
	seen, namespace, err := o.read(c.Context(), false)
	if err != nil {
		return err
	}
	query := o.query
	query.Text, query.Namespace = args[0], namespace
	if o.since > 0 {
		query.Since = seen.Now.Add(-o.since)
	}
	hits, err := inventory.Search(seen, query)
	if err != nil {
		return usage(c, "%s", err)
	}
	return printPage(o, seen, hits, func(h inventory.Hit) string { return fmt.Sprintf("%s  %s: %s", h.Ref, h.Field, h.Text) })
}

func (o *objects) labels(c *cobra.Command, args []string) error {
	seen, namespace, err := o.read(c.Context(), false)
	if err != nil {
		return err
	}
	return printPage(o, seen, inventory.Labels(seen, namespace, strings.Join(args, "")), func(l inventory.Count) string {
		return fmt.Sprintf("%6d  %s", l.Count, l.Name)
	})
}

func (o *objects) recent(c *cobra.Command, _ []string) error {
	seen, namespace, err := o.read(c.Context(), false)
	if err != nil {
		return err
	}
	return printPage(o, seen, inventory.Recent(seen, namespace), func(h inventory.Happening) string {
		return fmt.Sprintf("%s  %s  %s  %s %s", h.Time.Format(time.RFC3339), h.What, h.Ref, h.Reason, h.Text)
	})
}
