package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/transcript"
)

// Snapshots is what the operator keeps of changes: their plans with the objects as they were before.
type Snapshots interface {
	Get(ctx context.Context, key transcript.Key) ([]byte, error)
	List(ctx context.Context, kind transcript.Kind, namespace string) ([]transcript.Entry, error)
}

// newSnapshots makes the command snapshots.
func newSnapshots(cmd *command) *cobra.Command {
	c := &cobra.Command{
		Use:   "snapshots",
		Short: "List what objects were like before changes, compare them with now, and propose to bring that back",
		Long: `List what objects were like before changes, compare that with what they are now, and propose to bring it back. Snapshots
are kept for 7 days after the change has ended, of each object the 10 newest. They lie in Secrets of the operator's
namespace and are read with your own rights: those bound to the Role eclusier-snapshot-viewer there may.

A SNAPSHOT is written CHANGE or CHANGE@REVISION, as ls prints it. restore changes nothing by itself: it proposes a
ChangeRequest like any other.`,
		Example: `  kubectl eclusier snapshots ls -n shop
  kubectl eclusier snapshots ls -n shop deployment/checkout
  kubectl eclusier snapshots diff -n shop scale-checkout-x7k2p
  kubectl eclusier snapshots restore -n shop scale-checkout-x7k2p deployment/checkout --reason "the new image leaks"`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newSnapshotList(cmd), newSnapshotDiff(cmd), newSnapshotRestore(cmd))
	return c
}

// snapshots opens what is kept, and says in which namespace.
func (cmd *command) snapshots() (Snapshots, string, error) {
	config, _, err := cmd.connection.config()
	if err != nil {
		return nil, cmd.operator, err
	}
	kept, err := cmd.Kept(config, cmd.operator)
	return kept, cmd.operator, err
}

// notAllowed says what is needed where somebody may not read what is kept.
func (cmd *command) notAllowed(err error) error {
	if !apierrors.IsForbidden(err) && !fault.Is(err, fault.PermissionDenied) {
		return err
	}
	return &refusal{why: fmt.Sprintf("snapshots lie in Secrets of namespace %s, which you may not read; whoever is bound to the Role eclusier-snapshot-viewer may: "+
		"kubectl -n %s create rolebinding NAME --role=eclusier-snapshot-viewer --user=YOU", cmd.operator, cmd.operator)}
}

// listed is one snapshot of the list.
type listed struct {
	Snapshot string   `json:"snapshot"`
	Change   string   `json:"change"`
	Revision int32    `json:"revision"`
	Made     string   `json:"made"`
	Result   string   `json:"result,omitempty"`
	Objects  []string `json:"objects"`
}

// newSnapshotList makes the command ls.
func newSnapshotList(cmd *command) *cobra.Command {
	var out format
	c := &cobra.Command{
		Use:   "ls [KIND/NAME]",
		Short: "List the snapshots of a namespace, the newest first, or those that hold an object",
		Args:  exactly(0, 1, "KIND/NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			at, err := cmd.site()
			if err != nil {
				return err
			}
			kept, _, err := cmd.snapshots()
			if err != nil {
				return err
			}
			entries, err := kept.List(c.Context(), transcript.KindPlan, at.namespace)
			if err != nil {
				return cmd.notAllowed(err)
			}
			if len(args) == 1 {
				if entries, err = at.holding(c, entries, args[0]); err != nil {
					return err
				}
			}
			return cmd.printSnapshots(c.Context(), at, out, entries)
		},
	}
	out.bind(c.Flags(), formatJSON, formatYAML)
	return c
}

// holding keeps the entries that hold an object.
func (s *site) holding(c *cobra.Command, entries []transcript.Entry, text string) ([]transcript.Entry, error) {
	fits, err := s.fitting(c, text)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e transcript.Entry) bool { return !slices.ContainsFunc(e.Holds, fits) }), nil
}

// fitting reads KIND/NAME and returns what tells the object from others.
func (s *site) fitting(c *cobra.Command, text string) (func(transcript.Object) bool, error) {
	word, namespace, name, ok := splitTarget(text)
	if !ok || word == "" {
		return nil, usage(c, "%q: write the object as KIND/NAME", text)
	}
	kind, err := s.kind(word)
	if err != nil {
		return nil, err
	}
	return func(o transcript.Object) bool {
		group, _, grouped := strings.Cut(o.APIVersion, "/")
		if !grouped {
			group = ""
		}
		return o.Kind == kind.GroupVersionKind.Kind && group == kind.GroupVersionKind.Group && o.Name == name &&
			(namespace == "" || o.Namespace == namespace)
	}, nil
}

// printSnapshots prints the list.
func (cmd *command) printSnapshots(ctx context.Context, at *site, out format, entries []transcript.Entry) error {
	results := map[string]string{}
	if requests, err := at.client(); err == nil {
		list := &v1alpha1.ChangeRequestList{}
		// Without the right to see changes, snapshots are listed without how these ended.
		if requests.List(ctx, list, client.InNamespace(at.namespace)) == nil {
			for i := range list.Items {
				results[string(list.Items[i].UID)] = cmp.Or(string(list.Items[i].Status.Result), string(list.Items[i].Status.Phase))
			}
		}
	}
	all := []listed{}
	for _, e := range entries {
		one := listed{Snapshot: snapshotName(e), Change: e.Name, Revision: e.Revision, Result: cmp.Or(results[e.UID], "gone"), Objects: []string{}}
		one.Made = e.Made.UTC().Format("2006-01-02T15:04:05Z")
		for _, o := range e.Holds {
			one.Objects = append(one.Objects, object(o.Kind, o.Namespace, o.Name))
		}
		all = append(all, one)
	}
	if out.structured() {
		return out.write(cmd.Out, all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintf(cmd.Err, "No snapshots in namespace %s.\n", at.namespace)
		return err
	}
	table := tabwriter.NewWriter(cmd.Out, 0, 8, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "SNAPSHOT\tCHANGE\tAGE\tOBJECTS") // Flush says what went wrong
	for i, one := range all {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", oneLine(one.Snapshot), one.Result, age(cmd.Now(), entries[i].Made), oneLine(few(one.Objects)))
	}
	return table.Flush()
}

// few names the first of some objects, and how many more there are.
func few(objects []string) string {
	const most = 3
	if len(objects) <= most {
		return strings.Join(objects, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(objects[:most], ", "), len(objects)-most)
}

// snapshotName is how a snapshot is named on the command line.
func snapshotName(e transcript.Entry) string { return fmt.Sprintf("%s@%d", e.Name, e.Revision) }
