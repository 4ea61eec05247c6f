package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/version"
)

// The exit codes of all commands.
const (
	// ExitDone: the command did what it was asked for; a question has an answer.
	ExitDone = 0
	// ExitNoAnswer: the task ended without an answer, the change without success, or a fault was found and --exit-code asked
	// to say so.
	ExitNoAnswer = 1
	// ExitTrouble: wrong usage, no connection, a refusal by the API server, or no answer in time.
	ExitTrouble = 2
)

// Env is what the commands need from outside.
type Env struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	// Color says that Out shows colours.
	Color bool
	Now   func() time.Time
	// Client talks to an API server about eclusier's kinds and others.
	Client func(*rest.Config) (client.WithWatch, error)
	// Interactive says that a person sits at In.
	Interactive bool
	// Kinds knows what an API server serves, by the names that people give it.
	Kinds func(*rest.Config) (meta.RESTMapper, error)
	// Planner plans changes with the caller's own rights.
	Planner func(*rest.Config) (Planner, error)
	// Normal returns an object without what the API server and controllers write into it; Diff shows how two such forms
	// differ, redacted. A nil form is an object that does not exist.
	Normal func(*unstructured.Unstructured) map[string]any
	Diff   func(name string, before, after map[string]any) (string, error)
	// Kept reads what the operator keeps of changes in its namespace, with the caller's own rights.
	Kept func(config *rest.Config, namespace string) (Snapshots, error)
	// Live reads a running cluster, Dump reads files.
	Live func(*rest.Config) (cluster.Reader, error)
	Dump func(path string) (cluster.Reader, error)
}

// UseColor tells whether to colour, from whether the output is a terminal and from the environment.
func UseColor(terminal bool, getenv func(string) string) bool {
	return terminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// errNoAnswer ends a command with ExitNoAnswer; everything there is to say has been said.
var errNoAnswer = errors.New("no answer")

// Run runs one command line and returns its exit code.
func Run(ctx context.Context, env Env, args []string) int {
	root := newRoot(env)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, errNoAnswer):
		return ExitNoAnswer
	}
	say := newPrinter(env.Err, style{})
	say.line("error: %s", err)
	for _, hint := range hints(err) {
		say.line("  %s", hint)
	}
	return ExitTrouble
}

// command holds what the commands share.
type command struct {
	Env
	connection *connection
	ascii      bool
	// operator is the operator's namespace.
	operator string
}

// newRoot makes the tree of commands.
func newRoot(env Env) *cobra.Command {
	cmd := &command{Env: env, connection: newConnection()}
	root := &cobra.Command{
		Use:   "kubectl-eclusier",
		Short: "Ask what is wrong in a Kubernetes cluster, and change it with somebody's consent",
		Long: `Ask what is wrong in a Kubernetes cluster, get the cause with its evidence, and change what has to be changed with
somebody's consent.

ask, get and show work with AgentTasks, which the operator answers. diagnose, objects and classify need no operator:
the first two look with your own rights or into files, classify works without any cluster. change, review, approve and
reject work with ChangeRequests, which the operator plans and, once those agree who have to, carries out; snapshots are
what was there before. Nothing here changes anything but by a ChangeRequest.

Exit codes: 0 done (a question has an answer, a change succeeded), 1 it ended otherwise, 2 wrong usage, no connection,
refused, or not in time.`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl eclusier"},
		Version:       version.String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{command: c.CommandPath(), err: err}
	})
	root.PersistentFlags().BoolVar(&cmd.ascii, "ascii", false, "print no characters beyond ASCII of our own")
	cmd.connection.bind(root.PersistentFlags())
	root.PersistentFlags().StringVar(&cmd.operator, "operator-namespace", change.OwnNamespace, "namespace of the operator, where snapshots lie")
	root.AddCommand(newAsk(cmd), newGet(cmd), newShow(cmd), newDiagnose(cmd), newObjects(cmd), newClassify(cmd), newVersion(cmd),
		newChange(cmd), newReview(cmd), newApprove(cmd), newReject(cmd), newPolicy(cmd), newSnapshots(cmd))
	return root
}

// usageError is a command line that makes no sense.
type usageError struct {
	command string
	err     error
}

// Error prints what is wrong with the command line.
func (e *usageError) Error() string { return e.err.Error() }

// usage makes a usageError of the command.
func usage(c *cobra.Command, format string, args ...any) error {
	return &usageError{command: c.CommandPath(), err: fmt.Errorf(format, args...)}
}

// exactly checks the number of arguments and says what they are.
func exactly(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage(c, "%s is missing", what)
		case len(args) > most:
			return usage(c, "too many arguments; put %s in quotes if it has blanks", what)
		}
		return nil
	}
}

// newVersion makes the command version.
func newVersion(cmd *command) *cobra.Command {
	out := format("")
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if out.structured() {
				return out.write(cmd.Out, map[string]string{"version": version.String()})
			}
			_, err := fmt.Fprintln(cmd.Out, version.String())
			return err
		},
	}
	out.bind(c.Flags(), formatJSON, formatYAML)
	return c
}
