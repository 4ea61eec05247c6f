package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// newSnapshotDiff makes the command diff.
func newSnapshotDiff(cmd *command) *cobra.Command {
	return &cobra.Command{
		Use:   "diff SNAPSHOT [KIND/NAME...]",
		Short: "Show what restoring a snapshot would change: from what the objects are now to what they were",
		Args:  exactly(1, maxOperations+1, "SNAPSHOT"),
		RunE: func(c *cobra.Command, args []string) error {
			at, err := cmd.site()
			if err != nil {
				return err
			}
			list, err := at.open(c, args[0], args[1:])
			if err != nil {
				return err
			}
			p := newPrinter(cmd.Out, cmd.style())
			same := true
			for _, one := range list {
				diff, err := cmd.diffOf(one)
				if err != nil {
					return err
				}
				if diff != "" {
					same = false
					printDiff(p, diff)
				}
			}
			if same {
				p.line("Everything is as it was.")
			}
			return p.err
		},
	}
}

// diffOf is the unified diff from what an object is now to what it was, redacted.
func (cmd *command) diffOf(p past) (string, error) {
	name := strings.Join(nonEmpty(p.was.GetKind(), p.was.GetNamespace(), p.was.GetName()), "/")
	if p.now == nil {
		return cmd.Diff(name, nil, cmd.Normal(p.was))
	}
	now, was := cmd.Normal(p.now), cmd.Normal(p.was)
	if equality.Semantic.DeepEqual(now, was) {
		return "", nil
	}
	return cmd.Diff(name, now, was)
}

// newSnapshotRestore makes the command restore.
func newSnapshotRestore(cmd *command) *cobra.Command {
	g := &proposal{command: cmd}
	c := &cobra.Command{
		Use:   "restore SNAPSHOT [KIND/NAME...]",
		Short: "Propose a ChangeRequest that brings objects back as they were in a snapshot",
		Long: `Propose a ChangeRequest that brings objects back as they were: those that are gone are made again, those that were changed
are patched back. It is planned, shown and agreed to like any other. What the change made anew is not deleted, and of a
namespace that was deleted only the namespace itself comes back.`,
		Args: exactly(1, maxOperations+1, "SNAPSHOT"),
		RunE: func(c *cobra.Command, args []string) error {
			at, err := cmd.site()
			if err != nil {
				return err
			}
			list, err := at.open(c, args[0], args[1:])
			if err != nil {
				return err
			}
			var operations []v1alpha1.Operation
			for _, one := range list {
				operation, err := at.restoring(c.Context(), one)
				if err != nil {
					return err
				}
				if operation != nil {
					operations = append(operations, *operation)
				}
			}
			if len(operations) == 0 {
				return errors.New("everything is as it was in the snapshot: nothing is to be restored")
			}
			if g.reason == "" {
				g.reason = fmt.Sprintf("restore what was there before change %s", args[0])
			}
			return g.submit(c, at, operations)
		},
	}
	g.bind(c.Flags())
	return c
}
